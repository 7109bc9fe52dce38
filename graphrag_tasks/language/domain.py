"""A domain: words and patterns that identify technical names of a field."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import PurePosixPath
from typing import Any, Final, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.language.names import entity_key, singular_noun

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


_EVERYWHERE: Final = (
    ("URL", r"(?:https?|ftp)://\S+|www\.\S+"),
    ("COMPONENT", r"\w+(?:=>|->)\w+"),
    ("VERSION", r"(?:[Vv]ersion|[Rr]elease) v?\d[\w.]*|v\d+(?:\.\d+)*"),
    (
        "CODE",
        r"\w+(?:_\w+)+(?:\(\))?|\w+(?:::\w+)+|--[a-z][\w-]*|[\w.+-]+@[\w-]+\.[\w.]+|[a-z]+(?:[A-Z][a-z0-9]+)+"
        r"|(?:Ctrl|Alt|Shift|Cmd|Control)(?:[+-]\S+)+|[A-Z]{1,3}-\d{2,}(?:-\d+)?|[A-Z]{1,4}(?:\.\d+){1,3}",
    ),
    ("PATH", r"(?:~|\.{1,2})?(?:/[\w.-]+){2,}/?|[\w-]+(?:/[\w.-]+)+\.[a-z]{1,5}"),
)
"""Patterns of every domain, tried after its own."""
_SIMPLE: Final = re.compile(r"(.*\S.*?)\s*=\s*(\w[\w ]*)")  # A pattern without regular expressions: `MV * = vessel`.
_NO_LETTER: Final = re.compile(r"\W+")


class Domain(BaseModel):
    """What a domain file says; `default_domain` returns that of SAP and ABAP."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kinds: dict[str, str | None] = Field({}, description="entity type by the word for a kind")
    qualifiers: list[str] = Field([], description="words before a kind, no part of the name")
    shapes: list[list[str] | str] = Field(
        [], description="pairs of entity type and regular expression, or texts like `MV * = vessel`"
    )
    names: dict[str, list[str]] = Field({}, description="names by their entity type")
    terms: list[str] = Field([], description="common nouns that are names, however rare")
    no_terms: list[str] = Field([], description="common nouns that name nothing, however often")

    @field_validator("terms", "no_terms")
    @classmethod
    def _nouns(cls, nouns: list[str]) -> list[str]:
        if other := [noun for noun in nouns if not noun.isalpha() or noun != noun.lower()]:
            raise ValueError(f"a term is one word in small letters: {other}")
        return nouns

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        added, taken = (set(map(singular_noun, one)) for one in (self.terms, self.no_terms))
        if both := sorted(added & taken):
            raise ValueError(f"both in terms and in no_terms: {both}")
        return self

    @field_validator("kinds")
    @classmethod
    def _small_letters(cls, kinds: dict[str, str | None]) -> dict[str, str | None]:
        if other := [word for word in kinds if word != word.lower() or not word.strip()]:
            raise ValueError(f"words must be in small letters: {other}")
        return kinds

    @field_validator("shapes")
    @classmethod
    def _patterns(cls, shapes: list[list[str] | str]) -> list[list[str] | str]:
        for shape in shapes:
            if isinstance(shape, str):
                if not _SIMPLE.fullmatch(shape):
                    raise ValueError(f"a simple shape is `MV * = vessel`: {shape!r}")
                continue
            if len(shape) != 2:
                raise ValueError(f"a shape is a type and a regular expression: {shape}")
            try:
                re.compile(shape[1])
            except re.error as error:
                raise ValueError(f"{shape[1]!r} is no regular expression: {error}") from error
        return shapes

    @field_validator("names")
    @classmethod
    def _one_type_each(cls, names: dict[str, list[str]]) -> dict[str, list[str]]:
        types: dict[str, set[str]] = defaultdict(set)
        for type_, listed in names.items():
            for name in listed:
                if not (key := entity_key(name)):
                    raise ValueError(f"{name!r} in the list of {type_!r} is no name")
                types[key].add(type_label(type_))
        if twice := sorted(key for key, found in types.items() if len(found) > 1):
            raise ValueError(f"listed under two types: {twice}")
        return names

    @property
    def fingerprint(self) -> str:
        """Hash of its content, without layout and comments."""
        return fingerprint(self.model_dump(mode="json"))

    @cached_property
    def typed_kinds(self) -> dict[str, str]:
        """Entity type by kind word, without kinds that have no type."""
        return {word: type_ for word, type_ in self.kinds.items() if type_}

    @cached_property
    def types(self) -> frozenset[str]:
        """Entity types assigned by pattern and context; they override the model's labels."""
        listed = self._types_of_names.values()
        return frozenset((*self.typed_kinds.values(), *listed, *dict(self._patterns_of)))

    @cached_property
    def _patterns_of(self) -> list[tuple[str, re.Pattern[str]]]:
        shapes = (*map(_pattern_of, self.shapes), *_EVERYWHERE)
        return [(type_, re.compile(pattern)) for type_, pattern in shapes]

    @cached_property
    def has_simple_shapes(self) -> bool:
        """Whether a pattern may match common words: simple ones need no digit or punctuation."""
        return any(isinstance(shape, str) for shape in self.shapes)

    @cached_property
    def _types_of_names(self) -> dict[str, str]:
        return {entity_key(name): type_label(type_) for type_, listed in self.names.items() for name in listed}

    def type_by_name(self, key: str) -> str | None:
        """Return the entity type under which a name is listed, by its key, or None."""
        return self._types_of_names.get(key)

    def type_by_shape(self, name: str) -> str | None:
        """Return the entity type of the first pattern that matches a name, or None."""
        return next((type_ for type_, pattern in self._patterns_of if pattern.fullmatch(name)), None)

    @cached_property
    def any_kind(self) -> str:
        """A regular expression of all kind words, longer ones first."""
        return _one_of(self.kinds)

    @cached_property
    def any_typed_kind(self) -> str:
        """A regular expression of the kind words that have a type, longer ones first."""
        return _one_of(self.typed_kinds)

    @cached_property
    def any_qualifier(self) -> str:
        """A regular expression of all qualifiers."""
        return _one_of(self.qualifiers)


