"""BM25 over words and names of code, and its fusion with vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.language.bm25 import Lexicon, terms
from graphrag_tasks.retrieval import open_index
from tests.retrieval.small_worlds import SMALL, publish

CORPUS = [
    "VBBS was replaced by VBBE in S/4HANA.",
    "Start the transaction /SCMB/TOOL.",
    "The class CL_GUI_ALV_GRID shows a grid.",
    "I_ManufacturingOrder is a released view.",
    "The migration of custom code takes weeks.",
]


def bm25(texts: list[str], question: str) -> NDArray[np.float32]:
    lexicon = Lexicon.of(texts)
    return lexicon.scores(lexicon.asked(question))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which tables replaced VBBS?", ["tabl", "replac", "vbbs"]),
        ("/SCMB/TOOL", ["scmbtool", "scmb", "tool"]),
        ("CL_GUI_ALV_GRID", ["clguialvgrid", "cl", "gui", "alv", "grid"]),
        ("I_SalesOrder", ["isalesorder", "salesord", "sale", "order"]),
        ("S/4HANA", ["s4hana", "4hana", "hana"]),
        ("Müller's café", ["muller", "cafe"]),
        ("the of and", []),
        ("?!… §", []),
    ],
)  # fmt: skip
def test_names_of_code_are_kept_whole_and_in_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("vbbs", 0),
        ("What replaced VBBS?", 0),
        ("S4 HANA", 0),
        ("S/4 HANA", 0),
        ("SCMB/TOOL", 1),
        ("scmb tool", 1),
        ("cl_gui_alv_grid", 2),
        ("alv grid", 2),
        ("manufacturing orders", 3),
        ("migraton of custom code", 4),
    ],
)
def test_case_spelling_and_slips_do_not_matter(question: str, best: int) -> None:
    scores = bm25(CORPUS, question)
    assert int(np.argmax(scores)) == best
    assert scores[best] > 0


def test_bm25_leaves_out_chunks_without_a_word_and_needs_no_model(tmp_path: Path) -> None:
    publish(tmp_path, SMALL)
    context = open_index(tmp_path).search("gateway", "bm25")
    assert [hit.chunk_id for hit in context.chunks] == ["c3"]
    assert context.chunks[0].ranks == {"bm25": 1}
    nothing = open_index(tmp_path).search("zeppelin", "bm25")
    assert nothing.chunks == ()
    assert "No word" in nothing.notes[0]


def test_titles_are_searched_with_the_text(tmp_path: Path) -> None:
    publish(tmp_path, SMALL)
    context = open_index(tmp_path).search("network handbook", "bm25")
    assert [hit.chunk_id for hit in context.chunks] == ["c3"]
