"""Any number of nights of edits give what a clean build gives: every table, to the byte."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphrag_tasks.pipeline import Published
from tests.llm.endpoint import Body, scripted

Indexer = Callable[..., Published]

THINGS = ("stock", "price", "order", "batch", "plant", "invoice")
VERBS = ("reads", "replaces", "updates", "needs", "locks")


class Corpus:
    """A folder of documents that is edited at random, each time in another way.

    Args:
        folder: Where the documents lie.
        chosen: Source of all choices.
    """

    def __init__(self, folder: Path, chosen: random.Random) -> None:
        self._folder = folder
        self._random = chosen
        self._names: Iterator[str] = (f"{number:03}" for number in range(10**6))
        self._deleted: list[str] = []

    def fill(self, documents: int) -> Corpus:
        """Add so many documents."""
        for _ in range(documents):
            self.add()
        return self

    def add(self) -> None:
        """Write a document, now and then under the name of one that was deleted."""
        if self._deleted and self._random.random() < 0.3:
            name = self._deleted.pop(self._random.randrange(len(self._deleted)))
        else:
            ending = self._random.choice(("txt", "md", "md", "csv"))
            name = f"{self._random.choice(('', 'sub/'))}{next(self._names)}.{ending}"
        self._write(self._folder / name)

    def edit(self) -> None:
        """Write a document anew, or add to it."""
        file = self._any()
        if self._random.random() < 0.5:
            self._write(file)
        else:
            file.write_text(f"{file.read_text()}\nThe report ZMM locks the {self._thing()}.\n")

    def delete(self) -> None:
        """Remove a document."""
        file = self._any()
        file.unlink()
        self._deleted.append(str(file.relative_to(self._folder)))

    def rename(self) -> None:
        """Move a document to a new name."""
        file = self._any()
        file.rename(file.with_stem(next(self._names)))

    def change(self) -> None:
        """Do one of these."""
        self._random.choice((self.add, self.edit, self.delete, self.rename))()

    def _any(self) -> Path:
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return self._random.choice(sorted(files))

    def _thing(self) -> str:
        return f"{self._random.choice(THINGS)} {self._random.randrange(40)}"

    def _sentence(self) -> str:
        verb = self._random.choice(VERBS)
        first = f"The table VB{self._random.randrange(99)} {verb} the {self._thing()}."
        return f"{first} It {self._random.choice(VERBS)} the {self._thing()} as well."

    def _write(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join(self._sentence() for _ in range(self._random.randint(0, 3)))
        if file.suffix == ".csv":
            rows = "".join(f"{self._thing()},{self._thing()}\n" for _ in range(3))
            text = f"Thing,Successor\n{rows}"
        elif file.suffix == ".md":
            link = f"See [more]({self._random.randrange(200):03}.md#{self._random.choice(VERBS)})."
            text = f"# {self._thing().title()}\n\n{text}\n\n## {link[4:8].title()}\n\n{link}\n"
        file.write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "runs", "changes"), [(12, 2, 6), (200, 10, 40)])
def test_edits_in_any_order_equal_a_clean_build(
    index: Indexer, corpus: Path, tmp_path: Path, documents: int, runs: int, changes: int
) -> None:
    chosen = random.Random(documents)
    edited = Corpus(corpus, chosen).fill(documents)
    index()
    for run in range(runs):
        for _ in range(chosen.randint(0, changes)):
            edited.change()
        made = index(plan={"shard_bytes": chosen.choice((500, 5000, 10**6))}).manifest
        if run in (runs // 2, runs - 1):
            clean = index(store=str(tmp_path / f"clean-{run}")).manifest
            assert made.tables == clean.tables
            assert made.snapshot_id == clean.snapshot_id
    counts = made.stats["counts"]
    assert min(counts[change] for change in ("added", "changed", "removed", "unchanged")) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "runs"), [(12, 2), (120, 6)])
def test_edits_equal_a_clean_build_where_a_model_reads(
    index: Indexer, corpus: Path, tmp_path: Path, documents: int, runs: int
) -> None:
    chosen = random.Random(documents)
    edited = Corpus(corpus, chosen).fill(documents)
    with scripted(answer=tell) as endpoint:
        sections = {
            "extract": {"extractor": "hybrid", "llm": {"share": 0.9, "shares": [{"path": "*.md", "share": 1}]}},
            "llm": {"base_url": endpoint.url, "model": "m", "budget": {"usd": 0}},
        }
        index(**sections)
        for _ in range(runs):
            for _ in range(4):
                edited.change()
            made = index(plan={"shard_bytes": chosen.choice((500, 5000))}, **sections).manifest
        assert endpoint.asked_after_delivery == 0
        clean = index(store=str(tmp_path / "clean"), **sections).manifest
    assert made.tables == clean.tables
    assert made.snapshot_id == clean.snapshot_id
    assert made.tables["answers"].rows > 0


def tell(body: Body) -> str:
    """Tell that the second word of each sentence does the fourth to the last two."""
    facts = []
    for number, text in re.findall(r"^(\d+) (.*)\.$", body["messages"][1]["content"], re.MULTILINE):
        words = text.split()
        if len(words) > 4:
            ends = {"head": " ".join(words[:3]), "tail": " ".join(words[-2:])}
            facts.append({"sentence": int(number), "relation": words[3], "weight": 1, **ends})
    return json.dumps({"entities": [], "relations": facts})
