"""Check the packages and models that each way of reading PDF files needs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import MissingDependencyError

_MODEL_PACKAGES = ("torch", "torchvision", "transformers")
_OCR_PACKAGE = "rapidocr"
_INSTALL_MODELS = "pip install 'docling-slim[models-local,cli]==2.143.0'"
_LAYOUT_FOLDER = "docling-project--docling-layout-heron"


def check_pdf_engine(config: ParseConfig) -> str:
    """Return a description of how PDF files are read."""
    if config.pdf_engine == "docling-models":
        _check_models(config.pdf_models)
        return f"Docling's models in {config.pdf_models}"
    if config.ocr == "off":
        return "native, without models"
    if find_spec(_OCR_PACKAGE) is None:
        what = "parse.ocr is auto, and the OCR package is not installed"
        raise MissingDependencyError(what, hint=install_command("ocr"))
    return "native, OCR for pages without text"


def _check_models(folder: str) -> None:
    missing = [name for name in _MODEL_PACKAGES if find_spec(name) is None]
    if missing:
        what = f"parse.pdf_engine is docling-models, and {', '.join(missing)} is not installed"
        raise MissingDependencyError(what, hint=_INSTALL_MODELS)
    if not folder or not (Path(folder) / _LAYOUT_FOLDER).is_dir():
        what = f"parse.pdf_models must name a folder with {_LAYOUT_FOLDER}, and is {folder!r}"
        target = folder or "docling-models"
        hint = f"docling-tools models download layout tableformer -o {target}, and set parse.pdf_models = {target!r}"
        raise MissingDependencyError(what, hint=hint)
