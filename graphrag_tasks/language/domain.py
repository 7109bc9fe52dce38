"""A domain: words and patterns that identify technical names of a field."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, cached_property
from importlib import resources
from pathlib import PurePosixPath
from typing import Final, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.language.names import entity_key, singular_noun

_EVERYWHERE: Final = (
    ("URL", r"(?:https?|ftp)://\S+|www\.\S+"),
    ("COMPONENT", r"\w+(?:=>|->)\w+"),
    ("VERSION", r"(?:[Vv]ersion|[Rr]elease) v?\d[\w.]*|v\d+(?:\.\d+)*"),
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
