"""The files that a user writes for a run: read once, when it is planned, and kept with it.

A file may change while a run works. Its stages get the text that its fingerprints name.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.entities.resolve import Overrides, read_overrides
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.language.domain import Domain, default_domain, read_domain
from graphrag_tasks.storage import file_system


@dataclass(frozen=True)
class UserFiles:
    """The text of a user's files; empty where there is no file."""

    overrides: str = ""
    schema: str = ""
    domain: str = ""

    @classmethod
    def read(cls, config: Config) -> UserFiles:
        """Read the files that a configuration names.

        Raises:
            ConfigError: One cannot be read.
            MissingDependencyError: One lies in S3, and the package for S3 is not installed.
        """
        return cls(
            overrides=_text(config.resolve.overrides, "resolve.overrides"),
            schema=_text(config.relationships.schema_file, "relationships.schema_file"),
            domain=_text(config.domain.file, "domain.file"),
        )

    def parsed_overrides(self, config: Config) -> Overrides:
        """Return the overrides, or raise what `read_overrides` raises."""
        return read_overrides(self.overrides, config.resolve.overrides or "resolve.overrides")

    def parsed_schema(self, config: Config) -> GraphSchema:
        """Return the schema, or raise what `read_schema` raises."""
        where = config.relationships.schema_file or "relationships.schema_file"
        return read_schema(self.schema, where)

    def parsed_domain(self, config: Config) -> Domain:
        """Return the domain, the default one without a file, or raise what `read_domain` raises."""
        where = config.domain.file
        return default_domain() if where is None else read_domain(self.domain, where)


def _text(uri: str | None, setting: str) -> str:
    if uri is None:
        return ""
    try:
        fs, path = file_system(uri)
        return bytes(fs.cat_file(path)).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(what, uri, f"Correct {setting}, or leave it out") from error
