"""What the product costs, task by task, beside an earlier checkout of itself.

    python -m benchmarks.bench --store STORE --questions questions.jsonl --sources FOLDER
    python -m benchmarks.bench … --reference CHECKOUT --reference-store STORE

A task is a command in a process of its own; CPU seconds and the highest resident memory are those of the process and
its children. With a reference, both run by turns, so that other work on the machine meets both alike: look at the ratio
of the medians. Prints a table; `--out` adds rows of JSON with the data's hash, versions and the machine, for later
comparison.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.nightly_corpus import change_corpus

_QUESTION = "Which table should be used instead of VBBS?"
_VERSIONS = ("graphrag-tasks", "numpy", "onnxruntime", "pyarrow", "duckdb", "spacy")
_COMMAND = (sys.executable, "-m", "graphrag_tasks")
_INDEX = (*_COMMAND, "index", "{sources}", "--store", "{scratch}")
_HEAD = """\
| task | CPU s | wall s | peak MB | CPU beside the reference | memory beside it |
|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Task:
    """A command that is measured.

    Attributes:
        command: `{store}` and `{questions}` stand for the given paths, `{sources}` for a copy and `{scratch}` for a
            folder that are kept from one task to the next of a repetition.
        changed: Share of the documents that are changed before it.
    """

    name: str
    command: Sequence[str]
    changed: float = 0


@dataclass
class Runs:
    """Measured runs of one task by one checkout."""

    cpu_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)
    figures: list[dict[str, float]] = field(default_factory=list)

    def medians(self) -> dict[str, float]:
        """Return the median of each figure."""
        found = {name: round(median(getattr(self, name)), 3) for name in ("cpu_s", "wall_s", "peak_mb")}
        names = self.figures[0] if self.figures else ()
        return found | {name: round(median(figures[name] for figures in self.figures), 3) for name in names}


TASKS = (
    Task("help", (*_COMMAND, "--help")),
    Task("query, bm25", (*_COMMAND, "query", _QUESTION, "--mode", "bm25", "--store", "{store}")),
    Task("query, auto", (*_COMMAND, "query", _QUESTION, "--store", "{store}")),
    Task(
        "reader",
        (
            # By its path: an earlier checkout may not have it.
            *(sys.executable, str(Path(__file__).with_name("bench_reader.py"))),
            *("--store", "{store}"),
            *("--questions", "{questions}"),
        ),
    ),
    Task("index", _INDEX),
    Task("index, nothing changed", _INDEX),
    Task("index, 1 % changed", _INDEX, changed=0.01),
    Task("index, 10 % changed", _INDEX, changed=0.1),
)


def run(command: Sequence[str], checkout: Path, runs: Runs) -> None:
    """Run a command with the code of a checkout, and keep what it cost."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        # Outside of both checkouts, as `python -m` looks in the working directory first.
        process = subprocess.Popen(command, cwd=tempfile.gettempdir(), env=environment, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, list(command), output.read(), errors.read())
        last = (output.read().splitlines() or [""])[-1]
    runs.cpu_s.append(usage.ru_utime + usage.ru_stime)
    runs.wall_s.append(wall)
    runs.peak_mb.append(usage.ru_maxrss / 1024)
    if last.startswith("{"):
        runs.figures.append(json.loads(last))


def measure(
    tasks: Sequence[Task], checkouts: Mapping[str, tuple[Path, Mapping[str, str]]], sources: Path, repeats: int
) -> dict[str, dict[str, Runs]]:
    """Return the runs of each task by each checkout, which take turns.

    Args:
        tasks: In their order.
        checkouts: By name, a folder and the paths that commands name.
        sources: Folder of documents; a copy of it is indexed.
        repeats: How often each task runs.
    """
    found = {task.name: {name: Runs() for name in checkouts} for task in tasks}
    for number in range(repeats):
        with tempfile.TemporaryDirectory(prefix="graphrag-bench-") as scratch:
            corpus = Path(scratch, "sources")
            shutil.copytree(sources, corpus)
            for task in tasks:
                if task.changed:
                    change_corpus(corpus, task.changed, seed=number)
                for name, (folder, paths) in checkouts.items():
                    known = {**paths, "sources": str(corpus), "scratch": f"{scratch}/{name}"}
                    command = [part.format_map(known) for part in task.command]
                    run(command, folder, found[task.name][name])
            print(f"{number + 1} of {repeats} repetitions", file=sys.stderr)
    return found


def sha256_of(folder: Path) -> str:
    """Return a hash of the names and bytes of all files below a folder, or of one file."""
    digest = hashlib.sha256()
    files = sorted(file for file in folder.rglob("*") if file.is_file()) or [folder]
    for file in files:
        digest.update(f"{file.relative_to(folder)}\n".encode())
        with file.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def machine() -> dict[str, Any]:
    """Return what ran: processor, cores, load before, Python and packages."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _VERSIONS},
    }


def table(found: Mapping[str, Mapping[str, Runs]]) -> str:
    """Return the costs as a Markdown table, and other figures below."""
    lines, further = [_HEAD], []
    for task, by_checkout in found.items():
        own = by_checkout["own"].medians()
        other = by_checkout["reference"].medians() if "reference" in by_checkout else None
        ratios = [f"{own[name] / other[name]:.2f}" if other else "–" for name in ("cpu_s", "peak_mb")]
        lines.append(
            f"| {task} | {own['cpu_s']:.2f} | {own['wall_s']:.2f} | {own['peak_mb']:.0f} | {ratios[0]} | {ratios[1]} |"
        )
        for name in [name for name in own if name not in ("cpu_s", "wall_s", "peak_mb")]:
            was = f", reference {other[name]:g}" if other and name in other else ""
            further.append(f"{task}, {name}: {own[name]:g}{was}")
    return "\n".join([*lines, "", *further])


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--reference", type=Path, help="another checkout of this repository")
    parser.add_argument("--reference-store", help="its store of the same documents")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[task.name for task in TASKS])
    parser.add_argument("--out", type=Path, help="file to add rows of JSON to")
    options = parser.parse_args()
    paths = {name: str(Path(getattr(options, name)).resolve()) for name in
             ("store", "questions")}  # fmt: skip
    checkouts = {"own": (Path(__file__).resolve().parents[1], paths)}
    if options.reference:
        other = {**paths, "store": options.reference_store or paths["store"]}
        checkouts["reference"] = (options.reference.resolve(), other)
    tasks = [task for task in TASKS if not options.only or task.name in options.only]
    ran_on = machine()
    found = measure(tasks, checkouts, options.sources, options.repeats)
    print(table(found))
    print(f"\n{ran_on}")
    if options.out:
        about = {**ran_on, "sources_sha256": sha256_of(options.sources)}
        with options.out.open("a", encoding="utf-8") as out:
            for task, by_checkout in found.items():
                for name, runs in by_checkout.items():
                    row = {"task": task, "checkout": name, "repeats": options.repeats}
                    out.write(json.dumps(row | runs.medians() | about) + "\n")


if __name__ == "__main__":
    main()
