"""Mode `graph`: random walks from the names in the question over names shared by chunks.

1. Base score: standardised cosine plus a weighted, standardised BM25 score.
2. Seeds: the longest known names in the question; rare names and titles weigh more.
3. First walk: restarts at the seeds, and a little at the best chunks by base score. Its score is
   the standardised logarithm of the visits, plus a part of the base score.
4. Second walk: restarts at the best chunks of the first, so it also finds chunks that the names
   in the question do not lead to directly. Its standardised logarithm is added.

And a second hop, which the learned ranker reads: search again for the question's terms that the best chunks lack.
"Where was the director of Winter Song born?" finds the passage of Winter Song, which names its director but not his
birthplace. The missing terms ("born") are searched by BM25 together with each rare name in the best chunks (a bridge).
If documents are passages, a query for each bridge is encoded too: "Where was the of born John Smith?". Source:
iterative retrieval with bridge entities (Qi et al., "Answering complex open-domain questions through iterative query
generation", EMNLP 2019), without a learned query.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.known_names import NameMatch, find_names
from graphrag_tasks.retrieval.graph.linking import Link, NameGraph
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedChunk, Ranking, Seed
from graphrag_tasks.retrieval.ranker.hybrid import list_ranks
from graphrag_tasks.retrieval.ranker.path_query import nearest_relations
from graphrag_tasks.retrieval.view.arrays import Floats, Vectors, standardised, top
from graphrag_tasks.retrieval.view.vector_index import Cosines
from graphrag_tasks.storage.artifacts import Rows

_SOFT = 10.0
"""Weight of a linked name, which is no name of the walk, at the chunks that mention it: names as nodes of the walk
lead astray, and so do weights from 20 on."""
_MOST_MEANT = 5  # Entities that a name may mean, the most mentioned ones.
_NEVER = 1e-6  # Added to visits before the logarithm.

_BM25_WEIGHT, _BASE_WEIGHT = 0.5, 0.08
"""Weight of BM25 beside the cosine in the base score, and of that score beside the first walk. They and those below
were chosen on public question sets (docs/results.md)."""

_ENTITY_WEIGHT = 0.1  # Weight of a seed that is no title; that of a title is 1.

_RESET_CHUNKS, _RESET_WEIGHT = 5, 0.02
"""Best chunks where the first walk restarts as well, and their weight beside the seeds."""

_SECOND_CHUNKS, _SECOND_WEIGHT = 3, 0.5  # Chunks where the second walk restarts, and its weight beside the first.

_NOTHING_NAMED = "The walk through the graph recognised no name in the question: it starts at the best chunks."


@dataclass(frozen=True)
class Walked:
    """The scores of mode `graph`, shape (chunks,) each.

    Attributes:
        dense: Cosines with the question; `dense_z` standardised.
        parts: Cosines with further vectors.
        asked: Terms of the question that some chunk contains.
        bm25: BM25 score; `bm25_z` standardised.
        base: Weighted sum of `dense_z` and `bm25_z`.
        first: Standardised logarithm of the first walk's visits; `second` of the second's.
        seeds: Weight of each seed name, by ascending name.
        titled: Weight of the rarest title among the seeds; 0 without one.
        links: The names of entities in the question.
        linked: Sum of the rarities of these names in each chunk.
    """

    dense: Cosines
    parts: Sequence[Cosines]
    asked: Sequence[str]
    bm25: Floats
    dense_z: Floats
    bm25_z: Floats
    base: Floats
    first: Floats
    second: Floats
    scores: Floats
    matches: tuple[NameMatch, ...]
    seeds: Mapping[int, float]
    titled: float
    links: tuple[Link, ...]
    linked: Floats

    @cached_property
    def hybrid(self) -> Floats:
        """Standardised cosine plus standardised BM25 score."""
        return self.dense_z + self.bm25_z

    def parts_of(self, rows: Rows) -> Floats:
        """Return the standardised cosines of rows with further vectors, shape (parts, rows)."""
        found = np.array([part.standardised_of(rows) for part in self.parts], dtype=np.float32)
        return found.reshape(len(self.parts), len(rows))


def walk(graph: Graph, query: Query, parts: Vectors | None = None) -> Walked:
    """Score every chunk by the two walks, and by its cosines with further vectors, `parts`."""
    names, ranks = graph.name_graph, graph.chunks.id_ranks
    asked = graph.lexicon.asked(query.text)
    bm25 = graph.lexicon.scores(asked)
    several = query.vector[None] if parts is None else np.vstack([query.vector, parts])
    dense, *by_part = graph.chunks.vectors.cosines(several, beside=bm25, allowed=query.allowed)
    dense_z, bm25_z = dense.standardised, standardised(bm25)
    base = dense_z + np.float32(_BM25_WEIGHT) * bm25_z
    matches = tuple(find_names(query.text, names.keys))
    seeds = _seed_weights(names, matches)
    reset = _reset(base, top(base, ranks, _RESET_CHUNKS))
    links = tuple(one for one in graph.linker.links(query.text) if one.is_telling)
    linked = np.zeros_like(base)
    for link in links:
        chunks, rarity = _holders(graph, link)
        linked[chunks] += rarity
        if link.match.key not in names.keys or not link.match.is_telling:
            reset[chunks] += _SOFT * rarity / max(len(chunks), 1)
    reset *= _RESET_WEIGHT if seeds else 1.0
    first = _log_visits(names, reset, seeds)
    scores = (first + np.float32(_BASE_WEIGHT) * base).astype(np.float32)
    again = np.zeros_like(base)
    again[top(scores, ranks, _SECOND_CHUNKS)] = 1.0
    second = _log_visits(names, again, {})
    scores += np.float32(_SECOND_WEIGHT) * second
    titled = max((weight for name, weight in seeds.items() if names.is_title[name]), default=0.0)
    return Walked(
        dense, by_part, asked, bm25, dense_z, bm25_z, base, first, second, scores, matches, seeds,
        titled, links, linked,
    )  # fmt: skip


def _holders(graph: Graph, link: Link) -> tuple[Rows, float]:
    """Return the chunks that mention a link's first entities, and these entities' rarity."""
    rows = np.array(link.rows[:_MOST_MEANT], dtype=np.int64)
    offsets = graph.entity_chunks.offsets
    counts = offsets[rows + 1] - offsets[rows]
    total = len(graph.chunks) + 1
    rarity = np.log(total / (counts + 0.5)) / np.log(total / 1.5)
    chunks = np.flatnonzero(graph.entity_chunks.union(rows))
    return chunks, max(float(rarity.mean()), 0.0)


def _seed_weights(names: NameGraph, matches: tuple[NameMatch, ...]) -> dict[int, float]:
    """Return the weight of each name that the walk starts at, without single lowercase words."""
    found = sorted({names.keys[match.key] for match in matches if match.is_telling})
    kinds = (1.0 if names.is_title[name] else _ENTITY_WEIGHT for name in found)
    return {name: kind * float(names.rarity[name]) for name, kind in zip(found, kinds, strict=True)}


def _reset(base: Floats, rows: Rows) -> Floats:
    """Return the base score of the rows, scaled to 0..1 over all scores."""
    reset = np.zeros_like(base)
    lowest, highest = float(base.min()), float(base.max())
    reset[rows] = (base[rows] - lowest) / (highest - lowest) if highest > lowest else 1.0
    return reset


def _log_visits(names: NameGraph, chunks: Floats, seeds: Mapping[int, float]) -> Floats:
    rows, visits = names.visits(chunks, seeds)
    own = standardised(np.log(visits + np.float32(_NEVER)))
    found = np.full(len(chunks), own.min(), np.float32)
    found[rows] = own
    return found


def rank(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k chunks with the highest score, relations near them and the entities named."""
    if not len(graph.chunks):
        return Ranking(notes=["The snapshot holds no chunks."])
    walked = walk(graph, query)
    scores = query.reranked(walked.scores, graph.chunks.id_ranks)
    return ranking(graph, query, walked, scores)


