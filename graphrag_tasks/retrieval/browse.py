"""Explore the graph without a question: neighbours, paths, communities, sources, outline."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.core.visible import did_you_mean
from graphrag_tasks.graph.weights import FACT
from graphrag_tasks.language.known_names import find_names, folded_name
from graphrag_tasks.language.names import told as told_as
from graphrag_tasks.retrieval.context.further import CommunityHit, ListedHit, PathHit
from graphrag_tasks.retrieval.context.hits import RelationHit, SourceSentence, Topic
from graphrag_tasks.retrieval.context.provenance import EVIDENCE_SENTENCES, Provenance
from graphrag_tasks.retrieval.context.views import View, views_of
from graphrag_tasks.retrieval.graph import parts
from graphrag_tasks.retrieval.graph.filters import Filters, allowed_chunks
from graphrag_tasks.retrieval.graph.parts import topics
from graphrag_tasks.retrieval.graph.pinned import Graph, name_key
from graphrag_tasks.retrieval.question.query import RankedRow, Seed
from graphrag_tasks.retrieval.ranker.path_query import MAX_HOPS, MAX_PATHS, PathQuery, find_paths, paths_between
from graphrag_tasks.retrieval.view.vector_index import FlatIndex, OpenVectors
from graphrag_tasks.storage.artifacts import Rows
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.versions.told import Releases

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import pandas as pd

_DOCUMENTS_SHOWN = 3  # Documents that a topic is shown with; chosen.


@dataclass(frozen=True)
class Followed:
    """Result of a path query.

    Attributes:
        paths: At most `MAX_PATHS`, those with the best support first.
        ends: All things at the end of the path that has no name.
        dropped: Conditions that were dropped until something was found.
    """

    paths: tuple[PathHit, ...]
    ends: tuple[ListedHit, ...]
    dropped: tuple[str, ...]


class Browser:
    """A snapshot's graph by names; safe to share between threads.

    Attributes:
        snapshot: The pinned snapshot.
        graph: Its graph by row numbers, for drawing and counting.
    """

    def __init__(self, snapshot: Snapshot, vectors: OpenVectors = FlatIndex.of) -> None:
        self.snapshot = snapshot
        self.graph = Graph(snapshot, vectors)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the snapshot as the reader may see it, as a data frame.

        `docs/reference/tables.md` has the tables and their columns. In front of each column of ids of entities,
        documents or chunks is one of their names, called as it without `_id`; a chunk is called by its document.
        """
        return parts.as_frame(self.snapshot, name)

    def documents(self) -> pd.DataFrame:
        """Return the documents, a row for each, as `table("documents")` does."""
        return self.table("documents")

    def entities(self) -> pd.DataFrame:
        """Return the entities, a row for each."""
        return self.table("entities")

    def relations(self) -> pd.DataFrame:
        """Return the relations, a row for each; those of `kind` "fact" are shown."""
        return self.table("relations")

    def changes(self) -> pd.DataFrame:
        """Return which statements changed between releases of a document, a row for each."""
        return self.table("changes")

    def document(self, name: str) -> dict[str, Any]:
        """Return the fields of a document, and its `text`, by its path, the end of it, or its title."""
        documents = self.snapshot.table("documents", ["document_id", "uri", "title", "media_type", "language"])
        wanted = name.strip("/").casefold()
        for row in documents.to_pylist():
            uri, title = row["uri"].casefold(), (row["title"] or "").casefold()
            if wanted in (uri, title, row["document_id"]) or uri.endswith(f"/{wanted}"):
                blocks = self.snapshot.find_rows("blocks", "document_id", row["document_id"]).sort_by("char_start")
                return {**row, "text": BLOCK_SEPARATOR.join(blocks["text"].to_pylist())}
        hint = did_you_mean(wanted, map(str.casefold, documents["uri"].to_pylist()))
        raise QueryError(f"there is no document '{name}'", "", hint)

    def entity(self, name: str) -> dict[str, Any]:
        """Return the fields of an entity by any of its names, its `aliases`, `facts` and `attributes`."""
        entity_id = self.graph.entities.ids[int(self.entity_rows(name)[0])].as_py()
        (row,) = self.snapshot.find_rows("entities", "entity_id", entity_id).to_pylist()
        aliases = self.snapshot.find_rows("aliases", "entity_id", entity_id)["alias"].to_pylist()
        return {**row, "aliases": aliases, "facts": self.neighbors(name), "attributes": self.attributes(name)}

    def to_networkx(self, *, all_kinds: bool = False, by_name: bool = False) -> nx.MultiDiGraph:
        """Return the entities and their facts as a graph.

        Nodes are entity ids, with `name`, `type` where there is one, `mentions` and `chunks`. Edges have the relation's
        id as their key, and `relation`, `phrase`, `kind`, `negated`, `support` (how often it is stated), `confidence`
        and `weight`. With `all_kinds`, associations and conditions are edges, too; `by_name`, nodes are names in place
        of ids, and things of one name are one node.
        """
        graph = parts.as_networkx(parts.whole(self.snapshot, self.graph, all_kinds=all_kinds))
        if by_name:
            import networkx as nx

            graph = nx.relabel_nodes(graph, dict(graph.nodes(data="name")))
        return graph

    def to_igraph(self, *, all_kinds: bool = False) -> igraph.Graph:
        """Return the graph of `to_networkx` as a directed igraph.

        Vertices and edges have the same attributes, and their id as `id`.
        """
        return parts.as_igraph(parts.whole(self.snapshot, self.graph, all_kinds=all_kinds))

    def relations_at(self, rows: Sequence[int]) -> tuple[RelationHit, ...]:
        """Return relations with their best evidence, by row in `graph`."""
        support = self.graph.relation_support
        return self._provenance.relation_hits([RankedRow(row, float(support[row])) for row in rows])

    def neighbors(self, name: str, *, all_kinds: bool = False) -> tuple[RelationHit, ...]:
        """Return the facts of the entity with this name, best supported first.

        With `all_kinds`, associations ("VBBE is in S/4HANA") and conditions are included.
        """
        return self.relations_at(self.neighbor_rows(name, all_kinds=all_kinds))

    def neighbor_rows(self, name: str, *, all_kinds: bool = False) -> list[int]:
        """Return the rows in `graph` of what `neighbors` returns: a hub has many to read."""
        graph = self.graph
        near = graph.all_entity_relations if all_kinds else graph.entity_relations
        relations = np.flatnonzero(near.union(self.entity_rows(name)))
        order = np.lexsort((graph.relations.id_ranks[relations], -graph.relation_support[relations]))
        rows: list[int] = relations[order].tolist()
        return rows

    def attributes(self, name: str) -> tuple[RelationHit, ...]:
        """Return the numbers, dates and amounts told of the entity with this name, best supported first.

        The tail of each is the value, and its id that of the surest triple.
        """
        rows = self.entity_rows(name)
        entities = self.graph.entities.ids.take(pa.array(rows)).to_pylist()
        names = dict(zip(entities, self._provenance.entity_names(rows.tolist()), strict=True))
        told: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
        for entity in entities:
            for row in self.snapshot.find_rows("attributes", "entity_id", entity).to_pylist():
                if row["is_told"]:
                    told[names[entity], row["phrase"], row["value"]].append(row)
        for group in told.values():
            group.sort(key=lambda row: (-row["confidence"], row["triple_id"]))
        order = sorted(told.items(), key=lambda one: (-len(one[1]), -one[1][0]["confidence"], one[0]))
        ids = [list(dict.fromkeys(row["sentence_id"] for row in group))[:EVIDENCE_SENTENCES] for _, group in order]
        sentences = self._provenance.by_id(list(dict.fromkeys(chain.from_iterable(ids))))
        return tuple(
            RelationHit(
                rank=rank, relation_id=group[0]["triple_id"], text=told_as(head, phrase, value),
                head=head, relation=group[0]["relation"], phrase=phrase, kind=FACT, tail=value, score=0.0,
                negated=group[0]["negated"], weight=float(len(group)), confidence=group[0]["confidence"],
                evidence=tuple(sentences[one] for one in found),
            )
            for rank, (((head, phrase, value), group), found) in enumerate(zip(order, ids, strict=True), 1)
        )  # fmt: skip

    def paths(self, a: str, b: str, max_hops: int = MAX_HOPS) -> tuple[PathHit, ...]:
        """Return the shortest paths between the entities of two names, at most `MAX_PATHS`.

        `max_hops` is the longest path wanted.
        """
        starts, ends = self.entity_rows(a).tolist(), self.entity_rows(b).tolist()
        found = paths_between(self.graph, starts, ends, max_hops=max_hops, limit=MAX_PATHS)
        return PathHit.of(self._provenance, found)

    def community(self, name: str) -> tuple[CommunityHit, ...]:
        """Return the communities of the entity with this name, the coarsest first."""
        communities = self.graph.communities
        rows = np.flatnonzero(communities.of_entity.union(self.entity_rows(name)))
        ordered = rows[np.argsort(communities.levels[rows], kind="stable")]
        return CommunityHit.of(self._provenance, [RankedRow(row, 1.0) for row in ordered.tolist()])

    def cite(self, item_id: str) -> tuple[SourceSentence, ...]:
        """Return the best evidence of a relation, a mention of an entity, or a sentence, by its id."""
        found = self._provenance.sources(item_id)
        if found is None:
            raise QueryError(
                f"there is no relation, entity or sentence '{item_id}'", "cite",
                "Ids stand in the hits of a search",
            )  # fmt: skip
        return found

    def sentences(self, chunk_id: str) -> tuple[SourceSentence, ...]:
        """Return the sentences of a chunk, in reading order."""
        return self._provenance.sentences_in(self._chunk(chunk_id))

    def document_titles(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Return the titles of the chunks' documents, by document id, in chunk order."""
        return self._provenance.document_titles([self._chunk(one) for one in chunk_ids])

    def documents_mentioning(self, name: str) -> tuple[SourceSentence, ...]:
        """Return the first sentence of each document that mentions a name.

        A sentence counts if it mentions the entity of that name, or contains the name verbatim, in any case and number.
        """
        rows = self.graph.names.get(name_key(name), np.array([], dtype=np.int64))
        entities = self.graph.entities.ids.take(pa.array(rows))
        mentions = self.snapshot.table("mentions", ["entity_id", "sentence_id"])
        of_entity = mentions.filter(pc.is_in(mentions["entity_id"], value_set=entities))
        sentences = self.snapshot.table("sentences", ["sentence_id", "text"])
        written = pc.match_substring_regex(
            sentences["text"], rf"(^|\W){re.escape(name.removesuffix('s'))}s?(\W|$)", ignore_case=True
        )
        found = [of_entity["sentence_id"], sentences.filter(written)["sentence_id"]]
        ids = pa.chunked_array([part for one in found for part in one.chunks], pa.string())
        return self._provenance.first_in_documents(ids.combine_chunks())

    def views(self, filters: Filters | None = None) -> tuple[View, ...]:
        """Return the rows of tables with a header, grouped by header, of the newest versions that the filters allow."""
        if not filters:
            return self._views
        rows = np.unique(self.graph.chunk_documents[allowed_chunks(self.snapshot, self.graph, filters)])
        kept = self.snapshot.table("documents", ["document_id"])["document_id"].take(pa.array(rows))
        return self._views_of(frozenset(kept.to_pylist()))

    @cached_property
    def _views(self) -> tuple[View, ...]:
        return self._views_of(None)

    def _views_of(self, kept: Set[str] | None) -> tuple[View, ...]:
        versions = self.releases.of.keys()
        chains = ([one for one in self.releases.versions_of(each) if not kept or one in kept] for each in versions)
        newest = {chain[-1] for chain in chains if chain}
        return views_of(self.snapshot, versions - newest, kept)

    @cached_property
    def releases(self) -> Releases:
        """Which documents are versions of each other, and what changed between them."""
        return Releases(self.snapshot)

    def sentence(self, sentence_id: str) -> SourceSentence:
        """Return a sentence with its place."""
        rows = self.snapshot.find_rows("sentences", "sentence_id", sentence_id).to_pylist()
        found = self.sentences(rows[0]["chunk_id"]) if rows else ()
        for one in found:
            if one.sentence_id == sentence_id:
                return one
        raise QueryError(f"there is no sentence '{sentence_id}'", "", "Ids stand in hits")

    def sentences_between(self, document_id: str, char_start: int, char_end: int) -> tuple[SourceSentence, ...]:
        """Return the sentences that overlap a span of a document, in reading order."""
        return self._provenance.sentences_between(document_id, char_start, char_end)

    def items_around(self, sentence: SourceSentence) -> list[tuple[SourceSentence, ...]]:
        """Return the list items, or table rows, around a sentence.

        Each is a tuple of sentences; empty if the sentence is in no list or table.
        """
        return self._provenance.items_around(sentence)

    def topics(self, most: int) -> tuple[Topic, ...]:
        """Return the topics with the most documents: communities of the coarsest level."""
        found = topics(self.graph)[:most]
        communities = self.graph.communities.rows([row for row, _ in found])
        total = max(len(np.unique(self.graph.chunk_documents)), 1)
        return tuple(
            Topic(
                title=community["title"],
                documents=len(documents),
                share=len(documents) / total,
                sources=self._provenance.first_sentences(documents[:_DOCUMENTS_SHOWN]),
            )
            for community, (_, documents) in zip(communities, found, strict=True)
        )

    def _chunk(self, chunk_id: str) -> int:
        row = self.graph.chunks.row_of(chunk_id)
        if row is None:
            raise QueryError(f"there is no chunk '{chunk_id}'", "", "Ids stand in hits of a search")
        return row

    def follow(self, query: PathQuery) -> Followed:
        """Return the paths that match a typed path query, and the entities at its open end.

        A query without results is relaxed, as in `ranker.path_query.find_paths`.
        """
        found = find_paths(self.graph, query)
        ends = [Seed(row, 1.0, "path") for row in found.ends]
        return Followed(
            paths=PathHit.of(self._provenance, found.paths[:MAX_PATHS]),
            ends=ListedHit.of(self._provenance, ends),
            dropped=found.dropped,
        )

    def is_name(self, name: str) -> bool:
        """Tell whether an entity or document has this name, ignoring punctuation and case."""
        return folded_name(name) in self.graph.spellings.called

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the names of entities and documents in a text, as written there."""
        called = self.graph.spellings.called
        return tuple(text[name.start : name.end] for name in find_names(text, called))

    def entity_rows(self, name: str) -> Rows:
        """Return the rows of the entities with a name, or with the same folded words."""
        if not isinstance(name, str):
            raise QueryError(f"a name must be text (got {type(name).__name__})")
        found = self.graph.names.get(name_key(name))
        if found is None:
            found = np.array(self.graph.named_entities(name), dtype=np.int64)
        if len(found):
            return found
        hint = did_you_mean(name_key(name), self.graph.names)
        raise QueryError(f"there is no entity '{name}'", "", hint)

    @cached_property
    def _provenance(self) -> Provenance:
        return Provenance(self.snapshot, self.graph)
