"""Why a chunk comes, or does not, and where it stands on paper."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index, PageBox, open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.retrieval.small_worlds import ONE, SMALL, FakeEmbedder, publish


def test_the_place_lists_words_names_and_statements_of_a_chunk(index: Index) -> None:
    question = "What did the Print Server replace?"
    found = index.explain(question, "c1", mode="graph")
    places = [hit.chunk_id for hit in index.search(question, "graph", k=3).chunks]
    assert found.place == places.index("c1") + 1
    assert found.chunk is not None
    assert set(found.chunk.ranks) == {"dense", "bm25", "graph"}
    assert next(iter(found.words)) in {"print", "server", "replac"}
    assert sum(found.words.values()) == pytest.approx(index.search(question, "bm25", k=1).chunks[0].ranking_score)
    assert found.names == ("print server",)
    assert [one.text for one in found.relations] == ["print server replaces spooler"]
    assert "names that both hold: print server" in str(found)


def test_the_router_is_explained_too(index: Index) -> None:
    found = index.explain("What depends on the spooler?", "c1")
    assert found.route is not None
    assert found.mode == "path"
    assert "asks what depends on something" in str(found)


def test_a_chunk_that_is_not_there(index: Index) -> None:
    with pytest.raises(QueryError, match="no chunk 'c9'"):
        index.explain("what?", "c9")


def test_hits_have_the_boxes_of_their_blocks(tmp_path: Path) -> None:
    publish(tmp_path, SMALL)
    box = {"left": 10.0, "top": 20.0, "right": 200.0, "bottom": 32.0}
    rows = [
        {"document_id": "d1", "ordinal": place, "kind": "paragraph", "level": None, "text": "t",
         "char_start": start, "char_end": start + 30, "page": page, "bbox": {**box, "top": top},
         "has_link": False}
        for place, (start, page, top) in enumerate([(0, 1, 20.0), (35, 2, 40.0), (1000, 2, 60.0)])
    ]  # fmt: skip
    blocks = pa.Table.from_pylist(rows, schema=schemas.BLOCKS)
    Store(str(tmp_path)).snapshot_folder(ONE).write_table("blocks", blocks, fingerprint="0")
    opened = open_index(tmp_path, embedder=FakeEmbedder(), verify=False)
    hits = opened.search("spooler", "dense", k=3).chunks
    boxes = {hit.chunk_id: [(one.page, one.top) for one in hit.boxes] for hit in hits}
    assert boxes == {"c1": [(1, 20.0), (2, 40.0)], "c2": [(2, 60.0)], "c3": []}
    (sentence,) = opened.cite("s1")
    assert sentence.boxes[0] == PageBox(page=1, left=10.0, top=20.0, right=200.0, bottom=32.0)
