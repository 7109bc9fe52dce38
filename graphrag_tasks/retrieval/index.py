"""An opened index: answers questions from one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Self, cast
from weakref import finalize

import numpy as np
import pyarrow as pa

from graphrag_tasks.core.config import LanguageConfig, LoadConfig, RetrievalConfig
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.progress import SEARCH_BYTES, require_address_space
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.embed.vectors.vector_store import ANYWHERE, VectorHit, VectorStore, Where
from graphrag_tasks.language.known_names import find_names
from graphrag_tasks.retrieval.browse import Browser
from graphrag_tasks.retrieval.context.context import Context, Explanation
from graphrag_tasks.retrieval.context.further import FURTHER, MORE, CommunityHit, folded
from graphrag_tasks.retrieval.context.hits import FIRST_STAGE, ChunkHit
from graphrag_tasks.retrieval.context.render import (
    MOST_READ,
    by_question,
    by_support,
    fitting,
    paragraph,
    table,
    within_budget,
    without_copies,
)
from graphrag_tasks.retrieval.graph.filters import Filters, allowed_chunks
from graphrag_tasks.retrieval.modes.overview import best_communities
from graphrag_tasks.retrieval.modes.registry import AUTO
from graphrag_tasks.retrieval.question.query import NounPhrases, Query, Ranking, checked_number
from graphrag_tasks.retrieval.question.query_encoder import QueryEncoder
from graphrag_tasks.retrieval.ranker.hybrid import relevances
from graphrag_tasks.retrieval.ranker.path_query import Pattern, nearest_relations, patterns
from graphrag_tasks.retrieval.reranker import Reranker, make_reranker
from graphrag_tasks.retrieval.searching import Searcher, needs_arrays
from graphrag_tasks.retrieval.view.arrays import Vectors
from graphrag_tasks.retrieval.view.served_rows import ServedIndex, ServedRows, open_server
from graphrag_tasks.retrieval.view.vector_index import ARRAYS, FlatIndex, OpenVectors, VectorIndex
from graphrag_tasks.retrieval.view.visibility import Principals, visible
from graphrag_tasks.storage.artifacts import Rows
from graphrag_tasks.storage.snapshots.store import Snapshot, Store, mirrored

_NEAR_RELATIONS = 2_000  # Relations near a question in which patterns are counted.
_PLACES, _STATEMENTS = 100, 3  # Places in which `explain` searches a chunk, and statements that it returns.


@dataclass(frozen=True)
class IndexFacts:
    """The snapshot of an index, and its size."""

    snapshot_id: str
    chunks: int
    entities: int
    relations: int


class Index(Browser):
    """Search over one snapshot; safe to share between threads.

    Later publishes are seen only after opening the index again.

    Args:
        snapshot: The snapshot; with access labels, what `visibility.visible` lets through.
        config: Parameters of the search.
        language: Names the spaCy model that finds noun phrases.
        embedder: Query encoder; by default the model in the manifest.
        noun_phrases: Finds the noun phrases of a question in place of that model.
        vectors: Returns the vectors of a kind; memory-mapped by default.

    Raises:
        SnapshotError: The snapshot is damaged, or was embedded with another embedder.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        config: RetrievalConfig | None = None,
        language: LanguageConfig | None = None,
        embedder: Embedder | None = None,
        noun_phrases: Callable[[str], Sequence[str]] | None = None,
        vectors: OpenVectors = FlatIndex.of,
    ) -> None:
        self._encoder = QueryEncoder(snapshot.manifest.embedding, embedder)
        super().__init__(snapshot, vectors)
        self.config = config or RetrievalConfig()
        self._searcher = Searcher(
            self.graph,
            self.config,
            self._encoder.encode,
            noun_phrases or NounPhrases((language or LanguageConfig()).model),
            lambda rows: self._provenance.passages(rows),
            lambda: self.reranker,
        )

    @classmethod
    def open(
        cls,
        store: str | Path,
        snapshot: str | None = None,
        principals: Principals = None,
        *,
        config: RetrievalConfig | None = None,
        language: LanguageConfig | None = None,
        embedder: Embedder | None = None,
        noun_phrases: Callable[[str], Sequence[str]] | None = None,
        verify: bool = True,
        vectors: str | None = None,
        load: LoadConfig | None = None,
    ) -> Self:
        """Open a published snapshot for search.

        Args:
            store: Folder or URI of the store; a remote snapshot is copied to the local disk.
            snapshot: Id of the snapshot to open; the current one by default.
            principals: Access labels of the reader; only documents with one of them, or with the label `public`, are
                searched. Required if and only if the snapshot has labels.
            config: Parameters of the search; the paper's by default.
            embedder: Query encoder; by default the model in the manifest, loaded on first search.
            language: Names the spaCy model that finds noun phrases, loaded on first use; the built-in one by default.
            noun_phrases: Finds the noun phrases of a question in place of that model.
            verify: Whether tables are compared with their published hashes when first read.
            vectors: `arrays`, or the vector store that the snapshot was loaded into, as `milvus`, for the modes `dense`
                and `hybrid` alone; by default `config.vectors`.
            load: Where that vector store is; by default a server on this machine. The connection is closed with the
                index.

        Raises:
            SnapshotError: Nothing is published, there is no such snapshot, it is damaged, or it was embedded with
                another embedder.
            AccessError: The snapshot has labels and no principals are given, or vice versa.
            ArtifactError: One of its tables is missing or unreadable.
            ConfigError: This process may map too little memory for a search; or the snapshot was loaded into no vector
                server, or a collection there is missing or of another model.
            MissingDependencyError: The packages for the vector store are not installed.
            TransientError: The vector server does not answer; a search raises it too.
        """
        require_address_space(SEARCH_BYTES, "a search")
        opened_store = Store(str(store))
        config = config or RetrievalConfig()
        chosen = config.vectors if vectors is None else vectors
        config = config.model_copy(update={"vectors": chosen})
        make = partial(cls, config=config, language=language, embedder=embedder, noun_phrases=noun_phrases)

        def opened(pinned: Snapshot) -> Index:
            local = mirrored(pinned)
            whole = local if verify else Snapshot(local.folder, checked=False)
            seen = visible(whole, principals)
            if chosen == ARRAYS:
                return make(seen)
            settings = (load or LoadConfig()).model_copy(update={"vector_store": chosen})
            server = open_server(opened_store.folder, settings, whole)
            try:
                index = make(seen, vectors=partial(_served, server, whole, principals))
            except BaseException:
                server.close()
                raise
            finalize(index.graph, server.close)  # copies of the index share the graph
            return index

        return cast("Self", opened_store.opened(opened, snapshot))

    def __repr__(self) -> str:
        return f"Index({self.facts})"

    def _repr_html_(self) -> str:
        facts, manifest = self.facts, self.snapshot.manifest
        cells = [
            ("snapshot", f"{facts.snapshot_id[:12]}, made {manifest.created_at}"),
            ("documents", str(self.snapshot.table("documents", ["document_id"]).num_rows)),
            ("chunks", str(facts.chunks)),
            ("entities", str(facts.entities)),
            ("relations", str(facts.relations)),
            ("encoder", str(manifest.embedding["model"])),
        ]
        return paragraph("Index", "b") + table((), cells)

    @property
    def facts(self) -> IndexFacts:
        """Id and size of the snapshot."""
        nodes = (self.graph.chunks, self.graph.entities, self.graph.relations)
        return IndexFacts(self.snapshot.snapshot_id, *map(len, nodes))

    @property
    def reranker(self) -> Reranker:
        """The configured reranker."""
        return make_reranker(self.config.rerank)

    def reranked_by(self, reranker: Reranker) -> Index:
        """Return an index with another reranker that shares everything else.

        Question parts are not reranked, which may cost requests, and the reranker's score has the weight of the first
        stage's.
        """
        _ = self._provenance  # is made once, and then shared
        other = copy(self)
        other._searcher = replace(self._searcher, reranker=lambda: reranker, of_part=0, weight=1.0)
        return other

    def search(
        self,
        question: str,
        mode: str = AUTO,
        k: int | None = None,
        filters: Filters | None = None,
        rerank: int | None = None,
        budget_characters: int | None = None,
        beside: Sequence[str] = (),
    ) -> Context:
        """Return the chunks, relations and entities that help to answer a question, best first.

        Args:
            question: Any text that is not blank; its first `query.MOST_READ` characters are read.
            mode: A name from `MODES`, or `auto`: the router chooses.
            k: Chunks wanted, at most `query.MOST_CHUNKS`, with at most 2k relations; `config.k` by default.
            filters: Values or patterns by field (`filters.FIELDS`) that all chunks must match.
            rerank: How many of the first chunks are reranked, which changes the order in all modes but `paper`; by
                default `config.rerank.candidates`, but none in the modes of `PLAIN_MODES` or if no document has a word
                of the question.
            budget_characters: Instead of k: as many chunks as fit, without copies, the last one cut to whole sentences;
                k is then their number.
            beside: Further questions, such as a rewording or a part: their results join the chunks after the first
                ones, and never the signals' unknown words.

        Raises:
            QueryError: The question is blank or no text, the mode or a filter's field is unknown, k is no whole number
                from 1, the budget is negative, or both are given.
            SnapshotError: The snapshot was embedded with another model than the installed one.
        """
        if budget_characters is not None:
            checked_number("budget_characters", budget_characters)
            if k is not None:
                raise QueryError("give k or budget_characters, not both")
        if isinstance(beside, str):
            raise QueryError("beside must be a list of questions", "", f"Give [{beside!r}]")
        asked = k if budget_characters is None else MOST_READ
        query, bounds = self._searcher.query(question, asked)
        routed, mode = self._searcher.routed(query, mode)
        if filters:
            query = replace(query, allowed=allowed_chunks(self.snapshot, self.graph, filters))
        places = query.k
        if self.releases.of:
            query = replace(query, k=MORE * places)
        found = self._searcher.found(query, mode, rerank, beside)
        query = replace(found.query, k=places)
        ranking = found.ranking
        chunks = folded(self._chunk_hits(ranking, query), self.releases, places)
        ranking = ranking.cut(places)
        if budget_characters is not None:
            chunks = self._within(chunks, budget_characters)
            places = max(len(chunks), 1)
            ranking = replace(ranking, relations=ranking.relations[: 2 * places])
            query = replace(query, k=places)
        return Context(
            question=question,
            mode=mode,
            k=query.k,
            snapshot_id=self.snapshot.snapshot_id,
            chunks=chunks,
            relations=self._provenance.relation_hits(ranking.relations),
            entities=self._provenance.entity_hits(ranking.seeds),
            further={
                name: kind.of(self._provenance, ranking.further[name])
                for name, kind in FURTHER.items()
                if name in ranking.further
            },
            route=routed,
            notes=(*ranking.notes, *bounds),
            limits=tuple(bounds),
            read=self._read(query),
            signals=found.signals,
        )

    def skeleton(self, budget_tokens: int = 1000, question: str | None = None) -> str:
        """Return relations without their sentences, as CSV within a budget in tokens.

        It shows a language model the structure of the graph, so that it can rewrite questions.

        Args:
            budget_tokens: Counted by `llm.tokens.count`; never exceeded.
            question: Relations nearest to it come first; without one, the best supported.

        Raises:
            QueryError: The budget is negative, or as in `search`.
        """
        if budget_tokens < 0:
            raise QueryError(f"budget_tokens must not be negative (got {budget_tokens})")
        relations = self._by_question(question) if question is not None else by_support(self.graph)
        return fitting(self.graph, relations, budget_tokens)

    def patterns(self, question: str, most: int = 40) -> tuple[Pattern, ...]:
        """Return the patterns (head type, relation, tail type) near a question, with counts.

        Raises:
            QueryError: As in `search`.
        """
        near = self._by_question(question)[:_NEAR_RELATIONS]
        return tuple(patterns(self.graph, near.tolist(), most))

    def _by_question(self, question: str) -> Rows:
        query, _ = self._searcher.query(question, 1)
        return by_question(self.graph, query)

    def communities(self, question: str, most: int | None = None) -> tuple[CommunityHit, ...]:
        """Return the communities that best match a question, ranked as in mode `global`.

        Args:
            question: As in `search`.
            most: Communities wanted; by default as many as chunks in a search.

        Raises:
            QueryError: As in `search`, with `most` for k.
            SnapshotError: The snapshot was embedded with another model than the installed one.
        """
        query, _ = self._searcher.query(question, most)
        return CommunityHit.of(self._provenance, best_communities(self.graph, query))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of texts, encoded as questions, shape (texts, dimension)."""
        return self._encoder.encode(texts)

    def coverage(self, question: str, chunk_id: str) -> float:
        """Return the share of a question's words in a chunk, weighted by rarity."""
        (share,) = self.graph.lexicon.shares_held(question, np.array([self._chunk(chunk_id)]))
        return share

    def explain(self, question: str, chunk_id: str, mode: str = AUTO, rerank: int | None = None) -> Explanation:
        """Return why a search returns a chunk, or why not; `rerank` is as in `search`.

        Raises:
            QueryError: As in `search`, or no chunk has the id.
        """
        row = self._chunk(chunk_id)
        query, _ = self._searcher.query(question, _PLACES)
        routed, mode = self._searcher.routed(query, mode)
        query = self._searcher.with_reranking(query, mode, rerank)
        first = [item.row for item in self._searcher.ranking(mode, query).chunks]
        alone = np.arange(len(self.graph.chunks)) == row
        ranking = self._searcher.ranking(mode, replace(query, allowed=alone, k=1))
        stated = self.graph.chunk_relations.union(np.array([row]))
        nearest = nearest_relations(self.graph, query, np.flatnonzero(stated))[:_STATEMENTS]
        hits = self._chunk_hits(ranking, query)
        return Explanation(
            question=question,
            mode=mode,
            route=routed,
            chunk=hits[0] if hits else None,
            place=first.index(row) + 1 if row in first else None,
            places=_PLACES,
            words=self._shared_words(query.text, row),
            names=self._shared_names(query.text, row),
            relations=self._provenance.relation_hits(nearest),
        )

    def _shared_words(self, question: str, chunk: int) -> dict[str, float]:
        lexicon = self.graph.lexicon
        shares = lexicon.shares(lexicon.asked(question), chunk)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def _shared_names(self, question: str, chunk: int) -> tuple[str, ...]:
        names = self.graph.name_graph
        held = set(names.names_of(chunk))
        found = (names.keys[match.key] for match in find_names(question, names.keys))
        return tuple(names.name(place) for place in dict.fromkeys(found) if place in held)

    def _within(self, chunks: Iterable[ChunkHit], characters: int) -> tuple[ChunkHit, ...]:
        kept = list(without_copies(chunks))
        sentences = [self.sentences(hit.chunk_id) for hit in kept]
        return within_budget(kept, characters, sentences)

    def _read(self, query: Query) -> dict[str, float]:
        """Return the score of every reranked chunk, in first-stage order."""
        if query.reranking is None:
            return {}
        ids = self.graph.chunks.ids
        return {ids[row].as_py(): score for row, score in query.reranking.relevance.items()}

    def _chunk_hits(self, ranking: Ranking, query: Query) -> tuple[ChunkHit, ...]:
        """Return the hits of a ranking; a hit's score is at least that of each hit behind it.

        So a score where a program cuts drops no passage that is itself as likely to answer.
        """
        scores = relevances(self.graph, query.text, ranking.chunks)
        if query.reranking is None:
            return self._provenance.chunk_hits(ranking.chunks, _falling(scores))
        places, read = query.reranking.places, query.reranking.relevance
        chunks = [
            replace(chunk, ranks={**chunk.ranks, FIRST_STAGE: places[chunk.row]}) if chunk.row in places else chunk
            for chunk in ranking.chunks
        ]
        scores = [read.get(chunk.row, score) for chunk, score in zip(chunks, scores, strict=True)]
        return self._provenance.chunk_hits(chunks, _falling(scores))


