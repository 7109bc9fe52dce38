"""Advice for files of types that are not read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from graphrag_tasks.sources.listing import ending

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

_ADVICE: Mapping[str, str] = MappingProxyType(
    {
        **{f".{old}": f"{_OFFICE}, {_LIBRE_OFFICE} {old}x" for old in ("doc", "xls", "ppt")},
        **dict.fromkeys((".pages", ".numbers", ".key", ".wpd", ".xlsb"), _OFFICE),
        **dict.fromkeys((".org", ".ipynb"), _PROSE),
        **dict.fromkeys((".pst", ".ost"), _MAIL),
        ".srt": "Convert it to WebVTT (.vtt)",
        **dict.fromkeys(_PICTURES, _IMAGE),
        **dict.fromkeys(_PACKED, _UNPACK),
        **dict.fromkeys((".json", ".parquet", ".sqlite", ".db", ".yaml", ".yml"), _DATA),
    }
)
"""Advice by file extension."""


def advice(path: str) -> str:
    """Return advice for a file of a type that is not read."""
    return _ADVICE.get(ending(path), _ANY)
