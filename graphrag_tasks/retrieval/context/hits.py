"""Hits of a search: chunks, relations and entities, each with score and source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_tasks.core.visible import visible

FIRST_STAGE = "first"  # Name of the list that is reranked.


@dataclass(frozen=True, kw_only=True)
class PageBox:
    """A block of text on a page (from 1); edges in points from the page's top left."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, kw_only=True)
class SourceSentence:
    """A sentence of a document that supports a relation or mentions an entity.

    Attributes:
        page: Page it begins on; None where the format has none.
        char_start: First character in the document text.
        char_end: One past its last character.
        boxes: Boxes of its blocks; empty where the format has none.
        confidence: Confidence of the triple read from it; None for a mention.
        holds: When that triple holds, in words ("from 3.4"); empty without a time.
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
    holds: str = ""


@dataclass(frozen=True, kw_only=True)
class ChunkHit:
    """A chunk of a document; the last fields are as in `SourceSentence`.

    Attributes:
        rank: Place from 1.
        score: Probability that it answers the question: by the reranker if it read the chunk, else by cosine and shared
            words; or that of a likelier hit behind it, so that it falls with the rank. Comparable between modes.
        ranking_score: Score of the mode, on a scale of its own: fused in `paper`, cosine in `dense`.
        similarity: Cosine with the question; None if the mode does not encode it.
        ranks: Its rank in each list that contained it: `{"graph": 2, "dense": 1}`; in `FIRST_STAGE` before reranking.
        path: Graph path to it: a name in the question, then names and titles alternating; empty without such a path.
        heading_path: Headings above it, outermost first.
        release: Release or date of the document if it has versions, else empty.
    """

    rank: int
    chunk_id: str
    text: str
    score: float
    ranking_score: float
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
    release: str = ""


@dataclass(frozen=True, kw_only=True)
class RelationHit:
    """An edge of the graph with its source sentences.

    Attributes:
        rank: Place from 1.
        text: Head, phrase and tail.
        relation: Canonical form of the relation.
        phrase: Most frequent wording of the relation, with `not` if the sources negate it.
        kind: fact, association or condition.
        score: Cosine with the question.
        negated: Whether the sources negate it.
        weight: Number of supporting triples.
        confidence: Joint confidence of all evidence.
        evidence: The sentences of the most confident triples, best first.
    """

    rank: int
    relation_id: str
    text: str
    head: str
    relation: str
    phrase: str
    kind: str
    tail: str
    score: float
    negated: bool
    weight: float
    confidence: float
    evidence: tuple[SourceSentence, ...]


@dataclass(frozen=True, kw_only=True)
class EntityHit:
    """A seed entity of the search.

    Attributes:
        rank: Place from 1.
        type: Its type, or None.
        score: Cosine with the question.
        found_by: How it became a seed: `noun phrase 'xyz'` or `vector`.
        example: A sentence that mentions it; None if no mention is stored.
    """

    rank: int
    entity_id: str
    name: str
    type: str | None
    score: float
    found_by: str
    example: SourceSentence | None

    def __str__(self) -> str:
        named = f"{self.name} ({self.type})" if self.type else self.name
        if self.example is None:
            return named
        where = place(self.example.title, self.example.page)
        return f"{named}: {one_line(self.example.text)} ({where})"


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A topic of the corpus.

    Attributes:
        title: Title of its community.
        documents: Number of documents mainly about it.
        share: Their share of all documents with text.
        sources: The first sentences of the documents that mention it most.
    """

    title: str
    documents: int
    share: float
    sources: tuple[SourceSentence, ...]


def chunk_place(hit: ChunkHit) -> str:
    """Return a chunk's title, pages and headings, except a heading that repeats the title."""
    headings = [one_line(heading) for heading in hit.heading_path]
    if headings and headings[0] == one_line(hit.title):
        headings = headings[1:]
    parts = [place(hit.title, hit.page_start, hit.page_end), " > ".join(headings)]
    return ", ".join(filter(None, parts))


def relation_place(hit: RelationHit) -> str:
    """Return title and page of a relation's best sentence."""
    if not hit.evidence:
        return "no source sentence"
    return place(hit.evidence[0].title, hit.evidence[0].page)


def place(title: str, first: int | None, last: int | None = None) -> str:
    """Return a title with its pages, if it has any."""
    title = visible(one_line(title))
    if first is None:
        return title
    if last is None or last == first:
        return f"{title}, page {first}"
    return f"{title}, pages {first}-{last}"


def one_line(text: str) -> str:
    """Return a text with every run of whitespace as one space."""
    return " ".join(text.split())
