"""Read JSON lines as typed values; errors name the file and line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from graphrag_tasks.core.errors import ConfigError


class JsonLine(BaseModel):
    """One line of a file, checked strictly; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    id: str


ModelT = TypeVar("ModelT", bound=BaseModel)
LineT = TypeVar("LineT", bound=JsonLine)


def read_lines(path: str | Path, kind: type[LineT]) -> list[LineT]:
    """Return the values of a JSON lines file, in order, without blank lines."""
    found: dict[str, LineT] = {}
    for where, value in read_values(path, kind):
        if value.id in found:
            raise ConfigError(f"the id {value.id!r} occurs twice", where)
        found[value.id] = value
    return list(found.values())


def read_values(path: str | Path, kind: type[ModelT]) -> Iterator[tuple[str, ModelT]]:
    """Yield "FILE, line NUMBER" and the value for each non-blank line."""
    for number, text in text_lines(path):
        where = f"{path}, line {number}"
        try:
            value = kind.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            what = f"{field}: {first['msg']}" if field else first["msg"]
            raise ConfigError(what, where) from error
        yield where, value


def text_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each non-blank line."""
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not readable ({error})", str(path)) from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line
