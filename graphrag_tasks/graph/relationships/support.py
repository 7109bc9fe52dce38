"""What a relation takes from its evidence: joint confidence and wording.

The stage computes both in SQL, out of core. A reader who sees some of the evidence has them made
again from that, by these functions, to the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MOST_CERTAIN = 0.999999
"""What a confidence counts for at most, so that its logarithm is finite."""

JOINT_CONFIDENCE = f"""
    1 - exp(sum(round(ln(1 - least(confidence, {MOST_CERTAIN})) * 1e9)::HUGEINT)::DOUBLE / 1e9)
"""
"""1 - Π(1 - c) of a group's `confidence`, summed as whole numbers: exact in any order."""


def joint_confidence(
    evidence: pa.Table, relation_ids: pa.Array[Any]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how often each relation is stated, and how surely: what `JOINT_CONFIDENCE` gives.

    Args:
        evidence: `relation_id` and `confidence` of each statement.
        relation_ids: Those wanted, each with a row of evidence at least.
    """
    doubt = pc.ln(pc.subtract(1.0, pc.min_element_wise(evidence["confidence"], MOST_CERTAIN)))
    whole = pc.cast(pc.round(pc.multiply(pc.cast(doubt, pa.float64()), 1e9)), pa.int64())
    stated = (
        pa.table({"relation_id": evidence["relation_id"], "doubt": whole})
        .group_by("relation_id")
        .aggregate([("relation_id", "count"), ("doubt", "sum")])
    )
    order = pc.index_in(relation_ids, value_set=stated["relation_id"].combine_chunks())
    stated = stated.take(order)
    sums = stated["doubt_sum"].to_numpy() / 1e9
    return stated["relation_id_count"].to_numpy(), 1.0 - np.exp(sums)


def wording(head: str, relation: str, tail: str, *, negated: bool) -> str:
    """Return a relation in words."""
    return " ".join([head, *(["not"] if negated else []), relation, tail])
