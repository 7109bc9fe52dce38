"""Front matter: what a page says of itself before its text, in YAML, TOML or JSON."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

import yaml

_MOST_CHARACTERS = 50_000
_YAML = re.compile(r"\A---[^\S\n]*\n(.*?\n)??(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[^\S\n]*\n(.*?\n)??\+\+\+[^\S\n]*(?:\n|\Z)", re.DOTALL)
_JSON = re.compile(r"\A;;;[^\S\n]*\n(.*?\n)??;;;[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|description):[^\S\n]*(\S.*)$", re.MULTILINE)
_NAMED = re.compile(r"\s*(?:#[^\n]*\n\s*)*[\"']?[\w.-]+[\"']?[^\S\n]*[:=]")
"""How front matter begins, valid or not."""


def split_front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Return the fields of a page's front matter that are text, and the page without it.

    Of front matter that is not valid, the lines with the title and the description are read.
    """
    for pattern, read in ((_YAML, _read_yaml), (_TOML, tomllib.loads), (_JSON, json.loads)):
        found = pattern.match(text)
        fields = _fields(found[1] or "", read) if found else None
        if found and fields is not None:
            return fields, text[found.end() :]
    if text.startswith("{\n"):
        return _split_json(text)
    return {}, text


def _fields(front: str, read: Any) -> Mapping[str, str] | None:  # noqa: ANN401 - three libraries
    """Return the fields, or None where it is text between two lines that look like marks."""
    if len(front) > _MOST_CHARACTERS:
        return _lines(front)
    try:
        values = read(front)
    except (ValueError, yaml.YAMLError, RecursionError):
        return _lines(front)
    if isinstance(values, dict):
        return _texts(values)
    return None if front.strip() else {}


def _texts(values: Mapping[Any, Any]) -> Mapping[str, str]:
    return {
        str(name): str(value)
        for name, value in values.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _lines(front: str) -> Mapping[str, str] | None:
    if not _NAMED.match(front):
        return None
    return {found[1]: found[2].strip().strip("\"'") for found in _FIELD.finditer(front)}


def _read_yaml(text: str) -> Any:  # noqa: ANN401 - as YAML has it
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts of everything


def _split_json(text: str) -> tuple[Mapping[str, str], str]:
    try:
        values, end = json.JSONDecoder().raw_decode(text[:_MOST_CHARACTERS])
    except (ValueError, RecursionError):
        return {}, text
    if "title" not in values and "description" not in values:
        return {}, text
    return _texts(values), text[end:]
