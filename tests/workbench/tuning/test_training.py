"""The script that trains the default models, on a corpus and models of seconds."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.training import models
from graphrag_tasks.workbench.tuning.learning import load_bert
from tests.workbench.tuning.conftest import ASKED, PAIRS, SAID, document, questions


@pytest.mark.slow
def test_both_stages_write_models(store: Path, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage in (models.FIRST_STAGE, models.SECOND_STAGE):
        for kind, recipe in stage.items():
            small = replace(recipe, epochs=1, tokens=96, questions=8)
            monkeypatch.setitem(stage, kind, small)
    pairs, asked = tmp_path / "pairs.jsonl", tmp_path / "questions.jsonl"
    sections = [
        {"heading": ASKED[one], "title": f"guide {other % 4}", "text": f"{SAID[one]} {SAID[other]}."}
        for one, other in PAIRS
    ]
    pairs.write_text("\n".join(map(json.dumps, sections)))
    asked.write_text("\n".join(one.model_dump_json() for one in questions()))
    assert document(0) in asked.read_text()
    line = ["--pairs", str(pairs), "--begin", str(encoder), "--stage1", str(tmp_path / "stage1")]
    line += ["--set", f"cipher={store},{asked}", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", ["models", *line])
    models.main()
    for kind in ("encoder", "reranker"):
        for folder in (tmp_path / "stage1" / kind, tmp_path / "out" / kind):
            assert load_bert(folder, is_reranker=kind == "reranker").parameters
