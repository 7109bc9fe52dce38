"""Hits beside chunks, relations and seeds: what one mode or another finds.

A kind of hit says itself how it is made, cited, tabulated and drawn. A new one is a class here, in
`FURTHER`, and a mode that puts its rows into `Ranking.further` under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from graphrag_tasks.retrieval.context.hits import EntityHit, RelationHit, SourceSentence
from graphrag_tasks.retrieval.context.wording import cited_entity, place, relation_place

if TYPE_CHECKING:
    from graphrag_tasks.retrieval.context.provenance import Provenance
    from graphrag_tasks.retrieval.question.query import Path, RankedCommunity, Seed


class FurtherHit(Protocol):
    """A hit that shows itself.

    Attributes:
        kind: In the data frame.
        heading: Above its hits, with `{count}` where that is said.
        header: Names of its `cells`.
        lines_a_turn: How many have their turn with each chunk where a prompt has a budget.
        rank: Place from 1.
    """

    kind: ClassVar[str]
    heading: ClassVar[str]
    header: ClassVar[tuple[str, ...]]
    lines_a_turn: ClassVar[int] = 1

    rank: int

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Any]) -> tuple[FurtherHit, ...]:
        """Return the hits of rows that a mode ranked, in their order."""
        ...

    def line(self) -> str:
        """Return what it is, in a line."""
        ...

    def note(self) -> str:
        """Return what is said below that line; empty for nothing."""
        return ""

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentences that show it."""
        return ()

    def cited(self) -> str:
        """Return it with its titles and pages, for a prompt."""
        ...

    def cells(self) -> tuple[str, ...]:
        """Return its cells of a table."""
        ...

    def row(self) -> dict[str, Any]:
        """Return its own columns of `FRAME_COLUMNS`, without those of its first source."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return the entities it draws, beside the ends of its relations."""
        return ()

    def steps(self) -> tuple[RelationHit, ...]:
        """Return the relations it draws."""
        return ()


@dataclass(frozen=True, kw_only=True)
class PathHit(FurtherHit):
    """Entities that hang together, and the relations that join each with the next.

    Attributes:
        rank: Place from 1.
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
                text += f" —{relation.relation}→ " if ahead else f" ←{relation.relation}— "
                text += name
            hits.append(cls(rank=rank, text=text, entities=names, relations=relations))
        return tuple(hits)

    def line(self) -> str:
        """Return the path in words."""
        return self.text

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the best sentence of each step, once."""
        found = (step.evidence[0] for step in self.relations if step.evidence)
        return tuple(dict.fromkeys(found))

    def cited(self) -> str:
        """Return it with title and page of the best sentence of each step."""
        places = dict.fromkeys(map(relation_place, self.relations))
        return f"{self.text} — {'; '.join(places)}"

    def cells(self) -> tuple[str, ...]:
        """Return rank, path and sentences."""
        sentences = (
            f"“{step.evidence[0].text}” ({relation_place(step)})"
            for step in self.relations
            if step.evidence
        )
        return str(self.rank), self.text, " ".join(sentences)

    def row(self) -> dict[str, Any]:
        """Return the path in words; it has no id and no score."""
        return {"text": self.text}

    def steps(self) -> tuple[RelationHit, ...]:
        """Return its relations."""
        return self.relations


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
        names = [one.name for one in fields(EntityHit)]
        return tuple(
            cls(**{name: getattr(hit, name) for name in names})
            for hit in provenance.entity_hits(rows)
        )

    def line(self) -> str:
        """Return its name."""
        return self.name

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentence that mentions it, where one does."""
        return (self.example,) if self.example else ()

    def cited(self) -> str:
        """Return its name with title and page of its sentence."""
        return cited_entity(self)

    def cells(self) -> tuple[str, ...]:
        """Return rank, name, type, sentence and source."""
        found = self.example
        of = (found.text, place(found.title, found.page)) if found else ("", "")
        return str(self.rank), self.name, self.type or "", *of

    def row(self) -> dict[str, Any]:
        """Return id, name, score and how it was found."""
        return {
            "id": self.entity_id, "text": self.name, "score": self.score,
            "found_by": self.found_by,
        }  # fmt: skip

    def names(self) -> tuple[str, ...]:
        """Return its name."""
        return (self.name,)


@dataclass(frozen=True, kw_only=True)
class CommunityHit(FurtherHit):
    """A community of entities with its summary.

    Attributes:
        rank: Place from 1.
        community_id: Its id.
        level: 0 is the coarsest.
        parent_id: Community of the level above it lies in.
        title: What it is about, in a line.
        summary: What it is about, with sources.
        size: Number of entities.
        score: What it is ranked by.
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

    @classmethod
    def of(
        cls, provenance: Provenance, rows: Sequence[RankedCommunity]
    ) -> tuple[CommunityHit, ...]:
        """Return communities with their summaries."""
        texts = provenance.communities([one.row for one in rows])
        return tuple(
            cls(rank=rank, score=one.score, **text)
            for rank, (one, text) in enumerate(zip(rows, texts, strict=True), 1)
        )

    def line(self) -> str:
        """Return its title."""
        return self.title

    def note(self) -> str:
        """Return its summary."""
        return self.summary

    def cited(self) -> str:
        """Return title and summary."""
        return f"{self.title}: {self.summary}"

    def cells(self) -> tuple[str, ...]:
        """Return rank, title, size and summary."""
        return str(self.rank), self.title, str(self.size), self.summary

    def row(self) -> dict[str, Any]:
        """Return id, title with summary, and score."""
        return {
            "id": self.community_id, "text": f"{self.title}\n{self.summary}", "score": self.score,
        }  # fmt: skip


FURTHER: Mapping[str, type[FurtherHit]] = MappingProxyType(
    {"paths": PathHit, "listed": ListedHit, "communities": CommunityHit}
)
"""By the name of `Ranking.further` and `Context.further`, in the order they are shown."""
