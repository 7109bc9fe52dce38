"""Hits of particular modes, besides chunks, relations and seeds, and chunks that versions of a document share, as one.

A new kind of hit is a class here, an entry in `FURTHER`, and a mode that puts its rows into `Ranking.further` under the
same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    EntityHit,
    RelationHit,
    SourceSentence,
    place,
    relation_place,
)
from graphrag_tasks.versions.chains import order_of
from graphrag_tasks.versions.told import Releases

if TYPE_CHECKING:
    from graphrag_tasks.retrieval.context.provenance import Provenance
    from graphrag_tasks.retrieval.question.query import Path, RankedRow, Seed


MORE = 2  # Times more chunks that are ranked where documents have versions, to fill places that fold.

_ONE_PASSAGE = 0.6
"""Share of the shorter one's words that passages of two versions have in common, if they are one; chosen."""


def folded(hits: Iterable[ChunkHit], releases: Releases, places: int) -> tuple[ChunkHit, ...]:
    """Return the first hits with their release, a passage of several versions at its best place.

    Its text is that of the newest version among the hits.
    """
    kept: list[ChunkHit] = []
    for hit in hits:
        release = releases.of.get(hit.document_id, "")
        own = replace(hit, release=release)
        place = next((place for place, other in enumerate(kept) if _is_version(own, other, releases)), None)
        if place is None:
            kept.append(own)
            continue
        kept[place] = max(own, kept[place], key=lambda one: order_of(one.release))
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept[:places], 1))


def _is_version(one: ChunkHit, other: ChunkHit, releases: Releases) -> bool:
    if one.document_id == other.document_id or one.document_id not in releases.versions_of(other.document_id):
        return False
    words, others = frozenset(terms(one.text)), frozenset(terms(other.text))
    return len(words & others) >= _ONE_PASSAGE * min(len(words), len(others))


class FurtherHit(Protocol):
    """A hit that renders itself.

    Attributes:
        heading: Heading above the hits, with `{count}` for their number.
        lines_a_turn: How many are added to a budgeted prompt per chunk.
    """

    kind: ClassVar[str]
    heading: ClassVar[str]
    lines_a_turn: ClassVar[int] = 1

    rank: int

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Any]) -> tuple[FurtherHit, ...]:
        """Return the hits for the rows that a mode ranked, in order."""
        ...

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentences that support it."""
        return ()

    def cited(self) -> str:
        """Return its text with titles and pages, for a prompt."""
        ...

    def row(self) -> dict[str, Any]:
        """Return its columns of the data frame, except those of its first source.

        The first line of `text` names it.
        """
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

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the best sentence of each step, without repetitions."""
        found = (step.evidence[0] for step in self.relations if step.evidence)
        return tuple(dict.fromkeys(found))

    def cited(self) -> str:
        """Return the path with title and page of each step's best sentence."""
        places = dict.fromkeys(map(relation_place, self.relations))
        return f"{self.text} — {'; '.join(places)}"

    def row(self) -> dict[str, Any]:
        """Return the path in words; it has no id and score."""
        return {"text": self.text}


@dataclass(frozen=True, kw_only=True)
class ListedHit(EntityHit, FurtherHit):
    """An entity that a listing question asks for."""

    kind: ClassVar[str] = "listed"
    heading: ClassVar[str] = "Listed, {count} in all"
    lines_a_turn: ClassVar[int] = 4

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[Seed]) -> tuple[ListedHit, ...]:
        """Return entities with one sentence each."""
        return tuple(cls(**vars(hit)) for hit in provenance.entity_hits(rows))

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return the sentence that mentions it, if any."""
        return (self.example,) if self.example else ()

    def cited(self) -> str:
        """Return the name with title and page of its sentence."""
        if self.example is None:
            return self.name
        return f"{self.name} — {place(self.example.title, self.example.page)}"

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

    @classmethod
    def of(cls, provenance: Provenance, rows: Sequence[RankedRow]) -> tuple[CommunityHit, ...]:
        """Return communities with their summaries and sources."""
        texts = provenance.communities([row.row for row in rows])
        return tuple(
            cls(rank=rank, score=row.score, **text) for rank, (row, text) in enumerate(zip(rows, texts, strict=True), 1)
        )

    def sources(self) -> tuple[SourceSentence, ...]:
        """Return its most representative sentences."""
        return self.evidence

    def cited(self) -> str:
        """Return title and summary."""
        return f"{self.title}: {self.summary}"

    def row(self) -> dict[str, Any]:
        """Return id, title with summary, and score."""
        text = f"{self.title}\n{self.summary}"
        return {"id": self.community_id, "text": text, "score": self.score}


FURTHER: Mapping[str, type[FurtherHit]] = MappingProxyType(
    {"paths": PathHit, "listed": ListedHit, "communities": CommunityHit}
)
"""Kinds by their name in `Ranking.further` and `Context.further`, in the order they are shown."""
