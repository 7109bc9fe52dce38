"""The media type of a file, by its extension and its first bytes; readers are in `parse.readers`."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

METADATA_TYPE = "metadata"  # Of a file of metadata that names no document.
UNKNOWN = "unknown"  # Of a file that no reader reads.

MEDIA_TYPES = {
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
    ".docx": "docx",
    ".pptx": "pptx",
    ".md": "md",
    ".markdown": "md",
    ".mdx": "md",
    ".txt": "txt",
    ".text": "txt",
    ".log": "txt",
    ".eml": "eml",
    ".vtt": "vtt",
    ".adoc": "adoc",
    ".asciidoc": "adoc",
    ".epub": "epub",
    ".mbox": "mbox",
    ".mht": "mhtml",
    ".mhtml": "mhtml",
    ".msg": "msg",
    ".odp": "odp",
    ".ods": "ods",
    ".odt": "odt",
    ".rst": "rst",
    ".tex": "tex",
    ".xml": "xml",
    ".nxml": "xml",
    ".facts.csv": "facts",
    ".facts.jsonl": "facts",
}
"""Media type by file extension."""

FACTS = "facts"
FACTS_ENDINGS = tuple(end for end, media_type in MEDIA_TYPES.items() if media_type == FACTS)


def is_sheet(path: str) -> bool:
    """Tell by its name whether a file is a sheet: rows, and no text."""
    return MEDIA_TYPES.get(PurePosixPath(path).suffix.lower()) in ("csv", "xlsx", "ods")


def may_hold_facts(path: str) -> bool:
    """Tell whether a file is called `facts.csv`, `systems.facts.csv` or likewise as JSONL."""
    return f".{path.rpartition('/')[2].lower()}".endswith(FACTS_ENDINGS)


# Detect a file's media type from its bytes, if its name is missing or wrong.

HEAD_BYTES, DIRECTORY_BYTES = 4096, 65_536
"""Bytes of a file's start used for detection, and of a zip package's end, where its parts are listed. Chosen."""

PACKAGE = b"PK\x03\x04"
_PDF, _RTF = b"%PDF-", b"{\\rtf"
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,1000}?-->\s*)?"
    rb"<(?:!doctype\s+html|html)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_PACKAGES = {
    "docx": b"word/document.xml",
    "xlsx": b"xl/workbook.xml",
    "pptx": b"ppt/presentation.xml",
    "odt": b"mimetypeapplication/vnd.oasis.opendocument.text",
    "ods": b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    "odp": b"mimetypeapplication/vnd.oasis.opendocument.presentation",
    "epub": b"mimetypeapplication/epub+zip",
}
"""A part name unique to each kind of zip package, unless one contains another."""
_KEPT = frozenset({"md", "mhtml", "eml", "mbox", "passage"})  # Media types whose files may begin like other types.
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DELIMITER = re.compile(r"[,;\t|]")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def media_type_of(data: bytes, named: str) -> str:
    """Return the media type of a file; `named` unless its bytes say otherwise."""
    if named in _KEPT:
        return named
    if named == FACTS and not _tells_facts(data[:HEAD_BYTES]):
        named = "csv"
    if data.startswith(PACKAGE):
        marks = {named: _PACKAGES[named], **_PACKAGES} if named in _PACKAGES else _PACKAGES
        return next((one for one, mark in marks.items() if mark in data), named)
    if data.startswith(_PDF):
        return "pdf"
    if data.startswith(_RTF):
        return UNKNOWN
    return "html" if _PAGE.match(data) else named


def _tells_facts(head: bytes) -> bool:
    """Tell whether a file begins with a JSON object, or with a header that has the columns."""
    text = head.decode("utf-16" if head.startswith(_WIDE) else "utf-8-sig", "replace")
    lines = (line for line in text.splitlines() if line.strip() and line[:4].lower() != "sep=")
    first = next(lines, "")
    cells = {cell.strip(' "').casefold() for cell in _DELIMITER.split(first)}
    return first.lstrip().startswith("{") or cells >= {"head", "relation", "tail"}


def is_text(head: bytes) -> bool:
    """Tell whether a file with this beginning may be text; false if empty."""
    return bool(head) and (head.startswith(_WIDE) or _BINARY.search(head) is None)
