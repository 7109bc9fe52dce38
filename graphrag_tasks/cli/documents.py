"""`graphrag-tasks documents`: the outcome of each file; `changes`: what changed between releases."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SnapshotOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, print_text, table
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import SnapshotError, SourceError
from graphrag_tasks.core.visible import counted, visible

if TYPE_CHECKING:
    from graphrag_tasks.extract.frames import Argument
    from graphrag_tasks.operations.documents import DocumentReport
    from graphrag_tasks.storage.snapshots.store import Snapshot
    from graphrag_tasks.versions.told import Change


_COLUMNS = ("document", "kind", "status", "pages", "chunks", "sentences", "triples")
_MOST_LISTED = 1000  # Documents in the table, which takes half a second. Chosen.
Form = StrEnum("Form", ["TEXT", "BLOCKS"])


def documents(
    uri: Annotated[str | None, typer.Argument(help="Print this document, named by source and path.")] = None,
    form: Annotated[Form, typer.Option("--as", help="Of one document: its text, or rows as JSON.")] = Form.TEXT,
    only_problems: Annotated[
        bool, typer.Option("--problems", help="Only what was not read as a whole, and why.")
    ] = False,
    names: Annotated[int, typer.Option(min=0, help="Documents named of each problem; 0: all.")] = 10,
    snapshot: SnapshotOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """List the documents of a snapshot, failed ones first, or print one of them."""
    from graphrag_tasks.operations.documents import document_reports, row_counts
    from graphrag_tasks.storage.snapshots.store import Store

    settings = load_config(config, overrides={"store": store})
    opened = Store(settings.store).open(snapshot)
    if uri is not None:
        _print_document(opened, uri, form)
        return
    found = document_reports(opened)
    if only_problems and not json:
        _print_problems(found, names, settings.store)
        return
    counts = row_counts(opened)
    if json:
        print_json(
            [
                asdict(report) | {name: rows[report.document_id] for name, rows in counts.items()}
                for report in found
                if report.is_problem or not only_problems
            ]
        )
    else:
        rows = [
            (
                report.uri, report.kind, report.status, report.pages,
                *(counted[report.document_id] for counted in counts.values()),
            )
            for report in found[:_MOST_LISTED]
        ]  # fmt: skip
        CONSOLE.print(table(f"{counted(len(found), 'documents')} of {settings.store}", _COLUMNS, rows))
        if more := len(found) - len(rows):
            CONSOLE.print(f"and {more:,} more (--json lists all)", markup=False, highlight=False)


def _print_document(opened: Snapshot, uri: str, form: Form) -> None:
    row = opened.document(uri)
    rows = opened.rows_of_document("blocks", row["document_id"])
    if form is not Form.TEXT:
        print_json(rows)
    elif rows:
        print_text("\n\n".join(map(_shown, rows)))
    else:
        what = f"the document holds nothing to print: it is {row['status']}"
        raise SnapshotError(what, row["uri"], row["error_message"] or "")


def _shown(block: dict[str, Any]) -> str:
    marks = {"title": "# ", "heading": f"{'#' * ((block['level'] or 1) + 1)} ", "list_item": "- "}
    return f"{marks.get(block['kind'], '')}{block['text']}"


def _print_problems(found: list[DocumentReport], names: int, store: str) -> None:
    from graphrag_tasks.operations.documents import problems

    grouped = problems(found)
    if not grouped:
        CONSOLE.print(f"All {len(found):,} documents of {store} were read as a whole.")
    for problem in grouped:
        shown = problem.documents[: names or None]
        CONSOLE.print(
            f"{problem.status}, {problem.kind}: {len(problem.documents):,} ({problem.code})",
            style="bold", markup=False, highlight=False,
        )  # fmt: skip
        for reason in dict.fromkeys(document.reason for document in shown):
            own = [document.uri for document in shown if document.reason == reason]
            CONSOLE.print(f"  {reason}", markup=False, highlight=False)
            for uri in own:
                CONSOLE.print(f"    {uri}", markup=False, highlight=False)
        if more := len(problem.documents) - len(shown):
            CONSOLE.print(f"    and {more:,} more (--names 0 shows all)")
    parts = Counter(part for report in found for part in report.left_out)
    rows = [
        (part, documents, sum(report.left_out.get(part, 0) for report in found))
        for part, documents in parts.most_common()
    ]
    if rows:
        CONSOLE.print(table("Left out of documents", ("part", "documents", "parts"), rows))


def print_problem_counts(snapshot: Snapshot) -> None:
    """Print the number of documents not read completely, by status and kind, if any."""
    from graphrag_tasks.operations.documents import document_reports, problems

    grouped = problems(document_reports(snapshot))
    if not grouped:
        return
    rows = [(problem.status, problem.kind, len(problem.documents), problem.meaning) for problem in grouped]
    columns = ("status", "kind", "documents", "why")
    CONSOLE.print(table("Documents that were not read as a whole", columns, rows))
    again = command("documents", "--problems")
    CONSOLE.print(f"Which ones, and what to do: {again}", highlight=False, soft_wrap=True)


# `graphrag-tasks changes`: what changed between releases of documents, or between snapshots.

_EVERY_KIND = ("number", "value", "name", "wording", "added", "removed")


def changes(
    part: Annotated[str, typer.Argument(help="Part of a path or title.", show_default="all")] = "",
    before: Annotated[str | None, typer.Option("--from", help="Snapshot before: compare files of one path.")] = None,
    after: Annotated[str | None, typer.Option("--to", help="Snapshot after.", show_default="current")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also other wordings, and sentences that came and went.")
    ] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Tell which statements changed between releases of documents, or since a snapshot."""
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.versions import told

    opened = Store(load_config(config, overrides={"store": store}).store)
    kinds = _EVERY_KIND if every else told.MEANT
    current = opened.open(after)
    if before:
        found = told.changes_between(opened.open(before), current, part, kinds)
    else:
        found = told.changes(current, part, kinds)
    if json:
        print_json([asdict(one) for one in found])
        return
    place = ""
    for one in found:
        if one.place != place:
            place = one.place
            CONSOLE.print(f"\n{place}", style="bold", markup=False, highlight=False)
        _print(one)
    if not found:
        since = f"Changes since a snapshot: {command('changes', '--from', 'ID')}"
        said = "" if before else f" between releases, as manual-3.2/ and manual-5.1/.\n{since}"
        CONSOLE.print(f"No statement changed{said or '.'}", highlight=False, soft_wrap=True)
        return
    statements = counted(sum(one.count for one in found), "statements")
    CONSOLE.print(f"\n{statements} changed, in {counted(len(found), 'ways')}.", highlight=False)


