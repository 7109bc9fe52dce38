"""What a reader costs as a corpus grows: `benchmarks.bench_reader` on stores of different sizes.

    python -m benchmarks.reader_growth --questions questions.jsonl --plot growth.svg STORE …

`benchmarks.resampled` makes large stores. Each store is read by a process of its own. Prints a table, a row a store,
and writes a picture of it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tools.chart import Chart, draw

_CHARTS = {
    "CPU ms of a question beside the models": {
        "new": "ranked_ms", "asked again": "again_ms", "bm25": "bm25_ms",
    },
    "CPU seconds": {"first question": "first_s", "open": "opened_s"},
    "MB, without mapped files": {
        "after all questions": "after_anonymous_mb", "opened": "opened_anonymous_mb",
    },
}  # fmt: skip
_COLUMNS = (
    "bm25_ms", "dense_ms", "hybrid_ms", "graph_ms", "ranked_ms", "again_ms", "opened_s", "first_s",
    "after_anonymous_mb",
)  # fmt: skip


def measured(store: Path, questions: Path) -> dict[str, float]:
    """Return the figures of a reader."""
    command = [sys.executable, "-m", "benchmarks.bench_reader", "--reranked", "0"]
    command += ["--store", str(store), "--questions", str(questions)]
    answered = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, float] = json.loads(answered.splitlines()[-1])
    return found


def charts(rows: Sequence[dict[str, float]]) -> list[Chart]:
    """Return a chart of each group of figures."""
    return [
        Chart(
            title,
            "chunks",
            {name: [(row["chunks"], row[figure]) for row in rows] for name, figure in of.items()},
            by_powers=True,
        )
        for title, of in _CHARTS.items()
    ]


def main() -> None:
    """Measure the stores, print the table and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="+", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rows = [measured(store, options.questions) for store in options.stores]
    rows.sort(key=lambda row: row["chunks"])
    print(f"| chunks | {' | '.join(_COLUMNS)} |\n|---{'|---' * len(_COLUMNS)}|")
    for row in rows:
        print(f"| {row['chunks']:,} | {' | '.join(f'{row[name]:g}' for name in _COLUMNS)} |")
    if options.plot:
        options.plot.write_text(draw(charts(rows), columns=3, width=230, height=190), "utf-8")


if __name__ == "__main__":
    main()
