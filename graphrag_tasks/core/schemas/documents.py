"""Tables of what was read: sources, documents, their blocks, cells and links, and the chunks."""

from __future__ import annotations

import pyarrow as pa

from graphrag_tasks.core.schemas.columns import (
    BBOX,
    BOOL,
    CHAR_END,
    CHAR_START,
    CHUNK_ID,
    DOCUMENT_ID,
    DOUBLE,
    INT,
    LONG,
    STRING,
    column,
)

LINK_SPAN = pa.struct([pa.field("start", INT), pa.field("end", INT), pa.field("href", STRING)])
"""A hyperlink in a block: the span of its text there, and what it refers to, as written."""

LEFT_OUT = pa.struct([pa.field("reason", STRING), pa.field("count", INT)])
"""How many parts of a document its reader left out for one reason (`parse.left_out`)."""

LABELS = (
    column(
        "labels",
        pa.list_(STRING),
        "access labels, sorted; empty: nobody sees it; null: labels are off",
        nullable=True,
    ),
    column("labels_error", STRING, "why its access file could not be read", nullable=True),
)

SOURCES = pa.schema(
    [
        DOCUMENT_ID,
        column("uri", STRING, "source name and path inside it: stable across machines"),
        column("source", STRING, "name of the source root"),
        column("path", STRING, "posix path below the source root"),
        column(
            "media_type",
            STRING,
            "kind of file, from its ending; 'unknown' is skipped, and 'include': pages hold it",
        ),
        column("size_bytes", LONG, "size when listed"),
        column(
            "content_sha256", STRING, "hash of the bytes when planned, includes too", nullable=True
        ),
        column(
            "includes",
            pa.list_(STRING),
            "paths below the source root of the files whose text it takes; null: none",
            nullable=True,
        ),
        *LABELS,
        column("change", STRING, "added, changed, unchanged or removed"),
        column("shard", INT, "shard that processes it; null when nothing is to do", nullable=True),
    ]
)

DOCUMENTS = pa.schema(
    [
        DOCUMENT_ID,
        column("uri", STRING, "source name and path inside it"),
        column("source", STRING, "name of the source root"),
        column("path", STRING, "posix path below the source root"),
        column("media_type", STRING, "kind of file"),
        column("size_bytes", LONG, "size of the file, with what it includes"),
        column(
            "content_sha256",
            STRING,
            "document version: hash of its bytes, includes too",
            nullable=True,
        ),
        column("title", STRING, "metadata title, else first heading, else file name"),
        column("title_source", STRING, "metadata, heading or file_name"),
        column("language", STRING, "ISO 639 code where it is certain", nullable=True),
        column("pages_in", INT, "pages the file has", nullable=True),
        column("pages_out", INT, "pages that gave text", nullable=True),
        column("characters", INT, "length of the document text"),
        column("cells", INT, "cells of its tables; `cells` has the first parse.max_cells"),
        column(
            "left_out",
            pa.list_(LEFT_OUT),
            "what is in no block, by reason (`parse.left_out`); null: nothing is known to be",
            nullable=True,
        ),
        column("status", STRING, "parsed, partial (some pages lost), empty, failed or skipped"),
        column("error_code", STRING, "one of errors.DOCUMENT_ERROR_CODES", nullable=True),
        column("error_message", STRING, "what went wrong and what to do", nullable=True),
        *LABELS,
    ]
)

BLOCKS = pa.schema(
    [
        DOCUMENT_ID,
        column("ordinal", INT, "position in reading order, from 0"),
        column("kind", STRING, "title, heading, paragraph, list_item, table, code or caption"),
        column("level", INT, "heading level from 1; null for other kinds", nullable=True),
        column("text", STRING, "text as it stands in the document text"),
        CHAR_START,
        CHAR_END,
        column("page", INT, "page it begins on", nullable=True),
        column("bbox", BBOX, "box on that page", nullable=True),
        column("links", pa.list_(LINK_SPAN), "hyperlinks in it; null: none", nullable=True),
        column("anchors", pa.list_(STRING), "ids that links name; null: none", nullable=True),
    ]
)

