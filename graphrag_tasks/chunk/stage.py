"""Chunk stage: splits documents at section headings, and long sections by characters.

Source: paper, section 3.1 (a section over 2,048 characters is split recursively by characters with an overlap of 200;
the Chinese edition adds space-aware splitting). Invariants:

  * A chunk's text is exactly the document text from `char_start` to `char_end`.
  * Every character that is not blank space is in a chunk; none has more than `max_characters`.
  * Only chunks of the same section overlap, by at most `overlap_characters`.
  * A heading is in the chunk of the text below it, except at a document's end, or if headings alone
    fill a chunk.
  * A long section is cut between blocks if possible: code that fits a chunk stays whole, and a
    list, table or listing stays with the sentence that introduces it.
  * Time is linear in the length of the text, even without line ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.core.ids import content_id, text_sha256
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.language.reference_matter import reference_matter

_SEPARATORS = (("\n\n",), ("\n",), (". ", "! ", "? ", "\u3002"), (" ", "\t"))
"""Where to cut a block that is too long, best first; without any of these, anywhere."""

_HEADING_KINDS = ("title", "heading")
_LED_KINDS = ("list_item", "table", "code")
_BLOCK_COLUMNS = [
    "document_id", "ordinal", "kind", "level", "text", "char_start", "page",
]  # fmt: skip

_Block = Mapping[str, Any]


@dataclass(frozen=True)
class _Section:
    """Headings and the text below them: a span of the document text.

    `path` holds the headings above, outermost first; `body` is the start of the first other block.
    """

    path: tuple[str, ...]
    start: int
    body: int
    end: int


@dataclass(frozen=True)
class _Boundaries:
    """Start positions of blocks, ascending: all, and those where a section may be cut.

    A `loose` position is a good cut. A `glued` one separates an introducing sentence or caption from its list, table or
    code, and is used only if there is no other.
    """

    starts: Sequence[int]
    loose: Sequence[int]
    glued: Sequence[int]

    @classmethod
    def of(cls, blocks: Sequence[_Block], config: ChunkConfig) -> _Boundaries:
        """Classify block starts; the start of a block that must be split anyway is no glued cut."""
        loose: list[int] = []
        glued: list[int] = []
        for before, after in pairwise(blocks):
            if not _leads(before, after):
                loose.append(after["char_start"])
            elif len(after["text"]) <= config.max_characters:
                glued.append(after["char_start"])
        return cls([block["char_start"] for block in blocks], loose, glued)

    def last(self, low: int, high: int) -> int | None:
        """Return the last cut position in (low, high], preferring loose ones."""
        for places in (self.loose, self.glued):
            index = bisect_right(places, high) - 1
            if index >= 0 and places[index] > low:
                return places[index]
        return None

    def block(self, place: int) -> int:
        """Return the start of the block that contains a position."""
        return self.starts[bisect_right(self.starts, place) - 1]


def _leads(before: _Block, after: _Block) -> bool:
    if before["kind"] == "paragraph" and after["kind"] == "list_item":
        return True
    is_lead = before["kind"] == "caption" or str(before["text"]).endswith(":")
    return is_lead and after["kind"] in _LED_KINDS


@stage(
    per="shard",
    reads=(table("documents", "document_id"), table("blocks")),
    makes=("chunks",),
    settings={"config": "chunk"},
)
def chunk(documents: pa.Table, blocks: pa.Table, *, config: ChunkConfig) -> StageResult:
    """Split documents into chunks, ordered by document and position."""
    blocks_of: dict[str, list[_Block]] = defaultdict(list)
    for block in blocks.select(_BLOCK_COLUMNS).to_pylist():
        blocks_of[block["document_id"]].append(block)
    rows: list[dict[str, Any]] = []
    for document_id in sorted(set(documents["document_id"].to_pylist()) & blocks_of.keys()):
        own = sorted(blocks_of[document_id], key=lambda b: int(b["ordinal"]))
        rows += _chunk_document(document_id, own, config)
    made = pa.Table.from_pylist(rows, schema=schemas.CHUNKS)
    return StageResult({"chunks": made}, {"documents": len(blocks_of), "chunks": len(rows)})


def _chunk_document(document_id: str, blocks: Sequence[_Block], config: ChunkConfig) -> list[dict[str, Any]]:
    text = schemas.BLOCK_SEPARATOR.join(block["text"] for block in blocks)
    boundaries = _Boundaries.of(blocks, config)
    entries = reference_matter(blocks)
    rows: list[dict[str, Any]] = []
    for section in _sections(blocks):
        for start, end in _split(text, section, boundaries, config):
            row = {
                "document_id": document_id,
                "ordinal": len(rows),
                "heading_path": list(section.path),
                "text": text[start:end],
                "char_start": start,
                "char_end": end,
            }
            own = _overlapping(boundaries.starts, start, end)
            row["is_reference"] = _is_reference(blocks, own, entries)
            rows.append(row | _pages(blocks[own.start : own.stop]))
    return _linked(rows)


def _linked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Set the ids of a document's chunks and of their neighbours."""
    ids = [content_id("chunk", row["document_id"], row["ordinal"], text_sha256(row["text"])) for row in rows]
    for row, chunk_id, before, after in zip(rows, ids, [None, *ids][: len(ids)], [*ids, None][1:], strict=True):
        row |= {"chunk_id": chunk_id, "previous_id": before, "next_id": after}
    return rows


