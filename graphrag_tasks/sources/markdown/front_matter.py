"""Front matter of a Markdown page: YAML, TOML or JSON."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import yaml

Fields = dict[str, str]  # Texts of front matter, or of a tag's attributes, by name.

ALIASES = ("aliases", "alias")  # Fields of other names of what the page is about; Hugo's are addresses.
_MOST_CHARACTERS = 50_000  # of front matter
_YAML = re.compile(r"\A---[^\S\n]*\n(.*?\n)??(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[^\S\n]*\n(.*?\n)??\+\+\+[^\S\n]*(?:\n|\Z)", re.DOTALL)
_JSON = re.compile(r"\A;;;[^\S\n]*\n(.*?\n)??;;;[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|description):[^\S\n]*(\S.*)$", re.MULTILINE)
_NAMED = re.compile(r"\s*(?:#[^\n]*\n\s*)*[\"']?[\w.-]+[\"']?[^\S\n]*[:=]")
"""The beginning of front matter, valid or not."""


def split_front_matter(text: str) -> tuple[Fields, str]:
    """Return the fields of a page's front matter (YAML, TOML or JSON), and the page without it.

    From invalid front matter, only title and description are read.
    """
    values, body = _split(text)
    return _texts(values), body


def front_matter(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and texts of a page's front matter; of a list each text."""
    for name, value in _split(text)[0].items():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, dict | list | None):
                yield str(name), str(one)


def _split(text: str) -> tuple[Mapping[Any, Any], str]:
    for pattern, read in ((_YAML, _read_yaml), (_TOML, _read_toml), (_JSON, json.loads)):
        found = pattern.match(text)
        fields = _fields(found[1] or "", read) if found else None
        if found and fields is not None:
            return fields, text[found.end() :]
    if text.startswith("{\n"):
        try:
            values, end = json.JSONDecoder().raw_decode(text[:_MOST_CHARACTERS])
        except (ValueError, RecursionError):
            return {}, text
        if "title" in values or "description" in values:
            return values, text[end:]
    return {}, text


def _fields(front: str, read: Any) -> Mapping[Any, Any] | None:  # noqa: ANN401 - three libraries
    """Return the fields, or None if this is no front matter."""
    try:
        if len(front) > _MOST_CHARACTERS:
            return _lines(front)
        values = read(front)
    except (ValueError, yaml.YAMLError, RecursionError):
        return _lines(front)
    if isinstance(values, dict):
        return values
    return None if front.strip() else {}


def _texts(values: Mapping[Any, Any]) -> Fields:
    plain = {
        name: ", ".join(map(str, value)) if name in ALIASES and isinstance(value, list) else value
        for name, value in values.items()
    }
    return {
        str(name): str(value)
        for name, value in plain.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _lines(front: str) -> Fields | None:
    if not _NAMED.match(front):
        return None
    return {found[1]: found[2].strip().strip("\"'") for found in _FIELD.finditer(front)}


_read_toml = partial(tomllib.loads, parse_float=str)  # 5.10 is no 5.1


def _read_yaml(text: str) -> Any:  # noqa: ANN401 - as YAML has it
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts of everything
