"""Entries of the overrides file, written by commands and pages for the next run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.language.domain import read_overrides, with_override
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.storage.locks import edit_file, local_file

SETTING = "resolve.overrides"

Section = Literal["same", "different", "rename"]


@dataclass(frozen=True)
class Override:
    """An entry: two names that are equal or different, or a name and its new name."""

    section: Section
    name: str
    other: str

    def __str__(self) -> str:
        name, other = (json.dumps(one, ensure_ascii=False) for one in (self.name, self.other))
        return f"{name}: {other}" if self.section == "rename" else f"[{name}, {other}]"

    def added_to(self, text: str, where: str) -> str:
        """Return the text of an overrides file with this entry."""
        said = read_overrides(text, where)
        keys = {entity_key(self.name), entity_key(self.other)}
        if self.section != "rename":
            if len(keys) == 1:
                raise ConfigError(f"'{self.name}' and '{self.other}' are one name", where)
            pairs = said.same if self.section == "same" else said.different
            for pair in pairs:
                if {pair.left, pair.right} == keys:
                    hint = "The next run applies it"
                    raise ConfigError("the file says so already", f"{where}, line {pair.line}", hint)
        return with_override(text, self.section, str(self), where)


def overrides_file(configured: str | None) -> Path:
    """Return the overrides file to which entries are written."""
    if not configured:
        hint = f"Set {SETTING} to a YAML file, which may be new; runs read it"
        raise ConfigError("there is no overrides file", SETTING, hint)
    return local_file(configured, SETTING)


def add_override(file: Path, override: Override) -> None:
    """Write an entry to an overrides file, validated as in a run."""
    edit_file(file, lambda text: override.added_to(text, str(file)))
