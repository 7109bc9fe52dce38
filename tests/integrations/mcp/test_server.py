"""Tools for agents, called by the SDK's own client: what they give, refuse, and never show."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.errors import QueryError, SnapshotError
from graphrag_tasks.core.schemas import SCHEMA_VERSION
from graphrag_tasks.integrations.mcp import Tools, make_server
from graphrag_tasks.integrations.mcp.server import Current, Pages
from graphrag_tasks.retrieval import Index
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE
from tests.retrieval.labelled_worlds import publish
from tests.retrieval.small_worlds import TWO
from tests.retrieval.test_visibility import BOARD, STAFF, opened

TOOLS = {
    "search": {"question": "What replaces the Spooler?"},
    "answer": {"question": "What replaces the Spooler?"},
    "find_entity": {"name": "gatewy"},
    "neighbours": {"name": "Gateway"},
    "paths": {"start": "Gateway", "end": "Driver"},
    "read": {"item_id": ""},
    "cite": {"item_id": ""},
    "describe": {},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("published") / "store", [STAFF, BOARD])


@pytest.fixture(scope="module")
def staff(store: Path) -> Index:
    return opened(store, ["staff"])


def called(index: Index, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Return what the SDK's client gets of a server in this process."""

    async def ask() -> list[Any]:
        async with Client(make_server(lambda: index)) as client:
            results = [client.call_tool(name, arguments) for name, arguments in calls]
            return list(await asyncio.gather(*results))

    return asyncio.run(ask())


def said(result: Any) -> Any:
    """Return the JSON that a tool gave: one text, and nothing beside it."""
    (block,) = result.content
    assert result.structured_content is None
    return json.loads(block.text)


def filled(index: Index) -> dict[str, dict[str, Any]]:
    """Return the arguments of each tool with ids of the index."""
    chunk = Tools(lambda: index).search("Gateway")["items"][0]["chunk_id"]
    relation = Tools(lambda: index).neighbours("Gateway")["items"][0]["relation_id"]
    return TOOLS | {"read": {"item_id": chunk}, "cite": {"item_id": relation}}


def test_an_argument_that_a_tool_does_not_have_is_refused_with_the_near_name(staff: Index) -> None:
    tools = filled(staff)
    calls = [(name, arguments | {"max_usd": 1}) for name, arguments in tools.items()]
    calls.append(("search", {"question": "Gateway", "limits": 2}))
    calls.append(("search", {"qestion": "Gateway"}))
    texts = []
    for result in called(staff, calls):
        assert result.is_error
        texts.append(result.content[0].text)
    assert all("no argument 'max_usd'" in text for text in texts[: len(tools)])
    assert "Did you mean 'limit'?" in texts[-2]
    assert "Did you mean 'question'?" in texts[-1]


def test_every_tool_is_told_and_answers(staff: Index) -> None:
    async def listed() -> list[Any]:
        async with Client(make_server(lambda: staff)) as client:
            return list((await client.list_tools()).tools)

    told = asyncio.run(listed())
    assert {tool.name for tool in told} == set(TOOLS)
    assert all(tool.description and len(tool.description) < 400 for tool in told)
    assert not any(tool.output_schema for tool in told)
    arguments = filled(staff)
    results = called(staff, list(arguments.items()))
    for name, result in zip(arguments, results, strict=True):
        assert not result.is_error, (name, result.content)
        given = said(result)
        assert given["snapshot_id"] == staff.facts.snapshot_id
        assert given.get("items", given.get("sentences", [True])), name
    fact = said(results[list(arguments).index("neighbours")])["items"][0]
    assert fact["source"]["title"] == "Gateway Guide"
    entity = said(results[list(arguments).index("find_entity")])["items"][0]
    assert "gateway" in entity["name"].lower()


def test_a_follow_up_is_filled_from_the_question_before(staff: Index) -> None:
    asked = {"question": "What replaces it?", "after": "What needs the Spooler?"}
    (result,) = called(staff, [("answer", asked)])
    assert said(result)["asked_as"] == "What replaces the Spooler?"
    assert said(result)["verdict"].startswith(said(result)["state"].capitalize())


