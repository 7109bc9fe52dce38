"""Contexts by characters: chunks as they come, copies once, the last one cut."""

from __future__ import annotations

from graphrag_tasks.retrieval import Index


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
