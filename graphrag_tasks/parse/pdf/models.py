"""Read PDF files by Docling's own pipeline, with its neural models from a local folder."""

from __future__ import annotations

from docling.datamodel.pipeline_options import ThreadedPdfPipelineOptions
from docling.pipeline.standard_pdf_pipeline import StandardPdfPipeline

from graphrag_tasks.parse.docling_blocks import convert
from graphrag_tasks.parse.pdf.reader import parsed_document
from graphrag_tasks.parse.readers import Reader


def model_reader(folder: str) -> Reader:
    """Return a reader of PDF files that uses the layout and table models in a folder.

    The models are loaded here, once for all documents. OCR is off: it would need models of its own.
    """
    options = ThreadedPdfPipelineOptions(artifacts_path=folder, do_ocr=False)
    pipeline = StandardPdfPipeline(options)
    return lambda data: parsed_document(data, lambda _: convert(data, "pdf", pipeline))
