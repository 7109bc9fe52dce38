"""Kinds of relations and their edge weights, the same for communities, retrieval and exports; confidence of relations.

The relationships stage computes joint confidence and wording in SQL, out of core. Readers of a part of the evidence
recompute both from that part here, with equal results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

FACT, ASSOCIATION, CONDITION = "fact", "association", "condition"
"""Kinds of relations. Degrees, paths, lists and pictures use facts only, unless all are requested."""

LEAST_WORTH = 0.3
"""Least worth of a statement that is a fact. Of 900 statements of fifteen corpora, each left out where the weights were
learned, two readers found .72 and .66 of those above it right, and .58 and .55 worth having; of those by the rules that
had told facts before, .66 and .58, and .51 and .48. Of 120 drawn later on two other corpora: .72, .68; .47, .53."""

MENTION = "mention"  # Kind of an edge from an entity to a chunk that names it.

Rows = NDArray[np.int64]
Weights = NDArray[np.float64]

_AT_ONCE = 1 << 22  # Edges weighted at once: 32 MB per array of eight bytes.
MOST_CERTAIN = 0.999999  # Upper bound of confidences, so that the logarithm of 1 - confidence is finite.

JOINT_CONFIDENCE = f"""
    1 - exp(sum(round(
        ln(1::FLOAT - least(confidence, {MOST_CERTAIN}::FLOAT)) * 1e9
    )::BIGINT)::DOUBLE / 1e9)
"""
"""SQL for 1 - Π(1 - confidence) of a group, summed as integers: exact in any order."""

DEGREE_CAP = 200  # An entity's relations beyond it count for less; chosen by reading summaries of communities.


def hub_damping(degrees: Rows, among: int) -> Weights:
    """Return the factor that edges of each node count for: above 0, at most 1, less for hubs.

    Inverse frequency, as for common words: log(1 + n / degree) / log(1 + n), with n the nodes it is `among` (no edge
    counts as one). Beyond `DEGREE_CAP` the factor also shrinks with the degree, so that all edges of a hub together
    weigh no more than those of a node at the cap.
    """
    degrees = np.maximum(degrees, 1)
    damped: Weights = np.log1p(among / degrees) / np.log1p(max(among, 1))
    return np.minimum(damped, 1.0) * np.minimum(1.0, DEGREE_CAP / degrees)


def relation_weights(
    support: NDArray[np.floating], confidence: NDArray[np.floating], ends: Rows,
    *, entities: int,
) -> Weights:  # fmt: skip
    """Return the weight of each relation.

    It is log2(1 + support) × confidence × the damping of both ends. `support` counts the triples of a relation; `ends`
    are the entity rows of heads and tails, shape (relations, 2).
    """
    degrees = np.bincount(ends.ravel(), minlength=entities)
    damping = hub_damping(degrees, entities)
    weights: Weights = np.log2(1.0 + support) * confidence
    return weights * damping[ends[:, 0]] * damping[ends[:, 1]]


def mention_weights(
    support: NDArray[np.integer], entity_rows: NDArray[np.integer], *, chunks: int
) -> NDArray[np.float32]:
    """Return the weight of each entity in a chunk with `support` mentions of it.

    Frequent entities discriminate little between chunks, so they weigh less.
    """
    damping = hub_damping(np.bincount(entity_rows), chunks)
    weights = np.empty(len(support), np.float32)
    for start in range(0, len(support), _AT_ONCE):  # they are ten times as many as relations
        part = slice(start, start + _AT_ONCE)
        weights[part] = np.log2(1.0 + support[part].astype(float)) * damping[entity_rows[part]]
    return weights


def joint_confidence(evidence: pa.Table, relation_ids: pa.Array[Any]) -> tuple[NDArray[np.int64], Weights]:
    """Return how many texts state each relation, and its `JOINT_CONFIDENCE`.

    `evidence` has the `relation_id`, `said` and `confidence` of each statement, at least one for each of
    `relation_ids`. Copies of a sentence are one text.
    """
    texts = evidence.group_by(["relation_id", "said"]).aggregate([("confidence", "max")])
    doubt = pc.ln(pc.subtract(1.0, pc.min_element_wise(texts["confidence_max"], MOST_CERTAIN)))
    whole = pc.cast(pc.round(pc.multiply(pc.cast(doubt, pa.float64()), 1e9)), pa.int64())
    stated = (
        pa.table({"relation_id": texts["relation_id"], "doubt": whole})
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
