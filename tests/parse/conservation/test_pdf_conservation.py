"""No sentence of a PDF file is lost: each is in the chunks, or counted as page furniture."""

from __future__ import annotations

import os
import random
import sys
import time
from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.chunk import chunk
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument, lay_out
from graphrag_tasks.parse.pdf.reader import read_pdf
from tests.parse.conservation.pdf_documents import PdfDocument, make_pdf

SECONDS = float(os.environ.get("CONSERVATION_SECONDS", "240"))
"""How long the slow test looks at new documents."""


@dataclass
class Share:
    """What became of the sentences of some documents."""

    documents: int = 0
    sentences: int = 0
    in_chunks: int = 0
    left_out: int = 0

    def add(self, made: PdfDocument, missing: set[str]) -> None:
        self.documents += 1
        self.sentences += len(made.drawn)
        self.in_chunks += len(made.drawn) - len(missing)
        self.left_out += len(missing)

    def __str__(self) -> str:
        return (
            f"{self.documents} PDF files, {self.sentences} sentences: {self.in_chunks} in chunks "
            f"({self.in_chunks / self.sentences:.4f}), {self.left_out} counted as left out, 0 lost"
        )


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


@pytest.mark.slow
def test_no_sentence_of_many_new_files_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    share, end = Share(), time.monotonic() + SECONDS
    seeds = random.SystemRandom()
    while time.monotonic() < end:
        seed = seeds.randrange(10**9)
        made = make_pdf(seed)
        share.add(made, missing_sentences(seed, made))
    with capsys.disabled():
        sys.stdout.write(f"\n{share}\n")
