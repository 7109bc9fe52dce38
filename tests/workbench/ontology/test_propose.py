"""A proposal for a small index: without and with a scripted model, and what a run makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.graph.relationships.stage import RelationType
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline.outlook import look_ahead
from graphrag_tasks.retrieval import Index
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.workbench.ontology import Ontologies, propose, propose_in_store, shown_in_store
from tests.llm.endpoint import scripted
from tests.workbench.ontology.conftest import QUESTIONS, settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps({"question": one}) + "\n" for one in QUESTIONS))
    return path


def test_without_a_model_what_the_questions_touch_is_listed_as_it_is(index: Index) -> None:
    found = propose(index, QUESTIONS)
    schema = read_schema(found.text, "file")
    assert {"replace", "read"} <= set(schema.relations)
    assert all(one == RelationType() for one in schema.relations.values())
    assert {"TABLE", "TRANSACTION"} <= {one for ls in schema.entity_types.values() for one in ls}
    assert (schema.on_violation, schema.untyped) == ("keep", "accept")
    assert (found.report.covered, found.report.searched) == (4, 4)
    assert found.schema == schema


@pytest.mark.parametrize(
    "texts",
    [
        ("What replaced the table VBBS?",),
        ("What replaced the table VBBS?", "Welche Tabelle hat VBBS ersetzt?"),
        ("Qwertz?",),
        ("!!python/object/apply:os.system [ls] <script>alert(1)</script>",),
    ],
    ids=["one", "two languages", "of nothing", "a program"],
)
def test_any_questions_give_a_schema(index: Index, texts: tuple[str, ...]) -> None:
    found = propose(index, texts)
    assert read_schema(found.text, "file") == found.schema
    assert found.report.distinct == len(texts)
    assert "script" not in found.text and "python" not in found.text


def asking(store: Path, url: str, **llm: Any) -> Config:
    given = {
        "base_url": url, "model": "other", "models": {"ontology": "m"}, "concurrency": 1,
        "prices": {"m": {"input": 1, "output": 2}}, **llm,
    }  # fmt: skip
    return settings(store, llm=given)


def answer_of(relation: str, **more: Any) -> str:
    one = {
        "name": relation, "domain": ["Tables"], "range": ["table"], "synonyms": ["supersede"],
        "inverses": [f"be {relation}d by"], **more,
    }  # fmt: skip
    types = [{"name": "Tables", "examples": ["VBBS"]}, {"name": "galaxy", "examples": []}]
    return json.dumps({"entity_types": types, "relations": [one]})


def test_a_model_names_types_and_relations_once(store: Path, file: Path) -> None:
    with scripted(answer=lambda _: answer_of("replaces")) as endpoint:
        config = asking(store, endpoint.url)
        found = propose_in_store(config, file, by_model=True)
        clusters = found.report.clusters
        assert endpoint.requests == found.report.by_model == clusters
        assert {body["model"] for body in endpoint.bodies} == {"m"}
        again = propose_in_store(config, file, by_model=True)
        assert endpoint.requests == clusters
    assert again == found
    assert set(found.schema.relations) == {"replace"}
    assert found.schema.entity_types == {"table": ["TABLE"]}
    why = {one.name: one.why for one in found.report.dropped}
    assert why["galaxy"] == "the graph has nothing by this name"


def test_prose_and_refusals_are_counted_and_their_clusters_are_as_the_graph_has_them(store: Path, file: Path) -> None:
    def answer(body: dict[str, Any]) -> str:
        text = json.dumps(body)
        return "It depends." if "Which report" in text else answer_of("replace")

    with scripted(answer=answer) as endpoint:
        found = propose_in_store(asking(store, endpoint.url), file, by_model=True)
    assert found.report.not_by_model == {"invalid": 1}
    assert found.report.by_model == found.report.clusters - 1
    assert {"replace", "read"} <= set(found.schema.relations)

    with scripted(faults=1.0, kinds=("refusal",)) as endpoint:
        config = asking(store, endpoint.url, models={"ontology": "n"}, budget={"usd": 0})
        found = propose_in_store(config, file, by_model=True)
    assert found.report.not_by_model == {"refused": found.report.clusters}
    assert found.text == propose_in_store(settings(store), file).text


def test_excluded_documents_are_never_sent(store: Path, tmp_path: Path) -> None:
    questions = tmp_path / "secret.jsonl"
    texts = ("Which report encrypts the table PA0008?", QUESTIONS[0])
    questions.write_text("".join(json.dumps({"question": one}) + "\n" for one in texts))
    with scripted(answer=lambda _: answer_of("replace")) as endpoint:
        propose_in_store(asking(store, endpoint.url), questions, by_model=True)
        assert "ZPAYROLL" in json.dumps(endpoint.bodies)
        assert "(TABLE)" in json.dumps(endpoint.bodies)
    with scripted(answer=lambda _: answer_of("replace")) as endpoint:
        config = asking(store, endpoint.url, exclude=["secret.md"], models={"ontology": "n"}, budget={"usd": 0})
        propose_in_store(config, questions, by_model=True)
        assert endpoint.requests
        assert "ZPAYROLL" not in json.dumps(endpoint.bodies)
        assert "(TABLE)" not in json.dumps(endpoint.bodies)
    with scripted() as endpoint:
        config = asking(store, endpoint.url, exclude=["**"])
        found = propose_in_store(config, questions, by_model=True).report
        assert (endpoint.requests, found.unsent) == (0, found.clusters)


def test_an_approval_makes_the_next_run_work_from_relationships_on(store: Path, file: Path) -> None:
    config = settings(store, relationships={"schema_file": "approved"})
    assert not any(look_ahead(config).stages.values())
    proposal = propose_in_store(config, file, outside="map")
    shown = shown_in_store(str(store), proposal.id)
    assert shown is not None and shown.id == proposal.id and "`replace`" in shown.body
    assert not any(look_ahead(config).stages.values())
    Ontologies(str(store)).approve(shown.id)
    stages = look_ahead(config).stages
    assert stages["link_mentions"] is None and stages["resolve"] is None
    working = [name for name, why in stages.items() if why]
    assert working[0] == "relationships"
    assert shown_in_store(str(store), proposal.id) is None

    run_index(config, workers=1)
    relations = set(Store(str(store)).open().table("relations")["relation"].to_pylist())
    assert relations <= {*proposal.schema.relations, "be related to"}
    assert not any(look_ahead(config).stages.values())
    assert propose_in_store(config, file, outside="map").text == proposal.text


def test_an_ontology_in_force_that_is_damaged_stops_a_run(store: Path) -> None:
    (store / "ontology").mkdir()
    (store / "ontology" / "current").write_text("relations: [")
    with pytest.raises(ConfigError, match="ontology/current"):
        look_ahead(settings(store, relationships={"schema_file": "approved"}))
