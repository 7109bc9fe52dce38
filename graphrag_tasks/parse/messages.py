"""Encode and decode the worker's answers as JSON.

Not pickle: a parser under a hostile document's control must not be able to run code in the parent.
"""

from __future__ import annotations

import json
import traceback
from typing import Any

from graphrag_tasks.core.errors import DocumentError, MissingDependencyError
from graphrag_tasks.parse.blocks import Block, Box, ParsedDocument, Title
from graphrag_tasks.parse.tables import Table
from graphrag_tasks.sources.detection import Guess

READY = b"ready"  # The answer when readers are imported; anything else is an encoded error.


def encode_parsed(parsed: ParsedDocument) -> bytes:
    """Encode a parsed document."""
    return json.dumps(vars(parsed), default=vars).encode("ascii")


def encode_error(error: BaseException) -> bytes:
    """Encode the error of a document or of a start."""
    trace = ""
    if isinstance(error, MemoryError):
        what = "reading the document takes more memory than is allowed"
        hint = "Split the file, or raise parse.memory_bytes"
        error = DocumentError("out_of_memory", what, hint=hint)
    elif isinstance(error, RecursionError):
        what = "its elements are nested too deep to be read"
        error = DocumentError("broken", what, hint="Save the document without its layout")
    elif not isinstance(error, DocumentError | MissingDependencyError):
        trace = "".join(traceback.format_exception(error))
        error = parse_failed(error)
    code = error.code if isinstance(error, DocumentError) else "missing"
    message = {"code": code, "what": error.what, "hint": error.hint, "trace": trace}
    return json.dumps(message).encode("ascii")


def parse_failed(error: BaseException, uri: str = "") -> DocumentError:
    """Return a `parse_failed` error for an unexpected exception of a reader."""
    what = f"the parser raised {type(error).__name__}: {error}"
    hint = "Open the file in its own application and save it again, or leave it out"
    return DocumentError("parse_failed", what, uri, hint)


def decode(answer: bytes) -> ParsedDocument:
    """Decode a worker's answer."""
    message = json.loads(answer)
    if "code" in message:
        _raise(**message)
    message["blocks"] = [_block(**block) for block in message["blocks"]]
    message["title"] = Title(*message["title"]) if message["title"] else None
    message["encoding"] = Guess(*message["encoding"]) if message["encoding"] else None
    return ParsedDocument(**message)


def _block(box: Any, table: Any, **rest: Any) -> Block:  # noqa: ANN401
    return Block(**rest, box=Box(*box) if box else None, table=_table(**table) if table else None)


def _table(headers: dict[str, str], origin: list[int] | None, **rest: Any) -> Table:  # noqa: ANN401
    by_column = {int(column): text for column, text in headers.items()}
    return Table(headers=by_column, origin=(origin[0], origin[1]) if origin else None, **rest)


def _raise(code: str, what: str, hint: str, trace: str) -> None:
    if code == "missing":
        raise MissingDependencyError(what, "parse", hint)
    error = DocumentError(code, what, hint=hint)
    if trace:
        error.add_note(trace)
    raise error
