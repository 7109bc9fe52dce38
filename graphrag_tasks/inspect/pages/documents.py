"""The document pages: status of each document, and its passages."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import GraphragError, QueryError, TransientError
from graphrag_tasks.operations.documents import DocumentReport, document_reports, row_counts
from graphrag_tasks.retrieval import Index
from graphrag_tasks.sources.listing import SourceReader, source_roots

SECONDS = 20  # Processor seconds per page, and waiting time for other pages; chosen.
MEMORY_BYTES = 2_000_000_000  # Address space of the process: the library and a scan of a few hundred megapixels.
_AT_ONCE = 2  # Pages drawn at a time, as each may take `MEMORY_BYTES`.
_WIDTH = 900  # pixels
_MARK = (255, 213, 79, 90)  # amber, as a marker on paper

Box = tuple[float, float, float, float]  # Left, top, right and bottom, in points from the page's top left.

_drawing = BoundedSemaphore(_AT_ONCE)


def draw(pdf: bytes, page: int, boxes: Sequence[Box], where: str) -> bytes:
    """Return a PNG of a PDF page (from 1) with marked boxes."""
    if not _drawing.acquire(timeout=SECONDS):
        raise TransientError("other pages are being drawn", where, "Try again in a moment")
    try:
        command = [sys.executable, "-P", "-m", __name__, str(page), json.dumps(boxes)]
        done = subprocess.run(  # noqa: S603 - our own module
            command, input=pdf, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        failed = True
    else:
        failed = done.returncode != 0
    finally:
        _drawing.release()
    if failed:
        hint = "Open the file itself; its text is on the page of the document"
        raise QueryError(f"page {page} cannot be drawn", where, hint)
    return done.stdout


def _main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    import pypdfium2
    from PIL import Image, ImageDraw

    page = pypdfium2.PdfDocument(sys.stdin.buffer.read())[int(sys.argv[1]) - 1]
    scale = _WIDTH / page.get_width()
    picture = page.render(scale=scale).to_pil().convert("RGBA")
    marks = Image.new("RGBA", picture.size)
    for box in json.loads(sys.argv[2]):
        ImageDraw.Draw(marks).rectangle([side * scale for side in box], fill=_MARK)
    Image.alpha_composite(picture, marks).convert("RGB").save(sys.stdout.buffer, "PNG")


if __name__ == "__main__":
    _main()

PDF = "pdf"  # Media type of documents whose pages can be drawn.
DOCUMENTS_SHOWN = 100  # Documents per page; chosen.
MOST_HEADINGS = 500  # Most headings of an outline. Chosen.
CHUNKS_SHOWN = 20  # Chunks per page: text of about 40,000 characters.


@dataclass(frozen=True)
class DocumentRow:
    """A row of the document list, with chunk and relation counts."""

    report: DocumentReport
    title: str
    chunks: int
    relations: int


@dataclass(frozen=True)
class Documents:
    """The documents that match a search.

    Attributes:
        lines: Those of one page, problems first.
        found: Number of matches, and `known`, number of all documents.
        statuses, kinds: Counts over all documents.
    """

    lines: Sequence[DocumentRow]
    found: int
    known: int
    statuses: Mapping[str, int]
    kinds: Mapping[str, int]


@dataclass(frozen=True)
class Fact:
    """A relation in the words of one sentence."""

    head: str
    phrase: str
    tail: str
    kind: str
    confidence: float


@dataclass(frozen=True)
class Sentence:
    """A sentence with its facts, and the chunk's text between it and the sentence before."""

    id: str
    gap: str
    text: str
    facts: Sequence[Fact]


@dataclass(frozen=True)
class ShownChunk:
    """A chunk: its sentences, and the text after the last."""

    id: str
    ordinal: int
    heading_path: Sequence[str]
    page_start: int | None
    page_end: int | None
    sentences: Sequence[Sentence]
    rest: str


