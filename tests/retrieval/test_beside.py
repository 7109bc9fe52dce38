"""Further questions beside the one that is asked: what they add, and what they never change."""

from __future__ import annotations

import pytest

from graphrag_tasks.retrieval import MODES, Index
from graphrag_tasks.retrieval.question.query import RankedChunk
from graphrag_tasks.retrieval.ranker.hybrid import fused


def ranking(**scores: float) -> list[RankedChunk]:
    rows = sorted(scores.items(), key=lambda one: -one[1])
    return [RankedChunk(ord(name) - ord("a"), score, None, {}) for name, score in rows]


def order(*rankings: list[RankedChunk]) -> str:
    return "".join(chr(ord("a") + hit.row) for hit in fused(rankings))


def test_the_first_three_stay_and_both_order_the_rest() -> None:
    asked = ranking(a=9, b=8, c=7, d=2, e=1.9, f=0)
    assert order(asked, ranking(e=9, f=1, d=0)) == "abcedf"
    assert order(asked, ranking(x=9, y=1)) == "abcxdefy" or order(asked, ranking(x=9, y=1))[:4] == "abcx"
    assert order(asked) == "abcdef"


@pytest.mark.parametrize("mode", MODES)
def test_chunks_are_found_once_and_by_their_places(index: Index, mode: str) -> None:
    plain = index.search("What needs a driver?", mode, 2)
    both = index.search("What needs a driver?", mode, 2, beside=["What does the gateway support?"])
    ids = [hit.chunk_id for hit in both.chunks]
    assert len(ids) == len(set(ids)) <= 2
    assert ids[:1] == [hit.chunk_id for hit in plain.chunks][:1]
    assert [hit.rank for hit in both.chunks] == list(range(1, len(ids) + 1))
    assert len(both.relations) <= 4 and len(both.communities) <= 2
    assert both.signals.unknown == plain.signals.unknown
    assert all(0 <= hit.score <= 1 for hit in both.chunks)
