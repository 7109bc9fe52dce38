"""`graphrag-tasks entities`: explain an entity, and override decisions on it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import load_config

if TYPE_CHECKING:
    from graphrag_tasks.workbench.ontology import Ontologies, Proposal


Section = Literal["same", "different", "rename"]  # Sections of the overrides file.


def entities(
    name: Annotated[str, typer.Argument(help="A name of the entity, in any spelling.")],
    merge: Annotated[str | None, typer.Option(help="A name of the same entity.", metavar="OTHER")] = None,
    split: Annotated[str | None, typer.Option(help="A name of another entity.", metavar="OTHER")] = None,
    rename: Annotated[str | None, typer.Option(help="What the entity is to be called.", metavar="NEW")] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="YAML file to write to.", show_default="resolve.overrides of the config")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Explain an entity: names, decisions, relations, documents; or merge, split, rename.

    What is written to the file of overrides is applied by the next run.
    """
    asked: dict[Section, str | None] = {"same": merge, "different": split, "rename": rename}
    written = {section: other for section, other in asked.items() if other is not None}
    if written:
        _override(name, written, overrides, config)
        return
    from graphrag_tasks.entities.resolve.explain import explain_entity
    from graphrag_tasks.storage.snapshots.store import Store

    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    entity = explain_entity(snapshot, name)
    if json:
        print_json(entity.to_dict())
        return
    label = f" [{entity.type}, told by {entity.type_source}]" if entity.type else ""
    CONSOLE.print(f"{entity.name}{label}, {entity.mentions} mentions, id {entity.entity_id}", markup=False)
    CONSOLE.print(table("Aliases", ("alias", "mentions"), entity.aliases))
    if entity.decisions:
        columns = ("left", "right", "verdict", "rules", "guard", "score", "by")
        rows = [
            [", ".join(row[name]) if name == "rules" else row[name] for name in columns] for row in entity.decisions
        ]
        CONSOLE.print(table("Decisions", columns, rows))
    CONSOLE.print(table("Strongest relations", ("relation", "triples"), entity.relations))
    CONSOLE.print(table("Documents", ("document", "mentions"), entity.documents))


def _override(name: str, written: dict[Section, str], overrides: Path | None, config: Path | None) -> None:
    from graphrag_tasks.operations.overrides import Override, add_override, overrides_file

    file = overrides or overrides_file(load_config(config).resolve.overrides)
    for section, other in written.items():
        override = Override(section, name, other)
        add_override(file, override)
        CONSOLE.print(f"{file}: {override.section} {override}. The next run applies it.", markup=False)


# `graphrag-tasks ontology`: propose types and relations from users' questions.

_DROPPED_SHOWN, _EXAMPLES = 20, 2  # Rows of a table, and examples of a row, that fit a screen.


def ontology(
    proposal_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id.", show_default="the last proposal")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Propose one for these: JSONL, a line has at least a question.")
    ] = None,
    llm: Annotated[bool, typer.Option("--llm/--no-llm", help="Have llm.models.ontology name them.")] = False,
    outside: Annotated[
        Literal["map", "keep", "drop"], typer.Option(help="Other relations: map to one, keep as they are, or drop.")
    ] = "keep",
    everything: Annotated[bool, typer.Option("--all", help="Also what stays, and all that was dropped.")] = False,
    approve: Annotated[bool, typer.Option("--approve", help="Put ID in force, which was shown last.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Types and relations that users' questions ask for: propose, show, approve.

    A proposal is shown beside the ontology in force. Once approved, runs use it with relationships.schema_file =
    "approved".
    """
    from graphrag_tasks.storage.snapshots.manifests import APPROVED
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.workbench.ontology import Ontologies, propose_in_store

    settings = load_config(config, overrides={"store": store})
    Store(settings.store).require()
    ontologies = Ontologies(settings.store)
    if approve:
        if proposal_id is None or questions:
            raise typer.BadParameter("it takes the ID that was shown last, and no --questions", param_hint="--approve")
        ontologies.approve(proposal_id)
        CONSOLE.print(f"Ontology {proposal_id} is in force.")
        if settings.relationships.schema_file != APPROVED:
            hint = f'Runs use it with relationships.schema_file = "{APPROVED}".'
            CONSOLE.print(hint, markup=False, soft_wrap=True)
        return
    if questions:
        run = f"ontology-{date.today():%Y-%m-%d}"
        proposal_id = propose_in_store(settings, questions, by_model=llm, outside=outside, run=run).id
    _print(ontologies, ontologies.show(proposal_id), everything=everything, json=json)


def _print(ontologies: Ontologies, proposal: Proposal, *, everything: bool, json: bool) -> None:
    from graphrag_tasks.workbench.ontology import changes
    from graphrag_tasks.workbench.ontology.versions import SAME, summary

    every_change = changes(ontologies.in_force(), proposal.schema)
    report = proposal.report
    if json:
        rows = [change._asdict() for change in every_change]
        print_json({"id": proposal.id, "changes": rows, "report": report.model_dump()})
        return
    CONSOLE.print(table(f"Ontology {proposal.id}", ("what", "figure"), summary(report)))
    kept = [
        (part.kind, part.name, f"{part.questions:,}", f"{part.triples:,}", "; ".join(part.examples[:_EXAMPLES]))
        for part in report.kept
    ]
    CONSOLE.print(table("What it has", ("what", "name", "questions", "triples", "examples"), kept))
    shown = [change for change in every_change if everything or change.change != SAME]
    title = f"Beside the one in force ({len(every_change) - len(shown)} more stay)"
    CONSOLE.print(table(title, ("what", "name", "change", "meaning"), shown))
    dropped = [(part.kind, part.name, part.into, part.why) for part in report.dropped]
    title = f"Merged or dropped ({len(dropped)})"
    limit = None if everything else _DROPPED_SHOWN
    CONSOLE.print(table(title, ("what", "name", "now", "why"), dropped[:limit]))
    CONSOLE.print(f"Put it in force: {command('ontology', proposal.id, '--approve')}", soft_wrap=True)
