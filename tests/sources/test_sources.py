"""Sources: what is listed, what it is called, and what is never read."""

import errno
import os
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from fsspec.implementations.local import LocalFileSystem

from graphrag_tasks.core.errors import ConfigError, DocumentError, SourceError, TransientError
from graphrag_tasks.sources.listing import SourceReader, list_sources, source_roots


def write(file: Path, text: str = "text") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def uris(*specs: str) -> list[str]:
    return list_sources(source_roots(specs))["uri"].to_pylist()


def test_uris_do_not_depend_on_where_the_root_lies(tmp_path: Path) -> None:
    for place in ("here", "there"):
        write(tmp_path / place / "docs" / "sub" / "b.md")
        write(tmp_path / place / "docs" / "a.PDF")
    here = list_sources(source_roots([str(tmp_path / "here" / "docs")]))
    there = list_sources(source_roots([str(tmp_path / "there" / "docs")]))
    assert here.equals(there)
    assert here["uri"].to_pylist() == ["docs/a.PDF", "docs/sub/b.md"]
    assert here["media_type"].to_pylist() == ["pdf", "md"]


def test_hidden_files_and_lock_files_are_passed_over(tmp_path: Path) -> None:
    for name in (".DS_Store", ".git/config.md", "~$open.docx", "kept.md"):
        write(tmp_path / "docs" / name)
    write(tmp_path / "docs" / ".git" / "sub" / "a.md")
    assert uris(str(tmp_path / "docs")) == ["docs/kept.md"]
    passed_over = Counter[str]()
    list_sources(source_roots([str(tmp_path / "docs")]), passed_over=passed_over)
    assert passed_over == {"docs": 4}


def test_a_single_file_is_a_source(tmp_path: Path) -> None:
    file = write(tmp_path / "a.md", "alone")
    write(tmp_path / "other.md")
    roots = source_roots([str(file)])
    assert list_sources(roots)["uri"].to_pylist() == ["a.md"]
    assert SourceReader(roots).fetch("a.md") == b"alone"


def test_a_source_can_be_named(tmp_path: Path) -> None:
    write(tmp_path / "v2" / "a.md", "named")
    roots = source_roots([f"handbook={tmp_path / 'v2'}"])
    assert list_sources(roots)["uri"].to_pylist() == ["handbook/a.md"]
    assert SourceReader(roots).fetch("handbook/a.md") == b"named"


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    for place in ("a", "b"):
        write(tmp_path / place / "docs" / "x.md")
    with pytest.raises(ConfigError, match="two sources are called 'docs'"):
        source_roots([str(tmp_path / "a" / "docs"), str(tmp_path / "b" / "docs")])


def test_a_missing_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        source_roots([str(tmp_path / "absent")])
    with pytest.raises(ConfigError, match="no source is given"):
        source_roots([])


def test_nothing_outside_the_root_is_read(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "secret")
    root = tmp_path / "docs"
    root.mkdir()
    (root / "link.md").symlink_to(secret)
    reader = SourceReader(source_roots([str(root)]))
    for uri in ("docs/link.md", "docs/../secret.md"):
        with pytest.raises(DocumentError, match="leads out of its source"):
            reader.fetch(uri)
    with pytest.raises(DocumentError, match="no source 'other'"):
        reader.fetch("other/a.md")


def test_names_that_are_not_utf8_are_read_and_never_mixed_up(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    names = (b"a\xff.md", b"a\\xff.md", b"a\\\xff.md", b"a\xff\\xff.md", b"a\\xff\xff.md",
             b"sub\xff/b.md", b"\xc3\xa4.md", b"back\\slash.md")  # fmt: skip
    (root / os.fsdecode(b"sub\xff")).mkdir(parents=True)
    for name in names:
        (root / os.fsdecode(name)).write_bytes(name)
    roots = source_roots([str(root)])
    rows = list_sources(roots).to_pylist()
    assert len({row["document_id"] for row in rows}) == len(rows) == len(names)
    reader = SourceReader(roots)
    assert {reader.fetch(row["uri"]) for row in rows} == set(names)
    paths = {row["path"] for row in rows}
    assert {"a\\xff.md", "\u00e4.md", "back\\slash.md"} <= paths  # text is shown as it is
    assert {"./a\\xff.md", "./sub\\xff/b.md"} <= paths
    assert {row["media_type"] for row in rows} == {"md"}


def test_a_source_whose_path_is_not_utf8_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"bad\xff")
    folder.mkdir()
    with pytest.raises(ConfigError, match=r"bad\\xff: the source's path is not UTF-8"):
        source_roots([str(folder)])


