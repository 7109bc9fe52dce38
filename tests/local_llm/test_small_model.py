"""A real model of 135 million parameters: it says little that is right, in the right form."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from graphrag_tasks.core.config import Config, LlmConfig, load_config
from graphrag_tasks.llm import Answer, Client, Failure, Request
from graphrag_tasks.llm.request import Kind
from graphrag_tasks.operations.doctor import examine
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.llm.test_client import attempts

pytestmark = pytest.mark.local_llm
ROOT = Path(__file__).parents[2]


CALM = {"temperature": 0.2, "seed": 1, "repeat_penalty": 1.1}
"""So small a model repeats itself for ever where nothing keeps it from that."""


class Ticket(BaseModel):
    urgency: Literal["low", "high"]
    is_broken: bool


def settings(url: str, **changes: object) -> LlmConfig:
    given = {"base_url": url, "model": "smollm2", "concurrency": 1, "budget": {"usd": 0}}
    return LlmConfig.model_validate(given | changes)


def test_the_server_is_reached_and_answers_by_schema(model_url: str) -> None:
    (found,) = [one for one in examine(Config(llm=settings(model_url)), llm=True) if one.name.endswith("answers")]
    assert found.found.startswith("{'subject':")


def test_answers_have_the_form_and_their_tokens_are_counted(model_url: str, tmp_path: Path) -> None:
    client = Client(settings(model_url, parameters=CALM), str(tmp_path), "run")
    texts = ["The printer of the third floor is broken.", "Please order new paper."]
    asked = [Request("summarize", "Make a ticket.", text, Ticket, 200) for text in texts]
    found = client.ask(asked)
    assert all(isinstance(one, Answer) and one.parsed(Ticket) for one in found)
    assert client.spent.tokens == sum(one.usage.total for one in found if isinstance(one, Answer))
    assert client.ask(asked) == found
    assert len(attempts(tmp_path)) == len(found)


def test_plain_text_is_an_answer_too(model_url: str) -> None:
    (found,) = Client(settings(model_url)).ask(
        [Request("summarize", "Answer in one sentence.", "What is a table?", None, 100)]
    )
    assert isinstance(found, Answer | Failure)
    assert isinstance(found, Answer) or found.kind == Kind.TRUNCATED


def test_too_long_a_prompt_is_said_to_be(model_url: str) -> None:
    (found,) = Client(settings(model_url)).ask(
        [Request("summarize", "Sum it up.", "The table has a field. " * 2000, Ticket, 100)]
    )
    assert isinstance(found, Failure)
    assert found.kind == Kind.TOO_LONG


def test_a_real_model_reads_and_nothing_but_what_is_said_is_adopted(model_url: str, tmp_path: Path) -> None:
    given = {
        "store": str(tmp_path / "store"),
        "sources": [str(ROOT / "examples" / "corpus" / "md")],
        "load": {"vector_store": "none"},
        "extract": {"extractor": "hybrid", "llm": {"output_tokens": 100}},
        "llm": settings(model_url, parameters=CALM).model_dump(),
    }
    run_index(load_config(None, overrides=given))
    snapshot = Store(given["store"]).open()
    answers = snapshot.table("answers").to_pylist()
    assert {row["status"] for row in answers} <= {"answered", "truncated", "invalid"}
    assert sum(row["status"] == "answered" for row in answers) > len(answers) / 2
    told, adopted = (sum(row[name] for row in answers) for name in ("told", "adopted"))
    assert told == adopted + snapshot.table("declined").num_rows
    texts = dict(zip(*(snapshot.table("sentences")[n].to_pylist() for n in ("sentence_id", "text")), strict=True))
    for row in snapshot.table("triples").to_pylist():
        if row["extractor"] == "llm" and row["tail_end"]:
            part = texts[row["sentence_id"]][row["tail_start"] : row["tail_end"]]
            assert row["tail"].split()[-1] in part


def test_the_example_corpus_gets_summaries(model_url: str, tmp_path: Path) -> None:
    given = {
        "store": str(tmp_path / "store"),
        "sources": [str(ROOT / "examples" / "corpus")],
        "load": {"vector_store": "none"},
        "communities": {"summarizer": "llm", "resolutions": [1.0]},
        "llm": settings(model_url, parameters=CALM).model_dump(),
    }
    run_index(load_config(None, overrides=given))
    rows = Store(given["store"]).open().table("communities").to_pylist()
    assert all(row["title"] and row["summary"] for row in rows)
    sent = attempts(Path(str(given["store"])))
    assert {one.kind for one in sent} <= {Kind.ANSWERED, Kind.TRUNCATED, Kind.INVALID}
    assert sum(one.kind == Kind.ANSWERED for one in sent) > len(rows) / 2