def test_no_hidden_word_comes_out(staff: Index) -> None:
    calls = [*filled(staff).items()]
    calls += [(name, {"name": word}) for name in ("find_entity", "neighbours")
              for word in ("Zephyr", "Quorum", "Zephir")]  # fmt: skip
    calls += [("search", {"question": "Who funds Zephyr and buys Quorum?"})]
    calls += [("paths", {"start": "Gateway", "end": "Spooler"})]
    shown = [result.content[0].text for result in called(staff, calls)]
    assert not [text for text in shown if "merger" in text or "Operation" in text]
    assert not [text for text in shown if "fund" in text or "threaten" in text]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("search", {"question": "x" * 10_000}, "it has 10,000 characters"),
        ("search", {"question": " \x00\n "}, "it is empty"),
        ("search", {"question": "Gateway", "mode": "nosuch"}, "there is no mode"),
        ("search", {"question": "Gateway", "cursor": "1.x"}, "this is no cursor"),
        ("neighbours", {"name": "nobody"}, "there is no entity"),
        ("read", {"item_id": "no-such-id"}, "there is no chunk or document"),
        ("cite", {"item_id": "no-such-id"}, "there is no relation"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(
    staff: Index, name: str, arguments: dict[str, Any], message: str
) -> None:
    (result,) = called(staff, [(name, arguments)])
    assert result.is_error
    assert message in result.content[0].text
    assert "Error executing tool" not in result.content[0].text


def test_two_hundred_calls_at_once_are_all_answered(staff: Index) -> None:
    results = called(staff, [("find_entity", {"name": "Gateway"})] * 200)
    assert len(results) == 200
    assert not any(one.is_error for one in results)


def test_pages_follow_each_other_without_gap(staff: Index) -> None:
    tools, cursor, seen = Tools(lambda: staff), "", []
    while True:
        page = tools.neighbours("Gateway", 1, cursor)
        seen += [fact["relation_id"] for fact in page["items"]]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    assert seen == [fact["relation_id"] for fact in tools.neighbours("Gateway", 50)["items"]]
    assert len(seen) == page["total"] > 1


def test_a_cursor_of_another_call_is_refused() -> None:
    pages = Pages("s", {"tool": "search", "question": "a"}, 2)
    cursor = pages.page([1, 2, 3], "")["next_cursor"]
    assert pages.page([1, 2, 3], cursor) == {"items": [3], "total": 3}
    for other in (
        Pages("t", {"tool": "search", "question": "a"}, 2),
        Pages("s", {"tool": "search", "question": "b"}, 2),
    ):
        with pytest.raises(QueryError, match="another call or snapshot"):
            other.start(cursor)


def test_without_a_store_it_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError):
        Current(str(tmp_path / "nothing"))


def test_a_damaged_store_is_told_without_its_place(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Index:
        raise SnapshotError("a table is missing", "/srv/secret/store")

    async def ask() -> Any:
        async with Client(make_server(broken)) as client:
            return await client.call_tool("describe", {})

    result = asyncio.run(ask())
    assert result.is_error
    assert "secret" not in result.content[0].text
    assert "/srv/secret/store" in caplog.text


def test_a_new_snapshot_is_read_and_the_settings_count(store: Path, tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "store")
    current = Current(str(tmp_path / "store"), ("staff",), RetrievalConfig(k=2))
    before = current()
    assert (before.config.k, current() is before) == (2, True)
    publish(tmp_path / "store", [STAFF], "2" * len(before.facts.snapshot_id))
    assert current().facts.snapshot_id != before.facts.snapshot_id


def test_a_snapshot_of_a_newer_version_is_one_error(
    store: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At the start it names both versions; an agent that asks later is told whom to ask."""
    newer = SCHEMA_VERSION + 1
    shutil.copytree(store, tmp_path / "store")
    current = Current(str(tmp_path / "store"), ("staff",))
    publish(tmp_path / "store", [STAFF], TWO)
    manifest = tmp_path / "store" / "snapshots" / TWO / MANIFEST_FILE
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"schema_version": newer}))

    async def ask() -> Any:
        async with Client(make_server(current)) as client:
            return await client.call_tool("search", {"question": "Gateway"})

    result = asyncio.run(ask())
    assert result.is_error
    assert result.content[0].text.startswith("The index cannot be read now.")
    (logged,) = [message for message in caplog.messages if "schema version" in message]
    versions = f"has schema version {newer}, this package reads {SCHEMA_VERSION}. Read it with the release"
    assert versions in logged

    line = [sys.executable, "-m", "graphrag_tasks", "mcp", "--store", str(tmp_path / "store")]
    started = subprocess.run(  # noqa: S603
        [*line, "--as", "staff"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (started.returncode, started.stdout) == (1, "")
    assert started.stderr.startswith("error: ")
    assert versions in started.stderr.replace("\n", " ")
    assert "Traceback" not in started.stderr


@pytest.mark.slow
def test_over_standard_input_and_output(store: Path) -> None:
    """A process of its own; a client that goes away in the middle ends it."""
    line = ["-m", "graphrag_tasks", "mcp", "--store", str(store), "--as", "staff"]

    async def ask() -> list[Any]:
        server = StdioServerParameters(command=sys.executable, args=line)
        async with Client(server) as client:
            found = await client.call_tool("find_entity", {"name": "Gateway"})
            described = await client.call_tool("describe", {})
            task = asyncio.create_task(client.call_tool("neighbours", {"name": "Gateway"}))
            await asyncio.sleep(0)
            task.cancel()
            return [found, described]

    found, described = asyncio.run(asyncio.wait_for(ask(), 120))
    assert not found.is_error
    assert said(found)["items"]
    assert said(described)["chunks"] >= 1
