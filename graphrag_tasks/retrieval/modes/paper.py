"""Mode `paper`: hybrid retrieval as in Min et al., arXiv 2507.03226, Algorithm 2.

1. Seeds: entities named by the question's noun phrases, and the five nearest by vector.
2. Neighbourhood, one hop: the relations that touch a seed, at most `RANDOM_K_RELATIONS` of them
   (`RANDOM_K_RELATIONS_LARGE` in a large graph), drawn at random. Candidate chunks are their
   evidence and the chunks that mention a seed.
3. Relations and candidate chunks are ranked by cosine with the question.
4. The chunk list is fused with dense search over all chunks by reciprocal rank fusion.

The paper leaves three choices open: here the cap is on the neighbourhood of all seeds together, the dense list holds
every chunk, and ties go to the smaller id.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking, find_seeds, ranked_chunks
from graphrag_tasks.retrieval.ranker.path_query import nearest_relations
from graphrag_tasks.storage.artifacts import Rows

RANDOM_K_RELATIONS, RANDOM_K_RELATIONS_LARGE = 100, 200
"""Most relations of a neighbourhood, and most in a large graph; both are the paper's."""

LARGE_GRAPH_RELATIONS = 100_000  # Relations from which on a graph is large; chosen, as the paper gives no number.

RRF_K = 60
"""Constant of reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet
and individual rank learning methods", SIGIR 2009."""

SEED = 0  # Seed of the choice above the cap; any number does.


def rank(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the top k chunks, the top 2k relations and the seeds of Algorithm 2."""
    seeds = find_seeds(graph, query)
    seed_rows = np.array([seed.row for seed in seeds], dtype=np.int64)
    relations = _neighbourhood(graph, seed_rows)
    candidates = graph.relation_chunks.union(relations) | graph.entity_chunks.union(seed_rows)
    notes = []
    if not len(graph.entities):
        notes = ["The graph has no entities: chunks come from dense search alone."]
    elif not len(graph.relations):
        notes = ["The graph has no relations: only entity-chunk edges were followed."]
    return Ranking(
        chunks=_fused_chunks(graph, query, candidates),
        relations=nearest_relations(graph, query, relations),
        seeds=seeds,
        notes=notes,
    )


def _neighbourhood(graph: Graph, seeds: Rows) -> Rows:
    """Return the relations that touch a seed, a random choice of them above the cap.

    The choice depends on `SEED` alone (numpy's PCG64) and is drawn from the relations in order of id, so it does not
    depend on how tables are sorted.
    """
    relations = np.flatnonzero(graph.all_entity_relations.union(seeds))
    large = len(graph.relations) >= LARGE_GRAPH_RELATIONS
    cap = RANDOM_K_RELATIONS_LARGE if large else RANDOM_K_RELATIONS
    if len(relations) <= cap:
        return relations
    by_id = relations[np.argsort(graph.relations.id_ranks[relations])]
    generator = np.random.Generator(np.random.PCG64(SEED))
    return generator.choice(by_id, size=cap, replace=False)


def _fused_chunks(graph: Graph, query: Query, candidates: NDArray[np.bool_]) -> list[RankedChunk]:
    """Return the k best chunks by reciprocal rank fusion: the sum of 1 / (RRF_K + rank)."""
    (near,) = graph.chunks.vectors.cosines(
        query.vector[None], beside=candidates.astype(np.float32), allowed=query.allowed
    )
    similarities = near.values
    dense = query.best_chunks(similarities, graph.chunks.id_ranks, len(similarities))
    # Both lists are ranked by the same cosine, so the graph's is a part of the dense one.
    lists = {"graph": dense[candidates[dense]], "dense": dense}
    ranks = {name: np.zeros(len(similarities), dtype=np.int64) for name in lists}
    fused = np.zeros(len(similarities))
    for name, rows in lists.items():
        ranks[name][rows] = np.arange(1, len(rows) + 1)
        fused[rows] += 1.0 / (RRF_K + ranks[name][rows])
    best = query.best_chunks(fused, graph.chunks.id_ranks)
    places = [{name: int(of[row]) for name, of in ranks.items() if of[row]} for row in best]
    return ranked_chunks(best, fused, near, places)
