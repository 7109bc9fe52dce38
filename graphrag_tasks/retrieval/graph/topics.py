"""Topics of a corpus: its communities, with their documents and central relations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.storage.columns import Rows


def topics(graph: Graph) -> list[tuple[int, list[int]]]:
    """Return communities with the rows of their documents, largest first.

    Each document belongs to the community whose entities its chunks mention most often; documents with the most
    mentions come first. Documents without entities belong to none.
    """
    communities = graph.communities
    if not len(communities) or not len(graph.chunks):
        return []
    coarsest = np.flatnonzero(communities.levels == communities.levels.min())
    column = np.full(len(communities), -1)
    column[coarsest] = np.arange(len(coarsest))
    counts = np.zeros((int(graph.chunk_documents.max()) + 1, len(coarsest)), dtype=np.int64)
    of_entity, entities = communities.of_entity.pairs(np.arange(len(graph.entities)))
    chosen = column[of_entity] >= 0
    community_of = np.full(len(graph.entities), -1)
    community_of[entities[chosen]] = column[of_entity[chosen]]
    chunks, mentioning = graph.entity_chunks.pairs(np.arange(len(graph.entities)))
    known = community_of[mentioning] >= 0
    np.add.at(counts, (graph.chunk_documents[chunks[known]], community_of[mentioning[known]]), 1)
    best = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
    found = [
        (int(coarsest[place]), _ordered(np.flatnonzero(best == place), counts[:, place]))
        for place in range(len(coarsest))
    ]
    found = [topic for topic in found if topic[1]]
    return sorted(found, key=lambda topic: (-len(topic[1]), topic[0]))


def central_relations(graph: Graph, community: int) -> tuple[Rows, NDArray[np.float64]]:
    """Return the relations within a community and their scores, highest first.

    Strong relations between central entities score high, as in summaries.
    """
    members, centrality = graph.communities.members(community)
    relations = np.unique(graph.all_entity_relations.pairs(members)[0])
    ends = np.stack([graph.heads[relations], graph.tails[relations]])
    places = np.minimum(np.searchsorted(members, ends), len(members) - 1)
    inside = (members[places] == ends).all(axis=0)
    relations, places = relations[inside], places[:, inside]
    telling = graph.relation_weights[relations] * np.sqrt(centrality[places].prod(axis=0))
    order = np.lexsort((graph.relations.id_ranks[relations], -telling))
    return relations[order], telling[order]


def _ordered(documents: Rows, counts: Rows) -> list[int]:
    order = np.lexsort((documents, -counts[documents]))
    rows: list[int] = documents[order].tolist()
    return rows
