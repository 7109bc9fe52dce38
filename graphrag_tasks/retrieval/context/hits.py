"""Hits of a search: chunks, relations and entities, each with score and source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.core.visible import visible

_NOT_LAST = (";", ",")  # Ends of a paragraph that is an item and not the last one of its list.

_LEADS = ("paragraph", "heading", "title", "caption")
_BELOW = 2  # Blocks below a sentence in which its list may begin: a lead and the list.
_TERM_WORDS, _LEAST_DEFINITION = 6, 3  # Most words of a term that stands alone, and least of its definition; chosen.
_ENDS = (".", ":")
_LEAST_PAIRS = 2

_LONGEST = 40  # Most items of a list of paragraphs.

Row = Mapping[str, Any]  # A row of the table `blocks`: kind, text, char_start, char_end.


@dataclass(frozen=True)
class Span:
    """A span of a document; `end` is exclusive."""

    start: int
    end: int

    def holds(self, place: int) -> bool:
        """Tell whether a position is inside."""
        return self.start <= place < self.end


def items_around(blocks: Sequence[Row], place: int) -> list[Span]:
    """Return the items of the list or table at a position of a document, in order.

    An introducing heading or paragraph stands for its list. Empty if there is none. `blocks` are the document's, in
    reading order; `place` is a character offset.
    """
    at = next((row for row, block in enumerate(blocks) if _span(block).holds(place)), None)
    if at is None:
        return []
    for near in range(at, min(at + 1 + _BELOW, len(blocks))):
        if near > at and blocks[near]["kind"] not in _LEADS and not _in_list(blocks[near]):
            return []
        if found := _items(blocks, near):
            return found
    return []


def _items(blocks: Sequence[Row], at: int) -> list[Span]:
    if blocks[at]["kind"] == "table":
        return _lines(blocks[at])
    if blocks[at]["kind"] == "list_item":
        return _entries(_run(blocks, at))
    return [_span(block) for block in _paragraphs(blocks, at)]


def defines(line: str, text: str) -> bool:
    """Tell whether a text may define the line before it: a few words without an end."""
    return (
        line.count(" ") < _TERM_WORDS
        and line[-1:].isalnum()
        and text.count(" ") + 1 >= _LEAST_DEFINITION
        and text.endswith(_ENDS)
    )


def _entries(items: Sequence[Row]) -> list[Span]:
    """Return the spans of items; where terms and definitions alternate, of both together."""
    pairs = list(zip(items[::2], items[1::2], strict=False))
    if (
        len(items) % 2
        or len(pairs) < _LEAST_PAIRS
        or not all(defines(term["text"], told["text"]) for term, told in pairs)
    ):
        return [_span(item) for item in items]
    return [Span(term["char_start"], told["char_end"]) for term, told in pairs]


def _span(block: Row) -> Span:
    return Span(block["char_start"], block["char_end"])


def _in_list(block: Row) -> bool:
    return block["kind"] in ("list_item", "table")


def _lines(table: Row) -> list[Span]:
    spans, start = [], table["char_start"]
    for line in table["text"].split("\n"):
        if line.strip():
            spans.append(Span(start, start + len(line)))
        start += len(line) + 1
    return spans


def _run(blocks: Sequence[Row], at: int) -> Sequence[Row]:
    first = last = at
    while first > 0 and blocks[first - 1]["kind"] == "list_item":
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1]["kind"] == "list_item":
        last += 1
    return blocks[first : last + 1]


def _paragraphs(blocks: Sequence[Row], at: int) -> Sequence[Row]:
    """Return the paragraphs of the list that a block belongs to, or introduces."""
    for lead in range(at, max(at - _LONGEST, -1), -1):
        if blocks[lead]["kind"] != "paragraph":
            return []
        if _ends_with(blocks[lead], ":"):
            items = _led(blocks, lead)
            return items if len(items) > 1 and at <= lead + len(items) else []
    return []


def _led(blocks: Sequence[Row], lead: int) -> list[Row]:
    """Return the paragraphs of a list after its introduction."""
    items: list[Row] = []
    goes_on = False
    for block in blocks[lead + 1 : lead + 1 + _LONGEST]:
        if block["kind"] != "paragraph":
            break
        items.append(block)
        is_last = goes_on and not _ends_with(block, *_NOT_LAST)
        goes_on = goes_on or _ends_with(block, *_NOT_LAST)
        if is_last or (not goes_on and len(items) > 1):
            break
    return items if goes_on else []


def _ends_with(block: Row, *ends: str) -> bool:
    return str(block["text"]).rstrip().endswith(ends)


FIRST_STAGE = "first"  # Name of the list that is reranked.


class Fields:
    """Fields by name, too: `hit["title"]` is `hit.title`."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - any field
        if name.startswith("_") or not hasattr(self, name):
            raise KeyError(name)
        return getattr(self, name)


@dataclass(frozen=True, kw_only=True)
class PageBox:
    """A block of text on a page (from 1); edges in points from the page's top left."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, kw_only=True)
class SourceSentence(Fields):
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
class ChunkHit(Fields):
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

    @property
    def page(self) -> int | None:
        """Page it begins on; None where the format has none."""
        return self.page_start


@dataclass(frozen=True, kw_only=True)
class RelationHit(Fields):
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
class EntityHit(Fields):
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
