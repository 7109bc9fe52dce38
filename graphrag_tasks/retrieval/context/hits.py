"""What a search finds: chunks, relations and entities, each with its score and its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PageBox:
    """Where a block of text stands on a page, in points from the page's top left.

    Attributes:
        page: The page, from 1.
        left: Its left edge.
        top: Its upper edge.
        right: Its right edge.
        bottom: Its lower edge.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float


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
        boxes: Of the blocks it lies in; empty where the format has none.
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
    boxes: tuple[PageBox, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChunkHit:
    """A chunk of a document.

    Attributes:
        rank: Place from 1.
        chunk_id: Its id.
        text: Its text.
        score: What it is ranked by: in mode `paper` the fused score, in `dense` the cosine.
        similarity: Cosine with the question; None in a mode that does not encode it.
        ranks: The lists it came from, with its rank in each: `{"graph": 2, "dense": 1}`.
        path: How the graph leads to it from what the question names: a name in the question, then
            names and titles by turns; empty where it does not, or the mode follows no names.
        document_id: Document it lies in.
        uri: That document's uri.
        title: That document's title.
        page_start: First page; None where the format has none.
        page_end: Last page.
        char_start: First character in the document text.
        char_end: One past its last character.
        heading_path: Headings above it, outermost first.
        boxes: Of its blocks, in reading order; empty where the format has none.
    """

    rank: int
    chunk_id: str
    text: str
    score: float
    similarity: float | None
    ranks: Mapping[str, int]
    path: tuple[str, ...]
    document_id: str
    uri: str
    title: str
    page_start: int | None
    page_end: int | None
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    boxes: tuple[PageBox, ...] = ()


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
