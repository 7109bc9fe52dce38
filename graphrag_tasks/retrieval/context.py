"""What a search gives back: the paper's three lists, each item with its score and its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from graphrag_tasks.retrieval.prompt import as_prompt
from graphrag_tasks.retrieval.render import as_frame, as_html

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class SourceSentence:
    """A sentence of a document that supports a relation or mentions an entity.

    Attributes:
        text: The sentence.
        sentence_id: Its id.
        chunk_id: Chunk it lies in.
        document_id: Document it lies in.
        uri: That document's uri.
        title: That document's title.
        page: Page it begins on; None where the format has none.
        char_start: First character in the document text.
        char_end: One past its last character.
        confidence: Of the triple read from it; None for a mention.
    """

    text: str
    sentence_id: str
    chunk_id: str
    document_id: str
    uri: str
    title: str
    page: int | None
    char_start: int
    char_end: int
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChunkHit:
    """A chunk of a document.

    Attributes:
        rank: Place from 1.
        chunk_id: Its id.
        text: Its text.
        score: What it is ranked by: in mode `paper` the fused score, in `dense` the cosine.
        similarity: Cosine with the question.
        ranks: The lists it came from, with its rank in each: `{"graph": 2, "dense": 1}`.
        document_id: Document it lies in.
        uri: That document's uri.
        title: That document's title.
        page_start: First page; None where the format has none.
        page_end: Last page.
        heading_path: Headings above it, outermost first.
    """

    rank: int
    chunk_id: str
    text: str
    score: float
    similarity: float
    ranks: Mapping[str, int]
    document_id: str
    uri: str
    title: str
    page_start: int | None
    page_end: int | None
    heading_path: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RelationHit:
    """An edge of the graph with the sentences it was read from.

    Attributes:
        rank: Place from 1.
        relation_id: Its id.
        text: Head, relation and tail in words.
        head: Name of the entity it starts at.
        relation: Canonical relation form.
        tail: Name of the entity it ends at.
        score: Cosine with the question.
        negated: Whether the sources deny it.
        weight: Number of triples that support it.
        confidence: From all its evidence together.
        evidence: The sentences that support it best, by falling confidence of their triple.
    """

    rank: int
    relation_id: str
    text: str
    head: str
    relation: str
    tail: str
    score: float
    negated: bool
    weight: float
    confidence: float
    evidence: tuple[SourceSentence, ...]


@dataclass(frozen=True, kw_only=True)
class EntityHit:
    """An entity the search started from.

    Attributes:
        rank: Place from 1.
        entity_id: Its id.
        name: Display name.
        type: Entity label; None where it has none.
        score: Cosine with the question.
        found_by: How it became a seed: `noun phrase 'xyz'` or `vector`.
        example: A sentence that mentions it; None where no mention is stored.
    """

    rank: int
    entity_id: str
    name: str
    type: str | None
    score: float
    found_by: str
    example: SourceSentence | None


Hits = tuple[ChunkHit, ...] | tuple[RelationHit, ...] | tuple[EntityHit, ...]


@dataclass(frozen=True, kw_only=True)
class Context(Mapping[str, Hits]):
    """The context of an answer: a mapping with the keys of the paper's Algorithm 2.

    `context["chunks"]`, `context["relations"]` and `context["entity"]` are the paper's names; the
    attributes `chunks`, `relations` and `entities` are the same lists, with their types.

    Attributes:
        question: What was asked.
        mode: How it was searched.
        k: Chunks asked for.
        snapshot_id: Snapshot that answered.
        chunks: At most k chunks, best first.
        relations: At most 2k relations, best first.
        entities: The seeds: named by the question first, then the nearest.
        notes: Why something is missing; empty when all is well.
    """

    question: str
    mode: str
    k: int
    snapshot_id: str
    chunks: tuple[ChunkHit, ...]
    relations: tuple[RelationHit, ...]
    entities: tuple[EntityHit, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Hits:
        """Return one of the three lists by the paper's name."""
        return self._lists[key]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paper's names."""
        return iter(self._lists)

    def __len__(self) -> int:
        """Return the number of lists, which is three."""
        return len(self._lists)

    def to_prompt(self, budget_characters: int | None = None) -> str:
        """Return chunks and relations as text for a language model, with numbered citations.

        Every item is `[n]` with its document's title and page: chunks are numbered from 1,
        relations after them. An item keeps its number whatever the budget, which is its number in
        `to_frame`. See `prompt.as_prompt`.

        Args:
            budget_characters: Longest text wanted; only whole items are taken. None takes all.

        Raises:
            QueryError: The budget is negative.
        """
        return as_prompt(self.chunks, self.relations, budget_characters)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, the list it belongs to in the column `kind`."""
        return as_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        lists = {
            key: [asdict(hit, dict_factory=_plain) for hit in hits] for key, hits in self.items()
        }
        return {
            "question": self.question,
            "mode": self.mode,
            "k": self.k,
            "snapshot_id": self.snapshot_id,
            "notes": list(self.notes),
            **lists,
        }

    def _repr_html_(self) -> str:
        return as_html(self)

    @property
    def _lists(self) -> dict[str, Hits]:
        return {"chunks": self.chunks, "relations": self.relations, "entity": self.entities}


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}
