"""Answers that were kept in a file each, as stores once had them, taken into parts.

    STORE/answers/<2 hex digits>/<key>.json            an answer
    STORE/answers/failures/<2 hex digits>/<key>.json   why a request has none
    STORE/answers/spent/<run>/attempts.jsonl           attempts; in S3, an object each

What was taken in is deleted then. A kill leaves nothing out and counts nothing twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.parts import Parts, time_text
from graphrag_tasks.llm.records import Attempt, Lines, Record
from graphrag_tasks.storage.files import Files

_SPENT, _FAILURES, _LINES = "spent", "failures", "attempts.jsonl"
_FOLDER = re.compile(r"[0-9a-f]{2}")
_AT_ONCE = 4096
"""Answers of a part: some MB."""


def take_in(answers: Files, parts: Parts) -> None:
    """Take what is kept in a file each into parts.

    Raises:
        ArtifactError: A file cannot be read; it is left where it is.
    """
    names = answers.names()
    if _SPENT in names:
        for run in (answers / _SPENT).names():
            _take_attempts(answers / _SPENT / run, run, parts)
        (answers / _SPENT).delete()
    files = _files(answers, names)
    while some := list(islice(files, _AT_ONCE)):
        lines, last = Lines(), max(folder.last_written() for folder in {one for one, _ in some})
        for folder, name in some:
            lines.keep(_result(folder, name))
        log = fingerprint({"answers": sorted(lines.answers)})
        parts.write(lines, [log], time=time_text(last))
        for folder, name in some:
            folder.delete(name)
    for name in names:
        if _FOLDER.fullmatch(name) or name == _FAILURES:
            (answers / name).delete()


def _take_attempts(folder: Files, run: str, parts: Parts) -> None:
    parts.refresh()
    log = fingerprint({"run": run})
    if log not in parts.logs:  # else a kill came between the part and here
        lines = Lines()
        for name, attempt in _attempts(folder).items():
            lines.count(Record(name.partition("-")[0], attempt), 1)
        parts.write(lines, [log], time=time_text(folder.last_written()))
    folder.delete()


def _attempts(folder: Files) -> dict[str, Attempt]:
    """Return the attempts of a run by their names; of each the last record counts."""
    found = {}
    names = folder.names()
    if _LINES in names:
        *lines, _ = folder.read_bytes(_LINES).split(b"\n")  # what a kill left of a line
        for number, line in enumerate(lines, 1):
            try:
                value = json.loads(line)
                name = value.pop("name")
                found[name] = Attempt(**value)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                hint = "Delete the line, and count what it cost yourself"
                where = f"{folder.uri}/{_LINES}, line {number}"
                raise ArtifactError(f"is no attempt: {error}", where, hint) from error
    for name in names:
        if name.endswith(".json"):
            found[name.removesuffix(".json")] = Attempt(**folder.read_json(name))
    return found


def _files(answers: Files, names: list[str]) -> Iterator[tuple[Files, str]]:
    """Yield the folders and names of the answers of a store."""
    folders = [answers / _FAILURES / one for one in (answers / _FAILURES).names()]
    folders += [answers / one for one in names if _FOLDER.fullmatch(one)]
    for folder in folders:
        for name in folder.names():
            yield folder, name


def _result(folder: Files, name: str) -> Answer | Failure:
    key, value = name.removesuffix(".json"), folder.read_json(name)
    try:
        if "text" not in value:
            return Failure(key, Kind(value["kind"]), value["why"])
        return Answer(key, value["text"], Usage(**value["usage"]), value["model"])
    except (KeyError, TypeError, ValueError) as error:
        hint = "Delete the file to ask again"
        raise ArtifactError(f"is no answer: {error}", f"{folder.uri}/{name}", hint) from error
