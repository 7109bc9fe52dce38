"""Receipts of finished stages: names and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core import schemas

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True)
class Table:
    """Number of rows of a table, and the sha256 of its file."""

    rows: int
    sha256: str


@dataclass(frozen=True)
class Receipt:
    """Result of a finished stage, passed between tasks: names and numbers, never data.

    Attributes:
        uri: Folder of the tables.
        fingerprint: Inputs, configuration, code and models that produced them.
        stats: Counts for the summary.
        seconds: Wall-clock time of the stage.
        cpu_seconds: CPU time of its process and workers.
        peak_memory_bytes: Highest resident memory of the process.
        reused: Whether an earlier run had already done the work.
    """

    stage: str
    uri: str
    fingerprint: str
    tables: dict[str, Table]
    stats: dict[str, int | float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    reused: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain dicts and numbers, for XCom and JSON."""
        return asdict(self) | {"schema_version": schemas.SCHEMA_VERSION}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Receipt:
        """Read what `as_dict` wrote."""
        receipt = _reader().validate_python(values)
        if missing := sorted({field.name for field in fields(cls)} - set(values)):
            raise ValueError(f"{', '.join(missing)} missing")
        return receipt


@cache
def _reader() -> TypeAdapter[Receipt]:
    from pydantic import TypeAdapter  # here, as who reads a snapshot reads no receipts

    return TypeAdapter(Receipt)
