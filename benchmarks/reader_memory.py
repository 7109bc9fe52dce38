"""Memory of one reader over many questions, with and without reranking.

    python -m benchmarks.reader_memory --store STORE --questions questions.jsonl --plot memory.svg

Each is a process of its own that asks in mode `auto`. Prints a table of its anonymous memory, which
is what it holds beside mapped files, and writes a plot of it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from benchmarks.bench_reader import memory

_CURVES = {"with reranking": ("#2a6fbb", None), "without": ("#c0504d", 0)}
"""Colour, and `rerank` as in `search`."""
_SHOWN = (0, 10, 50, 100, 200, 300, 400, 500)


def measure(store: str, asked: Sequence[str], every: int, rerank: int | None) -> list[int]:
    """Return the megabytes after opening, and then after each so many questions."""
    import graphrag_tasks

    index = graphrag_tasks.open_index(store)
    held = [memory()["anonymous_mb"]]
    for number, question in enumerate(asked, start=1):
        index.search(question, rerank=rerank)
        if number % every == 0:
            held.append(memory()["anonymous_mb"])
    return held


def plot(curves: Mapping[str, Sequence[int]], every: int) -> str:
    """Return the curves as SVG."""
    width, height, left, top = 560, 260, 50, 20
    step = 100
    most = (max(map(max, curves.values())) // step + 1) * step
    questions = (max(map(len, curves.values())) - 1) * every

    def at(question: float, megabytes: float) -> tuple[float, float]:
        return left + width * question / questions, top + height * (1 - megabytes / most)

    parts = [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
    ]
    for megabytes in range(0, most + 1, step):
        x, y = at(0, megabytes)
        parts.append(f'<text x="{x - 6:.0f}" y="{y + 4:.0f}" text-anchor="end">{megabytes}</text>')
    for question in range(0, questions + 1, max(questions // 5, 1)):
        x, y = at(question, 0)
        parts.append(f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="middle">{question}</text>')
    for name, held in curves.items():
        colour = _CURVES[name][0]
        points = [at(number * every, megabytes) for number, megabytes in enumerate(held)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = points[-1]
        place = f'x="{x - 6:.0f}" y="{y + 18:.0f}" text-anchor="end"'
        parts.append(f'<text {place} fill="{colour}">{name}</text>')
    x, y = at(questions / 2, 0)
    parts.append(f'<text x="{x:.0f}" y="{y + 34:.0f}" text-anchor="middle">questions</text>')
    parts.append(f'<text x="{left + 8}" y="{top + 18}">anonymous memory, MB</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}"'
    style = 'font-family="sans-serif" font-size="12"'
    white = '<rect width="100%" height="100%" fill="white"/>'
    return (
        "\n".join([f'{head} height="{top + height + 45}" {style}>', white, *parts, "</svg>"]) + "\n"
    )


def main() -> None:
    """Measure, print the table and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    lines = options.questions.read_text("utf-8").splitlines()
    asked = list(islice(cycle(json.loads(line)["question"] for line in lines), options.most))
    with ProcessPoolExecutor(
        max_tasks_per_child=1, mp_context=multiprocessing.get_context("spawn"), max_workers=1
    ) as pool:
        jobs = {
            name: pool.submit(measure, options.store, asked, options.every, rerank)
            for name, (_, rerank) in _CURVES.items()
        }
        curves = {name: job.result() for name, job in jobs.items()}
    shown = [number for number in _SHOWN if number <= options.most]
    print(f"| questions | {' | '.join(map(str, shown))} |\n|---{'|---' * len(shown)}|")
    for name, held in curves.items():
        print(f"| {name} | {' | '.join(str(held[one // options.every]) for one in shown)} |")
    if options.plot:
        options.plot.write_text(plot(curves, options.every), "utf-8")


if __name__ == "__main__":
    main()
