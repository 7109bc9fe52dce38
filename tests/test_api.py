"""What a program may call: the names, that they are lazy, and that a first script works."""

import asyncio
import inspect
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import graphrag_tasks
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import AccessError, ConfigError, GraphragError, TerminalError
from tests import offline
from tests.offline import CONNECT

NAMES = [
    "AccessError", "ArtifactError", "BudgetError", "Client", "Config", "ConfigError", "Context", "DocumentError",
    "EndpointError", "GraphragError", "Index", "MissingDependencyError", "PriceError", "QualityError", "QueryError",
    "Reply", "SnapshotError", "SourceError", "TerminalError", "TransientError", "__version__", "answer",
    "answer_stream", "index", "load_config", "open_index", "picture",
]  # fmt: skip
SCRIPT = """
import sys
import graphrag_tasks as graphrag
index = graphrag.index({sources!r}, {store!r}, load={{"vector_store": "none"}})
print(graphrag.answer({store!r}, "Which table replaces BSEG?"))
"""
SERVED = """
import asyncio
from fastapi.testclient import TestClient
from mcp import Client
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.integrations.mcp import make_server
question = "Which table replaces BSEG?"
browser = TestClient(make_app(lambda: None, graphrag.load_config(overrides={{"store": {store!r}}})))
print(browser.get("/snapshots/current/ask", params={{"question": question}}).status_code)
async def ask():
    async with Client(make_server(lambda: index)) as agent:
        return await agent.call_tool("answer", {{"question": question}})
print(asyncio.run(ask()).is_error)
"""


def test_these_names_stay() -> None:
    assert graphrag_tasks.__all__ == NAMES
    assert [name for name in NAMES if not hasattr(graphrag_tasks, name)] == []
    assert set(NAMES) <= set(dir(graphrag_tasks))
    with pytest.raises(AttributeError, match="no attribute 'indx'"):
        _ = graphrag_tasks.indx
    for name in NAMES:
        value = getattr(graphrag_tasks, name)
        assert name == "__version__" or inspect.getdoc(value), name


def test_an_error_is_terminal_or_transient() -> None:
    errors = [getattr(graphrag_tasks, name) for name in NAMES if name.endswith("Error")]
    assert all(issubclass(error, GraphragError) for error in errors)
    kinds = (TerminalError, graphrag_tasks.TransientError)
    assert all(error is GraphragError or issubclass(error, kinds) for error in errors)