def _falling(scores: Iterable[float]) -> list[float]:
    """Return scores in the order of hits, each raised to the highest behind it."""
    return list(accumulate(reversed(list(scores)), max))[::-1]


# Open a published snapshot for search, with its vectors in memory or on a server.


open_index = Index.open


def _served(
    server: VectorStore, whole: Snapshot, principals: Principals, view: Snapshot, kind: str, ids: pa.Array[Any]
) -> VectorIndex:
    def rows() -> ServedRows:
        if kind != "chunk":
            raise needs_arrays("what compares a question with entities or relations")
        return ServedRows(server, whole, kind, principals, view)

    return ServedIndex(rows, ids, int(whole.manifest.embedding["dimension"]))


# Vector-only search in the server that a snapshot was loaded into, for one reader.


class ServedVectors:
    """The vectors of one snapshot on its server, as a reader with `principals` sees them."""

    def __init__(self, server: VectorStore, snapshot: Snapshot, principals: Principals = None) -> None:
        view = visible(snapshot, principals)
        rows = partial(ServedRows, server, snapshot, principals=principals, view=view)
        self._rows = cache(rows)

    def search(self, kind: str, vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        """Return the k nearest rows that the reader may see, best first.

        Args:
            kind: chunk, entity or relation.
            vector: Unit vector of the snapshot's model.
            k: Number of rows; fewer only if there are no more.
            where: Allowed values by scalar field of `load.fields`.
        """
        if k < 1:
            raise QueryError(f"k must be at least 1 (got {k})")
        return self._rows(kind).nearest(vector, k, where)[:k]


@contextmanager
def open_served(
    store: str, config: LoadConfig, snapshot: str | None = None, principals: Principals = None
) -> Iterator[ServedVectors]:
    """Open a published snapshot for search in its vector server.

    Store, snapshot and principals are as for `retrieval.open_index`.
    """
    opened = Store(store)
    pinned = opened.open(snapshot)
    with closing(open_server(opened.folder, config, pinned)) as server:
        yield ServedVectors(server, pinned, principals)
