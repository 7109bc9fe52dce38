"""Ontologies in a store: proposed, shown, and in force.

    STORE/ontology/proposed/<id>.yaml   the schema; the id is a hash of these bytes
    STORE/ontology/proposed/<id>.json   its report
    STORE/ontology/proposed/latest      id of the last proposal
    STORE/ontology/shown                what was last shown: a proposal, and the one then in force
    STORE/ontology/current              the schema in force

Only `approve` changes what is in force, and only to what was shown: a refusal, a timeout or a kill changes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ArtifactError, ConfigError
from graphrag_tasks.core.ids import is_id
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.graph.relationships.stage import RelationType
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import ALL_DOCUMENTS, open_index
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.storage.snapshots.manifests import FOLDER, IN_FORCE, ontology_in_force, place_in_force
from graphrag_tasks.workbench.ontology.needs import read_asked
from graphrag_tasks.workbench.ontology.proposal import RELATION, TYPE, Outside, Proposal, Report, ontology_id, propose

NEW, GONE, CHANGED, SAME = "new", "gone", "changed", "same"
_SHOWN, _LATEST = "shown", "latest"
_MOST_ROWS = 200  # Most rows of a difference in Markdown, which Airflow shows in one form.


class Change(NamedTuple):
    """A type or relation, its change, and its (old) meaning."""

    kind: str
    name: str
    change: str
    meaning: str


class ApprovalRequest(NamedTuple):
    """An approval request: the id, a subject line, and the differences as Markdown."""

    id: str
    subject: str
    body: str


class Ontologies:
    """The ontologies of a store, given by folder or URI."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._folder = Folder(store) / FOLDER
        self._proposed = self._folder / "proposed"

    def in_force(self) -> GraphSchema:
        """Return the schema in force; an unrestricted one if there is none."""
        return read_schema(ontology_in_force(self._store), place_in_force(self._store))

    def id_in_force(self) -> str:
        """Return the id of the ontology in force; "" if there is none."""
        text = ontology_in_force(self._store)
        return ontology_id(text) if text else ""

    def keep(self, proposal: Proposal) -> None:
        """Store a proposal, without putting it in force."""
        with sole_run(self._folder):
            self._proposed.write_json(f"{proposal.id}.json", proposal.report.model_dump())
            self._proposed.write_bytes(f"{proposal.id}.yaml", proposal.text.encode("utf-8"))
            self._proposed.write_bytes(_LATEST, proposal.id.encode("ascii"))

    def read(self, proposal_id: str | None = None) -> Proposal:
        """Return a proposal, the last one by default."""
        words = ("ontology", "--questions", "FILE")
        again = f"Propose one: {command(*words, store=self._store)}"
        wanted = self._line(self._proposed, _LATEST) if proposal_id is None else proposal_id
        if not is_id(wanted) or not self._proposed.exists(f"{wanted}.yaml"):
            what = f"there is no proposed ontology '{wanted}'" if wanted else "nothing is proposed"
            raise ConfigError(what, self._proposed.uri, again)
        where = f"{self._proposed.uri}/{wanted}"
        try:
            text = self._proposed.read_bytes(f"{wanted}.yaml").decode("utf-8")
            report = Report.model_validate(self._proposed.read_json(f"{wanted}.json"))
        except (UnicodeDecodeError, ValidationError) as error:
            raise ArtifactError(f"is damaged: {error}", where, again) from error
        if ontology_id(text) != wanted:
            what = "was changed since it was proposed"
            hint = "Copy the file, and name the copy in relationships.schema_file; or propose again"
            raise ArtifactError(what, f"{where}.yaml", hint)
        return Proposal(text, report)

    def show(self, proposal_id: str | None = None) -> Proposal:
        """Return a proposal, as `read` does, and record that it was shown."""
        with sole_run(self._folder):
            proposal = self.read(proposal_id)
            shown = f"{proposal.id} {self.id_in_force()}"
            self._folder.write_bytes(_SHOWN, shown.encode("ascii"))
        return proposal

    def approve(self, proposal_id: str) -> Proposal:
        """Put the last shown proposal in force; the next run maps relations by it."""
        with sole_run(self._folder):
            proposal, now = self.read(proposal_id), self.id_in_force()
            if now == proposal_id:
                return proposal
            if now != proposal.report.based_on:
                what = f"the ontology in force changed since {proposal_id} was proposed"
                raise ConfigError(what, place_in_force(self._store), "Propose again")
            if self._line(self._folder, _SHOWN) != f"{proposal_id} {now}".strip():
                show = command("ontology", proposal_id, store=self._store)
                what = f"{proposal_id} is not the ontology that was last shown"
                raise ConfigError(what, self._folder.uri, f"Look at it first: {show}")
            read_schema(proposal.text, f"{self._proposed.uri}/{proposal_id}.yaml")
            self._folder.write_bytes(IN_FORCE, proposal.text.encode("utf-8"), durable=True)
        return proposal

    @staticmethod
    def _line(folder: Folder, name: str) -> str:
        data = folder.read_bytes(name) if folder.exists(name) else b""
        return data.decode("ascii", "replace").strip()


