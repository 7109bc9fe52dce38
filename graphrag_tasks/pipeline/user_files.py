"""A user's files for a run: read once, when it is planned, and stored with it.

Files may change during a run; its stages get the text that its fingerprints cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.entities.resolve import Overrides, read_overrides
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.language.domain import Domain, default_domain, read_domain, with_gazetteers
from graphrag_tasks.storage import file_system
from graphrag_tasks.storage.snapshots.ontology import APPROVED, ontology_in_force, place_in_force


@dataclass(frozen=True)
class UserFiles:
    """The text of a user's files; empty if there is no file."""

    overrides: str = ""
    schema: str = ""
    domain: str = ""
    gazetteers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, config: Config) -> UserFiles:
        """Read the files that a configuration names."""
        return cls(
            overrides=_text(config.resolve.overrides, "resolve.overrides"),
            schema=_schema(config),
            domain=_text(config.domain.file, "domain.file"),
            gazetteers=_texts(config.domain.gazetteers, "domain.gazetteers"),
        )

    def parsed_overrides(self, config: Config) -> Overrides:
        """Return the overrides, or raise what `read_overrides` raises."""
        return read_overrides(self.overrides, config.resolve.overrides or "resolve.overrides")

    def parsed_schema(self, config: Config) -> GraphSchema:
        """Return the schema, or raise what `read_schema` raises."""
        where = config.relationships.schema_file or "relationships.schema_file"
        if where == APPROVED:
            where = place_in_force(config.store)
        return read_schema(self.schema, where)

    def parsed_domain(self, config: Config) -> Domain:
        """Return the domain with the gazetteers, or raise what reading them raises.

        Without a file it is the default domain.
        """
        where, lists = config.domain.file, config.domain.gazetteers
        domain = default_domain() if where is None else read_domain(self.domain, where)
        return with_gazetteers(domain, self.gazetteers, lists or "domain.gazetteers")


def _schema(config: Config) -> str:
    """Return the schema's text; "" also if no ontology is approved yet, as in a first run."""
    if config.relationships.schema_file == APPROVED:
        return ontology_in_force(config.store)
    return _text(config.relationships.schema_file, "relationships.schema_file")


def _text(uri: str | None, setting: str) -> str:
    if uri is None:
        return ""
    try:
        fs, path = file_system(uri)
        return bytes(fs.cat_file(path)).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(what, uri, f"Correct {setting}, or leave it out") from error


def _texts(folder: str | None, setting: str) -> dict[str, str]:
    if folder is None:
        return {}
    hint = f"Correct {setting}, or leave it out"
    try:
        fs, path = file_system(folder)
        files = sorted(one for one in fs.ls(path, detail=False) if one.endswith(".txt"))
    except OSError as error:
        raise ConfigError(f"the folder cannot be read: {error.strerror or error}", folder, hint) from error
    if not files:
        raise ConfigError("the folder has no files TYPE.txt", folder, hint)
    base = folder.rstrip("/")
    names = [file.rpartition("/")[2] for file in files]
    return {name: _text(f"{base}/{name}", setting) for name in names}
