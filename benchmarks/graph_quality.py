"""How good the graph of a corpus is that no rule was written on.

    python -m benchmarks.graph_quality FOLDER [--stores FOLDER] [--draw N] [CORPUS ...]

FOLDER holds the corpora of `fetch_corpora.sh`; each is indexed into a store of its own. Told are:
terms of the corpus's own glossary that are entities; words of any manual among the largest hubs;
hubs that a question "What is X?" recognises; relations that say no more than a form of "be" or
"have"; entities with a type. `--draw` prints so many relations with their sentences, to be judged.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.glossaries import GLOSSARIES, terms_of
from graphrag_tasks.core.config import load_config
from graphrag_tasks.entities.words import words
from graphrag_tasks.graph.relation_kinds import FACT
from graphrag_tasks.language.forms import singular
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index
from graphrag_tasks.snapshots.store import Snapshot, Store

TERMS, HUBS, JUDGED_HUBS = 40, 40, 20
_JUNK = words("words_of_manuals") | words("fillers")


def main() -> None:
    """Index the corpora and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpora", nargs="*")
    parser.add_argument("--stores", type=Path, default=Path("stores"))
    parser.add_argument("--draw", type=int, default=0)
    given = parser.parse_args()
    for corpus in given.corpora or sorted(GLOSSARIES):
        store = str(given.stores / corpus)
        folder = given.folder / corpus
        run_index(load_config(None, overrides={"store": store, "sources": [str(folder)]}))
        report(corpus, folder, Store(store).open(), given.draw)


def report(corpus: str, folder: Path, snapshot: Snapshot, draw: int) -> None:
    """Print the figures of a snapshot, and relations drawn at random."""
    index = Index(snapshot)
    names = {row["entity_id"]: row for row in snapshot.table("entities").to_pylist()}
    known = {singular(row["alias"].casefold()) for row in snapshot.table("aliases").to_pylist()}
    print(f"## {corpus}: {len(names):,} entities")
    if corpus in GLOSSARIES:
        terms = terms_of(corpus, folder, _sentences(snapshot), TERMS)
        missed = [term for term in terms if singular(term.casefold()) not in known]
        print(f"terms that are entities: {len(terms) - len(missed)} of {len(terms)}; not: {missed}")
    hubs = _hubs(snapshot, names)
    junk = [hub for hub in hubs[:JUDGED_HUBS] if hub.casefold() in _JUNK]
    print(f"hubs: {hubs[:JUDGED_HUBS]}\njunk among {JUDGED_HUBS} hubs: {len(junk)} {junk}")
    unknown = [hub for hub in hubs if hub not in _recognised(index, hub)]
    print(f"hubs recognised: {len(hubs) - len(unknown)} of {len(hubs)}; not: {unknown}")
    relations = snapshot.table("relations").to_pylist()
    facts = [row for row in relations if row["kind"] == FACT]
    kinds = Counter(row["kind"] for row in relations)
    print(f"relations: {len(relations):,}; {dict(kinds)}")
    typed = sum(row["type"] is not None for row in names.values())
    print(f"typed: {typed / len(names):.3f}")
    _draw(snapshot, facts, draw)


def _recognised(index: Index, hub: str) -> set[str]:
    context = index.search(f"What is {hub}?", "ranked", k=1, rerank=0)
    return {seed.name for seed in context.entities}


def _hubs(snapshot: Snapshot, names: dict[str, dict[str, object]]) -> list[str]:
    degree: dict[str, int] = defaultdict(int)
    for row in snapshot.table("relations", ["head_id", "tail_id", "kind"]).to_pylist():
        if row["kind"] == FACT:
            degree[row["head_id"]] += 1
            degree[row["tail_id"]] += 1
    best = sorted(degree, key=lambda one: (-degree[one], one))[:HUBS]
    return [str(names[one]["name"]) for one in best]


def _sentences(snapshot: Snapshot) -> dict[str, list[str]]:
    documents = snapshot.table("documents", ["document_id", "path"]).to_pylist()
    paths = {row["document_id"]: row["path"] for row in documents}
    found: dict[str, list[str]] = defaultdict(list)
    for row in snapshot.table("sentences", ["document_id", "text"]).to_pylist():
        found[paths[row["document_id"]]].append(row["text"])
    return found


def _draw(snapshot: Snapshot, relations: list[dict[str, object]], most: int) -> None:
    names = snapshot.table("entities", ["entity_id", "name"]).to_pylist()
    texts_of = {row["entity_id"]: row["name"] for row in names}
    texts = {row["sentence_id"]: row["text"] for row in snapshot.table("sentences").to_pylist()}
    of: dict[str, str] = {}
    for row in snapshot.table("evidence", ["relation_id", "sentence_id"]).to_pylist():
        of.setdefault(row["relation_id"], texts.get(row["sentence_id"], "(table)"))
    ranked = sorted(relations, key=lambda row: str(row["relation_id"]))
    for row in random.Random(0).sample(ranked, min(most, len(ranked))):  # noqa: S311
        head, tail = (texts_of[str(row[end])] for end in ("head_id", "tail_id"))
        print(f"- {head} | {row['phrase']} | {tail}\n    {of[str(row['relation_id'])][:300]}")


if __name__ == "__main__":
    main()
