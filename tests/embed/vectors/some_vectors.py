"""Rows of vectors, named by letters."""

import numpy as np
import pyarrow as pa

from graphrag_tasks.core import schemas

DIMENSION = 8


def vectors(*texts: str) -> pa.Table:
    """Return a row for each text, with the text for its hash."""
    rows = [
        {"id": f"id-{text}", "text_sha256": text, "vector": np.full(DIMENSION, place, np.float32).tolist()}
        for place, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schema=schemas.vectors_schema(DIMENSION))
