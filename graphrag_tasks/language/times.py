"""The time of a fact in words, and of a relation: that of its surest sentence with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.schemas import VALIDITY

TIME_COLUMNS = [field.name for field in VALIDITY]
EVIDENCE_COLUMNS = ["relation_id", "triple_id", "confidence", *TIME_COLUMNS]
DEPRECATED = "deprecated"
_WORDS = {
    "from": "from {valid_from}", "until": "until {valid_to}", "at": "{valid_from}",
    "range": "{valid_from} to {valid_to}", "changed": "changed in {valid_from}",
    DEPRECATED: "deprecated since {valid_from}", "ended": "ended",
}  # fmt: skip


def when(time: Mapping[str, Any] | None) -> str:
    """Return the columns `valid_*` of a row in words: "from 3.4"; empty without a time."""
    return _WORDS[time["valid_kind"]].format_map(time) if time and time["valid_kind"] else ""


def times_of(evidence: pa.Table) -> dict[str, dict[str, Any]]:
    """Return the times of relations, by id, from rows of their evidence."""
    told = evidence.filter(pc.is_valid(evidence["valid_kind"]))
    order = [("confidence", "ascending"), ("triple_id", "descending")]
    return {row["relation_id"]: row for row in told.sort_by(order).to_pylist()}
