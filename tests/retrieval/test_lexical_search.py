"""BM25 over words and names of code, and its fusion with vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.language.bm25 import Lexicon, terms
from graphrag_tasks.retrieval import open_index
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish

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


def test_hybrid_is_the_weighted_sum_of_standard_scores(tmp_path: Path) -> None:
    publish(tmp_path, SMALL)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    hits = index.search("spooler driver", "hybrid").chunks
    vector = np.array(FakeEmbedder.vector("spooler driver"))
    texts = {one: text for one, _, text in SMALL.chunks}
    dense = {one: float(vector @ FakeEmbedder.vector(text)) for one, text in texts.items()}
    lexical = {
        hit.chunk_id: hit.ranking_score for hit in index.search("spooler driver", "bm25").chunks
    }
    weight = 0.67
    expected = {one: standard(dense)[one] + weight * standard(lexical)[one] for one in texts}
    assert {hit.chunk_id: hit.ranking_score for hit in hits} == pytest.approx(expected, abs=1e-5)
    assert [hit.chunk_id for hit in hits] == sorted(expected, key=expected.__getitem__)[::-1]
    assert {hit.chunk_id: hit.similarity for hit in hits} == pytest.approx(dense)


def standard(scores: dict[str, float]) -> dict[str, float]:
    values = np.array([scores.get(one, 0.0) for one in ("c1", "c2", "c3")])
    return dict(zip(("c1", "c2", "c3"), (values - values.mean()) / values.std(), strict=True))