def propose_in_store(
    config: Config, questions: str | Path, *, by_model: bool = False, outside: Outside = "keep", run: str = "ontology"
) -> Proposal:
    """Propose an ontology for a store's current snapshot, and store the proposal.

    Args:
        config: Store, search, and with `by_model` the language model.
        questions: JSON lines, each with `question`.
        by_model: Whether `llm.models.ontology` names types and relations.
        outside: Treatment of relations outside the ontology.
        run: Name of the run, under which spending counts after a kill.
    """
    asked = read_asked(questions)
    index = open_index(
        config.store, principals=ALL_DOCUMENTS, config=config.retrieval, language=config.language, load=config.load
    )
    client = Client(config.llm, config.store, run) if by_model else None
    ontologies = Ontologies(config.store)
    based_on = ontologies.id_in_force()
    proposal = propose(index, asked, client, based_on=based_on, outside=outside)
    ontologies.keep(proposal)
    return proposal


def shown_in_store(store: str, proposal_id: str) -> ApprovalRequest | None:
    """Return the approval request for a proposal, marked as shown; None if already in force."""
    ontologies = Ontologies(store)
    if ontologies.id_in_force() == proposal_id:
        return None
    proposal = ontologies.show(proposal_id)
    report = proposal.report
    found = changes(ontologies.in_force(), proposal.schema)
    shown = [change for change in found if change.change != SAME]
    lines = ["| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in summary(report)]
    lines += ["", f"{len(found) - len(shown)} stay as they are.", ""]
    lines += ["| | name | change | |", "|---|---|---|---|"]
    lines += [
        f"| {change.kind} | `{change.name}` | {change.change} | {change.meaning} |" for change in shown[:_MOST_ROWS]
    ]
    if len(shown) > _MOST_ROWS:
        lines += ["", f"{len(shown) - _MOST_ROWS} more: {command('ontology', 'show', proposal.id)}"]
    covers = f"It covers {report.covered} of {report.searched} questions."
    return ApprovalRequest(proposal.id, f"Put ontology {proposal.id} in force? {covers}", "\n".join(lines))


def changes(before: GraphSchema, after: GraphSchema) -> list[Change]:
    """Return the change of each type and relation, unchanged ones last."""
    old, new = _meanings(before), _meanings(after)
    found = []
    for kind, name in sorted({*old, *new}, key=lambda one: (one[0] != TYPE, one)):
        was, now = old.get((kind, name)), new.get((kind, name))
        change = NEW if was is None else GONE if now is None else SAME if was == now else CHANGED
        found.append(Change(kind, name, change, (was if now is None else now) or ""))
    return sorted(found, key=lambda change: change.change == SAME)


def _meanings(schema: GraphSchema) -> dict[tuple[str, str], str]:
    types = {(TYPE, name): ", ".join(labels) for name, labels in schema.entity_types.items()}
    return types | {(RELATION, name): _meaning(one) for name, one in schema.relations.items()}


def _meaning(one: RelationType) -> str:
    domain, range_ = (", ".join(ends or ["anything"]) for ends in (one.domain, one.range))
    others = [*one.synonyms, *(f"reverse: {name}" for name in one.inverses)]
    return f"{domain} → {range_}" + (f"; also {', '.join(others)}" if others else "")


def summary(report: Report) -> list[tuple[str, str]]:
    """Return the figures for an approval, each with its explanation."""
    failed = [f"{count} {kind}" for kind, count in sorted(report.not_by_model.items())]
    failed += [f"{report.unsent} not sent"] if report.unsent else []
    by_model = f", {report.by_model} by a model" if report.by_model or failed else ""
    by_model += f" ({', '.join(failed)})" if failed else ""
    kinds = [kept.kind for kept in report.kept]
    return [
        ("questions", f"{report.asked:,}, {report.distinct:,} different"),
        ("questions covered", f"{report.covered:,} of {report.searched:,} searched"),
        ("clusters", f"{report.clusters:,}{by_model}"),
        ("triples inside", f"{report.triples_covered:,} of {report.triples:,}"),
        ("types", f"{kinds.count(TYPE)}"),
        ("relations", f"{kinds.count(RELATION)}"),
        ("proposed, not kept", f"{sum(not one.into for one in report.dropped):,}"),
    ]