def _sections(blocks: Sequence[_Block]) -> Iterator[_Section]:
    """Yield the sections; consecutive headings begin one section together."""
    path: list[tuple[int, str]] = []
    start = body = end = 0
    only_headings = True
    for block in blocks:
        is_heading = block["kind"] in _HEADING_KINDS
        if is_heading and not only_headings:
            yield _Section(tuple(text for _, text in path), start, body, end)
            start, only_headings = block["char_start"], True
        if is_heading:
            _enter(path, block)
        elif only_headings:
            body, only_headings = block["char_start"], False
        end = block["char_start"] + len(block["text"])
    if blocks:
        yield _Section(tuple(text for _, text in path), start, end if only_headings else body, end)


def _enter(path: list[tuple[int, str]], heading: _Block) -> None:
    """Replace headings of the same or a lower level on the path; a title is level 0."""
    level = int(heading["level"] or 1) if heading["kind"] == "heading" else 0
    while path and path[-1][0] >= level:
        path.pop()
    path.append((level, " ".join(heading["text"].split())))


def _split(text: str, section: _Section, boundaries: _Boundaries, config: ChunkConfig) -> Iterator[tuple[int, int]]:
    """Yield the spans of a section's chunks, without surrounding blank space."""
    last = _strip_end(text, section.start, section.end)
    start = done = _skip_space(text, section.start, last)
    while last - start > config.max_characters:
        high = start + config.max_characters
        low = section.body if done < section.body < high else done
        cut = boundaries.last(low, high) or _cut(text, max(low, boundaries.block(high)), high)
        yield start, _strip_end(text, start, cut)
        done = _skip_space(text, cut, last)
        start = _skip_space(text, _overlap_start(text, start, cut, config), last)
        if done - start >= config.max_characters:
            start = done  # blank space fills the chunk: there is no room for an overlap
    if last > start:
        yield start, last


def _cut(text: str, low: int, high: int) -> int:
    """Return the last good place to cut in (low, high], or high if there is none."""
    for separators in _SEPARATORS:
        found = [(text.rfind(mark, low, high), mark) for mark in separators]
        place = max(index + len(mark) if index >= 0 else 0 for index, mark in found)
        if place > low:
            return place
    return high


def _overlap_start(text: str, start: int, cut: int, config: ChunkConfig) -> int:
    """Return the start of the chunk after a cut: at a paragraph, line, sentence or word.

    A chunk that the overlap would repeat nearly whole is not repeated at all.
    """
    low = cut - config.overlap_characters
    if low <= start:
        return cut
    for separators in _SEPARATORS:
        found = [(text.find(mark, low - len(mark), cut), mark) for mark in separators]
        places = [index + len(mark) for index, mark in found if index >= 0]
        if good := [place for place in places if place < cut and not text[place:cut].isspace()]:
            return min(good)
    return low


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _strip_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _overlapping(starts: Sequence[int], start: int, end: int) -> range:
    """Return the indexes of the blocks that a text span overlaps."""
    return range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1))


def _is_reference(blocks: Sequence[_Block], own: range, entries: frozenset[int]) -> bool:
    """Tell whether most characters below the headings are reference matter."""
    sizes = Counter[bool]()
    for number in own:
        if blocks[number]["kind"] not in _HEADING_KINDS:
            sizes[number in entries] += len(blocks[number]["text"])
    return sizes[True] > sizes[False]


def _pages(blocks: Sequence[_Block]) -> dict[str, int | None]:
    pages = [block["page"] for block in blocks if block["page"] is not None]
    return {"page_start": min(pages, default=None), "page_end": max(pages, default=None)}
