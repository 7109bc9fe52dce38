"""Places of hits in words: titles, pages and headings, each on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_tasks.retrieval.context.hits import ChunkHit, EntityHit, RelationHit


def cited_relation(hit: RelationHit) -> str:
    """Return a relation in words, with title and page of its best sentence."""
    return f"{hit.text} — {relation_place(hit)}"


def cited_entity(hit: EntityHit) -> str:
    """Return a name, with title and page of a sentence that mentions it."""
    if hit.example is None:
        return hit.name
    return f"{hit.name} — {place(hit.example.title, hit.example.page)}"


def chunk_place(hit: ChunkHit) -> str:
    """Return a chunk's title, pages and headings; a first heading that is the title stands once."""
    headings = [one_line(heading) for heading in hit.heading_path]
    if headings and headings[0] == one_line(hit.title):
        headings = headings[1:]
    return ", ".join(
        filter(None, [place(hit.title, hit.page_start, hit.page_end), " > ".join(headings)])
    )


def relation_place(hit: RelationHit) -> str:
    """Return title and page of a relation's best sentence."""
    if not hit.evidence:
        return "no source sentence"
    return place(hit.evidence[0].title, hit.evidence[0].page)


def place(title: str, first: int | None, last: int | None = None) -> str:
    """Return a title with its pages, where it has any."""
    title = one_line(title)
    if first is None:
        return title
    if last is None or last == first:
        return f"{title}, page {first}"
    return f"{title}, pages {first}-{last}"


def one_line(text: str) -> str:
    """Return a text with every whitespace run as one space."""
    return " ".join(text.split())