def _print(change: Change) -> None:
    for said, sign, style in ((change.older, "-", "red"), (change.newer, "+", "green")):
        if said:
            release = f"{said.release}: " if said.release else ""
            line = f"  {sign} {release}{' '.join(visible(said.text).split())}"
            CONSOLE.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    if change.count > 1:
        CONSOLE.print(f"    and {change.count - 1:,} more like it", highlight=False)


# `graphrag-tasks extract`: frames of sentences.


def extract(
    text: Annotated[Path, typer.Option("--text", help="Text file, one sentence a line.")],
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Extract frames from sentences: from their parse, and by patterns."""
    from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
    from graphrag_tasks.extract.reading import ProseLine, read_lines

    sentences = _read_lines(text)
    extractor = DependencyExtractor(load_config(config).language.model)
    found = zip(sentences, read_lines([ProseLine(sentence) for sentence in sentences], extractor), strict=True)
    if json:
        print_json(
            [{"sentence": sentence, "frames": [asdict(frame) for frame in frames]} for sentence, frames in found]
        )
    else:
        for sentence, frames in found:
            rows = [(one.predicate, "\n".join(map(_with_confidence, one.arguments)), one.rule, one.confidence)
                    for one in frames]  # fmt: skip
            CONSOLE.print(table(sentence, ("predicate", "arguments", "rule", "confidence"), rows))


def _read_lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read as UTF-8 text: {error}", str(file)) from error


def _with_confidence(argument: Argument) -> str:
    preposition = f"{argument.preposition} " if argument.preposition else ""
    return f"{argument.role}: {preposition}{argument.text}"
