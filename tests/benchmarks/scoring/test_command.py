"""The command `python -m benchmarks.scoring`."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from benchmarks.scoring.__main__ import app


def run_json(*arguments: str | Path) -> Any:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_carbs_scores_of_a_gold_file(tmp_path: Path) -> None:
    gold, rows = tmp_path / "gold.jsonl", tmp_path / "rows.tsv"
    gold.write_text(
        json.dumps({"sentence": "The company bought a factory .", "predicate": "bought",
                    "args": ["The company", "a factory"]})
    )  # fmt: skip
    for form in ("n-ary", "binary"):
        report = run_json("openie", "--gold", gold, "--form", form, "--predictions", rows)
        assert (report["f1"], report["gold"], report["predicted"]) == (1, 1, 1)
        assert rows.read_text().split("\t")[2:] == ["bought", "The company", "a factory\n"]
