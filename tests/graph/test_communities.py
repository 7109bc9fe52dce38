"""The communities stage: rows, summaries with sources, and what is reused."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.graph.communities import (
    CommunityContext,
    ExtractiveSummarizer,
    Summary,
    communities,
)

CLIQUES = (("VBBE", "VBBS", "MRP area"), ("Leave", "Payroll", "Employee"))


def rows(table: str, found: list[dict[str, Any]], **defaults: Any) -> pa.Table:
    names = schemas.SCHEMAS[table].names
    return pa.Table.from_pylist(
        [dict.fromkeys(names) | defaults | row for row in found], schema=schemas.SCHEMAS[table]
    )


def world(*, shuffle: int | None = None) -> dict[str, pa.Table]:
    """Two triangles of entities, each in a document of its own; a sentence for each relation."""
    entities, relations, evidence, sentences = [], [], [], []
    for number, clique in enumerate(CLIQUES):
        for index, name in enumerate(clique):
            other = clique[(index + 1) % len(clique)]
            key = f"{number}{index}"
            entities.append({"entity_id": f"e-{name}", "key": name, "name": name})
            relations.append(
                {
                    "relation_id": f"r{key}", "head_id": f"e-{name}", "relation": "need",
                    "tail_id": f"e-{other}", "phrase": "needs", "kind": "fact",
                    "weight": 1.0 + (index == 0), "confidence": 0.9,
                }
            )  # fmt: skip
            sentences.append(
                {
                    "sentence_id": f"s{key}", "chunk_id": f"c{number}", "document_id": f"d{number}",
                    "text": f"{name} needs\n{other}.", "page": 4 if number else None,
                }
            )  # fmt: skip
            evidence.append({"relation_id": f"r{key}", "triple_id": f"t{key}",
                             "sentence_id": f"s{key}"})  # fmt: skip
    if shuffle is not None:
        for made in (entities, relations, evidence, sentences):
            random.Random(shuffle).shuffle(made)
    place = {"document_id": "d", "chunk_id": "c"}
    return {
        "documents": rows(
            "documents",
            [
                {"document_id": "d0", "title": "Cookbook"},
                {"document_id": "d1", "title": "Handbook"},
            ],
            uri="u",
            source="s",
            path="p",
            media_type="md",
            size_bytes=1,
            characters=1,
            status="parsed",
        ),
        "entities": rows("entities", entities, mentions=1, chunks=1),
        "relations": rows("relations", relations, negated=False),
        "sentences": rows("sentences", sentences, ordinal=0, char_start=0, char_end=1,
                          has_verb=True),
        "evidence": rows("evidence", evidence, confidence=0.9, **place),
    }  # fmt: skip


def run(tables: dict[str, pa.Table], **other: Any) -> StageResult:
    arguments: dict[str, Any] = {
        "config": CommunitiesConfig(),
        "summarizer": ExtractiveSummarizer(),
    }
    return communities(**tables, **arguments | other).collected()


def test_each_level_has_a_community_for_each_triangle() -> None:
    result = run(world())
    found = result.tables["communities"].to_pylist()
    assert [(row["level"], row["size"]) for row in found] == [(0, 3), (0, 3), (1, 3), (1, 3)]
    parents = {row["community_id"]: row["member_sha256"] for row in found if row["level"] == 0}
    assert all(
        parents[row["parent_id"]] == row["member_sha256"] for row in found if row["level"] == 1
    )


def test_members_come_with_the_most_central_first() -> None:
    result = run(world())
    members = result.tables["members"].to_pylist()
    first = [row for row in members if row["community_id"] == members[0]["community_id"]]
    assert {row["entity_id"] for row in first} == {f"e-{name}" for name in CLIQUES[1]}
    assert [row["centrality"] for row in first] == sorted(
        (row["centrality"] for row in first), reverse=True
    )
    assert {row["entity_id"] for row in first[:2]} == {"e-Leave", "e-Payroll"}


def test_communities_are_circles_on_a_map_with_their_members_in_them() -> None:
    result = run(world())
    members = result.tables["members"].to_pylist()
    places = {(row["entity_id"], row["x"], row["y"]) for row in members}
    assert len(places) == 6  # the same at both levels
    circles = {row["community_id"]: row for row in result.tables["communities"].to_pylist()}
    assert all(0 < row["radius"] <= 1000 for row in circles.values())
    for row in members:
        circle = circles[row["community_id"]]
        away = math.hypot(row["x"] - circle["x"], row["y"] - circle["y"])
        assert away < circle["radius"]
    first, second = (row for row in circles.values() if row["level"] == 0)
    between = math.hypot(first["x"] - second["x"], first["y"] - second["y"])
    assert between > first["radius"] + second["radius"]


def test_the_extractive_summary_quotes_its_sources() -> None:
    found = {row["title"]: row["summary"] for row in run(world()).tables["communities"].to_pylist()}
    assert found["VBBE, VBBS and MRP area"].splitlines() == [
        "“VBBE needs VBBS.” (Cookbook)",
        "“VBBS needs MRP area.” (Cookbook)",
        "“MRP area needs VBBE.” (Cookbook)",
        "It is about VBBE, VBBS and MRP area.",
        "Facts: VBBE needs VBBS; VBBS needs MRP area; MRP area needs VBBE.",
    ]
    assert "“Leave needs Payroll.” (Handbook, page 4)" in found["Leave, Payroll and Employee"]


def test_the_order_of_rows_does_not_show() -> None:
    expected = run(world())
    for seed in range(5):
        result = run(world(shuffle=seed))
        assert result.tables["communities"].equals(expected.tables["communities"])
        assert result.tables["members"].equals(expected.tables["members"])


class Counting:
    """A summarizer that counts what it is asked to write."""

    fingerprint = "counting"
    reads_children = False

    def __init__(self) -> None:
        self.asked: list[CommunityContext] = []

    def summarize(self, communities: Sequence[CommunityContext]) -> list[Summary]:
        self.asked += communities
        return [Summary(one.entities[0], "text") for one in communities]


def test_only_changed_communities_are_summarised_again() -> None:
    summarizer = Counting()
    before = run(world(), summarizer=summarizer)
    assert len(summarizer.asked) == 2  # a community that is one on both levels is written once
    changed = world()
    names = changed["entities"]["name"].to_pylist()
    names[names.index("Payroll")] = "Pay"
    changed["entities"] = changed["entities"].set_column(2, "name", pa.array(names))
    again = Counting()
    after = run(changed, summarizer=again, summarized=before.tables["communities"])
    assert [one.entities[0] for one in again.asked] == ["Leave"]
    assert after.stats["summaries_reused"] == 1
    clean = run(changed, summarizer=Counting())
    assert after.tables["communities"].equals(clean.tables["communities"])


@pytest.mark.slow
def test_a_star_of_a_hundred_thousand_is_summarised_by_its_centre() -> None:
    leaves = 100_000
    names = [f"e{number:06}" for number in range(leaves + 1)]
    ids = pa.array(names)
    relations = pa.table(
        {
            "relation_id": pa.array([f"r{number:06}" for number in range(leaves)]),
            "head_id": pa.array([names[0]] * leaves), "tail_id": ids.slice(1),
            "phrase": pa.array(["t"] * leaves), "relation": pa.array(["t"] * leaves),
            "kind": pa.array(["fact"] * leaves), "weight": pa.array([1.0] * leaves),
            "confidence": pa.array([0.5] * leaves),
        }
    )  # fmt: skip
    tables = {name: schemas.empty(name) for name in world()} | {
        "entities": pa.table({"entity_id": ids, "name": ids}),
        "relations": relations,
    }
    found = run(tables).tables["communities"].to_pylist()
    assert found[0]["size"] == leaves + 1
    assert found[0]["title"].startswith("e000000, ")


def test_sentences_of_several_documents_come_first_and_associations_are_no_facts() -> None:
    tables = world()
    of_cookbook = tables["sentences"].to_pylist()
    for row in of_cookbook:
        if row["text"].startswith("MRP"):
            row["document_id"] = "d1"
    relations = tables["relations"].to_pylist()
    relations[0]["kind"] = "association"
    changed = tables | {
        "sentences": pa.Table.from_pylist(of_cookbook, schema=tables["sentences"].schema),
        "relations": pa.Table.from_pylist(relations, schema=tables["relations"].schema),
    }
    rows = run(changed).tables["communities"].to_pylist()
    found = {row["title"]: row["summary"] for row in rows}
    lines = found["VBBE, VBBS and MRP area"].splitlines()
    assert [line.rpartition("(")[2] for line in lines[:3]] == [
        "Cookbook)", "Handbook)", "Cookbook)"
    ]  # fmt: skip
    assert lines[-1] == "Facts: VBBS needs MRP area; MRP area needs VBBE."
