"""Why a search returns a chunk or does not: its ranks, and what it shares with the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_tasks.retrieval.context.hits import ChunkHit, RelationHit
from graphrag_tasks.retrieval.graph.names import find_names
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.router import Route
from graphrag_tasks.retrieval.question.sub_questions import part_name, question_parts


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a search returns a chunk, or not.

    Attributes:
        mode: The mode searched.
        route: Why the router chose the mode; None where the caller did.
        chunk: The chunk, with its rank in each list and the names that lead to it; None where the
            mode cannot return it (mode `bm25`, and no word is shared).
        place: Its place from 1; None below `places`.
        places: Number of places searched.
        words: Terms shared with its text, title or headings, with their BM25 scores, highest first.
        names: Names in the question that it mentions or is about.
        relations: Its statements, nearest to the question first.
    """

    question: str
    mode: str
    route: Route | None
    chunk: ChunkHit | None
    place: int | None
    places: int
    words: Mapping[str, float]
    names: tuple[str, ...]
    relations: tuple[RelationHit, ...]

    def __str__(self) -> str:
        """Return it as lines of text."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        lines = [f"{self.question} (mode {self.mode})"]
        if self.route:
            lines.append(f"routed as {self.route.kind}: {'; '.join(self.route.reasons)}")
        at = f"place {self.place}" if self.place else f"below the first {self.places} places"
        if self.chunk is None:
            return [*lines, f"{at}: this mode does not return it"]
        lists = ", ".join(f"{name} {rank}" for name, rank in self.chunk.ranks.items())
        lines += [f"{self.chunk.title}: {at}", f"place in each list: {lists}"]
        parts = enumerate(question_parts(self.question), 1)
        lines += [
            f"{name}: {part}" for n, part in parts if (name := part_name(n)) in self.chunk.ranks
        ]
        if self.chunk.similarity is not None:
            lines.append(f"cosine with the question: {self.chunk.similarity:.3f}")
        shared = ", ".join(f"{term} {score:.1f}" for term, score in self.words.items())
        lines.append(f"words that both hold, with their BM25: {shared or 'none'}")
        lines.append(f"names that both hold: {', '.join(self.names) or 'none'}")
        if self.chunk.path:
            lines.append(f"led to by: {' → '.join(self.chunk.path)}")
        return lines + [f"states ({one.score:.2f}): {one.text}" for one in self.relations]


def shared_words(graph: Graph, question: str, chunk: int) -> dict[str, float]:
    """Return the terms that a chunk shares with a question, with their BM25 scores."""
    shares = graph.lexicon.shares(graph.lexicon.asked(question), chunk)
    return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))


def shared_names(graph: Graph, question: str, chunk: int) -> tuple[str, ...]:
    """Return the names in a question that a chunk mentions or is about, in question order."""
    names = graph.name_graph
    held = set(names.names_of(chunk))
    found = (names.keys[match.key] for match in find_names(question, names.keys))
    return tuple(names.name(place) for place in dict.fromkeys(found) if place in held)
