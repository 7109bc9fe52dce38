"""A user's file is changed one at a time, whole or not at all, and stays what it was."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from graphrag_tasks.core.errors import ConfigError, TransientError
from graphrag_tasks.storage import locks
from graphrag_tasks.storage.locks import edit_file, local_file, read_text


def test_changes_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"

    def add(number: int) -> None:
        edit_file(file, lambda text: f"{text}{number}\n")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    assert sorted(map(int, read_text(file).split())) == list(range(40))


def test_a_change_that_fails_leaves_the_file_and_lets_others_in(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("one\n")

    def refuse(text: str) -> str:
        raise ConfigError("not so", text)

    with pytest.raises(ConfigError, match="not so"):
        edit_file(file, refuse)
    assert file.read_text() == "one\n"
    edit_file(file, lambda text: text + "two\n")
    assert file.read_text() == "one\ntwo\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == [".lines.txt.lock", "lines.txt"]


def test_links_permissions_and_line_ends_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "real.txt", tmp_path / "link.txt"
    file.write_bytes(b"one\r\n")
    file.chmod(0o640)
    link.symlink_to(file)
    edit_file(link, lambda text: text + "two\r\n")
    assert link.is_symlink()
    assert file.read_bytes() == b"one\r\ntwo\r\n"
    assert file.stat().st_mode & 0o777 == 0o640


def test_who_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_SECONDS", 0)
    with (
        FileLock(tmp_path / ".lines.txt.lock"),
        pytest.raises(TransientError, match=r"another process is changing.*Try again"),
    ):
        edit_file(tmp_path / "lines.txt", lambda text: text + "more")


def test_a_file_that_is_no_text_is_refused_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=re.escape(f"{file}: the file cannot be read")):
        edit_file(file, lambda text: text + "more")
    assert file.read_bytes() == b"\xff\xfe"


def test_only_files_on_the_local_disk_are_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_file("lines.txt", "pages.questions") == tmp_path / "lines.txt"
    assert local_file(f"file://{tmp_path}/a/lines.txt", "") == tmp_path / "a" / "lines.txt"
    with pytest.raises(ConfigError, match=r"memory://x/lines.txt: .*Set pages\.questions to"):
        local_file("memory://x/lines.txt", "pages.questions")


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no/lines\.txt: cannot be written: its folder"):
        edit_file(tmp_path / "no" / "lines.txt", lambda text: text + "more")


def test_what_a_killed_change_left_goes_with_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl.writing").write_text("half a li")
    edit_file(tmp_path / "q.jsonl", lambda text: text)
    assert [file.name for file in tmp_path.iterdir()] == [".q.jsonl.lock"]
