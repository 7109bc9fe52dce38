"""The embed stage: a vector for every row, and known texts keep theirs."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.ids import text_sha256
from graphrag_tasks.embed.protocol import Encoded
from graphrag_tasks.embed.stage import embed


class Lengths:
    """Embeds a text as its length, and remembers what it was asked."""

    dimension = 2
    fingerprint = "lengths"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_detailed(texts).vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        self.asked += texts
        vectors = np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2)
        return Encoded(vectors, len(texts), sum(len(text) > 5 for text in texts), len(texts))


PATH = ["Guide", "Part one"]


def run(
    embedder: Lengths, chunk_texts: list[str], *, path: Sequence[str] = (), **options: object
) -> dict[str, pa.Table]:
    ids = [f"c{place}" for place in range(len(chunk_texts))]
    result = embed(
        pa.table(
            {
                "chunk_id": pa.array(ids, pa.string()),
                "text": pa.array(chunk_texts),
                "heading_path": pa.array([list(path)] * len(ids), pa.list_(pa.string())),
            }
        ),
        pa.table({"entity_id": ["e"], "name": ["SAP"]}),
        pa.table({"relation_id": pa.array([], pa.string()), "text": pa.array([], pa.string())}),
        embedder=embedder,
        **options,
    )
    assert result.stats["vectors"] == len(chunk_texts) + 1
    return dict(result.tables) | {"stats": result.stats}


def test_every_row_has_its_vector_in_order() -> None:
    tables = run(Lengths(), ["abc", "a", "abcdefg"])
    assert set(embed.makes) < set(tables)
    rows = tables["chunk_vectors"].to_pylist()
    assert [(row["id"], row["vector"][0]) for row in rows] == [("c0", 3), ("c1", 1), ("c2", 7)]
    assert rows[1]["text_sha256"] == text_sha256("a")
    assert tables["relation_vectors"].num_rows == 0
    assert tables["stats"]["windowed"] == 1


def test_known_texts_are_not_embedded_again() -> None:
    before = run(Lengths(), ["abc", "a"])
    reusable = {name: before[name] for name in embed.makes}
    embedder = Lengths()
    after = run(embedder, ["new", "a", "abc"], reusable=reusable)
    assert embedder.asked == ["new"]
    assert [row["vector"][0] for row in after["chunk_vectors"].to_pylist()] == [3, 1, 3]
    assert (after["stats"]["embedded"], after["stats"]["reused"]) == (1, 3)


def test_headings_that_a_chunk_does_not_hold_are_embedded_with_it() -> None:
    embedder = Lengths()
    texts = ["Guide\n\nPart\none\n\nText.", "Part one\n\nText.", "Text.", "Text.\n\nA.\n\nGuide"]
    tables = run(embedder, texts, path=PATH)
    expected = [
        texts[0],
        "Guide\n\nPart one\n\nText.",
        "Guide > Part one\n\nText.",
        "Guide > Part one\n\nText.\n\nA.\n\nGuide",
    ]
    assert embedder.asked[:4] == expected
    hashes = tables["chunk_vectors"]["text_sha256"].to_pylist()
    assert hashes == [text_sha256(text) for text in expected]
