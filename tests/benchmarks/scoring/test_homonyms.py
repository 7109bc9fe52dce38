"""Labelled homonyms: kept apart is a name each sense of which has entities of its own."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.scoring.homonyms import Homonym, kept_apart, read_homonyms, write_documents

GOLD = Path(__file__).parents[3] / "benchmarks/gold/homonyms.jsonl"
MERCURY = Homonym.model_validate({
    "name": "Mercury", "split": "dev", "documents": [
        {"sense": sense, "title": "T", "text": "Mercury."} for sense in ("planet", "metal")
    ],
})  # fmt: skip


class Mentioned:
    """Stands in for a snapshot of the two documents; tells which entities they mention."""

    def __init__(self, *entities: str) -> None:
        self._tables = {
            "documents": [{"document_id": str(n), "path": f"mercury-{n}.md"} for n in (1, 2)],
            "mentions": [
                {"document_id": one[0], "entity_id": one[1:], "alias": "mercury"}
                for one in entities
            ],
        }

    def table(self, name: str, columns: list[str]) -> pa.Table:
        return pa.Table.from_pylist(self._tables[name]).select(columns)


@pytest.mark.parametrize(
    ("entities", "apart"),
    [
        (("1a", "2b"), True),
        (("1a", "1c", "2b"), True),
        (("1a", "2a"), False),
        (("1a", "2b", "2a"), False),
        (("1a",), False),
    ],
)
def test_kept_apart(entities: tuple[str, ...], apart: bool) -> None:
    snapshot: Any = Mentioned(*entities)
    assert kept_apart([MERCURY], snapshot) == {"Mercury": apart}


def test_the_labelled_set_is_fifteen_names_each_in_two_documents_or_more(tmp_path: Path) -> None:
    homonyms = read_homonyms(GOLD)
    assert len(homonyms) == 15
    assert all(len({one.sense for one in homonym.documents}) == 2 for homonym in homonyms)
    write_documents(homonyms, tmp_path)
    assert len(list(tmp_path.iterdir())) == sum(len(one.documents) for one in homonyms)
