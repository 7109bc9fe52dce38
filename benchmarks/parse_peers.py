"""Our parser beside others on the same files, by the figures of `benchmarks.scoring parse`.

The others live in an environment of their own:

    uv venv peers && VIRTUAL_ENV=peers uv pip install -r benchmarks/requirements-peers.txt
    python -m benchmarks.parse_peers --peers peers/bin/python --gold FOLDER --bookmarks MANUAL.pdf

Each peer reads each kind of document in a fresh process, so that the highest memory is that of the kind. Models and OCR
are off for all, and bookmarks are taken out of the manuals for all. Prints one table; `--json` writes every document's
figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from benchmarks.peer_worker import PEERS
from benchmarks.scoring.parse_content import Content, content_of_markdown
from benchmarks.scoring.parse_gold import bookmarks, find_gold, without_bookmarks
from benchmarks.scoring.parse_quality import BOOKMARKS, evaluate_parse, heading_scores, scores
from benchmarks.scoring.parse_report import METRICS, DocumentResult, GroupScores, ParseReport

OURS = "graphrag-tasks"
_WORKER = Path(__file__).with_name("peer_worker.py")


class _Task(NamedTuple):
    """A file to read, and what it is compared with: a reference, or the titles of bookmarks."""

    name: str
    group: str
    path: Path
    reference: Content | None
    titles: Sequence[str]

    def score(self, markdown: str) -> dict[str, float | None]:
        found = content_of_markdown(markdown)
        if self.reference is None:
            return heading_scores(found, self.titles)
        return scores(found, self.reference)


def main() -> None:
    """Measure our parser and the peers, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, required=True, help="Python of their environment")
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--bookmarks", type=Path, action="append", default=[])
    parser.add_argument("--only", nargs="*", choices=sorted(PEERS), default=sorted(PEERS))
    parser.add_argument("--json", type=Path, help="write every document's figures here")
    options = parser.parse_args()

    reports = {OURS: evaluate_parse(options.gold, options.bookmarks)}
    with tempfile.TemporaryDirectory(prefix="parse-peers-") as folder:
        tasks = list(_tasks(options.gold, options.bookmarks, Path(folder)))
        for name in options.only:
            reports[name] = _report(name, options.peers, tasks)
    print(_table(reports))
    if options.json:
        figures = {name: report.to_dict() for name, report in reports.items()}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def _tasks(gold: Path | None, manuals: Iterable[Path], folder: Path) -> Iterable[_Task]:
    for one in find_gold(gold) if gold else ():
        reference = content_of_markdown(one.reference.read_text("utf-8"))
        yield _Task(one.name, one.media_type, one.path, reference, ())
    for path in manuals:
        data = path.read_bytes()
        bare = folder / path.name
        bare.write_bytes(without_bookmarks(data))
        yield _Task(path.name, BOOKMARKS, bare, None, [title for _, title in bookmarks(data)])


def _report(name: str, python: Path, tasks: Sequence[_Task]) -> ParseReport:
    results: list[DocumentResult] = []
    for group in sorted({task.group for task in tasks}):
        chosen = [task for task in tasks if task.group == group]
        if ("pdf" if group == BOOKMARKS else group) in PEERS[name].media_types:
            results += _run(name, python, chosen)
    return ParseReport.of(results)


def _run(name: str, python: Path, tasks: Sequence[_Task]) -> Iterable[DocumentResult]:
    with tempfile.TemporaryDirectory(prefix="parse-peer-") as folder:
        files = [str(task.path.resolve()) for task in tasks]
        subprocess.run([str(python), str(_WORKER), name, folder, *files], check=True, stdout=subprocess.DEVNULL)
        costs = json.loads((Path(folder) / "costs.json").read_text("utf-8"))
        for number, (task, cost) in enumerate(zip(tasks, costs, strict=True)):
            written = Path(folder) / f"{number}.md"
            markdown = "" if cost["error"] else written.read_text("utf-8")
            result = DocumentResult(task.name, task.group, task.score(markdown), **cost)
            yield replace(result, pages=_pages(task.path))


def _pages(path: Path) -> int | None:
    if path.suffix.lower() != ".pdf":
        return None
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def _table(reports: dict[str, ParseReport]) -> str:
    columns = ("parser", "documents", "errors", *METRICS, "pages/s per core", "peak MB")
    lines: list[str] = []
    for group in sorted({name for report in reports.values() for name in report.groups}):
        shown = [(name, report.groups.get(group)) for name, report in reports.items()]
        rows = [_row(name, one) for name, one in shown if one]
        lines += [f"{group}:", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
        lines += [*rows, ""]
    return "\n".join(lines)


def _row(name: str, scores: GroupScores) -> str:
    metrics = (_figure(scores.metrics[metric]) for metric in METRICS)
    speed = _figure(scores.pages_per_core_second, digits=1)
    memory = (scores.peak_memory_bytes or 0) // 1_000_000
    counts = f"{scores.documents} | {scores.errors}"
    return f"| {name} | {counts} | {' | '.join(metrics)} | {speed} | {memory} |"


def _figure(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
