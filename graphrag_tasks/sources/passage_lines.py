"""The lines of JSONL passage files: each is a document, whose path is its id."""

from __future__ import annotations

import json
import posixpath
from typing import NamedTuple

from graphrag_tasks.sources.roots import SourceRoot
from graphrag_tasks.storage import file_system

_BAD_LINE = "./line "  # Path prefix of a line that is not a passage; no id begins like this.

_NO_PASSAGE = "is not a JSON object with id and text"


class PassageLine(NamedTuple):
    """A line of a passage file, and its problem; None for a valid passage."""

    data: bytes
    problem: str | None = None


def read_passages(root: SourceRoot) -> dict[str, PassageLine]:
    """Return the lines of a JSONL passage file by path, in file order.

    The path of a passage is its id. An invalid line, or one that repeats an id, is named by its number.
    """
    fs, base = file_system(root.uri)
    lines: dict[str, PassageLine] = {}
    data = bytes(fs.cat_file(posixpath.join(str(base), str(root.file))))
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        passage_id, problem = _read_id(line)
        if passage_id in lines:
            problem = f"has the id {passage_id}, which stands before it"
        if problem is None:
            lines[passage_id] = PassageLine(line)
        else:
            lines[f"{_BAD_LINE}{number}"] = PassageLine(line, f"line {number} {problem}")
    return lines


def _read_id(line: bytes) -> tuple[str, str | None]:
    """Return the id of a line, and its problem if it is not a passage."""
    try:
        passage = json.loads(line)
        found = passage["id"]
        passage["text"]
    except (ValueError, TypeError, KeyError):
        return "", _NO_PASSAGE
    except RecursionError:
        return "", "is nested too deep"
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return "", "has an id that is neither text nor a number"
    passage_id = str(found)
    try:
        passage_id.encode("utf-8")
    except UnicodeEncodeError:
        return "", "has an id that holds half a character (a lone surrogate)"
    if not passage_id or passage_id.startswith(_BAD_LINE):
        return "", f"has an id that is empty or begins with {_BAD_LINE!r}"
    return passage_id, None
