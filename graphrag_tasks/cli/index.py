"""`graphrag-tasks index` runs the pipeline without Airflow, or says who will see what; `doctor` checks its needs."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from graphrag_tasks.cli.documents import print_problem_counts
from graphrag_tasks.cli.options import ConfigOption, ExtractorOption, JsonOption, SourcesArgument, StoreOption
from graphrag_tasks.cli.output import CONSOLE, ERRORS, print_json, print_result, stage_progress, table
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.ids import is_id

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_DOCUMENTS = 40  # With more documents, folders are printed instead, so that it fits a screen or two.
_NAMES = {"uri": "uri", "labels": "labels", "labels_from": "from", "labels_error": "error"}


def access_of(listed: pa.Table) -> list[dict[str, Any]]:
    """Return `uri`, `labels`, `from` and `error` of each document; null labels mean labels off."""
    rows: list[dict[str, Any]] = listed.select(list(_NAMES)).rename_columns(_NAMES).to_pylist()
    return rows


def access_table(documents: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of who sees what: by document, or by folder if there are many."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for document in documents:
        is_alone = len(documents) <= _MOST_DOCUMENTS
        place = document["uri"] if is_alone else posixpath.dirname(document["uri"])
        groups[place, _seen_by(document["labels"]), document["from"] or document["error"] or ""].append(document["uri"])
    rows = [
        (uris[0] if len(uris) == 1 else f"{place}/ ({len(uris):,})", labels, why)
        for (place, labels, why), uris in groups.items()
    ]
    return table("Who sees what", ("documents", "labels", "from"), rows)


def _seen_by(labels: Sequence[str] | None) -> str:
    if labels is None:
        return "off: everybody sees it"
    return ", ".join(labels) or "none: nobody sees it"


_NAMED = 10  # Documents named for each kind of change.


def index(
    sources: SourcesArgument = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    extractor: ExtractorOption = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="cores")] = None,
    full_refresh: Annotated[bool, typer.Option("--full-refresh", help="Process every document again.")] = False,
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Publish although most documents are gone.")
    ] = False,
    allow_quality_drop: Annotated[
        bool, typer.Option("--allow-quality-drop", help="Publish although the snapshot is worse.")
    ] = False,
    allow_access_disable: Annotated[
        bool, typer.Option("--allow-access-disable", help="Show everybody what had access labels.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for another run on the store, and for batches.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done, why, and what a model would cost.")
    ] = False,
    access: Annotated[
        bool, typer.Option("--access", help="Only say who would see what, by which rule or file.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Index documents and publish a snapshot of them."""
    refresh, mass_delete = full_refresh or None, allow_mass_delete or None
    overrides = {
        "store": store,
        "sources": sources or None,
        "extract": {"extractor": extractor},
        "plan": {"full_refresh": refresh, "allow_mass_delete": mass_delete},
        "quality": {"allow_drop": allow_quality_drop or None},
        "access": {"allow_disable": allow_access_disable or None},
    }
    settings = with_sources(load_config(config, overrides=overrides))
    if dry_run or access:
        _print_plan(settings, workers, access=access, json=json)
        return
    from graphrag_tasks.operations.runner import run_index
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.versions.told import since

    with stage_progress() as show:
        published = run_index(settings, workers=workers, progress=show, wait=wait)
    if json:
        print_json({"changed": published.changed, **published.manifest.as_dict()})
        return
    print_result(published.manifest)
    opened = Store(settings.store)
    current = opened.open(published.manifest.snapshot_id)
    print_problem_counts(current)
    if not published.changed:
        CONSOLE.print("Nothing changed: this snapshot was current already.")
    elif parent := published.manifest.parent_id:
        with suppress(SnapshotError):  # it is of another release of this package
            _print_changes(since(current, opened.open(parent)), parent)


def _print_changes(changed: str, parent: str) -> None:
    if changed:
        line = f"{changed}: {command('changes', '--from', parent)}"
        CONSOLE.print(line, markup=False, highlight=False, soft_wrap=True)


