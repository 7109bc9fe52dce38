"""What people keep beside documents: read, kept through increments, searched by."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import look_ahead
from graphrag_tasks.retrieval import ALL_DOCUMENTS, Index, open_index
from graphrag_tasks.sources.metadata import MetadataFiles
from tests.corpora import configured

TEXT = "# {name}\n\nThe budget of {name} is approved by the board. The clerk files the receipts.\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "reports").mkdir(parents=True)
    for name in ("plan.md", "reports/north.md", "reports/south.md"):
        (made / name).write_text(TEXT.format(name=name.removesuffix(".md")))
    (made / "metadata.csv").write_text("path,Department,date\nreports/*.md,finance,2024-03-01\ngone.md,x,\n\n")
    (made / "reports/metadata.csv").write_text("path,region\nsouth.md,south\n")
    (made / "reports/south.md.meta.yaml").write_text(
        "department: sales\ndate: 2025-01-01\ntags: [a, b]\nmore: {x: 1}\n"
    )
    return made


def settings(corpus: Path) -> Config:
    return configured(corpus.parent, sources=[str(corpus)])


def index(corpus: Path) -> Index:
    run_index(settings(corpus), workers=1)
    return open_index(str(corpus.parent / "store"))


def metadata(index: Index) -> dict[str, list[tuple[str, str]]]:
    return {
        row["path"]: [(one["key"], one["value"]) for one in row["metadata"] or ()]
        for row in index.snapshot.table("documents").to_pylist()
    }


def paths(index: Index, **filters: str) -> set[str]:
    found = index.search("Who approves the budget?", k=10, filters=filters)
    return {chunk.uri.removeprefix("docs/") for chunk in found.chunks}


def test_metadata_are_read_and_filter_searches(corpus: Path) -> None:
    opened = index(corpus)
    rows = metadata(opened)
    assert set(rows) == {"plan.md", "reports/north.md", "reports/south.md", "metadata.csv"}
    assert rows["plan.md"] == []
    assert rows["reports/south.md"] == [
        ("date", "2025-01-01"), ("department", "sales"), ("region", "south"), ("tags", "a"), ("tags", "b"),
    ]  # fmt: skip
    assert paths(opened, department="Finance") == {"reports/north.md"}
    assert paths(opened, date="<2025") == {"reports/north.md"}
    assert paths(opened, tags="b", region="s*") == {"reports/south.md"}
    with pytest.raises(QueryError, match=r"no field 'departmnt'.*'department'"):
        opened.search("budget", filters={"departmnt": "x"})


def test_a_change_of_metadata_alone_reads_no_document_again(corpus: Path) -> None:
    index(corpus)
    (corpus / "reports/south.md.meta.yaml").write_text("department: legal\n")
    outlook = look_ahead(settings(corpus))
    assert (outlook.up_to_date, outlook.stats["shards"]) == (False, 0)
    assert paths(index(corpus), department="legal") == {"reports/south.md"}


def test_what_stands_beside_a_file_wins_over_its_own_words(corpus: Path) -> None:
    text = "---\ndate: 2020-02-02\nstate: draft\n---\n" + TEXT.format(name="south")
    (corpus / "reports/south.md").write_text(text)
    assert ("date", "2025-01-01") in metadata(index(corpus))["reports/south.md"]
    (corpus / "reports/south.md.meta.yaml").unlink()
    (corpus / "metadata.csv").unlink()
    assert look_ahead(settings(corpus)).stats["shards"] == 0  # what the file says is known
    own = metadata(index(corpus))["reports/south.md"]
    assert own == [("date", "2020-02-02"), ("region", "south"), ("state", "draft")]


def test_metadata_of_documents_that_are_not_there_are_named(corpus: Path) -> None:
    (corpus / "gone.pdf.meta.yaml").write_text("department: sales\n")
    rows = "".join(f"gone{one}.md,x,\n" for one in range(30))
    (corpus / "reports/metadata.csv").write_text(f"path,region\nsouth.md,s\n*.pdf,n\n{rows}")
    opened = index(corpus)
    store = str(corpus.parent / "store")
    shown = CliRunner().invoke(app, ["documents", "--problems", "--store", store]).stdout
    for words in (
        "skipped, metadata: 3 (no_document)", "no such document: row 3 (gone.md)",
        "no such document: gone.pdf", "docs/gone.pdf.meta.yaml",
        "row 3 (*.pdf), row 4 (gone0.md)", "and 11 more",
    ):  # fmt: skip
        assert words in shown, shown
    assert paths(opened, region="s") == {"reports/south.md"}
    (corpus / "metadata.csv").write_text("path,department\nreports/*.md,finance\n")
    assert "metadata.csv" not in metadata(index(corpus))


def problems(index: Index) -> dict[str, str]:
    rows = index.snapshot.table("documents").to_pylist()
    return {one["path"]: one["error_message"] for one in rows if one["error_code"] == "no_document"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "sep=;"])
def test_a_table_is_read_in_any_form(tmp_path: Path, encoding: str, delimiter: str) -> None:
    first = f"{delimiter}\r\n" if len(delimiter) > 1 else ""
    rows = [["Department", "path", ""], ["Straßenbau", "reports/*.md", ""], ["Büro", "plan.md", ""]]
    text = first + "".join(delimiter[-1].join(row) + "\r\n" for row in rows)
    files = MetadataFiles(["/d/MetaData.csv"], lambda _: text.encode(encoding))
    assert files.has("/d/MetaData.csv") and not list(files.of("/d/other.md"))
    assert files.of("/d/reports/a.md") == [{"key": "department", "value": "Straßenbau"}]
    assert files.of("/d/plan.md") == [{"key": "department", "value": "Büro"}]
    assert not list(files.problems())


HOSTILE_TABLES = {
    "no column": b"name,price\nbolt,3\n",
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "a quote": b'path,state\n"plan.md,x\n',
    "no path": b"path,state\n,x\n",
    "a star in a name": b"path,state\na**/b,x\n",
    "columns": b"path," + b",".join(b"k%d" % one for one in range(5_000)) + b"\n",
}
HOSTILE_FILES = {
    "a list": "- a\n- b\n",
    "depth": "[" * 5_000,
    "keys": "".join(f"k{one}: {one}\n" for one in range(200)),
    "values": "k: [" + "v, " * 5_000 + "]",
    "two megabytes": "k: [" + "v, " * 700_000 + "]",
    "an unclosed quote": 'k: "v\n',
    "a tag of python": "k: !!python/object/apply:os.system [ls]\n? [a]\n: b\n",
}
ODD_FILES = {
    "k: !!timestamp soon": "soon", "k: !!bool maybe": "maybe", "k: !!int '0x'": "0x",
    f"k: 0x{'f' * 5_000}": f"0x{'f' * 998}", 'k: "\\ud800\\e[2J"': "\\ud800\\u001b[2J", "k: yes": "yes",
    "k: 2024-03-01": "2024-03-01", "k: [1.10, ~, {a: b}]": "1.10", "a: &a {k: v}\nk: {<<: *a}\n<<: *a\nK: 007": "007",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_TABLES | HOSTILE_FILES)
def test_what_is_no_metadata_is_a_problem(name: str) -> None:
    data = HOSTILE_TABLES.get(name) or HOSTILE_FILES.get(name, "").encode()
    file = "/d/plan.md.meta.yaml" if name in HOSTILE_FILES else "/d/metadata.csv"
    files = MetadataFiles([file, "/d/plan.md"], lambda _: data)
    assert files.of("/d/plan.md") == []
    ((told, _),) = files.problems()
    assert told == file


@pytest.mark.parametrize("text", ODD_FILES)
def test_values_are_texts_as_they_stand(text: str) -> None:
    files = MetadataFiles(["/d/a.md.meta.yaml"], lambda _: text.encode())
    assert [one for one in files.of("/d/a.md") if one["key"] == "k"] == [{"key": "k", "value": ODD_FILES[text]}]
    assert not list(files.problems())


def test_thousands_of_patterns_take_seconds_at_most() -> None:
    rows = [f"*a*a*{number}*b.md,x" for number in range(1_000)]
    rows += [f"reports/{number}/**,x" for number in range(2_000)]
    files = MetadataFiles(["/d/metadata.csv"], lambda _: "\n".join(["path,k", *rows]).encode())
    began = time.process_time()
    found = [files.of(f"/d/reports/{number}/{'a' * 200}.md") for number in range(500)]
    assert found == [[{"key": "k", "value": "x"}]] * 500
    assert time.process_time() - began < 5  # a second here; more than an hour once
    ((_, told),) = files.problems()
    assert "row 2002 (too many patterns" in told
    assert "and 1,480 more" in told


def test_what_metadata_say_of_hidden_documents_is_for_those_who_may_see_all(corpus: Path) -> None:
    (corpus / "metadata.csv").write_text("path;state\nhr/layoffs.md;x\n*.md;secret\n")
    (corpus / "plan.md.meta.yaml").write_text("[")
    access: dict[str, Any] = {"access": {"enabled": True, "default": ["staff"]}}
    config = settings(corpus)
    run_index(load_config(overrides=config.model_dump() | access, environ={}), workers=1)
    store = str(corpus.parent / "store")
    told = problems(open_index(store, principals=ALL_DOCUMENTS))
    assert "hr/layoffs.md" in told["metadata.csv"] and "not read" in told["plan.md.meta.yaml"]
    assert problems(open_index(store, principals=["staff"])) == {}
    answers = open_index(store, principals=["staff"])
    assert "layoffs" not in str(answers.search("What is planned for hr?").to_dict())
