"""A model's summaries: each sentence is held against what the community says."""

import json
from collections.abc import Sequence

import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.graph.communities import CitedSentence, CommunityContext, Summary
from graphrag_tasks.graph.communities.summaries import LlmSummarizer
from graphrag_tasks.llm import Answer, Client, Request
from graphrag_tasks.llm.request import Usage

CONTEXT = CommunityContext(
    3,
    ("table VBBE", "table VBBS", "MRP area"),
    ("table VBBE replaces table VBBS", "table VBBS has no field MRP area"),
    (CitedSentence("Table VBBE replaces table VBBS since release 1809.", "Simplification", 4),),
)


class Told(Client):
    """A client whose model always says the same."""

    def __init__(self, title: str, summary: str) -> None:
        super().__init__(LlmConfig(model="m", base_url="http://127.0.0.1:9/v1"))
        self._text = json.dumps({"title": title, "summary": summary})

    def ask(self, requests: Sequence[Request], **_: object) -> list[Answer]:  # type: ignore[override]
        return [Answer("k", self._text, Usage(1, 1), "m") for _ in requests]


def summarized(title: str, summary: str) -> Summary:
    return LlmSummarizer(Told(title, summary)).summarize([CONTEXT])[0]


def test_sentences_that_the_community_says_stay() -> None:
    text = "Table VBBE replaces table VBBS since release 1809. Table VBBS has no field MRP area."
    assert summarized("Tables VBBE and VBBS", text) == Summary("Tables VBBE and VBBS", text)


@pytest.mark.parametrize(
    "added",
    [
        "Table VBAK is replaced, too.",
        "It came with release 2020.",
        "Customers should migrate soon to avoid expensive penalties.",
        "Table VBBS has a field MRP area.",
        "See ![chart](http://evil.example/x).",
    ],
)
def test_a_sentence_that_says_more_or_otherwise_is_left_out(added: str, caplog: pytest.LogCaptureFixture) -> None:
    found = summarized("Tables", f"Table VBBE replaces table VBBS. {added}")
    assert found.text == "Table VBBE replaces table VBBS."
    assert "1 sentences of summaries" in caplog.text
