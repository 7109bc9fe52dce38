"""Registries of exchangeable parts: built-in ones, and those that other packages install.

Another package registers a factory as an entry point of the registry's group::

    [project.entry-points."graphrag_tasks.extractors"]
    mine = "my_package:make_extractor"
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar, cast

from graphrag_tasks.core.errors import ConfigError

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Factories of one `kind`, by name: built-in ones ("module:name") and entry points.

    `setting` is the setting that selects one.
    """

    kind: str
    group: str
    setting: str
    built_in: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self.built_in, *(point.name for point in entry_points(group=self.group))})

    def factory(self, name: str) -> Callable[..., T]:
        """Return the factory of this name, or raise `ConfigError`."""
        if name in self.built_in:
            module, _, function = self.built_in[name].partition(":")
            return cast("Callable[..., T]", getattr(import_module(module), function))
        for point in entry_points(group=self.group, name=name):
            return cast("Callable[..., T]", point.load())
        near = difflib.get_close_matches(name, self.names, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise ConfigError(
            f"there is no {self.kind} '{name}'", self.setting,
            f"{hint}Known: {', '.join(self.names)}",
        )  # fmt: skip
