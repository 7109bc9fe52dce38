"""Vectors that a killed run had made: found again, by text and model, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.embed import protocol as kept
from graphrag_tasks.embed.protocol import Encoded, KeptVectors
from graphrag_tasks.storage.artifacts import Folder
from tests.retrieval.small_worlds import FakeEmbedder

TEXTS = [f"text {number}" for number in range(9)] + ["text 0", ""]


class Killed(BaseException):
    """What a kill is to the code."""


class Counting(FakeEmbedder):
    engine = "fake 1"

    def __init__(self, most: int = 1_000) -> None:
        self.seen: list[str] = []
        self.most = most

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        if len(self.seen) + len(texts) > self.most:
            raise Killed
        self.seen += texts
        return Encoded(self.encode(texts), len(texts), 1, len(texts))


def expected() -> NDArray[np.float32]:
    return FakeEmbedder().encode(TEXTS)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_BATCH_CHARACTERS", 18)  # three of these texts


def test_a_run_that_was_killed_embeds_nothing_twice(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "vectors")
    first, again = Counting(most=7), Counting()
    with pytest.raises(Killed):
        KeptVectors(first, folder).encode_detailed(TEXTS)
    found = KeptVectors(again, folder).encode_detailed(TEXTS)
    assert len(first.seen) > 0
    assert sorted([*first.seen, *again.seen]) == sorted(set(TEXTS))
    assert np.array_equal(found.vectors, expected())
    assert found.unique == len(again.seen)


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "vectors")
    KeptVectors(Counting(), folder).encode_detailed(TEXTS)
    name = folder.names()[0]
    (tmp_path / "vectors" / name).write_bytes(b"ARROW1 but no more")
    later = Counting()
    found = KeptVectors(later, folder).encode_detailed(TEXTS)
    assert 0 < len(later.seen) < len(set(TEXTS))
    assert np.array_equal(found.vectors, expected())
    assert name in folder.names()