def _print_plan(settings: Config, workers: int | None, *, access: bool, json: bool) -> None:
    import pyarrow.compute as pc

    from graphrag_tasks.core.schemas import ADDED, CHANGED, REMOVED, UNCHANGED
    from graphrag_tasks.operations.documents import is_unread, unread_kinds
    from graphrag_tasks.operations.runner import forecast
    from graphrag_tasks.pipeline import asked_of_models, look_ahead

    outlook = look_ahead(settings)
    listed = outlook.sources.filter(pc.invert(is_unread(outlook.sources)))
    documents = {
        change: listed.filter(pc.equal(listed["change"], change))["uri"].to_pylist()
        for change in (ADDED, CHANGED, REMOVED, UNCHANGED)
    }
    unread = unread_kinds(outlook.sources)
    shards, hidden = outlook.stats["shards"], outlook.stats["files_passed_over"]
    priced = None
    if settings.extract.asks and not (access or outlook.up_to_date):
        priced = forecast(settings, workers=workers)
    if json:
        found = {
            "parent_id": outlook.parent_id,
            "up_to_date": outlook.up_to_date,
            "documents": documents,
            "shards": shards,
            "files_passed_over": hidden,
            "files_of_kinds_not_read": unread,
            "stages": dict(outlook.stages),
            "asked": asked_of_models(settings),
            "forecast": priced and asdict(priced) | {"usd": None if priced.usd is None else float(priced.usd)},
        }
        print_json(found | ({"access": access_of(outlook.access)} if access else {}))
        return
    if access:
        CONSOLE.print(access_table(access_of(outlook.access)))
        return
    rows = [
        (change, len(uris), "\n".join(uris[:_NAMED]) if change != UNCHANGED else "")
        for change, uris in documents.items()
    ]
    CONSOLE.print(table("Documents", ("change", "documents", "the first of them"), rows))
    if unread:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in unread.items())
        CONSOLE.print(f"Beside them files of kinds that are not read: {kinds}")
    if hidden:
        CONSOLE.print(f"Hidden files, which are passed over: {hidden}")
    if outlook.up_to_date:
        CONSOLE.print(f"Nothing to do: {outlook.parent_id} is what would be published.")
        return
    CONSOLE.print(f"Shards of documents to work on: {shards}")
    for line in asked_of_models(settings):
        CONSOLE.print(line, soft_wrap=True)
    if priced is not None:
        CONSOLE.print(f"extract: {priced}", soft_wrap=True)
    stages = [(stage, why or "taken over") for stage, why in outlook.stages.items()]
    CONSOLE.print(table("Stages", ("stage", "why it works"), stages))


def with_sources(settings: Config) -> Config:
    """Return settings with the store's sources if none are named, and print them."""
    from graphrag_tasks.pipeline import sources_of

    if settings.sources:
        return settings
    sources = sources_of(settings)
    ERRORS.print(f"No source is named: the store's own are taken again, {', '.join(sources)}",
                 markup=False, highlight=False, soft_wrap=True)  # fmt: skip
    return settings.model_copy(update={"sources": sources})


def doctor(
    llm: Annotated[bool, typer.Option("--llm", help="Also ask the language model one question, which costs.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Check packages, model weights and the store."""
    from graphrag_tasks.operations.doctor import examine

    checks = examine(load_config(config, overrides={"store": store}), llm=llm)
    if json:
        print_json([asdict(check) for check in checks])
    else:
        rows = [(check.name, "ok" if check.ok else "FAILED", check.found, check.fix)
                for check in checks]  # fmt: skip
        CONSOLE.print(table("Doctor", ("check", "result", "found", "how to fix"), rows))
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


# `graphrag-tasks spending`: requests to language models, and their cost.

_SHOWN = {
    "requests": "requests", "prompt_tokens": "in", "completion_tokens": "out", "usd": "USD",
    "unsure_usd": "unsure",
}  # fmt: skip
"""Columns of the table; `--json` has all."""

By = StrEnum("By", ["RUN", "PURPOSE", "MODEL", "DOCUMENT"])


def spending(
    by: Annotated[
        list[By] | None, typer.Option(help="What is summed up by; several may be given.", show_default="purpose, model")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Only one run.", show_default="all")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Say what the language model was asked, and what it cost.

    Unsure is what was sent and never answered: a kill, a timeout, a cut line. It may have been billed, and counts
    against the budget in full.
    """
    from graphrag_tasks.llm.journal import Journal, answers_file
    from graphrag_tasks.storage.snapshots.store import Store

    settings = load_config(config, overrides={"store": store})
    Store(settings.store).require()
    columns = by or [By.PURPOSE, By.MODEL]
    file = answers_file(settings.llm, settings.store)
    rows, every = list[dict[str, Any]](), list[dict[str, Any]]()
    if file.exists():
        with closing(Journal(file)) as journal:
            rows, every = journal.sums(columns, run), journal.sums([], run)
    for row in [*rows, *every]:
        row |= {name: _money(row[name]) for name in ("usd", "unsure_usd")}
    if json:
        print_json(rows)
    elif not rows:
        CONSOLE.print("Nothing was asked.")
    else:
        if len(rows) > 1:
            rows.append(dict.fromkeys(columns, "") | {columns[0]: "all"} | every[0])
        shown = [*columns, *_SHOWN]
        cells = [[_short(row[name]) for name in shown] for row in rows]
        CONSOLE.print(table("Spending", [_SHOWN.get(name, name) for name in shown], cells))


def _short(value: object) -> object:
    """Return a value; ids are shortened."""
    return f"{value[:8]}…" if isinstance(value, str) and is_id(value) else value


def _money(usd: Decimal | None) -> str:
    return "unknown" if usd is None else f"{usd:.4f}"
