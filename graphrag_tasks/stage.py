"""The stage contract.

A stage is a module (or package) that defines

* `REQUIRES` and `PRODUCES`: names of the tables it reads and makes,
* a pure function of the stage's name, `stage(tables..., *, config) -> StageResult`,
* `DEPENDENCIES`: distributions whose version can change its output.

Reading and writing are the caller's (`pipeline`), so a task, the command line, a notebook and a
test all call the same function.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pyarrow as pa

_CODE_SUFFIXES = (".py", ".json")


@dataclass(frozen=True)
class StageResult:
    """What a stage gives back.

    A table that may be larger than memory is a stream: its rows are made while they are read, once,
    and one stream of a result at a time. Whoever reads them closes the result afterwards.

    Attributes:
        tables: Rows by artifact name; exactly the stage's `PRODUCES`.
        stats: Counts for receipts and summaries; those of streams are complete when all are read.
        resources: What the streams read from: open connections and files.
    """

    tables: Mapping[str, pa.Table | pa.RecordBatchReader]
    stats: Mapping[str, int | float] = field(default_factory=dict)
    resources: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        """Return the result, whose resources are freed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        self.resources.close()

    def collected(self) -> StageResult:
        """Return the result with its streams read into memory, and its resources freed."""
        with self:
            return StageResult(
                {
                    name: rows if isinstance(rows, pa.Table) else rows.read_all()
                    for name, rows in self.tables.items()
                },
                self.stats,
            )


@cache
def code_version(module: str) -> str:
    """Return a hash of a stage's source files, so that changed code re-runs the stage.

    JSON files beside the code, such as learned weights, count as code.

    Args:
        module: Dotted name of a module or package, which is located but not imported.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    origin = Path(spec.origin)
    files = [origin]
    if origin.name == "__init__.py":
        files = sorted(one for one in origin.parent.rglob("*") if one.suffix in _CODE_SUFFIXES)
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(origin.parent).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def dependency_versions(distributions: Sequence[str]) -> dict[str, str]:
    """Return the installed version of each distribution."""
    return {name: version(name) for name in distributions}
