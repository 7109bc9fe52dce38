"""Links of Office files that Docling passes over, read from the packages themselves.

Docling has the links of text in DOCX and of shapes in PPTX, not those in tables of DOCX and of runs
of text in PPTX.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from docx import Document
from pptx import Presentation

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.links import FoundLink, with_links

_WORD_RELATIONS = "word/_rels/document.xml.rels"
_LINK_TYPE = b"relationships/hyperlink"


def with_table_links(blocks: Sequence[Block], data: bytes) -> list[Block]:
    """Return the blocks of a Word document with the links in its tables."""
    with ZipFile(BytesIO(data)) as package:
        names = set(package.namelist())
        if not any(_LINK_TYPE in package.read(name) for name in names & {_WORD_RELATIONS}):
            return list(blocks)
    in_tables = [block for block in blocks if block.kind == "table"]
    tables = iter(with_links(in_tables, _links_in_tables(data)))
    return [next(tables) if block.kind == "table" else block for block in blocks]


def _links_in_tables(data: bytes) -> Iterator[FoundLink]:
    document = Document(BytesIO(data))
    relations = document.part.rels
    for link in document.element.body.xpath(".//w:tbl//w:hyperlink[@r:id]"):
        text = "".join(part.text or "" for part in link.xpath(".//w:t"))
        relation = relations.get(link.rId)
        if text.strip() and relation is not None:
            yield FoundLink(None, text, relation.target_ref)


def with_run_links(blocks: Sequence[Block], data: bytes) -> list[Block]:
    """Return the blocks of slides with the links of runs of text; Docling has those of shapes."""
    with ZipFile(BytesIO(data)) as package:
        relations = [name for name in package.namelist() if name.startswith("ppt/slides/_rels/")]
        if not any(_LINK_TYPE in package.read(name) for name in relations):
            return list(blocks)
    return with_links(blocks, _run_links(data))


def _run_links(data: bytes) -> Iterator[FoundLink]:
    for page, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
        for frame in _text_frames(slide.shapes):
            for paragraph in frame.paragraphs:
                for run in paragraph.runs:
                    if run.text.strip() and (address := run.hyperlink.address):
                        yield FoundLink(page, run.text, address)


def _text_frames(shapes: Any) -> Iterator[Any]:  # noqa: ANN401 - an untyped library
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _text_frames(shape.shapes)
        elif shape.has_text_frame:
            yield shape.text_frame
        elif getattr(shape, "has_table", False):
            yield from (cell.text_frame for row in shape.table.rows for cell in row.cells)
