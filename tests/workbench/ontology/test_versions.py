"""What is in force changes by an approval alone, and only to what was shown."""

from pathlib import Path

import pytest

from graphrag_tasks.core.errors import ArtifactError, ConfigError, GraphragError
from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.workbench.ontology import Ontologies, Proposal, Report
from graphrag_tasks.workbench.ontology.proposal import schema_text


def proposal(name: str, based_on: str = "", text: str = "") -> Proposal:
    schema = GraphSchema.model_validate({"relations": {name: {}}})
    report = Report(
        snapshot_id="s", based_on=based_on, asked=1, distinct=1, searched=1, covered=1, clusters=1,
        by_model=0, not_by_model={}, unsent=0, triples=1, triples_covered=1, kept=[], dropped=[],
    )  # fmt: skip
    return Proposal(text or schema_text(schema), report)


@pytest.fixture
def ontologies(tmp_path: Path) -> Ontologies:
    return Ontologies(str(tmp_path))


@pytest.fixture
def current(tmp_path: Path) -> Path:
    return tmp_path / "ontology" / "current"


def approved(ontologies: Ontologies, one: Proposal) -> None:
    ontologies.keep(one)
    ontologies.show(one.id)
    ontologies.approve(one.id)


@pytest.mark.parametrize("unknown", ["0" * 24, "../../etc/passwd", "", "CURRENT"])
def test_what_is_not_proposed_is_refused(ontologies: Ontologies, current: Path, unknown: str) -> None:
    with pytest.raises(ConfigError, match="nothing is proposed"):
        ontologies.show()
    ontologies.keep(proposal("read"))
    ontologies.show()
    with pytest.raises(ConfigError, match=r"no proposed ontology|nothing is proposed"):
        ontologies.approve(unknown)
    assert not current.exists()


def test_an_id_leads_to_no_other_folder(ontologies: Ontologies, current: Path) -> None:
    one = proposal("read")
    ontologies.keep(one)
    for ending in ("yaml", "json"):
        file = current.parent / "proposed" / f"{one.id}.{ending}"
        (current.parent / f"outside.{ending}").write_bytes(file.read_bytes())
    with pytest.raises(ConfigError, match="no proposed ontology"):
        ontologies.show("../outside")


def test_what_was_changed_since_is_refused(ontologies: Ontologies, current: Path) -> None:
    one = proposal("read")
    ontologies.keep(one)
    ontologies.show()
    file = current.parent / "proposed" / f"{one.id}.yaml"
    file.write_text(one.text + "# edited\n")
    with pytest.raises(ArtifactError, match="changed since it was proposed"):
        ontologies.approve(one.id)
    assert not current.exists()


@pytest.mark.parametrize(
    "text",
    [
        "relations: [",
        "relations: !!python/object/apply:os.system [ls]",
        "entity_types: {a: []}\nentity_types: {b: []}",
        "relatoins: {}",
    ],
)
def test_what_is_no_schema_is_refused(ontologies: Ontologies, current: Path, text: str) -> None:
    one = proposal("read", text=text)
    ontologies.keep(one)
    ontologies.show()
    with pytest.raises(ConfigError, match=f"{one.id}.yaml"):
        ontologies.approve(one.id)
    assert not current.exists()


def test_a_proposal_beside_another_ontology_is_refused(ontologies: Ontologies, current: Path) -> None:
    first, second = proposal("read"), proposal("write")
    approved(ontologies, first)
    ontologies.keep(second)
    ontologies.show(second.id)
    with pytest.raises(ConfigError, match=r"since .* was proposed.*Propose again"):
        ontologies.approve(second.id)
    third = proposal("write", based_on=first.id)
    ontologies.keep(third)
    ontologies.show(third.id)
    (current.parent / "shown").write_text(f"{third.id} {second.id}")
    with pytest.raises(ConfigError, match="not the ontology that was last shown"):
        ontologies.approve(third.id)
    ontologies.show(third.id)
    current.write_text("relations: {call: {}}\n")
    with pytest.raises(ConfigError, match="was proposed"):
        ontologies.approve(third.id)
    assert current.read_text() == "relations: {call: {}}\n"


def test_a_kill_before_the_last_write_changes_nothing(
    ontologies: Ontologies, current: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = proposal("read")
    approved(ontologies, first)
    second = proposal("write", based_on=first.id)
    ontologies.keep(second)
    ontologies.show()
    before = current.read_bytes()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        ontologies.approve(second.id)
    monkeypatch.undo()
    assert current.read_bytes() == before
    ontologies.approve(second.id)
    assert ontologies.id_in_force() == second.id


@pytest.mark.parametrize("name", ["proposed/{id}.json", "shown", "current"])
def test_damaged_files_are_named(ontologies: Ontologies, current: Path, name: str) -> None:
    one = proposal("read")
    approved(ontologies, one)
    second = proposal("write", based_on=one.id)
    ontologies.keep(second)
    ontologies.show()
    place = name.format(id=second.id)
    (current.parent / place).write_bytes(b"\xff{")
    with pytest.raises(GraphragError, match=place.partition(".")[0]):
        ontologies.approve(second.id)
