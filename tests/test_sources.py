"""Sources: what is listed, what it is called, and what is never read."""

import os
from pathlib import Path

import pytest

from graphrag_tasks.errors import ConfigError, DocumentError, SourceError
from graphrag_tasks.sources import SourceReader, list_sources, source_roots


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


def test_unknown_kinds_are_listed_and_not_hashed(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.exe")
    row = list_sources(source_roots([str(tmp_path / "docs")])).to_pylist()[0]
    assert (row["media_type"], row["content_sha256"]) == ("unknown", None)


def test_hidden_files_and_lock_files_are_passed_over(tmp_path: Path) -> None:
    for name in (".DS_Store", ".git/config.md", "~$open.docx", "kept.md"):
        write(tmp_path / "docs" / name)
    assert uris(str(tmp_path / "docs")) == ["docs/kept.md"]


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


def test_a_name_that_is_no_text_is_listed_and_skipped(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    (root / os.fsdecode(b"bad\xff.md")).write_text("x")
    row = list_sources(source_roots([str(root)])).to_pylist()[0]
    assert (row["path"], row["media_type"]) == ("bad\\xff.md", "unknown")


def test_a_pipe_is_listed_and_never_opened(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    os.mkfifo(root / "pipe.md")
    row = list_sources(source_roots([str(root)])).to_pylist()[0]
    assert (row["media_type"], row["content_sha256"]) == ("unknown", None)


def test_a_file_that_became_a_pipe_is_never_opened(tmp_path: Path) -> None:
    file = write(tmp_path / "docs" / "a.md")
    reader = SourceReader(source_roots([str(tmp_path / "docs")]))
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DocumentError, match="no longer a regular file"):
        reader.fetch("docs/a.md")


def test_a_file_that_vanishes_is_not_found(tmp_path: Path) -> None:
    file = write(tmp_path / "docs" / "a.md")
    reader = SourceReader(source_roots([str(tmp_path / "docs")]))
    file.unlink()
    with pytest.raises(FileNotFoundError):
        reader.fetch("docs/a.md")


def test_a_name_may_hold_a_line_end(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "two\nlines.md", "odd name")
    roots = source_roots([str(tmp_path / "docs")])
    row = list_sources(roots).to_pylist()[0]
    assert (row["uri"], row["media_type"]) == ("docs/two\nlines.md", "md")
    assert SourceReader(roots).fetch(row["uri"]) == b"odd name"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_listed_and_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md").chmod(0)
    roots = source_roots([str(tmp_path / "docs")])
    assert list_sources(roots)["content_sha256"].to_pylist() == [None]
    with pytest.raises(PermissionError):
        SourceReader(roots).fetch("docs/a.md")


def test_each_line_of_a_jsonl_file_is_a_document(tmp_path: Path) -> None:
    file = write(
        tmp_path / "p.jsonl", '{"id": "b", "title": "B", "text": "x"}\n\n{"id": 7, "text": "y"}\n'
    )
    roots = source_roots([f"wiki={file}"])
    listed = list_sources(roots)
    assert listed["uri"].to_pylist() == ["wiki/7", "wiki/b"]
    assert set(listed["media_type"].to_pylist()) == {"passage"}
    reader = SourceReader(roots)
    assert reader.fetch("wiki/7") == b'{"id": 7, "text": "y"}'
    with pytest.raises(FileNotFoundError):
        reader.fetch("wiki/8")


@pytest.mark.parametrize(
    ("line", "said"),
    [("not json", "not a JSON object"), ('{"id": 1}', "not a JSON object"), ("[]", "not a JSON"),
     ('{"id": 1, "text": ""}', "stands twice")],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    file = write(tmp_path / "p.jsonl", '{"id": "1", "text": "x"}\n' + line)
    with pytest.raises(SourceError, match=f"line 2: .*{said}"):
        list_sources(source_roots([str(file)]))