def type_label(kind: str) -> str:
    """Return a kind as an entity type: "function module" is FUNCTION_MODULE."""
    return _NO_LETTER.sub("_", kind.strip()).upper()


def _pattern_of(shape: list[str] | str) -> tuple[str, str]:
    if not isinstance(shape, str):
        return shape[0], shape[1]
    match = _SIMPLE.fullmatch(shape)
    assert match, shape  # noqa: S101 - the validator has seen it
    return type_label(match[2]), ".+".join(map(re.escape, match[1].split("*")))


def _one_of(words: list[str] | dict[str, str] | dict[str, str | None]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, longest_first))})" if words else r"(?!)"


@cache
def default_domain() -> Domain:
    """Return the domain of SAP and ABAP."""
    file = resources.files(__package__).joinpath("domain.yaml")
    return read_domain(file.read_text("utf-8"), "domain.yaml")


def with_gazetteers(domain: Domain, files: Mapping[str, str], where: str) -> Domain:
    """Add gazetteers to a domain: file texts with a name per line, by file name TYPE.txt."""
    if not files:
        return domain
    names = {type_: list(listed) for type_, listed in domain.names.items()}
    for file, text in sorted(files.items()):
        lines = map(str.strip, text.removeprefix("\ufeff").splitlines())
        listed = [line for line in lines if line and not line.startswith("#")]
        names.setdefault(PurePosixPath(file).stem, []).extend(listed)
    try:
        return Domain.model_validate(domain.model_dump() | {"names": names})
    except ValidationError as error:
        hint = "A file is called TYPE.txt and has a name per line; a name has one type"
        raise ConfigError(error.errors()[0]["msg"], where, hint) from error


def read_domain(text: str, where: str) -> Domain:
    """Read a domain file."""
    hint = "Write it as graphrag_tasks/language/domain.yaml is"
    try:
        values = yaml.safe_load(text)
        return Domain.model_validate({} if values is None else values)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"not readable as YAML: {error}", where, hint) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{place}: {first['msg']}", where, hint) from error
