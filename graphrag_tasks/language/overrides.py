"""Overrides: a user's decisions on which names are equal, different, or renamed.

::

    same:
      - [SAP BTP, Business Technology Platform]
    different:
      - [data object, data objects]
    rename:
      SAP BTP: SAP Business Technology Platform
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.language.names import entity_key

_SECTIONS = ("same", "different", "rename")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names of an override, by key, and their line."""

    left: str
    right: str
    line: int


@dataclass(frozen=True, slots=True)
class Overrides:
    """Content of an overrides file; `rename` maps keys to display names."""

    same: tuple[Pair, ...] = ()
    different: tuple[Pair, ...] = ()
    rename: dict[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> set[str]:
        """Keys of all names in it."""
        pairs = (*self.same, *self.different)
        return {key for pair in pairs for key in (pair.left, pair.right)} | self.rename.keys()

    @property
    def fingerprint(self) -> str:
        """Hash of its content, without lines and comments."""
        pairs = {
            name: sorted(sorted((pair.left, pair.right)) for pair in given)
            for name, given in (("same", self.same), ("different", self.different))
        }
        return fingerprint(pairs | {"rename": self.rename})


def read_overrides(text: str, where: str) -> Overrides:
    """Parse an overrides file."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"not readable as YAML: {error}", where) from error
    if root is None:
        return Overrides()
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError("must have sections", where, f"Known: {', '.join(_SECTIONS)}")
    sections = {_section(key, where): value for key, value in root.value}
    overrides = Overrides(
        same=tuple(_pairs(sections.get("same"), where)),
        different=tuple(_pairs(sections.get("different"), where)),
        rename=dict(_renamed(sections.get("rename"), where)),
    )
    _refuse_contradictions(overrides, where)
    return overrides


def _section(node: yaml.Node, where: str) -> str:
    name = str(node.value)
    if name not in _SECTIONS:
        near = difflib.get_close_matches(name, _SECTIONS, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(_SECTIONS)}"
        raise ConfigError(f"unknown section '{name}'", f"{where}, line {_line(node)}", hint)
    return name


def _pairs(node: yaml.Node | None, where: str) -> Iterator[Pair]:
    for entry in _items(node, yaml.SequenceNode, where):
        names = entry.value if isinstance(entry, yaml.SequenceNode) else ()
        if len(names) != 2 or not all(isinstance(name, yaml.ScalarNode) for name in names):
            raise ConfigError(
                "an entry must be a pair of names",
                f"{where}, line {_line(entry)}",
                "Write it as: - [one name, other name]",
            )
        left, right = (entity_key(name.value) for name in names)
        yield Pair(left, right, _line(entry))


def _renamed(node: yaml.Node | None, where: str) -> Iterator[tuple[str, str]]:
    lines: dict[str, int] = {}
    for name, value in _items(node, yaml.MappingNode, where):
        texts = all(isinstance(one, yaml.ScalarNode) for one in (name, value))
        if not texts or not value.value.strip():
            raise ConfigError("a new name must be a text", f"{where}, line {_line(name)}")
        key = entity_key(name.value)
        if key in lines:
            raise ConfigError(
                f"'{key}' is renamed by line {lines[key]} and by line {_line(name)}", where, "Remove one of the lines"
            )
        lines[key] = _line(name)
        yield key, value.value.strip()


def _items(node: yaml.Node | None, kind: type[yaml.Node], where: str) -> list[Any]:
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return []
    if not isinstance(node, kind):
        wanted = "a list of pairs" if kind is yaml.SequenceNode else "names with their new names"
        raise ConfigError(f"this section must hold {wanted}", f"{where}, line {_line(node)}")
    return list(node.value)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _refuse_contradictions(overrides: Overrides, where: str) -> None:
    """Follow `same` transitively, so that contradictions over several lines are found too."""
    cluster: dict[str, list[Pair]] = {}
    names: dict[str, set[str]] = {}
    for pair in overrides.same:
        joined = names.get(pair.left, {pair.left}) | names.get(pair.right, {pair.right})
        lines = [*cluster.get(pair.left, ()), *cluster.get(pair.right, ()), pair]
        for name in joined:
            names[name], cluster[name] = joined, lines
    for pair in overrides.different:
        if pair.left == pair.right or pair.right in names.get(pair.left, ()):
            said = ", ".join(str(one.line) for one in cluster.get(pair.left, ())) or "none"
            raise ConfigError(
                f"'{pair.left}' and '{pair.right}' are different by line {pair.line}, but the same by line {said}"
                if said != "none"
                else f"line {pair.line} says that '{pair.left}' differs from itself",
                where,
                "Remove one of the lines",
            )


def with_override(text: str, section: str, entry: str, where: str) -> str:
    """Return the text of an overrides file with another entry; comments and layout stay.

    The entry is written as in a file: `[one, other]`, or `name: new name` in section `rename`.
    """
    read_overrides(text, where)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    value = next((found for key, found in (root.value if root else ()) if key.value == section), None)
    text = text if not text or text.endswith("\n") else f"{text}\n"
    bullet = "" if section == "rename" else "- "
    if value is None:
        changed = f"{text}{section}:\n  {bullet}{entry}\n"
    elif value.value and value.flow_style:
        raise ConfigError(
            f"section '{section}' is written in brackets, so nothing can be added",
            f"{where}, line {_line(value)}",
            "Write each entry on a line of its own",
        )
    else:
        lines = text.splitlines(keepends=True)
        place, indent = _end_of(value)
        changed = "".join([*lines[:place], f"{' ' * indent}{bullet}{entry}\n", *lines[place:]])
    read_overrides(changed, where)
    return changed


def _end_of(section: yaml.Node) -> tuple[int, int]:
    """Return the last line number of a section's entries, and their indentation."""
    if not section.value:
        return _line(section), 2
    last = section.value[-1]
    end = (last[1] if isinstance(last, tuple) else last).end_mark
    return int(end.line) + (1 if end.column else 0), int(section.start_mark.column)
