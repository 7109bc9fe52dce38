"""The kinds of files that are documents; their readers are in `parse.readers`."""

from __future__ import annotations

MEDIA_TYPES = {
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".docx": "docx",
    ".pptx": "pptx",
    ".md": "md",
    ".markdown": "md",
    ".mdx": "md",
    ".txt": "txt",
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
    ".rtf": "rtf",
    ".tex": "tex",
    ".xml": "xml",
}
"""File endings that are read, with the media type each stands for."""