def ranking(
    graph: Graph, query: Query, walked: Walked, scores: Floats, further: Mapping[str, Floats] = MappingProxyType({})
) -> Ranking:
    """Return the k best chunks by `scores`, with the walks' relations and entities.

    `further` are more lists for which ranks are given, to chunks with a score above 0.
    """
    rows = query.best_chunks(scores, graph.chunks.id_ranks)
    lists = {"dense": walked.dense.values, "bm25": walked.bm25, "graph": walked.first, **further}
    ranks = list_ranks(lists, rows)
    for row, of_row in zip(rows, ranks, strict=True):
        for name, list_scores in further.items():
            if list_scores[row] <= 0:
                del of_row[name]
    leads = graph.name_graph.leads(rows.tolist(), walked.seeds, walked.first)
    near = np.flatnonzero(graph.chunk_relations.union(rows))
    return Ranking(
        chunks=[
            RankedChunk(row, float(scores[row]), cosine, of_row, lead)
            for row, cosine, of_row, lead in zip(
                rows.tolist(), walked.dense.of(rows).tolist(), ranks, leads, strict=True
            )
        ],
        relations=nearest_relations(graph, query, near),
        seeds=_named(graph, query, walked),
        notes=[] if walked.links or walked.seeds else [_NOTHING_NAMED],
    )


