"""Programs of the project as processes: started, waited for, looked into (Linux)."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parents[2]
Found = TypeVar("Found")


def start(
    command: Sequence[str], settings: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start a program with settings in its environment."""
    flat = {
        f"GRAPHRAG__{part.upper()}__{name.upper()}": str(value)
        for part, values in settings.items() if isinstance(values, dict)
        for name, value in values.items()
    }  # fmt: skip
    plain = {
        f"GRAPHRAG__{name.upper()}": value if isinstance(value, str) else json.dumps(value)
        for name, value in settings.items() if not isinstance(value, dict)
    }  # fmt: skip
    airflow = {"AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    return subprocess.Popen(  # noqa: S603
        command,
        env={**os.environ, **airflow, **flat, **plain, **(environment or {})},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(look: Callable[[], Found], seconds: float = 120) -> Found:
    """Look until something is found, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    raise TimeoutError(f"nothing was found within {seconds} s")


def children(pid: int, word: str) -> list[int]:
    """Return the child processes of a process that have a word in their command line."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return [one for one in found if word in Path(f"/proc/{one}/cmdline").read_text()]
