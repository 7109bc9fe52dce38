"""The reader of each media type, imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.parse.blocks import ParsedDocument

Reader = Callable[[bytes], ParsedDocument]

READERS: dict[str, tuple[str, ...]] = {
    "adoc": (".adoc", "read_adoc"),
    "csv": (".text_files", "read_csv"),
    "docx": (".office", "read_docx"),
    "eml": (".mail", "read_mail"),
    "facts": (".facts", "read_facts"),
    "epub": (".markup", "read_epub"),
    "html": (".markup", "read_html"),
    "mbox": (".mail", "read_mbox"),
    "md": (".markup", "read_markdown"),
    "mhtml": (".mail", "read_mhtml"),
    "msg": (".outlook", "read_msg"),
    "odp": (".odf", "read_odp"),
    "ods": (".odf_sheets", "read_ods"),
    "odt": (".odf", "read_odt"),
    "passage": (".text_files", "read_passage"),
    "pdf": (".pdf.reader", "read_pdf"),
    "pptx": (".office", "read_pptx"),
    "rst": (".rst", "read_rst"),
    "tex": (".latex", "read_tex"),
    "txt": (".text_files", "read_plain_text"),
    "vtt": (".text_files", "read_webvtt"),
    "xlsx": (".office", "read_xlsx"),
    "xml": (".jats", "read_article"),
}
"""Module (relative to this package) and function for each media type."""

IN_PROCESS = frozenset({"facts", "passage", "txt", "vtt"})
"""Media types read in the caller's process: linear Python over the text, which cannot hang or crash, and hundreds of
times faster than a worker."""


def readers_for(config: ParseConfig) -> dict[str, tuple[str, ...]]:
    """Return `READERS` with the PDF reader that the configuration selects."""
    pdf = READERS["pdf"]
    if config.pdf_engine == "docling-models":
        pdf = (".pdf.models", "model_reader", config.pdf_models)
    elif config.ocr == "auto":
        pdf = (".pdf.reader", "ocr_reader", config.ocr)
    return READERS | {"pdf": pdf}


def load_readers(readers: Mapping[str, Sequence[str]]) -> dict[str, Reader]:
    """Import readers, named as in `READERS`; with arguments, the function is a factory."""
    loaded: dict[str, Reader] = {}
    for media_type, (module, function, *arguments) in sorted(readers.items()):
        try:
            found = getattr(import_module(module, __package__), function)
            loaded[media_type] = found(*arguments) if arguments else found
        except ImportError as error:
            what = f"{media_type} files cannot be read: {error}"
            raise MissingDependencyError(what, "parse", install_command("index")) from error
    return loaded
