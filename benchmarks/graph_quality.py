"""How good the graph of a corpus is that no rule was written on.

    python -m benchmarks.graph_quality FOLDER [--stores FOLDER] [--draw N] [CORPUS ...]

FOLDER holds the corpora of `fetch_corpora.sh`; each is indexed into a store of its own. Told are: terms of the corpus's
own glossary that are entities; words of any manual among the largest hubs; hubs that a question "What is X?"
recognises; kinds of relations; entities with a type. `--draw` prints so many facts with their sentences, to be judged.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.glossaries import GLOSSARIES, terms_of
from graphrag_tasks.core.config import load_config
from graphrag_tasks.entities.words import words
from graphrag_tasks.graph.weights import FACT
from graphrag_tasks.language.names import agreeing, singular
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index
from graphrag_tasks.storage.snapshots.store import Snapshot, Store

TERMS, HUBS, JUDGED_HUBS = 40, 40, 20
_JUNK = words("words_of_manuals") | words("fillers")


@dataclass(frozen=True)
class GraphQuality:
    """Figures of a snapshot.

    Attributes:
        terms: Terms of the corpus's glossary that its other pages use.
        missed: Those that are no entities.
        hubs: Entities with most facts, most first.
        junk: Words of any manual among the first of them that no glossary explains.
        unknown: Hubs that a question does not recognise.
        kinds: Relations of each kind.
        typed: Share of the entities that have a type.
    """

    terms: tuple[str, ...]
    missed: tuple[str, ...]
    hubs: tuple[str, ...]
    junk: tuple[str, ...]
    unknown: tuple[str, ...]
    kinds: Mapping[str, int]
    typed: float

    def __str__(self) -> str:
        found = len(self.terms) - len(self.missed)
        known = len(self.hubs) - len(self.unknown)
        return "\n".join(
            [
                f"terms that are entities: {found} of {len(self.terms)}; not: {self.missed}",
                f"hubs: {self.hubs[:JUDGED_HUBS]}; junk: {self.junk}",
                f"hubs recognised: {known} of {len(self.hubs)}; not: {self.unknown}",
                f"relations: {dict(self.kinds)}; typed: {self.typed:.3f}",
            ]
        )


def main() -> None:
    """Index the corpora and print the figures of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpora", nargs="*")
    parser.add_argument("--stores", type=Path, default=Path("stores"))
    parser.add_argument("--draw", type=int, default=0)
    given = parser.parse_args()
    for corpus in given.corpora or sorted(GLOSSARIES):
        snapshot = indexed(given.folder / corpus, given.stores / corpus)
        print(f"## {corpus}\n{measured(corpus, given.folder / corpus, snapshot)}")
        for told, sentence in drawn(snapshot, given.draw):
            print(f"- {told}\n    {sentence[:300]}")


def indexed(corpus: Path, store: Path) -> Snapshot:
    """Index a corpus with the default settings."""
    run_index(load_config(None, overrides={"store": str(store), "sources": [str(corpus)]}))
    return Store(str(store)).open()


def measured(corpus: str, folder: Path, snapshot: Snapshot) -> GraphQuality:
    """Return the figures of the snapshot of a corpus, one of `GLOSSARIES`."""
    entities = {row["entity_id"]: row for row in snapshot.table("entities").to_pylist()}
    known = {singular(row["alias"].casefold()) for row in snapshot.table("aliases").to_pylist()}
    terms = terms_of(corpus, folder, _sentences(snapshot), TERMS)
    explained = {singular(term.casefold()) for term in terms}
    hubs = [str(entities[one]["name"]) for one in _hubs(snapshot)]
    index = Index(snapshot)
    return GraphQuality(
        terms=tuple(terms),
        missed=tuple(term for term in terms if singular(term.casefold()) not in known),
        hubs=tuple(hubs),
        junk=tuple(one for one in map(str.casefold, hubs[:JUDGED_HUBS]) if one in _JUNK and one not in explained),
        unknown=tuple(one for one in hubs if one not in _recognised(index, one)),
        kinds=Counter(snapshot.table("relations", ["kind"])["kind"].to_pylist()),
        typed=sum(row["type"] is not None for row in entities.values()) / len(entities),
    )


def _recognised(index: Index, hub: str) -> set[str]:
    context = index.search(f"What is {hub}?", "ranked", k=1, rerank=0)
    return {entity.name for entity in context.entities}


def _hubs(snapshot: Snapshot) -> Sequence[str]:
    degree: Counter[str] = Counter()
    for row in snapshot.table("relations", ["head_id", "tail_id", "kind"]).to_pylist():
        if row["kind"] == FACT:
            degree.update((row["head_id"], row["tail_id"]))
    return sorted(degree, key=lambda one: (-degree[one], one))[:HUBS]


def _sentences(snapshot: Snapshot) -> dict[str, list[str]]:
    documents = snapshot.table("documents", ["document_id", "path"]).to_pylist()
    paths = {row["document_id"]: row["path"] for row in documents}
    found: dict[str, list[str]] = defaultdict(list)
    for row in snapshot.table("sentences", ["document_id", "text"]).to_pylist():
        found[paths[row["document_id"]]].append(row["text"])
    return found


def drawn(snapshot: Snapshot, most: int) -> list[tuple[str, str]]:
    """Return facts in words, drawn by a fixed seed, each with a sentence that states it."""
    entities = snapshot.table("entities", ["entity_id", "name"]).to_pylist()
    names = {row["entity_id"]: row["name"] for row in entities}
    texts = {row["sentence_id"]: row["text"] for row in snapshot.table("sentences").to_pylist()}
    sentence_of: dict[str, str] = {}
    for row in snapshot.table("evidence", ["relation_id", "sentence_id"]).to_pylist():
        sentence_of.setdefault(row["relation_id"], texts.get(row["sentence_id"], ""))
    facts = [row for row in snapshot.table("relations").to_pylist() if row["kind"] == FACT]
    facts.sort(key=lambda row: row["relation_id"])
    found = []
    for row in random.Random(0).sample(facts, min(most, len(facts))):  # noqa: S311
        head, tail = names[row["head_id"]], names[row["tail_id"]]
        said = agreeing(head, row["phrase"], row["relation"])
        found.append((f"{head} | {said} | {tail}", sentence_of[row["relation_id"]]))
    return found


if __name__ == "__main__":
    main()
