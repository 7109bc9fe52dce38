"""What the worker answers to its parent, as JSON.

Not pickle: a parser that a document has taken over must not be able to run code in the parent.
"""

from __future__ import annotations

import json
import traceback
from typing import Any

from graphrag_tasks.core.errors import DocumentError, MissingDependencyError
from graphrag_tasks.parse.blocks import Block, Box, Link, ParsedDocument, Renditions, Title
from graphrag_tasks.parse.tables import Table

READY = b"ready"
"""The answer once readers are imported; anything else is an encoded error."""


def encode_parsed(parsed: ParsedDocument) -> bytes:
    """Return the answer to a document that was read."""
    blocks = [
        (
            one.kind,
            one.text,
            one.level,
            one.page,
            one.box,
            _encode_table(one.table),
            one.links,
            one.anchors,
        )
        for one in parsed.blocks
    ]
    message = {
        "blocks": blocks,
        "title": parsed.title,
        "pages_in": parsed.pages_in,
        "pages_out": parsed.pages_out,
        "pages_ocr": parsed.pages_ocr,
        "cells": parsed.cells,
        "pages_lost": list(parsed.pages_lost),
        "left_out": {str(reason): count for reason, count in parsed.left_out.items()},
        "renditions": parsed.renditions,
    }
    return json.dumps(message).encode("ascii")


def _encode_table(table: Table | None) -> tuple[object, ...] | None:
    if table is None:
        return None
    return table.cells, list(table.headers.items()), table.sheet, table.origin, table.repeats


def encode_error(error: BaseException) -> bytes:
    """Return the answer to a document, or a start, that failed."""
    if isinstance(error, DocumentError):
        return _error(error.code, error.what, error.hint)
    if isinstance(error, MissingDependencyError):
        return _error("missing", error.what, error.hint)
    if isinstance(error, MemoryError):
        what = "reading the document takes more memory than is allowed"
        return _error("out_of_memory", what, "Split the file, or raise parse.memory_bytes")
    if isinstance(error, RecursionError):
        what = "its elements are nested too deep to be read"
        return _error("broken", what, "Save the document without its layout")
    what = f"the parser raised {type(error).__name__}: {error}"
    hint = "Open the file in its own application and save it again, or leave it out"
    return _error("parse_failed", what, hint, "".join(traceback.format_exception(error)))


def _error(code: str, what: str, hint: str, trace: str = "") -> bytes:
    return json.dumps({"code": code, "what": what, "hint": hint, "trace": trace}).encode("ascii")


def decode(answer: bytes) -> ParsedDocument:
    """Return the document in a worker's answer.

    Raises:
        DocumentError: The answer is an error; its traceback, if it has one, is added as a note.
        MissingDependencyError: The worker could not import a reader.
    """
    message = json.loads(answer)
    if "code" in message:
        _raise(message)
    blocks = [
        Block(
            kind, text, level, page, Box(*box) if box else None, _decode_table(table),
            tuple(Link(*link) for link in links), tuple(anchors),
        )
        for kind, text, level, page, box, table, links, anchors in message.pop("blocks")
    ]  # fmt: skip
    renditions = Renditions(*message.pop("renditions"))
    title = Title(*found) if (found := message.pop("title")) else None
    return ParsedDocument(blocks, title, renditions=renditions, **message)


def _decode_table(parts: list[Any] | None) -> Table | None:
    if parts is None:
        return None
    cells, headers, sheet, origin, repeats = parts
    return Table(cells, dict(headers), sheet, tuple(origin) if origin else None, repeats)


def _raise(message: dict[str, str]) -> None:
    if message["code"] == "missing":
        raise MissingDependencyError(message["what"], "parse", message["hint"])
    error = DocumentError(message["code"], message["what"], hint=message["hint"])
    if message["trace"]:
        error.add_note(message["trace"])
    raise error
