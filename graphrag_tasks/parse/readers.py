"""The reader of each media type, imported when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from graphrag_tasks.errors import MissingDependencyError
from graphrag_tasks.parse.blocks import ParsedDocument

Reader = Callable[[bytes], ParsedDocument]

READERS = {
    "csv": (".tabular", "read_csv"),
    "docx": (".office", "read_docx"),
    "html": (".markup", "read_html"),
    "md": (".markup", "read_markdown"),
    "passage": (".passages", "read_passage"),
    "pdf": (".pdf.reader", "read_pdf"),
    "pptx": (".office", "read_pptx"),
    "txt": (".text", "read_plain_text"),
    "xlsx": (".office", "read_xlsx"),
}
"""Module (relative to this package) and function by media type; other types are skipped."""

IN_PROCESS = frozenset({"passage", "txt"})
"""Media types whose readers run in the caller's process: a few linear steps of Python over the
text, which cannot hang or crash, and hundreds of times faster than the trip to a worker."""

_INSTALL = "pip install 'docling-slim[format-pdf,format-office,format-web,convert-core]==2.143.0'"


def load_readers(readers: Mapping[str, tuple[str, str]]) -> dict[str, Reader]:
    """Import readers.

    Args:
        readers: Module and function by media type: `READERS` or a part of it.

    Raises:
        MissingDependencyError: A reader's package is not installed.
    """
    loaded: dict[str, Reader] = {}
    for media_type, (module, function) in sorted(readers.items()):
        try:
            loaded[media_type] = getattr(import_module(module, __package__), function)
        except ImportError as error:
            what = f"{media_type} files cannot be read: {error}"
            raise MissingDependencyError(what, "parse", _INSTALL) from error
    return loaded
