"""Ontologies in a store: proposed, shown, and in force.

    STORE/ontology/proposed/<id>.yaml   the schema; the id is a hash of these bytes
    STORE/ontology/proposed/<id>.json   its report
    STORE/ontology/proposed/latest      id of the last proposal
    STORE/ontology/shown.json           what was last shown: a proposal, and the one then in force
    STORE/ontology/current              the schema in force

Only `approve` changes what is in force, and only to what was shown: a refusal, a timeout or a kill changes nothing.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import ArtifactError, ConfigError
from graphrag_tasks.core.ids import is_id
from graphrag_tasks.graph.relationships import GraphSchema, read_schema
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.storage.snapshots.ontology import FOLDER, IN_FORCE, ontology_in_force, place_in_force
from graphrag_tasks.workbench.ontology.proposal import Proposal, Report, ontology_id

_SHOWN, _LATEST = "shown.json", "latest"


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str
    instead_of: str


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
            self._proposed.write_bytes(_LATEST, f"{proposal.id}\n".encode("ascii"))

    def read(self, proposal_id: str | None = None) -> Proposal:
        """Return a proposal, the last one by default."""
        wanted = self._latest() if proposal_id is None else proposal_id
        if not is_id(wanted) or not self._proposed.exists(f"{wanted}.yaml"):
            what = f"there is no proposed ontology '{wanted}'" if wanted else "nothing is proposed"
            raise ConfigError(what, self._proposed.uri, self._propose())
        where = f"{self._proposed.uri}/{wanted}"
        data = self._proposed.read_bytes(f"{wanted}.yaml")
        try:
            text = data.decode("utf-8")
            report = Report.model_validate(self._proposed.read_json(f"{wanted}.json"))
        except (UnicodeDecodeError, ValidationError) as error:
            raise ArtifactError(f"is damaged: {error}", where, self._propose()) from error
        if ontology_id(text) != wanted:
            what = "was changed since it was proposed"
            hint = "Copy the file, and name the copy in relationships.schema_file; or propose again"
            raise ArtifactError(what, f"{where}.yaml", hint)
        return Proposal(text, report)

    def show(self, proposal_id: str | None = None) -> Proposal:
        """Return a proposal, as `read` does, and record that it was shown."""
        with sole_run(self._folder):
            proposal = self.read(proposal_id)
            shown = _Shown(id=proposal.id, instead_of=self.id_in_force())
            self._folder.write_json(_SHOWN, shown.model_dump())
        return proposal

    def approve(self, proposal_id: str) -> Proposal:
        """Put the last shown proposal in force; the next run maps relations by it."""
        with sole_run(self._folder):
            proposal, now = self.read(proposal_id), self.id_in_force()
            shown = self._shown()
            show = command("ontology", "show", proposal_id, store=self._store)
            again = f"Look at it first: {show}"
            if shown is None or shown.id != proposal_id:
                what = f"{proposal_id} is not the ontology that was last shown"
                raise ConfigError(what, self._folder.uri, again)
            if now == proposal_id:
                return proposal
            if now != shown.instead_of:
                what = f"the ontology in force changed since {proposal_id} was shown"
                raise ConfigError(what, place_in_force(self._store), again)
            if now != proposal.report.based_on:
                what = f"the ontology in force changed since {proposal_id} was proposed"
                raise ConfigError(what, place_in_force(self._store), "Propose again")
            read_schema(proposal.text, f"{self._proposed.uri}/{proposal_id}.yaml")
            self._folder.write_bytes(IN_FORCE, proposal.text.encode("utf-8"), durable=True)
        return proposal

    def _propose(self) -> str:
        words = ("ontology", "propose", "--questions", "FILE")
        return f"Propose one: {command(*words, store=self._store)}"

    def _latest(self) -> str:
        if not self._proposed.exists(_LATEST):
            return ""
        return self._proposed.read_bytes(_LATEST).decode("ascii", "replace").strip()

    def _shown(self) -> _Shown | None:
        if not self._folder.exists(_SHOWN):
            return None
        try:
            return _Shown.model_validate(self._folder.read_json(_SHOWN))
        except ValidationError as error:
            where = f"{self._folder.uri}/{_SHOWN}"
            raise ArtifactError("is damaged", where, command("ontology", "show", store=self._store)) from error
