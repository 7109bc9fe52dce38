"""The communities stage: rows, summaries with sources, and what is reused."""

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.graph.communities import (
    COLUMNS,
    CitedSentence,
    CommunityContext,
    ExtractiveSummarizer,
    Summary,
    communities,
)

CLIQUES = (("VBBE", "VBBS", "MRP area"), ("Leave", "Payroll", "Employee"))


def rows(table: str, found: list[dict[str, Any]], **defaults: Any) -> pa.Table:
    names = schemas.SCHEMAS[table].names
    return pa.Table.from_pylist([dict.fromkeys(names) | defaults | row for row in found], schema=schemas.SCHEMAS[table])


def world(*, shuffle: int | None = None) -> dict[str, pa.Table]:
    """Two triangles of entities, each in a document of its own; a sentence for each relation."""
    entities, relations, evidence, sentences, mentions = [], [], [], [], []
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
            evidence.append({"relation_id": f"r{key}", "triple_id": f"t{key}", "sentence_id": f"s{key}"})
            mentions.append({"entity_id": f"e-{name}", "chunk_id": f"c{number}"})
    if shuffle is not None:
        for made in (entities, relations, evidence, sentences, mentions):
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
        "chunks": rows(
            "chunks",
            [{"chunk_id": f"c{n}", "document_id": f"d{n}", "heading_path": []} for n in (0, 1)],
            ordinal=0, text="x", char_start=0, char_end=1, is_reference=False,
        ),
        "mentions": rows("mentions", mentions, document_id="d", sentence_id="s", start=0, end=1,
                         alias="x", source="extracted"),
    }  # fmt: skip


def run(tables: dict[str, pa.Table], **other: Any) -> StageResult:
    arguments: dict[str, Any] = {"config": CommunitiesConfig(), "summarizer": ExtractiveSummarizer()}
    return communities(**tables, **arguments | other).collected()


def test_each_level_has_a_community_for_each_triangle() -> None:
    result = run(world(), config=CommunitiesConfig(resolutions=(0.5, 2.0)))
    found = result.tables["communities"].to_pylist()
    assert [(row["level"], row["size"]) for row in found] == [(0, 3), (0, 3), (1, 3), (1, 3)]
    parents = {row["community_id"]: row["member_sha256"] for row in found if row["level"] == 0}
    assert all(parents[row["parent_id"]] == row["member_sha256"] for row in found if row["level"] == 1)


def test_members_come_with_the_most_central_first() -> None:
    result = run(world())
    members = result.tables["members"].to_pylist()
    first = [row for row in members if row["community_id"] == members[0]["community_id"]]
    assert {row["entity_id"] for row in first} == {f"e-{name}" for name in CLIQUES[1]}
    assert [row["centrality"] for row in first] == sorted((row["centrality"] for row in first), reverse=True)
    assert {row["entity_id"] for row in first[:2]} == {"e-Leave", "e-Payroll"}


def test_the_extractive_summary_quotes_its_sources() -> None:
    found = {row["title"]: row["summary"] for row in run(world()).tables["communities"].to_pylist()}
    assert found["Cookbook"].splitlines() == [
        "“VBBE needs VBBS.” (Cookbook)",
        "“VBBS needs MRP area.” (Cookbook)",
        "“MRP area needs VBBE.” (Cookbook)",
        "It is about VBBE, VBBS and MRP area.",
        "Facts: VBBE needs VBBS; VBBS needs MRP area; MRP area needs VBBE.",
    ]
    assert "“Leave needs Payroll.” (Handbook, page 4)" in found["Handbook"]


def test_the_order_of_rows_does_not_show() -> None:
    expected = run(world())
    for seed in range(5):
        result = run(world(shuffle=seed))
        assert result.tables["communities"].equals(expected.tables["communities"])
        assert result.tables["members"].equals(expected.tables["members"])


def test_what_is_said_in_passing_does_not_join_two_topics() -> None:
    tables = world()
    passing = [
        *tables["relations"].to_pylist(),
        {
            "relation_id": "r9", "head_id": "e-VBBE", "relation": "keep", "tail_id": "e-Payroll",
            "phrase": "keeps", "kind": "fact", "weight": 4.0, "confidence": 0.9, "negated": False,
        }
    ]  # fmt: skip
    tables["relations"] = rows("relations", passing)
    apart = run(tables, config=CommunitiesConfig(resolutions=(0.5,)))
    assert apart.tables["communities"]["size"].to_pylist() == [3, 3]
    tables["chunks"] = rows("chunks", [row | {"document_id": "d0"} for row in tables["chunks"].to_pylist()])
    together = run(tables, config=CommunitiesConfig(resolutions=(0.5,)))
    assert together.tables["communities"]["size"].to_pylist() == [6]


