"""Rows of the tables `frames` and `triples`, with their ids."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.extract.frames import Argument, Frame
from graphrag_tasks.extract.triples import Triple

_COLUMNS = {kind: tuple(one.name for one in fields(kind)) for kind in (Argument, Frame, Triple)}


def columns_of(one: Argument | Frame | Triple) -> dict[str, Any]:
    """Return the fields by name; `dataclasses.asdict` copies each value, a tenth of the stage."""
    return {name: getattr(one, name) for name in _COLUMNS[type(one)]}


def frame_row(frame: Frame, sentence_id: str) -> dict[str, Any]:
    """Return the row of a frame, without the location of its sentence."""
    spans = [f"{argument.role}:{argument.start}:{argument.end}" for argument in frame.arguments]
    frame_id = content_id("frame", sentence_id, frame.rule, frame.predicate, frame.start, frame.end, *spans)
    arguments = list(map(columns_of, frame.arguments))
    return columns_of(frame) | {"arguments": arguments, "frame_id": frame_id}


def said(text: str) -> int:
    """Return a hash of a sentence's text that fits into 64 bits with a sign."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def triple_id(row: Mapping[str, Any]) -> str:
    """Return the id of a triple's row."""
    spans = ("head_start", "head_end", "relation", "tail_start", "tail_end")
    return content_id("triple", row["frame_id"], *(row[name] for name in spans))