def _named(graph: Graph, query: Query, walked: Walked) -> list[Seed]:
    """Return the entities in the question: seeds of the walk first, rarest first."""
    keys, seeds = graph.name_graph.keys, walked.seeds
    matches = [match for match in walked.matches if keys[match.key] in seeds]
    matches.sort(key=lambda match: (-seeds[keys[match.key]], match.start))
    found: dict[int, str] = {}
    for match in (*matches, *(link.match for link in walked.links)):
        surface = query.text[match.start : match.end]
        for row in graph.named_entities(surface, _MOST_MEANT):
            found.setdefault(row, f"name '{surface}'")
    near = graph.entities.vectors.cosines_of(list(found), query.vector).tolist()
    return [Seed(row, cosine, by) for (row, by), cosine in zip(found.items(), near, strict=True)]


# A second hop: search again for the question's terms that the best chunks lack.

_READ = 3  # Chunks of the first pass that are read.
_MOST_BRIDGES = 12  # Rarest names of the chunks that were read, each searched by itself: more cost time. Chosen.
_TITLE = np.float32(2)  # Weight of a bridge that is a title; other bridges have 1.
_FREQUENT, _SHARE = 4_096, 16  # Chunks with a frequent word, and the share of all chunks that stands for all.
_NO_DEVIATION = 1e-9  # Floor of a standard deviation, so that equal scores are not divided by zero.


@dataclass(frozen=True)
class SecondHop:
    """The scores of a second pass, shape (chunks,) unless noted.

    Attributes:
        scores: For chunks with a bridge, the highest standardised BM25 score of the missing terms and the bridge's
            words, times `share`; 0 without a bridge, or if negative.
        left: Terms of the question that no chunk read contains.
        share: Their share of the question, by rarity; a number.
        bridge: Rarity of the rarest bridge in the chunk.
        bridge_title: Rarity of the rarest bridge that the chunk is about.
        read: Rows of the first pass's best chunks, best first.
        bridges: Names that were searched, shape (bridges,).
        vectors: Unit vectors of the query for each bridge, shape (bridges, dimension); no rows if documents are long.
    """

    scores: Floats
    left: Sequence[str]
    share: float
    bridge: Floats
    bridge_title: Floats
    read: Rows
    bridges: Rows
    vectors: Vectors