def test_a_graph_of_nothing_has_no_communities() -> None:
    tables = {name: schemas.empty(name) for name in world()}
    result = run(tables)
    assert [table.num_rows for table in result.tables.values()] == [0, 0]
    assert result.stats["communities"] == 0


def test_one_entity_without_relations_has_no_community() -> None:
    tables = world()
    alone = {name: tables[name].slice(0, 1) for name in ("entities", "sentences", "documents")}
    empty = {name: schemas.empty(name) for name in ("relations", "evidence", "mentions", "chunks")}
    assert run(alone | empty).tables["members"].num_rows == 0


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


def test_another_summarizer_reuses_nothing() -> None:
    before = run(world())
    summarizer = Counting()
    run(world(), summarizer=summarizer, summarized=before.tables["communities"])
    assert len(summarizer.asked) == 2


def test_sources_are_worded_with_their_page() -> None:
    assert CitedSentence("x", "Guide", 3).source == "Guide, page 3"
    assert CitedSentence("x", "Guide", None).source == "Guide"


def test_a_graph_that_lost_its_relations_has_no_communities() -> None:
    before = run(world()).tables["communities"]
    bare = {name: table.slice(0, 0) for name, table in world().items()}
    assert run(bare, summarized=before).tables["communities"].num_rows == 0


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
    assert found[0]["title"].startswith("e000000")


def test_a_community_is_called_by_its_heading_and_its_hub_where_that_has_much_else() -> None:
    tables = world()
    chunks = tables["chunks"].to_pylist()
    chunks[0]["heading_path"] = ["Cookbook", "3. Which tables are there in it?"]
    chunks[1]["heading_path"] = ["Handbook", "Staff"]
    for n in range(4):  # most of the handbook is about something else
        chunks.append(chunks[1] | {"chunk_id": f"c9{n}", "heading_path": ["Handbook"]})
    others = [{"entity_id": f"e-{n}", "key": f"k{n}", "name": f"n{n}", "mentions": 1, "chunks": 1} for n in range(20)]
    mentions = [{"entity_id": one["entity_id"], "chunk_id": "c90"} for one in others]
    of_cookbook = [{"entity_id": one["entity_id"], "chunk_id": "c0"} for one in others]
    world_of = tables["entities"].to_pylist()
    tables |= {
        "chunks": rows("chunks", chunks),
        "entities": rows("entities", world_of + others),
        "mentions": rows("mentions", tables["mentions"].to_pylist() + mentions + of_cookbook),
    }
    found = run(tables, config=CommunitiesConfig(resolutions=(0.5,))).tables["communities"]
    assert set(found["title"].to_pylist()) == {"Handbook, Staff", "Which tables are there in it?: VBBE"}


def test_sentences_of_the_sections_of_a_community_come_first_and_associations_are_no_facts() -> None:
    tables = world()
    of_cookbook = tables["sentences"].to_pylist()
    for row in of_cookbook:
        if row["text"].startswith("VBBE"):
            row["document_id"], row["chunk_id"] = "d1", "c1"
    relations = tables["relations"].to_pylist()
    relations[0]["kind"] = "association"
    changed = tables | {
        "sentences": pa.Table.from_pylist(of_cookbook, schema=tables["sentences"].schema),
        "relations": pa.Table.from_pylist(relations, schema=tables["relations"].schema),
    }
    rows = run(changed).tables["communities"].to_pylist()
    found = {row["title"]: row["summary"] for row in rows}
    lines = found["Cookbook"].splitlines()
    assert [line.rpartition("(")[2] for line in lines[:3]] == ["Cookbook)", "Cookbook)", "Handbook)"]
    assert lines[-1] == "Facts: VBBS needs MRP area; MRP area needs VBBE."


def test_endless_names_are_clipped_in_titles_and_summaries() -> None:
    context = CommunityContext(3, ("n" * 10_000, "b", "c"), ("r" * 10_000,), ())
    (summary,) = ExtractiveSummarizer().summarize([context])
    assert summary.title == "n" * 79 + "…"
    assert len(summary.text) < 400


def test_what_is_read_is_enough() -> None:
    everything = run(world())
    columns = run({name: table.select(COLUMNS[name]) for name, table in world().items()})
    assert columns.tables["communities"].equals(everything.tables["communities"])