def test_a_path_may_hold_an_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("year=2024", "sub/a=b", "plain"):
        write(tmp_path / folder / "x.md")
    assert uris(str(tmp_path / "year=2024")) == ["year=2024/x.md"]
    assert uris(f"old={tmp_path / 'year=2024'}") == ["old/x.md"]
    assert uris(f"docs={tmp_path}/sub/a=b") == ["docs/x.md"]
    monkeypatch.chdir(tmp_path)
    assert uris("./year=2024") == ["year=2024/x.md"]
    assert uris("sub/a=b") == ["a=b/x.md"]
    with pytest.raises(SourceError, match=r"does not exist.*is written \./year=2024"):
        source_roots(["year=2024"])


def test_sources_that_list_one_file_are_refused(tmp_path: Path) -> None:
    outer, inner = tmp_path / "docs", tmp_path / "docs" / "hr"
    file = write(inner / "a.md")
    (tmp_path / "link").symlink_to(inner)
    for one, other in ((outer, inner), (inner, outer), (outer, file), (outer, tmp_path / "link"), (file, file)):
        with pytest.raises(ConfigError, match=r"lies in the source.*indexed twice"):
            source_roots([f"one={one}", f"other={other}"])


def test_archives_are_sources_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("docs/a.md", name)
    specs = [f"{name}=zip://docs::{tmp_path}/{name}.zip" for name in ("one", "two")]
    reader = SourceReader(source_roots(specs))
    assert {uri: reader.fetch(uri) for uri in uris(*specs)} == {"one/a.md": b"one", "two/a.md": b"two"}


def test_links_and_pipes_are_listed_and_not_opened(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    file = write(tmp_path / "a.txt")
    write(tmp_path / "folder" / "b.txt")
    root.mkdir()
    os.mkfifo(root / "pipe.md")
    (root / "link.txt").symlink_to(file)
    (root / "folder").symlink_to(tmp_path / "folder")
    (root / "nowhere.txt").symlink_to(tmp_path / "gone")
    rows = list_sources(source_roots([str(root)])).to_pylist()
    assert {row["path"]: row["media_type"] for row in rows} == {
        "pipe.md": "special", "link.txt": "link", "folder": "link", "nowhere.txt": "link",
    }  # fmt: skip
    assert {row["content_sha256"] for row in rows} == {None}


def test_a_folder_that_cannot_be_listed_stops_the_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "docs" / "shut" / "a.md")
    write(tmp_path / "docs" / "b.md")
    listed = LocalFileSystem.ls

    def ls(self: LocalFileSystem, path: str, **options: Any) -> Any:
        if path.endswith("shut"):
            raise OSError(code, os.strerror(code), path)
        return listed(self, path, **options)

    monkeypatch.setattr(LocalFileSystem, "ls", ls)
    for code, said in ((errno.EACCES, SourceError), (errno.EIO, TransientError)):
        with pytest.raises(said, match=f"shut: a folder cannot be listed: {os.strerror(code)}"):
            uris(str(tmp_path / "docs"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_listed_and_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md").chmod(0)
    roots = source_roots([str(tmp_path / "docs")])
    assert list_sources(roots)["content_sha256"].to_pylist() == [None]
    with pytest.raises(PermissionError):
        SourceReader(roots).fetch("docs/a.md")


def test_each_line_of_a_jsonl_file_is_a_document(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", '{"id": "b", "title": "B", "text": "x"}\n\n{"id": 7, "text": "y"}\n')
    roots = source_roots([f"wiki={file}"])
    listed = list_sources(roots)
    assert listed["uri"].to_pylist() == ["wiki/7", "wiki/b"]
    assert set(listed["media_type"].to_pylist()) == {"passage"}
    reader = SourceReader(roots)
    assert reader.fetch("wiki/7") == b'{"id": 7, "text": "y"}'
    with pytest.raises(FileNotFoundError):
        reader.fetch("wiki/8")


BAD_LINES = {
    b"not json": "not a JSON object",
    b'{"id": 1}': "not a JSON object",
    b"[]": "not a JSON object",
    b"[" * 100_000: "nested too deep",
    b'{"id": 2, "text": "\xff"}': "not a JSON object",
    b'{"id": "\\ud800", "text": "x"}': "half a character",
    b'{"id": null, "text": "x"}': "neither text nor a number",
    b'{"id": "./line 2", "text": "x"}': "begins with './line '",
    b'{"id": "", "text": "x"}': "is empty",
    b'{"id": 1, "text": "second"}': "has the id 1, which stands before it",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_costs_itself_and_no_other(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(b'{"id": 1, "text": "x"}\n' + line + b'\n{"id": "z", "text": "y"}\n')
    roots = source_roots([str(file)])
    assert uris(str(file)) == ["p.jsonl/./line 2", "p.jsonl/1", "p.jsonl/z"]
    reader = SourceReader(roots)
    assert reader.fetch("p.jsonl/1") == b'{"id": 1, "text": "x"}'
    assert reader.fetch("p.jsonl/z") == b'{"id": "z", "text": "y"}'
    with pytest.raises(DocumentError, match=f"line 2 .*{BAD_LINES[line]}.*Mend it in p.jsonl"):
        reader.fetch("p.jsonl/./line 2")