@dataclass(frozen=True)
class Opened:
    """A document with some of its passages, starting with `first`.

    Attributes:
        found: Number of passages with the text that was sought.
        outline: Id of the first passage under each heading, its depth and words.
        versions: The release of each version of it, by document id.
    """

    row: Mapping[str, Any]
    report: DocumentReport
    passages: Sequence[ShownChunk]
    first: int
    chunks: int
    found: int
    outline: Sequence[tuple[str, int, str]]
    versions: Mapping[str, str]


def list_documents(index: Index, text: str, status: str, kind: str, first: int) -> Documents:
    """Return the documents whose title or path contains a text, filtered by status and kind."""
    snapshot = index.snapshot
    reports = document_reports(snapshot)
    titles = _titles(snapshot.table("documents", ["document_id", "title"]))
    wanted = text.strip().casefold()
    asked = [
        report
        for report in reports
        if (not status or report.status == status)
        and (not kind or report.kind == kind)
        and (wanted in report.uri.casefold() or wanted in titles[report.document_id].casefold())
    ]
    shown = asked[first : first + DOCUMENTS_SHOWN]
    counts = row_counts(snapshot, ("chunks", "evidence")).values()
    lines = [
        DocumentRow(
            document_report,
            titles[document_report.document_id],
            *(rows[document_report.document_id] for rows in counts),
        )
        for document_report in shown
    ]
    return Documents(
        lines, len(asked), len(reports),
        Counter(report.status for report in reports),
        Counter(sorted(report.kind for report in reports)),
    )  # fmt: skip


def open_document(index: Index, document_id: str, chunk_id: str, first: int, text: str = "") -> Opened:
    """Return a document with passages that hold a text, from number `first`, or from a chunk, on."""
    snapshot = index.snapshot
    reports = [report for report in document_reports(snapshot) if report.document_id == document_id]
    if not reports:
        hint = "Look for it in the list of documents; an id changes with the path of its file"
        raise QueryError("no such document in this snapshot", document_id, hint)
    (row,) = _of(snapshot.table("documents"), "document_id", [document_id]).to_pylist()
    chunks = _of(snapshot.table("chunks"), "document_id", [document_id]).sort_by("ordinal")
    outline = list(_outline(chunks))
    asked = chunks.filter(pc.match_substring(chunks["text"], text.strip(), ignore_case=True))
    ids = asked["chunk_id"].to_pylist()
    if chunk_id in ids:
        first = ids.index(chunk_id) // CHUNKS_SHOWN * CHUNKS_SHOWN
    shown = _passages(index, asked.slice(first, CHUNKS_SHOWN))
    versions = index.releases.versions_of(document_id)
    return Opened(row, reports[0], shown, first, len(chunks), len(ids), outline, versions)


def _outline(chunks: pa.Table) -> Iterator[tuple[str, int, str]]:
    """Yield each heading once, with the passage under which it first stands."""
    seen: set[tuple[str, ...]] = set()
    for chunk in chunks.select(["chunk_id", "heading_path"]).to_pylist():
        path = tuple(chunk["heading_path"])
        for depth in range(1, len(path) + 1):
            if path[:depth] not in seen and len(seen) < MOST_HEADINGS:
                seen.add(path[:depth])
                yield chunk["chunk_id"], depth, path[depth - 1]


def _passages(index: Index, chunks: pa.Table) -> list[ShownChunk]:
    snapshot = index.snapshot
    columns = ["chunk_id", "sentence_id", "ordinal", "text", "char_start", "char_end"]
    sentences = _of(snapshot.table("sentences", columns), "chunk_id", chunks["chunk_id"])
    facts = _facts(index, sentences["sentence_id"])
    passages = []
    by_chunk: dict[str, list[dict[str, Any]]] = {}
    for one in sentences.sort_by("ordinal").to_pylist():
        by_chunk.setdefault(one["chunk_id"], []).append(one)
    for chunk in chunks.to_pylist():
        text, start, at = chunk["text"], chunk["char_start"], 0
        found = []
        for one in by_chunk.get(chunk["chunk_id"], []):
            begin, end = one["char_start"] - start, one["char_end"] - start
            found.append(
                Sentence(
                    one["sentence_id"], text[at:begin], text[begin:end],
                    facts.get(one["sentence_id"], []),
                )
            )  # fmt: skip
            at = end
        passages.append(
            ShownChunk(
                chunk["chunk_id"], chunk["ordinal"], chunk["heading_path"], chunk["page_start"],
                chunk["page_end"], found, text[at:],
            )
        )  # fmt: skip
    return passages


