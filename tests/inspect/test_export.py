"""Exports: other readers find the same graph, hostile names do no harm."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import networkx as nx
from fastapi.testclient import TestClient

from graphrag_tasks.answering import answer
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.visible import TURNS
from graphrag_tasks.inspect.export import Selection, provenance, whole_graph, write_graphml, write_property_graph
from graphrag_tasks.inspect.export.rdf import rdf_text
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from tests.inspect.parts import HOSTILE, SMALL

TURNING = re.compile(f"[{TURNS}]")


def written(write: Callable[[Selection, TextIO], None], what: Selection = SMALL) -> str:
    file = io.StringIO()
    write(what, file)
    return file.getvalue()


def test_no_export_page_or_answer_turns_the_direction_of_writing(tmp_path: Path) -> None:
    """A file's name may; that the text may not is held in tests/parse."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "corpus" / "e\u202egnp.txt").write_text("The table VBBE replaces the table VBBS.\n")
    overrides = {"store": str(tmp_path / "store"), "sources": [str(tmp_path / "corpus")]}
    config = load_config(overrides=overrides, environ={})
    run_index(config, workers=1)
    index = open_index(config.store)
    what, out = whole_graph(index.snapshot), tmp_path / "out"
    reply, context = answer(index, "What replaces the table VBBS?"), index.search("VBBS")
    (document,) = index.snapshot.table("documents").to_pylist()
    told = [document["title"], str(reply), reply._repr_html_(), str(context)]
    told += [context._repr_html_(), *reply.source_lines()]
    cited = provenance(index.snapshot, what)
    write_property_graph(what, cited, out)
    turtle = rdf_text(what, cited, index.snapshot.manifest, "turtle")
    told += [turtle, *(file.read_text() for file in out.iterdir())]
    browser = TestClient(make_app(lambda: None, config))
    question = "ask.md?question=What+replaces+the+table+VBBS?"
    pages = ("documents", f"documents/{document['document_id']}", question.replace(".md", ""))
    for page in (*pages, question):
        told.append(browser.get(f"/snapshots/current/{page}").text)
    assert "\u202e" in document["uri"]  # the file is called so
    assert [one for one in told if TURNING.search(one)] == []
    assert sum("e\\u202egnp.txt" in one for one in told) >= 6


def test_networkx_reads_the_same_graph_from_graphml() -> None:
    check(nx.parse_graphml(written(write_graphml)), "name")


def check(graph: Any, name: str) -> None:
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(HOSTILE), 4)
    assert graph.nodes["e2"][name] == HOSTILE[2]
    edges = {data["relation"]: data for _, _, data in graph.edges(data=True)}
    assert edges["=reads"]["negated"] is True
    assert edges["needs"]["weight"] == 1.0
