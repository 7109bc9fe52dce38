"""Seed entities of a question: by name or noun phrase, and the nearest by vector."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np

from graphrag_tasks.language import load_pipeline
from graphrag_tasks.retrieval.graph.pinned import Graph, name_key
from graphrag_tasks.retrieval.question.query import Query, Seed
from graphrag_tasks.retrieval.view.arrays import top

SEED_ENTITIES = 5  # Entities that are added to the named ones, the nearest by vector; as in the paper.

_COMPONENTS = ("tok2vec", "tagger", "parser", "attribute_ruler")
_DETERMINERS = {"DT", "PDT", "PRP$", "WDT", "WP$"}
_PIPELINE = Lock()  # the process shares one pipeline, and it fills shared tables while it runs


class NounPhrases:
    """Noun phrases of a text by spaCy, whose `model` is loaded on the first call.

    A noun chunk that begins with determiners, possessives or question words is returned with and without them: "the
    print server" is the entity "print server".
    """

    def __init__(self, model: str) -> None:
        self._model = model

    def __call__(self, text: str) -> list[str]:
        """Return the distinct phrases in text order."""
        phrases: dict[str, None] = {}
        with _PIPELINE:
            for chunk in load_pipeline(self._model, components=_COMPONENTS)(text).noun_chunks:
                phrases[chunk.text] = None
                start = 0
                while start < len(chunk) - 1 and chunk[start].tag_ in _DETERMINERS:
                    start += 1
                phrases[chunk[start:].text] = None
        return list(phrases)


def find_seeds(graph: Graph, query: Query) -> list[Seed]:
    """Return the seeds of the paper's Algorithm 2, each once.

    First the entities that a noun phrase names, in order of phrase and id: the whole phrase equals a display name or an
    alias but for case. Then the `SEED_ENTITIES` nearest by cosine.
    """
    if not len(graph.entities):
        return []
    rows: dict[int, str] = {}
    for phrase in query.noun_phrases(query.text):
        for row in graph.names.get(name_key(phrase), ()):
            rows.setdefault(int(row), f"noun phrase '{phrase}'")
    named = np.zeros(len(graph.entities), dtype=np.float32)
    named[list(rows)] = 1.0
    (near,) = graph.entities.vectors.cosines(query.vector[None], beside=named)
    for row in top(near.values, graph.entities.id_ranks, SEED_ENTITIES):
        rows.setdefault(int(row), "vector")
    scores = near.of(np.array(list(rows))).tolist()
    return [Seed(row, score, by) for (row, by), score in zip(rows.items(), scores, strict=True)]


@dataclass(frozen=True)
class NamedSeeds:
    """A name in the question, and its entities.

    Attributes:
        surface: The name as written in the question.
        as_name: Whether it is written with a capital letter or a digit.
        seeds: The entities, ordered by id.
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
    """Return the names of entities in a question, in order.

    Single lower-case words that are no terms count only if the question has no other name.
    """
    links = graph.linker.links(query.text)
    telling = [one for one in links if one.is_telling]
    found = []
    for link in telling or links:
        match = link.match
        surface = query.text[match.start : match.end]
        rows = sorted(link.rows, key=graph.entities.id_ranks.__getitem__)
        near = graph.entities.vectors.cosines_of(rows, query.vector).tolist()
        seeds = (Seed(row, cosine, f"name '{surface}'") for row, cosine in zip(rows, near, strict=True))
        found.append(NamedSeeds(surface, match.start, match.as_name, tuple(seeds)))
    return found
