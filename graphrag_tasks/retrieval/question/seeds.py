"""Seed entities of a question: its noun phrases, matched by name, and its nearest by vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language import load_pipeline
from graphrag_tasks.retrieval.graph.fuse import top
from graphrag_tasks.retrieval.graph.names import find_names
from graphrag_tasks.retrieval.graph.pinned import Graph, name_key
from graphrag_tasks.retrieval.question.query import Query, Seed
from graphrag_tasks.retrieval.view.arrays import Scores

_COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler")
_PIPELINE = Lock()  # the process shares one pipeline, and it fills shared tables while it runs


class NounPhrases:
    """Noun phrases of a text by spaCy, loaded on the first call; one text at a time.

    Each noun chunk is given as it stands and, where it begins with determiners, possessives or
    question words, also without them: the index's entity names have none ("the print server" is
    the entity "print server").
    """

    def __init__(self, model: str) -> None:
        self._model = model

    def __call__(self, text: str) -> list[str]:
        """Return the distinct phrases in order of their place in the text."""
        with _PIPELINE:
            doc = load_pipeline(self._model, components=_COMPONENTS)(text)
            return list(
                dict.fromkeys(phrase for chunk in doc.noun_chunks for phrase in _phrases(chunk))
            )


def _phrases(chunk: Any) -> Iterator[str]:  # noqa: ANN401 - a spaCy span
    yield chunk.text
    start = 0
    while start < len(chunk) - 1 and chunk[start].tag_ in {"DT", "PDT", "PRP$", "WDT", "WP$"}:
        start += 1
    if start:
        yield chunk[start:].text


def find_seeds(graph: Graph, query: Query, config: RetrievalConfig) -> list[Seed]:
    """Return the seeds of the paper's Algorithm 2: by noun phrase, and the nearest.

    A noun phrase matches an entity when their `name_key` is equal: a case-insensitive exact match
    of the whole phrase with the whole display name or a whole alias. One phrase can match several
    entities.

    Args:
        graph: The snapshot's arrays.
        query: The question; its noun phrases are not looked for where there are no entities.
        config: `seed_entities` is the number of nearest entities.

    Returns:
        Matched entities in order of phrase and id, then the nearest by falling cosine; each once.
    """
    if not len(graph.entities):
        return []
    scores = graph.entities.vectors @ query.vector
    found: dict[int, Seed] = {}
    for phrase in query.noun_phrases(query.text):
        for row in graph.names.get(name_key(phrase), ()):
            _add(found, int(row), scores, f"noun phrase '{phrase}'")
    for row in top(scores, graph.entities.id_ranks, config.seed_entities):
        _add(found, int(row), scores, "vector")
    return list(found.values())


def _add(found: dict[int, Seed], row: int, scores: Scores, found_by: str) -> None:
    found.setdefault(row, Seed(row, float(scores[row]), found_by))


@dataclass(frozen=True)
class NamedSeeds:
    """A name in the question, and the entities that have it.

    Attributes:
        surface: The name as the question has it.
        start: Where it begins there.
        as_name: Whether it is written as names are, not in lower case.
        seeds: The entities, in order of id.
    """

    surface: str
    start: int
    as_name: bool
    seeds: tuple[Seed, ...]

    @property
    def end(self) -> int:
        """One past its last character in the question."""
        return self.start + len(self.surface)

    @property
    def rows(self) -> list[int]:
        """The entities' rows."""
        return [seed.row for seed in self.seeds]


def named_seeds(graph: Graph, query: Query) -> list[NamedSeeds]:
    """Return the names of entities that a question holds, in their order there.

    Where some are written as names or have several words, single words in lower case are left
    out: they are what is asked of the others.
    """
    matches = find_names(query.text, graph.called)
    telling = [one for one in matches if one.is_telling]
    found = []
    for match in telling or matches:
        surface = query.text[match.start : match.end]
        rows = graph.named_entities(match.key)
        seeds = _seeds(graph, query, rows, surface)
        found.append(NamedSeeds(surface, match.start, match.as_name, seeds))
    return found


def _seeds(graph: Graph, query: Query, rows: Sequence[int], surface: str) -> tuple[Seed, ...]:
    cosines = graph.entities.vectors[rows] @ query.vector
    return tuple(
        Seed(row, float(cosine), f"name '{surface}'")
        for row, cosine in zip(rows, cosines, strict=True)
    )
