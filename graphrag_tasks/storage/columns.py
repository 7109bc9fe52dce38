"""Columns of tables as arrays, and ids as row numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import SnapshotError

Rows = NDArray[np.int64]
"""Row numbers of a table."""


def column(table: pa.Table, name: str) -> Any:  # noqa: ANN401 - an array of any Arrow type
    """Return a column as one array, without a copy where it already is one."""
    data = table[name]
    return data.chunk(0) if data.num_chunks == 1 else data.combine_chunks()


def rows_of(table: pa.Table, name: str, ids: pa.Array[Any], what: str) -> Rows:
    """Return, for each value of an id column, its row in `ids`.

    Raises:
        SnapshotError: A value has no row: the tables, described by `what`, are not of one version.
    """
    found = pc.index_in(column(table, name), value_set=ids)
    if found.null_count:
        raise SnapshotError(
            f"{found.null_count} values of {name} name no row",
            what,
            "The snapshot is damaged; publish it again: graphrag-tasks index SOURCE",
        )
    rows: Rows = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return rows
