"""Coreference through the stages: what triples keep, and what they are told."""

from collections.abc import Callable
from typing import Any

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.storage.artifacts import conform

LISTS = "The migration report lists tables."
DOCUMENTS = {
    "the subject goes on": [f"{LISTS} It runs nightly on the server."],
    "it stands for nothing": [f"{LISTS} It is possible to read the log."],
    "one longer name": [f"{LISTS} Start the report in the console. The report reads the log."],
    "two longer names": [f"{LISTS} An error report follows the run. The report reads the log."],
    "a heading": ["# Running the Migration Report in SAP", "The report reads the log."],
    "a heading of the same words": ["# The report", "The report reads the log."],
}


def test_pronouns_and_short_names_are_told_what_they_stand_for(
    blocks_of: Callable[..., list[dict[str, Any]]], read_documents: Callable[..., StageResult]
) -> None:
    found = read_documents([row for name, texts in DOCUMENTS.items() for row in blocks_of(name, texts)])
    rows = [row for row in found.tables["triples"].to_pylist() if row["head_resolved"]]
    assert {(row["document_id"], row["head"], row["head_resolved"], row["relation"]) for row in rows} == {
        ("the subject goes on", "It", "migration report", "run on"),
        ("one longer name", "report", "migration report", "read"),
        ("a heading", "report", "Migration Report", "read"),
    }
    told = conform("coreferences", found.tables["coreferences"]).to_pylist()
    assert {(row["document_id"], row["rule"], row["surface"]) for row in told} == {
        ("the subject goes on", "same_subject", "It"),
        ("one longer name", "head_match", "The report"),
        ("a heading", "head_match", "The report"),
    }
    texts = {row["sentence_id"]: row["text"] for row in found.tables["sentences"].to_pylist()}
    for row in told:
        start = row["antecedent_start"]
        assert texts[row["antecedent_sentence_id"]][start:].startswith(row["antecedent"])
    assert found.stats["coreferences"] == found.stats["triple_ends_resolved"] == 3
