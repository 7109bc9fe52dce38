"""What users' questions need of a graph: the entities they name, and facts of the passages found.

QuestionRAG ("Surfacing the structure") starts from what users ask. Facts are read from the triples, in the words of
sentences: the snapshot's relations may have the names of the ontology in force, and that must not decide the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.graph.weights import ASSOCIATION, kind_of
from graphrag_tasks.language.bm25 import STOP_WORDS, terms
from graphrag_tasks.retrieval import ChunkHit, Index
from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.retrieval.view.arrays import Vectors
from graphrag_tasks.storage.sql import sql_over, statements
from graphrag_tasks.workbench.evaluation.jsonl import read_values

_LEAST_COSINE = 0.4  # With the shipped encoder, half of the 25 example questions have a neighbour at this cosine.
_MOST_CLUSTERS = 200  # Most clusters, and so model requests: bounds the cost of a proposal.
_MOST_SEARCHED = 1_000  # Questions searched, evenly from all clusters: a search takes 15 ms, without a reranker.
_CHUNKS = 5  # Chunks per question, as many as Recall@5 counts.
_TABLES = ("triples", "surface_forms", "resolved")
_SQL = statements(__package__, "facts.sql")


class _QuestionLine(BaseModel):
    """A line of a question file; other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    question: str = Field(pattern=r"\S")


@dataclass(frozen=True)
class Fact:
    """A triple between two entities; a type is empty if unknown."""

    chunk_id: str
    document_id: str
    relation: str
    head_id: str
    tail_id: str
    head: str
    tail: str
    head_type: str
    tail_type: str


@dataclass(frozen=True)
class Need:
    """What a question needs of a graph.

    Attributes:
        cluster: Its number.
        named: Name and label of the entities that it names; the label is empty if unknown.
        facts: Facts of the passages found that touch these entities or contain only words of the question; if there are
            none, all facts. Associations are left out.
        asked: Those facts that it asks for: they relate its entities in its own words, if any do.
        passages: Passages found; empty if it was not searched.
    """

    question: str
    cluster: int
    named: tuple[tuple[str, str], ...] = ()
    facts: tuple[Fact, ...] = ()
    asked: tuple[Fact, ...] = ()
    passages: tuple[ChunkHit, ...] = ()


def read_asked(path: str | Path) -> list[str]:
    """Read a JSON lines file whose lines have at least `question`."""
    asked = [one.question for _, one in read_values(path, _QuestionLine)]
    if not asked:
        hint = 'Give lines such as {"question": "Which table replaced VBBS?"}'
        raise ConfigError("there are no questions", str(path), hint)
    return asked


def distinct(asked: Sequence[str]) -> list[str]:
    """Return questions sorted, each once, ignoring case and blank space."""
    found: dict[str, str] = {}
    for one in asked:
        text = " ".join(one.split())
        found.setdefault(text.casefold(), text)
    return sorted(found.values())


def gather(index: Index, questions: Sequence[str]) -> tuple[list[Need], list[Pattern]]:
    """Return what each question needs of a graph, and its triples counted by types and relation."""
    clusters = clustered(index.encode(questions)) if questions else []
    seen: Counter[int] = Counter()
    turns = []
    for place, cluster in enumerate(clusters):
        turns.append((seen[cluster], place))  # the first of each cluster, then the second, …
        seen[cluster] += 1
    passages = {
        place: tuple(index.search(questions[place], "hybrid", _CHUNKS, rerank=0).chunks)
        for _, place in sorted(turns)[:_MOST_SEARCHED]
    }
    found = sorted({hit.chunk_id for hits in passages.values() for hit in hits})
    stated: dict[str, list[Fact]] = {}
    with sql_over({name: index.snapshot.table(name) for name in _TABLES}) as connection:
        connection.execute(_SQL["facts"])
        patterns = [Pattern(*row) for row in connection.execute(_SQL["patterns"]).fetchall()]
        connection.register("wanted", pa.table({"chunk_id": pa.array(found, pa.string())}))
        for row in connection.execute(_SQL["in_chunks"]).fetchall():
            stated.setdefault(row[0], []).append(Fact(*row))
    graph, needs = index.graph, []
    for place, (question, cluster) in enumerate(zip(questions, clusters, strict=True)):
        links = graph.linker.links(question)
        rows = list(dict.fromkeys(link.rows[0] for link in links if link.is_telling))
        named = tuple((graph.entity_names[row], graph.entity_types[row] or "") for row in rows)
        hits = passages.get(place, ())
        told = [fact for hit in hits for fact in stated.get(hit.chunk_id, ())]
        near, asked = _near(question, {graph.entities.ids[row].as_py() for row in rows}, told)
        needs.append(Need(question, cluster, named, near, asked, hits))
    return needs, patterns


def is_telling(relation: str) -> bool:
    """Tell whether a relation says more than that two things go together: not "be", "have"."""
    of_kind = kind_of(relation, conditional=False)
    return of_kind != ASSOCIATION and not STOP_WORDS.issuperset(terms(relation))


def clustered(vectors: Vectors) -> list[int]:
    """Return each question's cluster number, ordered by first question.

    Leader clustering (Hartigan, "Clustering Algorithms", 1975) and one move of each question to the nearest mean: one
    pass, no randomness. `vectors` are unit vectors, shape (questions, dimension), in a fixed order.
    """
    leaders: list[int] = []
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for row, vector in enumerate(vectors):
        cosines = vectors[leaders] @ vector if leaders else np.array([-1.0])
        if cosines.max() < _LEAST_COSINE and len(leaders) < _MOST_CLUSTERS:
            nearest[row] = len(leaders)
            leaders.append(row)
        else:
            nearest[row] = int(np.argmax(cosines))
    means = np.zeros((len(leaders), vectors.shape[1]), dtype=np.float32)
    np.add.at(means, nearest, vectors)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    numbers: dict[int, int] = {}
    moved = np.argmax(vectors @ means.T, axis=1).tolist()
    return [numbers.setdefault(one, len(numbers)) for one in moved]


def _near(question: str, named: set[str], told: Sequence[Fact]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    words = set(terms(question))

    def nearness(fact: Fact) -> int:
        said = {term for term in terms(fact.relation) if term not in STOP_WORDS}
        ends = (set(terms(name)) for name in (fact.head, fact.tail))
        touches = {fact.head_id, fact.tail_id} & named or any(end <= words for end in ends if end)
        return bool(touches) + (said <= words)

    telling = [(nearness(one), one) for one in told if is_telling(one.relation)]
    near = [one for how, one in telling if how] or [one for _, one in telling]
    most = max((how for how, _ in telling), default=0)
    return tuple(near), tuple(one for how, one in telling if how == most)