def second_hop(graph: Graph, query: Query, walked: Walked, first: Floats) -> SecondHop:
    """Score each chunk for what the first pass, `first` of shape (chunks,), lacks."""
    names, lexicon = graph.name_graph, graph.lexicon
    read = top(first, graph.chunks.id_ranks, _READ)
    held = lexicon.held(walked.asked, read)
    left = [term for term in dict.fromkeys(walked.asked) if term not in held]
    rarities = lexicon.rarities(walked.asked)
    share = sum(rarities[term] for term in left) / max(sum(rarities.values()), 1e-9)
    found, bridged, titled = np.zeros((3, len(first)), dtype=np.float32)
    bridges = _bridges(graph, walked, read)
    if len(bridges):
        holders, about = zip(*map(names.holders, bridges), strict=True)
        of = np.repeat(np.arange(len(bridges)), list(map(len, holders)))
        rows, own = np.concatenate(holders), np.concatenate(about)
        rarity = names.rarity[bridges][of]
        np.maximum.at(bridged, rows, rarity)
        np.maximum.at(titled, rows[own], rarity[own])
        if left:
            np.maximum.at(found, rows, _asked_again(graph, left, bridges, holders))
    return SecondHop(
        np.float32(share) * found, left, share, bridged, titled, read, bridges,
        _encoded(graph, query, held, bridges),
    )  # fmt: skip


def _encoded(graph: Graph, query: Query, held: Collection[str], bridges: Rows) -> Vectors:
    """Return a vector for each bridge: of the missing words and its name.

    Empty if documents are long: their cosines count little there, and encoding takes 14 ms.
    """
    if not len(bridges) or not graph.documents_are_passages:
        return np.empty((0, len(query.vector)), dtype=np.float32)
    words = [(word, set(terms(word))) for word in query.text.rstrip("?").split()]
    left = " ".join(word for word, own in words if not own or own - set(held))
    return query.encode([f"{left} {graph.name_graph.name(bridge)}?" for bridge in bridges])


def _asked_again(graph: Graph, left: Sequence[str], bridges: Rows, holders: Sequence[Rows]) -> Floats:
    """Return standardised BM25 scores of the missing terms and each bridge's words.

    They are those of the bridge's own chunks, one bridge after the other. Mean and deviation over all chunks come from
    sums over the chunks with a word of the bridge; of a frequent word, the first chunks stand for all, as chunks are
    in the order of their documents' ids, which are hashes.
    """
    lexicon, name = graph.lexicon, graph.name_graph.name
    missing = lexicon.scores(left)
    count, total, squares = len(missing), float(missing.sum()), float(missing @ missing)
    named = np.zeros_like(missing)
    found = []
    for bridge, own in zip(bridges.tolist(), holders, strict=True):
        words = [term for term in terms(name(bridge)) if term in lexicon.known]
        mean, more, filled = total, 0.0, []
        for rows, scores in sorted(map(lexicon.postings, words), key=lambda posting: len(posting[0])):
            mean += float(scores.sum())
            share = 1 if len(rows) < _FREQUENT else _SHARE
            last = np.searchsorted(rows, count // share)
            filled.append(rows[:last])
            more += share * float(scores[:last] @ (scores[:last] + 2 * (named[filled[-1]] + missing[filled[-1]])))
            named[filled[-1]] += scores[:last]
        mean /= count
        deviation = math.sqrt(max((squares + more) / count - mean**2, 0.0))
        both = missing[own] + sum(lexicon.scores_of(word, own) for word in words)
        found.append((both - np.float32(mean)) / np.float32(max(deviation, _NO_DEVIATION)))
        for rows in filled:
            named[rows] = 0
    return np.concatenate(found)


def _bridges(graph: Graph, walked: Walked, read: Rows) -> Rows:
    """Return the names that lead to more chunks, except the question's, rare ones first."""
    names = graph.name_graph
    asked = np.array([names.keys[match.key] for match in walked.matches], dtype=np.int64)
    held = np.concatenate([names.names_of(row) for row in read.tolist()])
    held, times = np.unique(held, return_counts=True)
    held = held[(names.often[held] > times) & (held[:, None] != asked).all(axis=1)]
    weight = names.rarity[held] * np.where(names.is_title[held], _TITLE, np.float32(1))
    order = np.lexsort((held, -weight))[:_MOST_BRIDGES]
    found: Rows = held[order]
    return found