def _facts(index: Index, sentence_ids: pa.ChunkedArray) -> dict[str, list[Fact]]:
    """Return the relations stated by these sentences, most confident first."""
    snapshot = index.snapshot
    columns = ["relation_id", "sentence_id", "phrase", "confidence"]
    evidence = _of(snapshot.table("evidence", columns), "sentence_id", sentence_ids)
    columns = ["relation_id", "head_id", "tail_id", "kind"]
    relations = snapshot.table("relations", columns)
    relations = _of(relations, "relation_id", evidence["relation_id"])
    ends = [relation for end in ("head_id", "tail_id") for relation in relations[end].to_pylist()]
    named = _of(snapshot.table("entities", ["entity_id", "name"]), "entity_id", ends)
    names = dict(zip(named["entity_id"].to_pylist(), named["name"].to_pylist(), strict=True))
    edges = {row["relation_id"]: row for row in relations.to_pylist()}
    found: dict[str, dict[Fact, None]] = {}
    order = [("confidence", "descending"), ("relation_id", "ascending")]
    for one in evidence.sort_by(order).to_pylist():
        edge = edges[one["relation_id"]]
        fact = Fact(
            names[edge["head_id"]], one["phrase"], names[edge["tail_id"]], edge["kind"],
            one["confidence"],
        )  # fmt: skip
        found.setdefault(one["sentence_id"], {})[fact] = None
    return {sentence: list(facts) for sentence, facts in found.items()}


def _of(table: pa.Table, column: str, values: Sequence[str] | pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table[column], value_set=pa.array(values, pa.string())))


def _titles(documents: pa.Table) -> dict[str, str]:
    return dict(zip(*(documents[one].to_pylist() for one in ("document_id", "title")), strict=True))


def picture(index: Index, config: Config, document_id: str, page: int, chunk_id: str) -> bytes:
    """Return a PDF page as a PNG, with the text of a chunk marked."""
    snapshot = index.snapshot
    rows = _of(snapshot.table("documents"), "document_id", [document_id]).to_pylist()
    if not rows or rows[0]["media_type"] != PDF:
        raise QueryError("no such PDF document in this snapshot", document_id)
    uri = rows[0]["uri"]
    hint = "Pages are drawn from the files of `sources`: name them where the pages are served"
    try:
        data = SourceReader(source_roots(config.sources)).fetch(uri)
    except (GraphragError, OSError) as error:
        raise QueryError("its file cannot be read here", uri, hint) from error
    if hashlib.sha256(data).hexdigest() != rows[0]["content_sha256"]:
        hint = "Index again, and look at the new snapshot"
        raise QueryError("the file is another one than was read", uri, hint)
    return draw(data, page, _boxes(index, document_id, page, chunk_id), uri)


def _boxes(index: Index, document_id: str, page: int, chunk_id: str) -> list[Box]:
    snapshot = index.snapshot
    chunks = _of(snapshot.table("chunks"), "chunk_id", [chunk_id]).to_pylist()
    columns = ["document_id", "char_start", "char_end", "page", "bbox"]
    blocks = _of(snapshot.table("blocks", columns), "document_id", [document_id]).to_pylist()
    return [
        (block["bbox"]["left"], block["bbox"]["top"], block["bbox"]["right"], block["bbox"]["bottom"])
        for chunk in chunks
        for block in blocks
        if block["page"] == page
        and block["bbox"]
        and block["char_start"] < chunk["char_end"]
        and chunk["char_start"] < block["char_end"]
    ]
