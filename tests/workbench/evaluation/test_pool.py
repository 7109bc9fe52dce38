"""What is indexed for an evaluation, and the clock of the encoder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.evaluation.questions import pool


def passages(folder: Path, *titles: str) -> str:
    folder.mkdir(exist_ok=True)
    lines = [{"id": f"{folder.name}{one}", "title": one, "text": "It rains."} for one in titles]
    (folder / "passages.jsonl").write_text("\n\n".join(json.dumps(line) for line in lines))
    return str(folder / "passages.jsonl")


def test_sets_go_by_the_folder_they_lie_in(tmp_path: Path) -> None:
    one, other = passages(tmp_path / "one", "A"), passages(tmp_path / "other", "B")
    assert pool([one, other], tmp_path / "scratch") == (f"one={one}", f"other={other}")
    with pytest.raises(ConfigError, match="two sets lie in a folder called 'one'"):
        pool([one, one], tmp_path / "scratch")


def test_titles_are_dropped_and_nothing_else(tmp_path: Path) -> None:
    one, other = passages(tmp_path / "one", "A", "Ä"), passages(tmp_path / "other", "B")
    made = pool([one, other], tmp_path / "scratch", untitled=True)
    assert [source.partition("=")[0] for source in made] == ["one", "other"]
    lines = Path(made[0].partition("=")[2]).read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"id": "oneA", "title": "", "text": "It rains."},
        {"id": "oneÄ", "title": "", "text": "It rains."},
    ]
    with pytest.raises(ConfigError, match="only passages"):
        pool([str(tmp_path)], tmp_path / "scratch", untitled=True)
