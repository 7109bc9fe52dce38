"""The reader of each media type, imported when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from graphrag_tasks.errors import MissingDependencyError
from graphrag_tasks.parse.blocks import ParsedDocument

Reader = Callable[[bytes], ParsedDocument]

READERS = {
    "csv": ("tabular", "read_csv"),
    "docx": ("office", "read_docx"),
    "html": ("markup", "read_html"),
    "md": ("markup", "read_markdown"),
    "passage": ("passages", "read_passage"),
    "pdf": ("pdf", "read_pdf"),
    "pptx": ("office", "read_pptx"),
    "txt": ("text", "read_plain_text"),
    "xlsx": ("office", "read_xlsx"),
}
"""Module of this package and function by media type; other media types are skipped."""

_INSTALL = "pip install 'docling-slim[format-pdf,format-office,format-web,convert-core]==2.143.0'"


def load_readers(media_types: Iterable[str]) -> dict[str, Reader]:
    """Import the readers of these media types; those that nothing reads are left out.

    Raises:
        MissingDependencyError: A reader's package is not installed.
    """
    readers: dict[str, Reader] = {}
    for media_type in sorted(set(media_types) & set(READERS)):
        module, function = READERS[media_type]
        try:
            readers[media_type] = getattr(import_module(f"{__package__}.{module}"), function)
        except ImportError as error:
            what = f"{media_type} files cannot be read: {error}"
            raise MissingDependencyError(what, "parse", _INSTALL) from error
    return readers
