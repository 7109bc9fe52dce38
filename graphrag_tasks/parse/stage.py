"""The stage itself: one documents row per source, whatever became of it.

What holds: a document that cannot be read, or breaks its parser, gets its error row and never stops
the others; the rows depend on the sources' bytes alone, not on their order or on how they are cut
into shards (but for documents that need about as much time or memory as they may take).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError, MissingDependencyError, TransientError
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.parse.blocks import FILE_NAME, ParsedDocument, lay_out, lay_out_cells
from graphrag_tasks.parse.isolation import Parser
from graphrag_tasks.parse.language import detect_language
from graphrag_tasks.parse.messages import parse_failed
from graphrag_tasks.parse.readers import READERS
from graphrag_tasks.parse.text import clean_text, number_ranges, one_line
from graphrag_tasks.sources.listing import LINK, SPECIAL
from graphrag_tasks.sources.markdown_pages import INCLUDE

PARSED, PARTIAL, EMPTY, FAILED, SKIPPED = "parsed", "partial", "empty", "failed", "skipped"
_STATUS_OF_CODE = {
    "unknown_type": SKIPPED,
    "no_regular_file": SKIPPED,
    "included": SKIPPED,
    "empty_file": EMPTY,
    "no_text": EMPTY,
    "pages_lost": PARTIAL,
}
_NOT_OPENED = {
    LINK: (
        "a symbolic link is not followed",
        "Put the file itself there, or name the folder it lies in as a source",
    ),
    SPECIAL: ("pipes, sockets and devices are not opened", "Put a file in its place"),
}
_TOLD = ("status", "error_code", "error_message")
_COPIED = ("document_id", "uri", "source", "path", "media_type", "size_bytes", "content_sha256")

log = logging.getLogger(__name__)


@stage(
    per="shard",
    reads=(table("sources"),),
    makes=("documents", "blocks", "cells", "renditions"),
    settings={"config": "parse"},
    given=("fetch",),
    libraries=(
        "docling-slim",
        "docling-core",
        "docling-parse",
        "pypdfium2",
        "beautifulsoup4",
        "marko",
        "lxml",
        "python-docx",
        "python-pptx",
        "openpyxl",
        "py3langid",
    ),
)
def parse(sources: pa.Table, *, config: ParseConfig, fetch: Callable[[str], bytes]) -> StageResult:
    """Read every source row into a document and its blocks.

    Args:
        sources: Rows to process (`schemas.SOURCES`).
        config: Bounds of a document.
        fetch: Gives the bytes behind a uri; may raise `OSError` or `DocumentError`.

    Returns:
        `documents`, one row per source row in its order; `blocks`, and the `cells` of those that
        are tables, in reading order; `renditions`, one row per document that was read. Of the
        stats, `cells_omitted` counts the cells beyond `config.max_cells` of their documents,
        `left_out` the parts of documents that are in no block, `links` the links in the blocks,
        and `renditions_omitted` the documents that are too long to be rendered.

    Raises:
        MissingDependencyError: A reader's package is not installed.
        TransientError: The process that parses could not be started.
    """
    rows = sources.to_pylist()
    documents: list[dict[str, Any]] = []
    blocks: list[dict[str, Any]] = []
    cells = [schemas.empty("cells")]
    pages_ocr = 0
    renditions: list[dict[str, Any]] = []
    with Parser((row["media_type"] for row in rows), config) as parser:
        work = _Work(config, fetch, parser)
        for source in rows:
            document, parsed = _parse_one(source, work)
            if document["status"] in (FAILED, PARTIAL):
                log.info("%s (%s): %s", *(one_line(document[name]) for name in _TOLD))
            documents.append(document)
            if parsed is not None:
                document_id = source["document_id"]
                blocks.extend(lay_out(document_id, parsed.blocks))
                cells.append(lay_out_cells(document_id, parsed.blocks))
                renditions.append({"document_id": document_id, **parsed.renditions._asdict()})
                pages_ocr += parsed.pages_ocr
    tables = {
        "documents": pa.Table.from_pylist(documents, schema=schemas.DOCUMENTS),
        "blocks": pa.Table.from_pylist(blocks, schema=schemas.BLOCKS),
        "cells": pa.concat_tables(cells),
        "renditions": pa.Table.from_pylist(renditions, schema=schemas.RENDITIONS),
    }
    return StageResult(tables, {**_stats(documents, tables), "pages_ocr": pages_ocr})


@dataclass(frozen=True)
class _Work:
    config: ParseConfig
    fetch: Callable[[str], bytes]
    parser: Parser


def _parse_one(
    source: Mapping[str, Any], work: _Work
) -> tuple[dict[str, Any], ParsedDocument | None]:
    row: dict[str, Any] = dict.fromkeys(schemas.DOCUMENTS.names)
    row |= {name: source[name] for name in _COPIED}
    row |= {"title": _file_stem(source["path"]), "title_source": FILE_NAME}
    row |= {"characters": 0, "cells": 0}
    try:
        parsed = _read(source, work, row)
    except DocumentError as error:
        if error.code == "parse_failed":
            log.warning("parsing %s failed", source["uri"], exc_info=True)
        return row | _error(error.code, str(error)), None
    except (MissingDependencyError, TransientError, MemoryError):
        raise
    except Exception as error:  # one bad document must not stop the others
        log.warning("parsing %s failed", source["uri"], exc_info=True)
        return row | _error("parse_failed", str(parse_failed(error, source["uri"]))), None
    row |= {"status": PARSED, "pages_in": parsed.pages_in, "pages_out": parsed.pages_out}
    row |= {"characters": parsed.characters, "cells": parsed.cells}
    if parsed.title:
        row |= {"title": parsed.title.text, "title_source": parsed.title.source}
    row["left_out"] = _left_out(parsed)
    row["language"] = detect_language(parsed.blocks)
    if parsed.pages_lost:
        row |= _pages_lost(parsed, source["uri"])
    return row, parsed


def _left_out(parsed: ParsedDocument) -> list[dict[str, Any]] | None:
    counts = sorted((str(reason), count) for reason, count in parsed.left_out.items() if count)
    return [{"reason": reason, "count": count} for reason, count in counts] or None


def _pages_lost(parsed: ParsedDocument, uri: str) -> dict[str, Any]:
    """Return what is wrong with a document of which some pages are missing."""
    lost = len(parsed.pages_lost)
    what = f"{lost} of {parsed.pages_in} pages gave no text: {number_ranges(parsed.pages_lost)}"
    hint = (
        "If they are scans, set parse.ocr = 'auto'; "
        "if there are many, raise parse.seconds_per_document"
    )
    message = str(DocumentError("pages_lost", what, uri, hint))
    return _error("pages_lost", message)


def _read(source: Mapping[str, Any], work: _Work, row: dict[str, Any]) -> ParsedDocument:
    """Return a document that holds text; size, hash and pages go to the row on the way."""
    uri, media_type = source["uri"], source["media_type"]
    if media_type in _NOT_OPENED:
        what, hint = _NOT_OPENED[media_type]
        raise DocumentError("no_regular_file", what, uri, hint)
    if media_type == INCLUDE:
        what = "the text of this file stands in the documents that include it"
        raise DocumentError("included", what, uri)
    if not work.parser.reads(media_type):
        known = ", ".join(sorted(READERS))
        hint = f"Rename or convert it to one of: {known}"
        raise DocumentError("unknown_type", "this kind of file is not read", uri, hint)
    _check_size(source["size_bytes"], uri, work.config)
    data = _fetch(uri, work.fetch)
    row["size_bytes"] = len(data)
    _check_size(len(data), uri, work.config)
    row["content_sha256"] = _check_sha256(data, source["content_sha256"], uri)
    try:
        parsed = work.parser.read(media_type, data)
    except DocumentError as error:
        raise DocumentError(error.code, error.what, uri, error.hint) from error
    if not parsed.blocks:
        row |= {"pages_in": parsed.pages_in, "pages_out": parsed.pages_out}
        row["left_out"] = _left_out(parsed)
        hint = "If it is a scan, set parse.ocr = 'auto'" if media_type == "pdf" else ""
        raise DocumentError("no_text", "the document was read and holds no text", uri, hint)
    return parsed


def _check_size(size: int, uri: str, config: ParseConfig) -> None:
    if size > config.max_bytes:
        what = f"the file has {size} bytes, more than the {config.max_bytes} allowed"
        raise DocumentError("too_large", what, uri, "Raise parse.max_bytes or split the file")


def _fetch(uri: str, fetch: Callable[[str], bytes]) -> bytes:
    try:
        data = fetch(uri)
    except FileNotFoundError as error:
        what = "the file was there when the run was planned and is gone"
        raise DocumentError("vanished", what, uri, "Run the index again") from error
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or error}"
        raise DocumentError("unreadable", what, uri, "Check its permissions") from error
    if not data:
        raise DocumentError("empty_file", "the file has no bytes", uri)
    return data


def _check_sha256(data: bytes, planned: str | None, uri: str) -> str:
    found = hashlib.sha256(data).hexdigest()
    if planned is not None and planned != found:
        what = "the file's content changed after the run was planned"
        raise DocumentError("changed", what, uri, "Run the index again")
    return found


def _error(code: str, message: str) -> dict[str, Any]:
    return {
        "status": _STATUS_OF_CODE.get(code, FAILED),
        "error_code": code,
        "error_message": clean_text(message),
    }


def _file_stem(path: str) -> str:
    return PurePosixPath(path).stem or path


def _stats(
    documents: list[dict[str, Any]], tables: Mapping[str, pa.Table]
) -> dict[str, int | float]:
    stats: dict[str, int | float] = {"documents": len(documents)}
    for status in (PARSED, PARTIAL, EMPTY, FAILED, SKIPPED):
        stats[status] = sum(document["status"] == status for document in documents)
    stats["pages"] = sum(document["pages_out"] or 0 for document in documents)
    stats |= {name: tables[name].num_rows for name in ("blocks", "cells")}
    stats["cells_omitted"] = sum(row["cells"] for row in documents) - tables["cells"].num_rows
    stats["left_out"] = sum(
        one["count"] for document in documents for one in document["left_out"] or ()
    )
    stats["links"] = pc.sum(pc.list_value_length(tables["blocks"]["links"])).as_py() or 0
    stats["renditions_omitted"] = tables["renditions"]["docling_json"].null_count
    return stats
