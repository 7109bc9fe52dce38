"""Entries of the overrides file: written as they are read, once, and never against the file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.language.domain import read_overrides
from graphrag_tasks.operations.overrides import Override, add_override, overrides_file

ODD = ("c: d", 'a "b"', "x\\y", "- one", "# two", "[three]", "{four}: *five", "ünï ☃ 🙂", "no", "1e3")


@pytest.mark.parametrize("odd", ODD)
def test_odd_names_are_read_as_they_were_written(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "own.yaml"
    add_override(file, Override("rename", "table VBBS", odd))
    add_override(file, Override("rename", odd, "plain"))
    said = read_overrides(file.read_text("utf-8"), "own.yaml")
    assert said.rename["table vbbs"] == odd
    assert "plain" in said.rename.values()


def test_what_the_file_says_already_is_not_written_twice(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    add_override(file, Override("same", "one", "other"))
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=r"line 2: the file says so already"):
        add_override(file, Override("same", "Other", "one"))
    with pytest.raises(ConfigError, match=r"different by line 4, but the same by line 2"):
        add_override(file, Override("different", "other", "one"))
    with pytest.raises(ConfigError, match=r"'one' and 'ONE' are one name"):
        add_override(file, Override("same", "one", "ONE"))
    assert file.read_bytes() == before


def test_entries_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: add_override(file, Override("same", f"a{n}", f"b{n}")), range(24)))
    assert len(read_overrides(file.read_text(), "own.yaml").same) == 24


def test_without_a_file_it_says_which_setting_to_set() -> None:
    with pytest.raises(ConfigError, match=r"resolve\.overrides: there is no overrides file"):
        overrides_file(None)
