"""The stage: one row per source, whatever happens to it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ParseConfig, PlanConfig
from graphrag_tasks.core.errors import DOCUMENT_ERROR_CODES, DocumentError, MissingDependencyError, TransientError
from graphrag_tasks.core.visible import TURNS
from graphrag_tasks.parse import parse, readers
from graphrag_tasks.pipeline.plan import plan
from graphrag_tasks.sources.listing import SourceReader, list_sources, source_roots

GOOD = b"A good document.\n"


def raising(error: BaseException) -> Any:
    def fetch(uri: str) -> bytes:
        raise error

    return fetch


def status(result: Any, position: int = 0) -> tuple[str, str | None]:
    row = result.tables["documents"].to_pylist()[position]
    if row["status"] != "parsed":
        assert row["error_code"] in DOCUMENT_ERROR_CODES
        assert row["uri"] in row["error_message"]
    return row["status"], row["error_code"]


@pytest.mark.parametrize(("media_type", "said"), [("link", "symbolic link is not followed"), ("special", "pipes")])
def test_what_is_no_file_is_skipped_unread_and_says_so(media_type: str, said: str) -> None:
    row = dict.fromkeys(schemas.SOURCES.names) | {
        "document_id": "d", "uri": "docs/a.txt", "source": "docs", "path": "a.txt",
        "media_type": media_type, "size_bytes": 1,
    }  # fmt: skip
    sources = pa.Table.from_pylist([row], schema=schemas.SOURCES)
    result = parse(sources, config=ParseConfig(), fetch=raising(AssertionError("fetched")))
    assert status(result) == ("skipped", "no_regular_file")
    (message,) = result.tables["documents"]["error_message"].to_pylist()
    assert said in message
    assert "Rename" not in message


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ("empty", "empty_file")),
        (b" \n\n\t ", ("empty", "no_text")),
        (b"abc\x00def", ("failed", "broken")),
        (b"\x81\x8d\x8f", ("failed", "encoding")),
    ],
)
@pytest.mark.parametrize("media_type", ["txt", "md", "html", "csv"])
def test_text_files_without_text(parse_files: Any, media_type: str, data: bytes, expected: tuple[str, str]) -> None:
    assert status(parse_files({f"a.{media_type}": data})) == expected


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError("gone"), "vanished"),
        (PermissionError(13, "Permission denied"), "unreadable"),
        (OSError("disk"), "unreadable"),
        (DocumentError("encrypted", "locked", "a.txt"), "encrypted"),
        (KeyError("a defect"), "parse_failed"),
    ],
)
def test_fetch_errors_become_rows(parse_files: Any, error: Exception, code: str) -> None:
    assert status(parse_files({"a.txt": GOOD}, fetch=raising(error))) == ("failed", code)


@pytest.mark.parametrize("error", [TransientError("later"), MemoryError(), KeyboardInterrupt()])
def test_what_is_no_fault_of_the_document_goes_through(parse_files: Any, error: BaseException) -> None:
    with pytest.raises(type(error)):
        parse_files({"a.txt": GOOD}, fetch=raising(error))


def test_changed_content_is_refused(parse_files: Any) -> None:
    assert status(parse_files({"a.txt": GOOD}, fetch=lambda uri: b"other")) == ("failed", "changed")


def test_too_large_files_are_refused_unread(parse_files: Any) -> None:
    result = parse_files({"a.txt": GOOD}, fetch=raising(AssertionError()), config=ParseConfig(max_bytes=3))
    assert status(result) == ("failed", "too_large")


def test_one_bad_document_does_not_stop_the_others(
    parse_files: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(readers.READERS, "md", ("tests.parse.hostile_readers", "fail"))
    caplog.set_level(logging.INFO)
    result = parse_files({"a.md": b"# A", "b.txt": GOOD, "c.bin": b"?"})
    assert status(result, 0) == ("failed", "parse_failed")
    assert "KeyError: 'a defect'" in result.tables["documents"]["error_message"][0].as_py()
    assert "a.md" in caplog.text
    assert "hostile_readers.py" in caplog.text  # the worker's traceback, which is for -v
    assert not [one for one in caplog.records if one.exc_info and one.levelno > logging.INFO]
    assert status(result, 1) == ("parsed", None)
    assert result.stats == {
        "documents": 3,
        "parsed": 1,
        "partial": 0,
        "empty": 0,
        "failed": 1,
        "skipped": 1,
        "pages": 0,
        "blocks": 1,
        "cells": 0,
        "cells_omitted": 0,
        "left_out": 0,
        "pages_ocr": 0,
    }


def test_a_missing_parser_is_one_clear_error(parse_files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(readers.READERS, "md", ("absent", "read"))
    with pytest.raises(MissingDependencyError, match="pip install"):
        parse_files({"a.md": b"# A"})


TURNED = "\u202egnp.exe\u2066 Tool"
TURNING = {
    "a.md": f"# {TURNED}\n\n{TURNED} runs.\n\n| a | b |\n|---|---|\n| {TURNED} | c |\n",
    "a.txt": f"{TURNED} runs.\n",
    "a.html": "<title>&#x202e;gnp</title><h1>&#8238;gnp</h1><table><tr><th>a<th>b<tr><td>&#x202e;g<td>c</table>",
    "a.csv": f"name,of\n{TURNED},b\n",
    "a.rst": f"{TURNED}\n===================\n\n{TURNED} runs.\n",
    "a.adoc": f"= {TURNED}\n\n{TURNED} runs.\n",
    "a.tex": f"\\title{{{TURNED}}}\\begin{{document}}\\maketitle {TURNED} runs.\\end{{document}}",
    "a.vtt": f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v {TURNED}>{TURNED} runs.\n",
    "a.eml": f"Subject: {TURNED}\nFrom: a@b.c\n\n{TURNED} runs.\n",
}


@pytest.mark.parametrize("name", TURNING)
def test_nothing_that_is_read_turns_the_direction_of_writing(parse_one: Any, name: str) -> None:
    parsed = parse_one(name, TURNING[name].encode())
    assert parsed.document["status"] == "parsed", parsed.document
    read = json.dumps([parsed.document, parsed.blocks, parsed.cells], ensure_ascii=False)
    assert not {*TURNS} & {*read}
    assert "gnp" in json.dumps(parsed.blocks)


PAGE = b"<!DOCTYPE html>\n<html><body><p>The pump feeds it.</p></body></html>"


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("README", b"The pump feeds it.", "txt"),
        ("notes.text", b"The pump feeds it.", "txt"),
        ("run.log", b"The pump feeds it.", "txt"),
        ("a.tsv", b"The pump feeds it.\tb\n1\t2\n", "csv"),
        ("a.nxml", b"<article><body><p>The pump feeds it.</p></body></article>", "xml"),
        *((name, PAGE, "html") for name in ("page", "a.txt", "a.doc", "a.xls", "a.docx", "a.pdf")),
        ("a.xls", b"\xef\xbb\xbf <?xml version='1.0'?>\n<HTML>The pump feeds it.</HTML>", "html"),
        ("a.md", b"<html>\n\nThe pump feeds it.", "md"),
    ],
)
def test_the_first_bytes_tell_what_the_name_does_not(tmp_path: Path, name: str, data: bytes, media_type: str) -> None:
    (tmp_path / name).write_bytes(data)
    roots = source_roots([f"docs={tmp_path}"])
    planned = plan(list_sources(roots), schemas.empty("documents"), config=PlanConfig())
    fetch = SourceReader(roots).fetch
    read = parse(planned.tables["sources"], config=ParseConfig(), fetch=fetch).tables
    assert read["documents"]["media_type"].to_pylist() == [media_type]
    assert "The pump feeds it." in read["blocks"]["text"].to_pylist()[0]


@pytest.mark.parametrize("media_type", ["docx", "xlsx", "pptx", "odt", "epub"])
def test_a_package_is_told_by_its_parts(media_type: str, tmp_path: Path) -> None:
    marks = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
    kinds = {"odt": "vnd.oasis.opendocument.text", "epub": "epub+zip"}
    with ZipFile(tmp_path / "a.doc", "w") as package:
        if media_type in kinds:
            package.writestr("mimetype", f"application/{kinds[media_type]}")
        package.writestr(marks.get(media_type, "content.xml"), "x" * 100_000)
    (row,) = list_sources(source_roots([str(tmp_path)])).to_pylist()
    assert row["media_type"] == media_type


def test_binary_files_without_an_ending_and_old_office_files_stay_unread(tmp_path: Path) -> None:
    for name, data in {"a": b"\x7fELF\x00", "b.doc": b"\xd0\xcf\x11\xe0x", "c": b""}.items():
        (tmp_path / name).write_bytes(data)
    listed = list_sources(source_roots([str(tmp_path)]))
    assert set(listed["media_type"].to_pylist()) == {"unknown"}
