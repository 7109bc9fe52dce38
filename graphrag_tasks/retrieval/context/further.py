"""Hits of particular modes, besides chunks, relations and seeds.

A new kind of hit is a class here, an entry in `FURTHER`, and a mode that puts its rows into `Ranking.further` under the
same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from graphrag_tasks.retrieval.context.cells import table
from graphrag_tasks.retrieval.context.hits import EntityHit, RelationHit, SourceSentence, place, relation_place

if TYPE_CHECKING:
    from graphrag_tasks.retrieval.context.provenance import Provenance
    from graphrag_tasks.retrieval.question.query import Path, RankedRow, Seed


class FurtherHit(Protocol):
    """A hit that renders itself.

    Attributes:
        heading: Heading above the hits, with `{count}` for their number.
        header: Column names of `cells`.
        lines_a_turn: How many are added to a budgeted prompt per chunk.
    """

    kind: ClassVar[str]
    heading: ClassVar[str]
    header: ClassVar[tuple[str, ...]]
    lines_a_turn: ClassVar[int] = 1

    rank: int

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Any]) -> tuple[FurtherHit, ...]:
        """Return the hits for the rows that a mode ranked, in order."""
        ...

    def line(self) -> str:
        """Return one line of text for the terminal."""
        ...

    def note(self) -> str:
        """Return the text below that line, or ""."""
        return ""

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentences that support it."""
        return ()

    def cited(self) -> str:
        """Return its text with titles and pages, for a prompt."""
        ...

    def cells(self) -> tuple[str, ...]:
        """Return its cells of an HTML table."""
        ...

    def row(self) -> dict[str, Any]:
        """Return its columns of the data frame, except those of its first source."""
        ...


@dataclass(frozen=True, kw_only=True)
class PathHit(FurtherHit):
    """Entities and the relations between neighbours.

    Attributes:
        text: The path in words; an arrow shows the direction of each relation.
        entities: Names of the entities, in order.
        relations: The relations between them, in order.
    """

    kind: ClassVar[str] = "path"
    heading: ClassVar[str] = "Paths"
    header: ClassVar[tuple[str, ...]] = ("#", "path", "sentences")

    rank: int
    text: str
    entities: tuple[str, ...]
    relations: tuple[RelationHit, ...]

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Path]) -> tuple[PathHit, ...]:
        """Return paths with their relations and sources."""
        hits = []
        for rank, path in enumerate(rows, 1):
            relations, forward = provenance.steps(path.relations, path.entities)
            names = provenance.entity_names(path.entities)
            text = names[0]
            for relation, ahead, name in zip(relations, forward, names[1:], strict=False):
                said = relation.phrase
                text += f" —{said}→ " if ahead else f" ←{said}— "
                text += name
            hits.append(cls(rank=rank, text=text, entities=names, relations=relations))
        return tuple(hits)

    def line(self) -> str:
        """Return the path in words."""
        return self.text

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the best sentence of each step, without repetitions."""
        found = (step.evidence[0] for step in self.relations if step.evidence)
        return tuple(dict.fromkeys(found))

    def cited(self) -> str:
        """Return the path with title and page of each step's best sentence."""
        places = dict.fromkeys(map(relation_place, self.relations))
        return f"{self.text} — {'; '.join(places)}"

    def cells(self) -> tuple[str, ...]:
        """Return rank, path and sentences."""
        sentences = (f"“{step.evidence[0].text}” ({relation_place(step)})" for step in self.relations if step.evidence)
        return str(self.rank), self.text, " ".join(sentences)

    def row(self) -> dict[str, Any]:
        """Return the path in words; it has no id and score."""
        return {"text": self.text}


@dataclass(frozen=True, kw_only=True)
class ListedHit(EntityHit, FurtherHit):
    """An entity that a listing question asks for."""

    kind: ClassVar[str] = "listed"
    heading: ClassVar[str] = "Listed, {count} in all"
    header: ClassVar[tuple[str, ...]] = ("#", "entity", "type", "sentence", "source")
    lines_a_turn: ClassVar[int] = 4

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Seed]) -> tuple[ListedHit, ...]:
        """Return entities with one sentence each."""
        return tuple(cls(**vars(hit)) for hit in provenance.entity_hits(rows))

    def line(self) -> str:
        """Return the name."""
        return self.name

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentence that mentions it, if any."""
        return (self.example,) if self.example else ()

    def cited(self) -> str:
        """Return the name with title and page of its sentence."""
        if self.example is None:
            return self.name
        return f"{self.name} — {place(self.example.title, self.example.page)}"

    def cells(self) -> tuple[str, ...]:
        """Return rank, name, type, sentence and source."""
        found = self.example
        of = (found.text, place(found.title, found.page)) if found else ("", "")
        return str(self.rank), self.name, self.type or "", *of

    def row(self) -> dict[str, Any]:
        """Return id, name, score and how it was found."""
        found = {"id": self.entity_id, "text": self.name, "score": self.score}
        return found | {"found_by": self.found_by}


@dataclass(frozen=True, kw_only=True)
class CommunityHit(FurtherHit):
    """A community of entities with its summary.

    Attributes:
        level: 0 is the coarsest.
        parent_id: The community that contains it, on the level above.
        summary: Text with sources.
        evidence: The most representative sentences, best first.
    """

    kind: ClassVar[str] = "community"
    heading: ClassVar[str] = "Communities"
    header: ClassVar[tuple[str, ...]] = ("#", "community", "entities", "summary")

    rank: int
    community_id: str
    level: int
    parent_id: str | None
    title: str
    summary: str
    size: int
    score: float
    evidence: tuple[SourceSentence, ...] = ()

    def __str__(self) -> str:
        return f"{self.title} ({self.size} entities)\n{self.summary}"

    def _repr_html_(self) -> str:
        cells = (self.title, str(self.size), str(self.level), self.summary, self.community_id)
        return table(("community", "entities", "level", "summary", "id"), [cells])

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[RankedRow]) -> tuple[CommunityHit, ...]:
        """Return communities with their summaries and sources."""
        texts = provenance.communities([row.row for row in rows])
        return tuple(
            cls(rank=rank, score=row.score, **text) for rank, (row, text) in enumerate(zip(rows, texts, strict=True), 1)
        )

    def line(self) -> str:
        """Return the title."""
        return self.title

    def note(self) -> str:
        """Return the summary."""
        return self.summary

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return its most representative sentences."""
        return self.evidence

    def cited(self) -> str:
        """Return title and summary."""
        return f"{self.title}: {self.summary}"

    def cells(self) -> tuple[str, ...]:
        """Return rank, title, size and summary."""
        return str(self.rank), self.title, str(self.size), self.summary

    def row(self) -> dict[str, Any]:
        """Return id, title with summary, and score."""
        text = f"{self.title}\n{self.summary}"
        return {"id": self.community_id, "text": text, "score": self.score}


FURTHER: Mapping[str, type[FurtherHit]] = MappingProxyType(
    {"paths": PathHit, "listed": ListedHit, "communities": CommunityHit}
)
"""Kinds by their name in `Ranking.further` and `Context.further`, in the order they are shown."""
