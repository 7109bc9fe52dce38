"""Quality of parsing: documents read as the index reads them, compared with references.

The figures, each defined in `parse_metrics` or here, of one document:

* `similarity`: of the characters of all its text, without Markdown's or our tables' syntax;
* `token_f1`: of its words as a bag; `in_order_f1`: of its words in reading order;
* `heading_f1`: of its headings' words, exactly; `heading_level_f1`: the same, and the level must
  be right (says nothing of PDF files: Docling's own references give them one level);
* `cell_f1`: of the words of the cells of all its tables.

Of a PDF file with bookmarks, read with its bookmarks taken away:

* `heading_recall`: share of the bookmarks that are found as headings; `heading_precision`: share of
  the headings found that are bookmarks; both without numbering, each bookmark once.

And of every document: pages, seconds of wall clock and of CPU in the process that parses, pages per second of CPU (of a
core, that is), and the highest memory of that process so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.scoring.parse_content import Content, content_of_blocks, content_of_markdown
from benchmarks.scoring.parse_gold import GoldDocument, bookmarks, find_gold, without_bookmarks
from benchmarks.scoring.parse_metrics import bag_f1, heading_key, in_order_f1, precision_recall, similarity, words
from benchmarks.scoring.parse_report import DocumentResult, ParseReport
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.progress import cpu_seconds, family, peak
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.isolation import Parser

BOOKMARKS = "pdf with bookmarks"  # The group of PDF files that are measured against their bookmarks.

_WARM_UP = ("csv", b"a,b\n1,2\n")

Read = Callable[[str, bytes], ParsedDocument]


def evaluate_parse(
    gold: str | Path | None = None, pdfs: Iterable[str | Path] = (), *, config: ParseConfig | None = None
) -> ParseReport:
    """Measure the parser on documents with references.

    Args:
        gold: Folder of documents with reference Markdown; see `parse_gold.find_gold`.
        pdfs: PDF files whose bookmarks are their headings.
        config: Bounds of a document.

    Returns:
        Figures of each document, and their means by kind. A document that cannot be read has an error, and counts as 0
        in the means.
    """
    documents = find_gold(gold) if gold else []
    files = [Path(path) for path in pdfs]
    media_types = {one.media_type for one in documents} | ({"pdf"} if files else set())
    with Parser({*media_types, _WARM_UP[0]}, config or ParseConfig()) as parser:
        parser.read(*_WARM_UP)  # readers are imported with the first document
        results = [_with_reference(one, parser.read) for one in documents]
        results += [_with_bookmarks(path, parser.read) for path in files]
    return ParseReport.of(results)


def scores(found: Content, reference: Content) -> dict[str, float | None]:
    """Return the figures of a document that has a reference, by name."""
    return {
        "similarity": similarity(found.text, reference.text),
        "token_f1": bag_f1(words(found.text), words(reference.text)),
        "in_order_f1": in_order_f1(words(found.text), words(reference.text)),
        "heading_f1": bag_f1(found.heading_words, reference.heading_words),
        "heading_level_f1": bag_f1(found.levelled_headings, reference.levelled_headings),
        "cell_f1": bag_f1(found.cell_words, reference.cell_words),
    }


def heading_scores(found: Content, titles: Sequence[str]) -> dict[str, float | None]:
    """Return the figures of a PDF file whose bookmarks have these titles."""
    headings = [heading_key(text) for _, text in found.headings]
    precision, recall = precision_recall(headings, [heading_key(title) for title in titles])
    return {"heading_recall": recall, "heading_precision": precision or 0.0}


def _with_reference(document: GoldDocument, read: Read) -> DocumentResult:
    reference = content_of_markdown(document.reference.read_text("utf-8"))
    data = document.path.read_bytes()

    def score(parsed: ParsedDocument) -> dict[str, float | None]:
        return scores(content_of_blocks(parsed.blocks), reference)

    failed = scores(content_of_markdown(""), reference)
    return _measured(document.name, document.media_type, data, read, score, failed)


def _with_bookmarks(path: Path, read: Read) -> DocumentResult:
    data = path.read_bytes()
    titles = [title for _, title in bookmarks(data)]
    if not titles:
        return DocumentResult(path.name, BOOKMARKS, metrics={}, error="the file has no bookmarks")

    def score(parsed: ParsedDocument) -> dict[str, float | None]:
        return heading_scores(content_of_blocks(parsed.blocks), titles)

    failed: dict[str, float | None] = {"heading_recall": 0.0, "heading_precision": 0.0}
    return _measured(path.name, BOOKMARKS, without_bookmarks(data), read, score, failed)


def _measured(
    name: str,
    group: str,
    data: bytes,
    read: Read,
    score: Callable[[ParsedDocument], dict[str, float | None]],
    failed: dict[str, float | None],
) -> DocumentResult:
    media_type = "pdf" if group == BOOKMARKS else group
    start, cpu_start = time.perf_counter(), _cpu_seconds()
    parsed, message = ParsedDocument([]), None
    try:
        parsed = read(media_type, data)
    except DocumentError as error:
        message = str(error)
    seconds, used = time.perf_counter() - start, _cpu_seconds() - cpu_start
    return DocumentResult(
        name=name,
        group=group,
        metrics=failed if message else score(parsed),
        pages=parsed.pages_in,
        seconds=round(seconds, 3),
        cpu_seconds=round(used, 3) if used > 0 else None,
        peak_memory_bytes=max(map(peak, family()[1:]), default=None),
        error=message,
    )


def _cpu_seconds() -> float:
    return sum(map(cpu_seconds, family()[1:]))
