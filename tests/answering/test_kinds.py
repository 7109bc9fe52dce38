"""What kind of answer a question asks for: read by the code as by people who wrote questions.

`benchmarks/gold/question_kinds.jsonl` has questions on documents of other people, with the kinds that their writers
gave them; they had not seen the rules.
"""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.answering.table_questions import asks_for_rows
from graphrag_tasks.retrieval.modes.overview import subject_of
from graphrag_tasks.retrieval.question.router import route

GOLD = Path(__file__).parents[2] / "benchmarks/gold/question_kinds.jsonl"
QUOTED = {"yesno": "single", "define": "single", "compare": "single"}
"""Kinds that are answered by sentences, as single facts are."""


def kind_of(question: str) -> str:
    """Return the kind of answer that `answer` gives, in its order."""
    kind = route(question).kind
    if kind == "analytical" or subject_of(question):
        return "overview"
    if kind == "relationship":
        return "path"
    if asks_for_list(question):
        return "list"
    is_which = question.lower().startswith("which")  # One thing, in a sentence or in a row.
    return "count" if asks_for_rows(question) and not is_which else "single"


@pytest.fixture(scope="module")
def right() -> dict[str, list[bool]]:
    found = defaultdict(list)
    for line in GOLD.read_text().splitlines():
        row = json.loads(line)
        kinds = [QUOTED.get(kind, kind) for kind in row["kinds"]]
        found[row["kinds"][0]].append(kind_of(row["question"]) in kinds)
    return dict(found)


def test_most_questions_of_each_kind_are_told(right: dict[str, list[bool]]) -> None:
    assert all(len(of_kind) >= 30 for of_kind in right.values())
    shares = {kind: sum(of_kind) / len(of_kind) for kind, of_kind in right.items()}
    assert min(shares.values()) >= 0.8, shares
    together = [one for of_kind in right.values() for one in of_kind]
    assert sum(together) / len(together) >= 0.92
