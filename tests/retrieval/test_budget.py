"""Contexts by characters: chunks as they come, copies once, the last one cut."""

from __future__ import annotations

from pathlib import Path

from graphrag_tasks.retrieval import Index, open_index
from tests.retrieval.small_worlds import FakeEmbedder, World, publish


def test_chunks_fill_the_budget_and_the_last_is_cut_to_whole_sentences(index: Index) -> None:
    whole = index.search("spooler", "bm25", k=9)
    lengths = [len(hit.text) for hit in whole.chunks]
    for budget in range(sum(lengths) + 2):
        found = index.search("spooler", "bm25", budget_characters=budget)
        assert sum(len(hit.text) for hit in found.chunks) <= budget
        for hit, full in zip(found.chunks, whole.chunks, strict=False):
            assert hit.chunk_id == full.chunk_id
            assert full.text.startswith(hit.text)
            assert hit.char_end == hit.char_start + len(hit.text)
            sentences = [one.text for one in index.sentences(hit.chunk_id)]
            assert any(hit.text.endswith(text) for text in sentences)
    assert len(found.chunks) == len(whole.chunks) and found.k == len(whole.chunks)


def test_copies_come_once(tmp_path: Path) -> None:
    text = "The spooler keeps jobs in a queue of its own"
    copies = World(
        documents=(("d1", "A"), ("d2", "B"), ("d3", "C")),
        chunks=(("c1", "d1", text), ("c2", "d2", f"{text}."), ("c3", "d3", "A spooler stops.")),
        sentences=(("s1", "c1", text), ("s2", "c2", f"{text}."), ("s3", "c3", "A spooler stops.")),
    )
    publish(tmp_path, copies)
    index = open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: [])
    found = index.search("spooler jobs", "bm25", budget_characters=1_000)
    assert [hit.chunk_id for hit in found.chunks] == ["c1", "c3"]
    assert [hit.rank for hit in found.chunks] == [1, 2]
