"""Which mode a question is sent to, and the reason that is given."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import MODES, open_index
from graphrag_tasks.retrieval.question.router import MODE_OF, route
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which table should be used instead of VBBS?", "simple"),
        ("Is this access allowed?", "simple"),
        ("", "simple"),
        ("What breaks if the database cluster goes down?", "relationship"),
        ("How is VBBS connected to MATDOC?", "relationship"),
        ("What are the main themes of these documents?", "analytical"),
        ("Summarise what changed across all releases", "analytical"),
        ("which tables were replaced by ACDOCA", "list"),
        ("List the adapter modules that can be rebuilt.", "list"),
        ("We ran the booster for ABAP. Which setup steps can I leave out now?", "list"),
        ("Patterns that are modelled with a router step - which ones?", "list"),
        ("Which tables hold jobs, and what takes them out in the end?", "simple"),
        ("May all developers use the role, or is it for the initial setup alone?", "simple"),
    ],
)
def test_kind_of_question(question: str, kind: str) -> None:
    routed = route(question)
    assert routed.kind == kind
    assert routed.mode == MODE_OF[kind]
    assert routed.mode in MODES
    assert routed.reasons


def test_the_decision_is_in_the_result_and_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    publish(tmp_path, SMALL)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    with caplog.at_level(logging.INFO, logger="graphrag_tasks.retrieval"):
        context = index.search("What does the spooler need?")
    assert context.route is not None
    assert (context.mode, context.route.kind) == (context.route.mode, "simple")
    assert "routed to mode ranked (simple" in caplog.text
    assert context.to_dict()["route"]["kind"] == "simple"
    assert index.search("What does the spooler need?", "dense").route is None
