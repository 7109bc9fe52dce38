"""`graphrag-tasks ontology`: propose types and relations from users' questions."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import Config, load_config

if TYPE_CHECKING:
    from graphrag_tasks.workbench.ontology import Proposal

app = typer.Typer(
    help="Types and relations that users' questions ask for: propose, show, approve.", no_args_is_help=True
)

_DROPPED_SHOWN, _EXAMPLES = 20, 2  # Rows of a table, and examples of a row, that fit a screen.


@app.command()
def propose(
    questions: Annotated[Path, typer.Option(help="JSONL: a line has at least a question.")],
    llm: Annotated[bool, typer.Option("--llm/--no-llm", help="Have llm.models.ontology name them.")] = False,
    outside: Annotated[
        Literal["map", "keep", "drop"], typer.Option(help="Other relations: map to one, keep as they are, or drop.")
    ] = "keep",
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Propose an ontology for the current snapshot; nothing is in force by that."""
    from graphrag_tasks.workbench.ontology import propose_in_store

    settings = load_config(config, overrides={"store": store})
    run = f"ontology-{date.today():%Y-%m-%d}"
    proposal = propose_in_store(settings, questions, by_model=llm, outside=outside, run=run)
    if json:
        print_json({"id": proposal.id, "report": proposal.report.model_dump()})
        return
    _print_summary(proposal)
    CONSOLE.print(f"Look at it: {command('ontology', 'show', proposal.id)}", soft_wrap=True)


@app.command()
def show(
    proposal_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id.", show_default="the last proposal")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what stays, and all that was dropped.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show a proposal, and how it differs from the ontology in force."""
    from graphrag_tasks.workbench.ontology import Ontologies, changes
    from graphrag_tasks.workbench.ontology.versions import SAME

    ontologies = Ontologies(_store(load_config(config, overrides={"store": store})))
    proposal = ontologies.show(proposal_id)
    found = changes(ontologies.in_force(), proposal.schema)
    if json:
        print_json(
            {
                "id": proposal.id,
                "changes": [change._asdict() for change in found],
                "report": proposal.report.model_dump(),
            }
        )
        return
    _print_summary(proposal)
    kept = [
        (one.kind, one.name, f"{one.questions:,}", f"{one.triples:,}", "; ".join(one.examples[:_EXAMPLES]))
        for one in proposal.report.kept
    ]
    CONSOLE.print(table("What it has", ("what", "name", "questions", "triples", "examples"), kept))
    shown = [change for change in found if everything or change.change != SAME]
    title = f"Beside the one in force ({len(found) - len(shown)} more stay)"
    CONSOLE.print(table(title, ("what", "name", "change", "meaning"), shown))
    dropped = proposal.report.dropped
    rows = [(one.kind, one.name, one.into, one.why) for one in dropped]
    title = f"Merged or dropped ({len(rows)})"
    limit = None if everything else _DROPPED_SHOWN
    CONSOLE.print(table(title, ("what", "name", "now", "why"), rows[:limit]))
    CONSOLE.print(f"Put it in force: {command('ontology', 'approve', proposal.id)}", soft_wrap=True)


@app.command()
def approve(
    proposal_id: Annotated[str, typer.Argument(metavar="ID", help="Of what was shown last.")],
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Put the proposal in force that was shown last.

    Runs use it with relationships.schema_file = "approved".
    """
    from graphrag_tasks.storage.snapshots.manifests import APPROVED
    from graphrag_tasks.workbench.ontology import Ontologies

    settings = load_config(config, overrides={"store": store})
    Ontologies(_store(settings)).approve(proposal_id)
    CONSOLE.print(f"Ontology {proposal_id} is in force.")
    if settings.relationships.schema_file != APPROVED:
        hint = f'Runs use it with relationships.schema_file = "{APPROVED}".'
        CONSOLE.print(hint, markup=False, soft_wrap=True)


def _store(settings: Config) -> str:
    from graphrag_tasks.storage.snapshots.store import Store

    Store(settings.store).require()
    return settings.store


def _print_summary(proposal: Proposal) -> None:
    from graphrag_tasks.workbench.ontology.versions import summary

    title = f"Ontology {proposal.id}"
    CONSOLE.print(table(title, ("what", "figure"), summary(proposal.report)))
