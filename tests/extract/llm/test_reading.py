"""What is asked, what is not, and what becomes of a budget: real stages, a scripted endpoint."""

import json
import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from graphrag_tasks.core.errors import AccessError, BudgetError, EndpointError
from graphrag_tasks.pipeline import Run, look_ahead
from tests.extract.llm.conftest import Reader, answer, reader, shown

__all__ = ["reader"]

Make = Callable[..., Reader]

PAGE = """# Page {number}

The report ZR{number} reads the table T{number}. It writes the log L{number}, the list and the mail.
The job J{number} starts the report every night. The log L{number} is kept for ten years.

## Secrets {number}

Project Nebula{number} funds the plant P{number}. The plant P{number} makes pumps and valves.
"""


def pages(count: int) -> dict[str, str]:
    return {f"docs/{number}.md": PAGE.format(number=number) for number in range(count)}


def nothing(_: object) -> str:
    return answer()


def statuses(rows: list[dict[str, Any]]) -> list[str]:
    return [window["status"] for row in rows for window in row["windows"]]


def test_a_request_holds_text_of_one_document(reader: Make) -> None:
    one = reader(nothing)
    one.read(pages(6))
    for body in one.endpoint.bodies:
        text = body["messages"][1]["content"]
        assert len(set(re.findall(r"(?:Page|Secrets) (\d)", text))) == 1
        assert "ZR" not in body["messages"][0]["content"]


def test_every_window_has_a_status(reader: Make) -> None:
    one = reader(nothing, faults=0.4, kinds=("prose", "refusal"), seed=1)
    found = one.read(pages(6), extract={})
    listed = [row["window_id"] for row in found.tables["windows"]]
    told = [window["window_id"] for row in found.tables["answers"] for window in row["windows"]]
    assert sorted(told) == sorted(listed)
    assert set(statuses(found.tables["answers"])) <= {"silent", "answered", "refused", "invalid"}
    assert "refused" in statuses(found.tables["answers"])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("hr/9.md", "hr/**"),
        ("Geha\u0308lter/9.md", "Geh\u00e4lter/**"),
        ("Geh\u00e4lter/9.md", "Geha\u0308lter/**"),
        (os.fsdecode(b"hr/\xff9.md"), "hr/**"),
    ],
)
def test_excluded_documents_are_never_sent(reader: Make, path: str, pattern: str) -> None:
    one = reader(nothing)
    texts = pages(4) | {path: PAGE.format(number=9)}
    found = one.read(texts, llm={"exclude": [pattern]})
    sent = json.dumps(one.endpoint.bodies)
    assert not re.findall(r"ZR9|Nebula9|Page 9|T9\b", sent)
    rows = {row["document_id"]: row["status"] for row in found.tables["answers"]}
    assert sorted(rows.values()) == ["answered"] * 4 + ["excluded"]
    assert any(row["head"] == "report ZR9" for row in found.tables["adopted_triples"])


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        (["Secret/**"], "Secret/.*: it fits 'secret/' only where case is ignored"),
        (["b.md", "*/SALARY.md"], "SALARY.md: it fits 'secret/' only where case is ignored"),
        (["secret/**", "Secret/**"], "Secret/.*: it fits no document, but 'secret/' where case"),
        (["hr/**"], "hr/.*: it fits no document"),
        (["/secret/**"], "Write the path below the source's root"),
    ],
)
def test_a_pattern_that_keeps_nothing_back_stops_the_run(reader: Make, patterns: list[str], message: str) -> None:
    one = reader(nothing)
    for path in ("secret/salary.md", "b.md"):
        (one.folder / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (one.folder / "docs" / path).write_text("# Pay\n\nThe clerk pays the salary.\n")
    with pytest.raises(AccessError, match=message):
        look_ahead(one.config(llm={"exclude": patterns}))
    for right in (["secret/**"], ["secret/**", "*.md"], []):
        look_ahead(one.config(llm={"exclude": right}))


def test_a_pack_whose_answer_is_too_long_is_halved(reader: Make) -> None:
    asked: list[int] = []

    def tell(sentences: dict[int, str]) -> str:
        asked.append(len(sentences))
        return answer() if len(sentences) < 5 else "x" * 50  # not JSON: see the refusal below

    one = reader(tell)
    one.endpoint.script.refuse = lambda body: (
        (400, {"message": "too long", "code": "context_length_exceeded"}) if len(shown(body)) >= 5 else None
    )
    found = one.read(pages(1))
    assert set(statuses(found.tables["answers"])) == {"silent"}
    assert len(found.tables["answers"]) == 2
    ids = [key for row in found.tables["answers"] for w in row["windows"] for key in w["window_id"]]
    assert len(ids) == len("".join(row["window_id"] for row in found.tables["windows"]))


@pytest.mark.parametrize(("kind", "said"), [("prose", "invalid"), ("long", "truncated"), ("empty", "empty")])
def test_a_model_of_no_use_ends_the_run(reader: Make, kind: str, said: str) -> None:
    one = reader(nothing, faults=1, kinds=(kind,))
    with pytest.raises(EndpointError, match=f"{said}|empty|form"):
        one.read(pages(160))


def test_one_cent_reads_what_it_pays_for_and_the_next_run_the_rest(reader: Make) -> None:
    one = reader(nothing)
    hybrid = {"extractor": "hybrid", "llm": {"share": 1}}
    first = one.read(pages(12), extract=hybrid, llm={"budget": {"usd": 0.009}})
    rows = first.tables["answers"]
    assert {row["status"] for row in rows} == {"answered", "over_budget"}
    assert one.endpoint.requests == [row["status"] for row in rows].count("answered")
    finish(first.run)
    unread = {row["document_id"] for row in rows if row["status"] == "over_budget"}
    assert look_ahead(one.config(extract=hybrid)).stats["changed"] == len(unread)
    second = one.read(pages(12), extract=hybrid)
    assert {row["status"] for row in second.tables["answers"]} == {"answered"}
    assert (one.endpoint.requests, one.endpoint.asked_after_delivery) == (len(rows), 0)


def finish(run: Run) -> None:
    from graphrag_tasks.pipeline import CORPUS_STAGES

    for stage in CORPUS_STAGES:
        run.process_corpus(stage)
    run.publish()


def test_with_llm_a_spent_budget_ends_the_run_and_a_higher_one_goes_on(reader: Make) -> None:
    one = reader(nothing)
    with pytest.raises(BudgetError, match="could pass the cap"):
        one.read(pages(12), llm={"budget": {"usd": 0.009}})
    asked = one.endpoint.requests
    found = one.read(pages(12), llm={"budget": {"usd": 1}})
    assert 0 < asked < one.endpoint.requests == len(found.tables["answers"])
    assert one.endpoint.asked_after_delivery == 0
