"""File extensions of documents; their readers are in `parse.readers`."""

from __future__ import annotations

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


def may_hold_facts(path: str) -> bool:
    """Tell whether a file is called `facts.csv`, `systems.facts.csv` or likewise as JSONL."""
    return f".{path.rpartition('/')[2].lower()}".endswith(FACTS_ENDINGS)
