"""No sentence of a PDF file is lost: each is in the chunks, or counted as page furniture."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.chunk import chunk
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument, lay_out
from graphrag_tasks.parse.pdf.reader import read_pdf
from tests.parse.conservation.pdf_documents import PdfDocument, make_pdf


def chunk_text(parsed: ParsedDocument) -> str:
    blocks = pa.Table.from_pylist(list(lay_out("d", parsed.blocks)), schema=schemas.BLOCKS)
    names = pa.table(dict.fromkeys(("document_id", "uri", "source", "path"), pa.array(["d"])))
    chunks = chunk(names, blocks, config=ChunkConfig()).tables["chunks"]
    return "\n".join(chunks["text"].to_pylist())


def missing_sentences(seed: int, made: PdfDocument) -> set[str]:
    """Return the serial numbers that are in no chunk; they must be those of furniture."""
    parsed = read_pdf(made.data)
    text = chunk_text(parsed)
    missing = {serial for serial in made.drawn if serial not in text}
    assert missing <= made.running, (seed, sorted(missing - made.running))
    lines = sum(made.drawn[serial] for serial in missing)
    assert lines <= parsed.left_out[LeftOut.PAGE_FURNITURE], (seed, lines)
    return missing


@settings(max_examples=8, derandomize=True, database=None)
@given(st.integers(0, 10**9))
def test_no_sentence_is_lost(seed: int) -> None:
    missing_sentences(seed, make_pdf(seed))
