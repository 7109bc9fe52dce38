"""Where the CPU time of a question and of an index goes, beside an earlier checkout, as a picture.

    python -m benchmarks.profiled --old CHECKOUT --documents FOLDER --questions questions.jsonl --out profile.svg

Both checkouts index the folder and answer the questions by turns, each in processes of its own. The time of a question
is split by the models that it runs, in the order of their first use, and by what is beside them in search and answer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

_MODELS = ("encoder", "reranker", "reader of answers")
_WARM = 3  # Questions before the median: they load what is loaded on first use.
_LARGEST = 8  # Stages that are shown; the others are added up.


def asked(store: str, questions: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the CPU milliseconds of a first question, with opening, and the median ones of later questions."""
    import onnxruntime

    spent: defaultdict[str, float] = defaultdict(float)
    sessions: list[int] = []

    def timed(name: Callable[[Any], str], action: Any) -> Any:  # noqa: ANN401 - a method of any checkout
        def run(self: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401
            key, before, started = name(self), sum(spent.values()), time.process_time()
            try:
                return action(self, *given, **named)
            finally:
                spent[key] += time.process_time() - started - (sum(spent.values()) - before)

        return run

    def model(session: object) -> str:
        if id(session) not in sessions:
            sessions.append(id(session))
        return _MODELS[min(sessions.index(id(session)), len(_MODELS) - 1)]

    onnxruntime.InferenceSession.run = timed(model, onnxruntime.InferenceSession.run)
    started = time.process_time()
    from graphrag_tasks.answering import answer
    from graphrag_tasks.retrieval import Index, open_index

    Index.search = timed(lambda _: "search beside them", Index.search)  # type: ignore[method-assign]
    index = open_index(store)
    rows = []
    for question in questions:
        spent.clear()
        answer(index, question)
        total = time.process_time() - started
        rows.append({**spent, "answer beside it": total - sum(spent.values())})
        started = time.process_time()
    names = dict.fromkeys([*_MODELS, *(name for row in rows for name in row)])
    later = {name: 1000 * median(row.get(name, 0.0) for row in rows[_WARM:]) for name in names}
    return {"first": {name: 1000 * rows[0].get(name, 0.0) for name in names}, "later": later}


def _run(checkout: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    return subprocess.run(
        [sys.executable, *command], check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout
    ).stdout


def measured(checkouts: dict[str, Path], documents: Path, questions: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return the parts of each figure, by its title and then by checkout."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, checkout in checkouts.items():
            store = Path(scratch, name)
            _run(checkout, "-m", "graphrag_tasks", "index", str(documents), "--store", str(store))
            manifest = json.loads(next(store.glob("snapshots/*/manifest.json")).read_text("utf-8"))
            stages = {stage["stage"]: stage["cpu_seconds"] for stage in manifest["stats"]["stages"]}
            largest = dict(sorted(stages.items(), key=lambda stage: -stage[1])[:_LARGEST])
            rest = sum(stages.values()) - sum(largest.values())
            found.setdefault("an index, CPU s", {})[name] = {**largest, "other stages": rest}
        for name, checkout in checkouts.items():
            of = json.loads(
                _run(checkout, str(Path(__file__).resolve()), "--ask", scratch + "/" + name, str(questions))
            )
            found.setdefault("a question, CPU ms", {})[name] = of["later"]
            found.setdefault("the first question with opening, CPU ms", {})[name] = of["first"]
    return found


def main() -> None:
    """Measure both checkouts and draw the picture."""
    if sys.argv[1:2] == ["--ask"]:
        lines = Path(sys.argv[3]).read_text("utf-8").splitlines()
        print(json.dumps(asked(sys.argv[2], [json.loads(line)["question"] for line in lines])))
        return
    from benchmarks.tools.chart import bars

    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--old", "--documents", "--questions", "--out"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    checkouts = {"before": options.old.resolve(), "now": Path(__file__).resolve().parents[1]}
    found = measured(checkouts, options.documents.resolve(), options.questions.resolve())
    for title, by_checkout in found.items():
        print(title, {name: round(sum(parts.values()), 1) for name, parts in by_checkout.items()})
        print(json.dumps(by_checkout, indent=1))
    options.out.write_text(bars(found), "utf-8")


if __name__ == "__main__":
    main()