def test_an_import_loads_nothing() -> None:
    code = (
        "import sys, graphrag_tasks; "
        "print(sorted({'numpy', 'pyarrow', 'pydantic', 'spacy', 'pandas'} & set(sys.modules)))"
    )
    line = [sys.executable, "-c", code]
    found = subprocess.run(line, capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.strip() == "[]"


@pytest.mark.skipif(platform.machine() not in CONNECT, reason="seccomp of another processor")
@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
def test_a_script_without_a_guard_indexes_answers_and_serves_in_silence(tmp_path: Path) -> None:
    """Nothing looks a name up or connects, C libraries included, or leaves a file behind."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Ledger\n\nTable ACDOCA replaces table BSEG.\n")
    script = tmp_path / "script.py"
    text = SCRIPT + SERVED
    script.write_text(text.format(sources=str(tmp_path / "docs"), store=str(tmp_path / "store")))
    # without CI=true, which hides what libraries tell of a user
    kept = ("PATH", "PYTHONPATH", "GRAPHRAG_CACHE", "OMP_NUM_THREADS")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    for name in ("HOME", "TMPDIR"):
        (tmp_path / name).mkdir()
        environment[name] = str(tmp_path / name)
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-P", offline.__file__, str(script)],
        capture_output=True, text=True, cwd=tmp_path, env=environment, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "Table ACDOCA replaces table BSEG." in found.stdout
    assert found.stdout.splitlines()[-2:] == ["200", "False"]
    left = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"docs", "script.py", "store"}


def test_settings_come_from_a_file_a_config_or_the_call(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[chunk]\nmax_character = 9\n")
    (tmp_path / "docs").mkdir()
    with pytest.raises(ConfigError, match=r"chunk\.max_character.*Did you mean"):
        graphrag_tasks.index(tmp_path / "docs", tmp_path / "store", config=file)
    config = Config.model_validate({"chunk": {"max_characters": 900}, "store": "elsewhere"})
    with pytest.raises(ConfigError, match=r"chunk\.overlap"):
        graphrag_tasks.index(tmp_path / "docs", tmp_path / "store", config=config, chunk={"overlap": 1})
    assert not (tmp_path / "store").exists()


def test_labels_need_a_reader_before_anything_is_indexed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Ledger\n\nTable ACDOCA replaces table BSEG.\n")
    labels = {"enabled": True, "default": ["staff"]}
    made = partial(graphrag_tasks.index, tmp_path / "docs", tmp_path / "store")
    with pytest.raises(AccessError, match="a reader needs principals"):
        made(access=labels)
    with pytest.raises(AccessError, match="and only with labels"):
        made(principals=["staff"])
    assert not (tmp_path / "store").exists()
    index = made(access=labels, principals=["staff"], load={"vector_store": "none"})
    assert index.facts.chunks == 1


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> graphrag_tasks.Index:
    folder = tmp_path_factory.mktemp("tries")
    (folder / "docs").mkdir()
    text = "# Tables\n\nThe table VBBE replaces the table VBBS. The table VBBE was made in 2019.\n"
    (folder / "docs/tables.md").write_text(text)
    return graphrag_tasks.index(folder / "docs", folder / "store", load={"vector_store": "none"})


ASKED = "What replaces the table VBBS?"
TRIES: dict[str, Callable[[graphrag_tasks.Index], object]] = {
    "index.answer(q)": lambda index: "VBBE" in index.answer(ASKED).text,
    "index.ask(q)": lambda index: index.ask(ASKED),
    "index.answer([q, q])": lambda index: len(index.answer([ASKED, ASKED])) == 2,
    "await index.aanswer(q)": lambda index: asyncio.run(index.aanswer(ASKED)),
    "not a refused reply": lambda index: not index.answer("Who won the football match on Saturday?"),
    "reply.sources": lambda index: index.answer(ASKED).sources == index.answer(ASKED).citations,
    "for hit in context": lambda index: [hit.title for hit in index.search(ASKED)] == ["Tables"],
    'hit["title"], hit.page': lambda index: (
        (index.search(ASKED)[0]["title"], index.search(ASKED)[0].page) == ("Tables", None)
    ),
    "len(context), len(index)": lambda index: len(index.search(ASKED)) == len(index) == 1,
    "context.to_pandas()": lambda index: len(index.search(ASKED).to_pandas()),
    "index.document(path)": lambda index: "replaces" in index.document("tables.md")["text"],
    "index.entity(name)": lambda index: index.entity("table VBBE")["facts"][0].tail == "table VBBS",
    "index.attributes(name)": lambda index: [one.tail for one in index.attributes("table VBBE")] == ["2019"],
    "index.documents()": lambda index: index.documents()["title"].tolist() == ["Tables"],
    "index.entities(), relations()": lambda index: len(index.entities()) > 1 and len(index.relations()),
    "source.title, text, page": lambda index: (
        ((one := index.answer(ASKED).sources[0]).title, one.page) == ("Tables", None) and "VBBE" in one.text
    ),
    "reply.confidence": lambda index: index.answer(ASKED).confidence > 0.5,
    "index.changes()": lambda index: "document_id" in index.changes(),
    "nodes by name": lambda index: "table VBBS" in index.to_networkx(by_name=True)["table VBBE"],
    "with open_index(…)": lambda index: index.__enter__() is index,
}


@pytest.mark.parametrize("name", TRIES)
def test_what_one_tries_works(opened: graphrag_tasks.Index, name: str) -> None:
    assert TRIES[name](opened)


def test_a_document_that_is_not_there_is_told(opened: graphrag_tasks.Index) -> None:
    with pytest.raises(GraphragError, match=r"no document 'table\.md'.*Did you mean"):
        opened.document("table.md")