CELLS = pa.schema(
    [
        DOCUMENT_ID,
        column("ordinal", INT, "block of its table"),
        column("sheet", STRING, "sheet of a workbook it lies on", nullable=True),
        column("reference", STRING, "its address on the sheet, such as B7", nullable=True),
        column("row", INT, "first row it covers, from 0 at the table's first"),
        column("column", INT, "first column it covers, from 0 at the table's first"),
        column("row_span", INT, "rows it covers"),
        column("col_span", INT, "columns it covers"),
        column("is_header", BOOL, "whether it names columns"),
        column("is_row_header", BOOL, "whether it names its row, where the format says so"),
        column(
            "header",
            STRING,
            "text of the header cells above it, outermost first; null for headers, where there "
            "are none, and for cells over several columns",
            nullable=True,
        ),
        column("text", STRING, "its text in one line, never empty"),
        column(
            "value_type",
            STRING,
            "text, integer, number, percent, boolean, date, datetime, time or error",
        ),
        column(
            "number",
            DOUBLE,
            "value of integer, number, percent (25 % is 0.25) and boolean (1 or 0)",
            nullable=True,
        ),
        column("iso", STRING, "value of date, datetime and time in ISO 8601", nullable=True),
        column(
            "char_start",
            INT,
            "first character in the document text, at its first place there; null where it has "
            "none, such as the header of an empty column",
            nullable=True,
        ),
        column("char_end", INT, "one past the last character in the document text", nullable=True),
        column("page", INT, "page its table begins on", nullable=True),
    ]
)
"""One row per cell that has text, of every table; a merged cell is one row with its spans."""

RENDITIONS = pa.schema(
    [
        DOCUMENT_ID,
        column(
            "docling_json",
            pa.large_string(),
            "the document as a DoclingDocument; null beyond parse.max_rendition_characters",
            nullable=True,
        ),
        column(
            "markdown",
            pa.large_string(),
            "the document as Markdown; null beyond parse.max_rendition_characters",
            nullable=True,
        ),
    ]
)

CHUNKS = pa.schema(
    [
        CHUNK_ID,
        DOCUMENT_ID,
        column("ordinal", INT, "position in the document, from 0"),
        column("heading_path", pa.list_(STRING), "headings above it, outermost first"),
        column("text", STRING, "the document text from char_start to char_end"),
        CHAR_START,
        CHAR_END,
        column("page_start", INT, "first page", nullable=True),
        column("page_end", INT, "last page", nullable=True),
        column("previous_id", STRING, "chunk before it in the document", nullable=True),
        column("next_id", STRING, "chunk after it in the document", nullable=True),
    ]
)

LINKS = pa.schema(
    [
        column("chunk_id", STRING, "the first chunk that holds the link's text"),
        DOCUMENT_ID,
        column("anchor", STRING, "text of the link"),
        CHAR_START,
        CHAR_END,
        column("href", STRING, "what it refers to, as written"),
        column("kind", STRING, "internal, external, or outside (of the source: never followed)"),
        column("target", STRING, "uri of the document, or the external address", nullable=True),
        column("fragment", STRING, "place in the document it refers to", nullable=True),
        column(
            "target_document_id",
            STRING,
            "id of the target's uri, whether or not it is in the corpus; null for other kinds",
            nullable=True,
        ),
    ]
)

ANCHORS = pa.schema(
    [
        DOCUMENT_ID,
        column("name", STRING, "id of an element, or a heading as GitHub names it in links"),
        CHUNK_ID,
    ]
)

TABLES = {
    "sources": SOURCES,
    "documents": DOCUMENTS,
    "blocks": BLOCKS,
    "cells": CELLS,
    "renditions": RENDITIONS,
    "chunks": CHUNKS,
    "links": LINKS,
    "anchors": ANCHORS,
}
"""By artifact name."""
