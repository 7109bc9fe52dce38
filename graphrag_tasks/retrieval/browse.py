"""Look around in the graph without a question: neighbours, paths, communities, sources, outline."""

from __future__ import annotations

import csv
import difflib
import io
from functools import cached_property

import numpy as np

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.context.further import CommunityHit, PathHit
from graphrag_tasks.retrieval.context.hits import RelationHit, SourceSentence
from graphrag_tasks.retrieval.context.prompt import CHARACTERS_A_TOKEN
from graphrag_tasks.retrieval.context.provenance import Provenance
from graphrag_tasks.retrieval.graph.names import folded_name
from graphrag_tasks.retrieval.graph.pinned import Graph, name_key
from graphrag_tasks.retrieval.question.query import RankedCommunity, RankedRelation
from graphrag_tasks.retrieval.ranker.traverse import paths_between

_SUGGESTED = 3


class Browser:
    """The graph by names; never changed once built, so threads may share it."""

    def __init__(self, graph: Graph, provenance: Provenance) -> None:
        self._graph = graph
        self._provenance = provenance

    def neighbors(self, name: str) -> tuple[RelationHit, ...]:
        """Return every relation of an entity with its sources, best supported first."""
        rows = np.array(self.entities(name), dtype=np.int64)
        relations = np.flatnonzero(self._graph.entity_relations.union(rows))
        support = self._graph.relation_support[relations]
        order = np.lexsort((self._graph.relations.id_ranks[relations], -support))
        return self._provenance.relation_hits(
            [RankedRelation(int(relations[place]), float(support[place])) for place in order]
        )

    def paths(self, a: str, b: str, max_hops: int, limit: int) -> tuple[PathHit, ...]:
        """Return the shortest paths between two entities, and those one hop longer."""
        found = paths_between(
            self._graph, self.entities(a), self.entities(b), max_hops=max_hops, limit=limit
        )
        return PathHit.of(self._provenance, found)

    def community(self, name: str) -> tuple[CommunityHit, ...]:
        """Return the communities that an entity is in, the coarsest first."""
        communities = self._graph.communities
        rows = np.flatnonzero(communities.of_entity.union(np.array(self.entities(name), np.int64)))
        ordered = sorted(rows.tolist(), key=lambda row: (int(communities.levels[row]), row))
        ranked = [RankedCommunity(row, 1.0) for row in ordered]
        return CommunityHit.of(self._provenance, ranked)

    def cite(self, item_id: str) -> tuple[SourceSentence, ...]:
        """Return the sentences that a relation, an entity or a sentence id stands for.

        Raises:
            QueryError: The snapshot has no such id.
        """
        graph = self._graph
        for nodes, cite in (
            (graph.relations, self._provenance.relation_sources),
            (graph.entities, self._provenance.entity_sources),
        ):
            row = nodes.row_of(item_id)
            if row is not None:
                return cite(row)
        found = self._provenance.sentence_sources(item_id)
        if not found:
            raise QueryError(
                f"there is no relation, entity or sentence '{item_id}'", "cite",
                "Ids stand in the hits of a search",
            )  # fmt: skip
        return found

    def skeleton(self, budget_tokens: int) -> str:
        """Return the best supported relations as CSV: head, relation, tail.

        It shows a language model the structure of the graph, so that it can rewrite queries.

        Args:
            budget_tokens: Longest text wanted, in tokens of four characters.

        Raises:
            QueryError: The budget is negative.
        """
        if budget_tokens < 0:
            raise QueryError(f"budget_tokens must not be negative (got {budget_tokens})")
        graph, names = self._graph, self._graph.entity_names
        order = np.lexsort((graph.relations.id_ranks, -graph.relation_support))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["head", "relation", "tail"])
        fits = ""
        for row in order.tolist():
            if text.tell() > budget_tokens * CHARACTERS_A_TOKEN:
                return fits
            fits = text.getvalue()
            head, tail = names[graph.heads[row]], names[graph.tails[row]]
            writer.writerow([head, graph.relation_words[row], tail])
        return text.getvalue() if text.tell() <= budget_tokens * CHARACTERS_A_TOKEN else fits

    def entities(self, name: str) -> list[int]:
        """Return the rows of the entities that have a name, by their words where not exactly.

        Raises:
            QueryError: No entity has it; the hint names those that are called alike.
        """
        rows = self._graph.names.get(name_key(name))
        found = rows.tolist() if rows is not None else self._graph.named_entities(folded_name(name))
        if found:
            return found
        near = difflib.get_close_matches(name_key(name), self._known, n=_SUGGESTED)
        hint = f"Did you mean {' or '.join(repr(one) for one in near)}?" if near else ""
        raise QueryError(f"there is no entity '{name}'", "", hint)

    @cached_property
    def _known(self) -> list[str]:
        return sorted(self._graph.names)
