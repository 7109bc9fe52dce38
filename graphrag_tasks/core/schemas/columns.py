"""Types and columns that several tables share."""

from __future__ import annotations

import pyarrow as pa


def column(name: str, type_: pa.DataType, meaning: str, *, nullable: bool = False) -> pa.Field:
    """Return a column that says what it means."""
    return pa.field(name, type_, nullable=nullable, metadata={"meaning": meaning})


STRING = pa.string()
INT = pa.int32()
LONG = pa.int64()
FLOAT = pa.float32()
DOUBLE = pa.float64()
BOOL = pa.bool_()

BBOX = pa.struct([pa.field(side, FLOAT) for side in ("left", "top", "right", "bottom")])
"""A box on a page in points, origin at the top left."""

DOCUMENT_ID = column("document_id", STRING, "the document: id of its uri")
CHUNK_ID = column("chunk_id", STRING, "the chunk: id of document, position and text")
SENTENCE_ID = column("sentence_id", STRING, "the sentence: id of chunk, position and text")
CHAR_START = column("char_start", INT, "first character in the document text")
CHAR_END = column("char_end", INT, "one past the last character in the document text")
