"""Call Docling without torch, network or log noise.

Backends and pipelines are used directly: `docling.document_converter` imports the speech pipeline, which in 2.143.0
imports torch unguarded, and guesses formats from the first bytes. Importing this module imports docling and pandas,
which takes seconds.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from typing import Any

from docling.backend.latex.backend import LatexDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.datamodel.backend_options import LatexBackendOptions, ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import ConversionStatus, ErrorItem, InputFormat
from docling.datamodel.document import ConversionResult, InputDocument, build_invalid_input_errors
from docling.datamodel.pipeline_options import ConvertPipelineOptions
from docling.exceptions import ConversionError
from docling.pipeline.base_pipeline import BasePipeline
from docling.pipeline.simple_pipeline import SimplePipeline
from docling_core.types.doc.document import DoclingDocument

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.allowance import current_allowance
from graphrag_tasks.parse.docling_private import PdfBackend
from graphrag_tasks.parse.packages import broken

# What goes wrong becomes a documents row; docling would log it again, with a traceback.
logging.getLogger("docling").setLevel(logging.CRITICAL)

_RENDER_SCALE = 0.1  # pixels per point: the picture itself is not used
_PAGES_AHEAD = 4  # decoded pages that wait to be read; each may hold large pictures
_PAGES_SHARE = 0.875  # of the time left, unless a pipeline measures what joining the pages takes

_FORMATS: dict[str, tuple[InputFormat, type[Any], Any]] = {
    "docx": (InputFormat.DOCX, MsWordDocumentBackend, None),
    "pdf": (
        InputFormat.PDF,
        PdfBackend,
        # Without rendering, docling-parse reports no drawn lines, which tables need.
        ThreadedDoclingParseBackendOptions(
            parser_threads=1, render_pages=True, render_scale=_RENDER_SCALE, max_concurrent_results=_PAGES_AHEAD
        ),
    ),
    "pptx": (InputFormat.PPTX, MsPowerpointDocumentBackend, None),
    "tex": (InputFormat.LATEX, LatexDocumentBackend, LatexBackendOptions(parse_timeout=None)),
}
"""Docling's format, backend and options for each media type; fetching is off by default."""


@cache
def _simple_pipeline() -> BasePipeline:
    return SimplePipeline(ConvertPipelineOptions())


def convert(data: bytes, media_type: str, pipeline: BasePipeline | None = None) -> DoclingDocument:
    """Convert bytes to a Docling document, with the simple pipeline unless another is given.

    PDF pages that cannot be read, or not within the `allowance`, are missing.
    """
    form, backend, options = _FORMATS[media_type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = InputDocument(
            path_or_stream=BytesIO(data),
            format=form,
            backend=backend,
            backend_options=options,
            filename=f"document.{media_type}",
        )
        if not source.valid:
            raise _refused(media_type, build_invalid_input_errors(source))
        result = _execute(source, media_type, pipeline or _simple_pipeline())
        if result.status == ConversionStatus.FAILURE:
            raise _refused(media_type, result.errors)
        return result.document


def _execute(source: InputDocument, media_type: str, pipeline: BasePipeline) -> ConversionResult:
    try:
        left = current_allowance().left
        timeout = None if math.isinf(left) else max(0.0, left) * _PAGES_SHARE
        pipeline.pipeline_options.document_timeout = timeout
        return pipeline.execute(source, raises_on_error=True)
    except RuntimeError as error:
        cause = error.__cause__ or error  # the pipeline wraps whatever went wrong
        if isinstance(cause, ConversionError):
            raise broken(media_type, str(cause) or None) from error
        raise cause from None


def _refused(media_type: str, errors: Iterable[ErrorItem]) -> DocumentError:
    return broken(media_type, "; ".join(item.error_message for item in errors) or None)
