"""Training examples: questions, answering passages, and hard negatives.

Hard negatives are the first chunks of dense retrieval and BM25 that are not gold (Karpukhin et al., "Dense Passage
Retrieval", EMNLP 2020, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.workbench.evaluation.gold import Gold, Target

FEWEST = 30  # Fewest questions for tuning: with fewer, a gain could be chance.
_CANDIDATES = 50  # Chunks of a search considered as hard negatives; chosen.


@dataclass(frozen=True)
class Example:
    """A question with its passages.

    Attributes:
        gold: For each needed fact, the passages that contain it.
        others: Hard negatives, best first.
        documents: The documents of the gold.
        folder: The first folder of the first of them.
    """

    question: str
    gold: tuple[tuple[Passage, ...], ...]
    others: tuple[Passage, ...]
    documents: frozenset[str]
    folder: str


def make_examples(index: Index, gold: Gold) -> tuple[list[Example], Gold]:
    """Return an example for each question with a gold chunk and a hard negative.

    The returned gold has the same questions in the same order.
    """
    wanted = {chunk for target in gold.targets for item in target.chunks for chunk in item}
    columns = ["chunk_id", "document_id", "heading_path", "text"]
    chunks = {
        row["chunk_id"]: row for row in index.snapshot.table("chunks", columns).to_pylist() if row["chunk_id"] in wanted
    }
    made = {target: one for target in gold.targets if (one := _example(index, target, chunks))}
    if len(made) < FEWEST:
        what = f"{len(made)} questions have a chunk that answers them, {FEWEST} are needed"
        raise ConfigError(what, "adapt", "Write more questions, or index their documents")
    if len({document for example in made.values() for document in example.documents}) == 1:
        hint = "Ask about several documents: what is learned from one could not be judged"
        raise ConfigError("all questions are about one document", "adapt", hint)
    return list(made.values()), replace(gold, targets=tuple(made))


def _example(index: Index, target: Target, chunks: dict[str, dict[str, Any]]) -> Example | None:
    question = target.question.question
    found = index.search(question, "hybrid", _CANDIDATES, rerank=0).chunks
    gold = tuple(tuple(_passage(chunks[chunk]) for chunk in sorted(item)) for item in target.chunks if item)
    others = tuple(Passage(" > ".join(hit.heading_path), hit.text) for hit in found if not target.items(hit.chunk_id))
    if not gold or not others:
        return None
    documents = frozenset(chunks[chunk]["document_id"] for item in target.chunks for chunk in item)
    return Example(question, gold, others, documents, target.gold[0].partition("/")[0])


def _passage(chunk: dict[str, Any]) -> Passage:
    return Passage(" > ".join(chunk["heading_path"]), chunk["text"])
