"""The communities stage: Leiden communities of the entity graph, with a title and a summary each.

Communities are what global questions are answered from: each level covers the graph, coarser ones
with fewer and broader summaries. A summary that an earlier snapshot holds for the same content by
the same summarizer is taken over; with one that costs money only changed communities are paid for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks import schemas
from graphrag_tasks.communities.partition import Membership, partition
from graphrag_tasks.communities.ranking import Rows, best_of_groups
from graphrag_tasks.communities.summaries import (
    CitedSentence,
    CommunityContext,
    Summarizer,
    Summary,
)
from graphrag_tasks.config import CommunitiesConfig, GraphConfig
from graphrag_tasks.graph import relation_weights
from graphrag_tasks.ids import content_id, fingerprint
from graphrag_tasks.stage import StageResult

COLUMNS: Mapping[str, list[str]] = {
    "documents": ["document_id", "title"],
    "sentences": ["sentence_id", "document_id", "text", "page"],
    "entities": ["entity_id", "name"],
    "relations": ["relation_id", "head_id", "tail_id", "text", "weight", "confidence"],
    "evidence": ["relation_id", "sentence_id"],
}
"""Columns that the stage reads of each table."""

REQUIRES = tuple(COLUMNS)
PRODUCES = ("communities", "members")
DEPENDENCIES = ("python-igraph",)

_LONGEST_SENTENCE = 400
"""Longer ones are lists and tables that lost their line ends: poor quotations."""


@dataclass(frozen=True)
class _Level:
    """One level's communities and the best rows of each, all sorted by community.

    Attributes:
        membership: Community of each entity.
        sizes: Entities in each community.
        members, members_of: Entity rows, the most central first, and their communities.
        relations, relations_of: Relation rows, the strongest first, and their communities.
        sentences, sentences_of: Sentence rows, the most central first, and their communities.
        centrality: Weight of each entity's relations inside its community.
    """

    membership: Membership
    sizes: NDArray[np.int64]
    members: Rows
    members_of: Rows
    relations: Rows
    relations_of: Rows
    sentences: Rows
    sentences_of: Rows
    centrality: NDArray[np.float64]


def communities(
    tables: Mapping[str, pa.Table],
    *,
    config: CommunitiesConfig,
    graph: GraphConfig,
    summarizer: Summarizer,
    published: pa.Table | None = None,
) -> StageResult:
    """Find the communities of the entity graph and summarise them.

    Args:
        tables: `REQUIRES`, by name; `COLUMNS` of each are enough.
        config: Resolutions, sizes, seed, and how much a summary may draw on.
        graph: How relations are weighed.
        summarizer: Writes titles and summaries.
        published: `communities` of an earlier snapshot, whose summaries are reused where the
            content and the summarizer are the same.

    Returns:
        `communities`, by level and number, and `members`, the most central first. A graph without
        edges has none.
    """
    source = _Source(tables, graph, config)
    levels = [source.level(membership) for membership in source.partition()]
    contexts = [context for level in levels for context in source.contexts(level)]
    keys = [fingerprint({"content": c.sha256, "by": summarizer.fingerprint}) for c in contexts]
    summaries, reused = _summarize(contexts, keys, summarizer, published)
    rows, members = source.rows(levels)
    for row, key in zip(rows, keys, strict=True):
        row |= {"title": summaries[key].title, "summary": summaries[key].text, "summary_key": key}
    stats: dict[str, int | float] = {
        f"communities_level_{number}": len(level.sizes) for number, level in enumerate(levels)
    }
    stats |= {"communities": len(rows), "summaries_reused": reused}
    return StageResult(
        {
            "communities": pa.Table.from_pylist(rows, schema=schemas.COMMUNITIES),
            "members": pa.concat_tables([schemas.empty("members"), *members]),
        },
        stats,
    )


def _summarize(
    contexts: list[CommunityContext],
    keys: list[str],
    summarizer: Summarizer,
    published: pa.Table | None,
) -> tuple[dict[str, Summary], int]:
    """Return the summary of each key, and how many of them were known."""
    known: dict[str, Summary] = {}
    if published is not None:
        wanted = published.filter(
            pc.is_in(published["summary_key"], value_set=pa.array(keys, pa.string()))
        )
        known = {
            row["summary_key"]: Summary(row["title"], row["summary"]) for row in wanted.to_pylist()
        }
    missing = {key: one for key, one in zip(keys, contexts, strict=True) if key not in known}
    written = summarizer.summarize(list(missing.values()))
    return known | dict(zip(missing, written, strict=True)), len(known)


class _Source:
    """The graph as arrays, with rows for ids."""

    def __init__(
        self, tables: Mapping[str, pa.Table], graph: GraphConfig, config: CommunitiesConfig
    ) -> None:
        self._config = config
        self._entities = _by_id(tables["entities"], "entity_id")
        self._relations = _by_id(tables["relations"], "relation_id")
        self._sentences = _by_id(tables["sentences"], "sentence_id")
        self._documents = tables["documents"]
        ids = self._entities["entity_id"].combine_chunks()
        self._ends = np.column_stack(
            [_rows(self._relations[end], ids) for end in ("head_id", "tail_id")]
        )
        self._weights = relation_weights(
            self._relations["weight"].to_numpy(),
            self._relations["confidence"].to_numpy(),
            self._ends,
            entities=len(ids),
            degree_cap=graph.degree_cap,
        )
        self._stated, self._stating = self._statements(tables["evidence"])
        texts = self._sentences["text"].take(pa.array(self._stating)).combine_chunks()
        self._texts: Rows = texts.dictionary_encode().indices.to_numpy().astype(np.int64)

    def _statements(self, evidence: pa.Table) -> tuple[Rows, Rows]:
        """Return pairs of a relation's row and the row of a quotable sentence that states it."""
        pairs = evidence.select(["relation_id", "sentence_id"]).group_by(
            ["relation_id", "sentence_id"]
        )
        pairs = pairs.aggregate([])
        stated = _rows(pairs["relation_id"], self._relations["relation_id"].combine_chunks())
        stating = _rows(pairs["sentence_id"], self._sentences["sentence_id"].combine_chunks())
        lengths = pc.utf8_length(self._sentences["text"]).to_numpy()
        quotable = (stated >= 0) & (stating >= 0)
        quotable[quotable] = lengths[stating[quotable]] <= _LONGEST_SENTENCE
        order = np.lexsort((stating[quotable], stated[quotable]))
        return stated[quotable][order], stating[quotable][order]

    def partition(self) -> list[Membership]:
        """Return the membership of each level."""
        return partition(
            self._entities.num_rows,
            self._ends,
            self._weights,
            resolutions=self._config.resolutions,
            min_members=self._config.min_members,
            seed=self._config.seed,
        )

    def level(self, membership: Membership) -> _Level:
        """Rank entities, relations and sentences inside the communities of a level.

        A relation tells more of its community the stronger it is and the more central its ends.
        """
        heads, tails = membership[self._ends[:, 0]], membership[self._ends[:, 1]]
        inside = np.where(heads == tails, heads, -1)
        weights = np.where(inside >= 0, self._weights, 0.0)
        centrality = np.zeros(len(membership))
        for end in (0, 1):
            centrality += np.bincount(self._ends[:, end], weights, minlength=len(membership))
        telling = weights * np.sqrt(centrality[self._ends[:, 0]] * centrality[self._ends[:, 1]])
        members, members_of = best_of_groups(
            membership, centrality, np.arange(len(membership)), count=len(membership)
        )
        relations, relations_of = best_of_groups(
            inside, telling, np.arange(len(inside)), count=self._config.max_relations
        )
        sentences, sentences_of = self._central_sentences(inside, telling)
        return _Level(
            membership,
            np.bincount(membership[membership >= 0]),
            members,
            members_of,
            relations,
            relations_of,
            sentences,
            sentences_of,
            centrality,
        )

    def _central_sentences(self, inside: Rows, telling: NDArray[np.float64]) -> tuple[Rows, Rows]:
        """Return the sentences that state most of a community; equal texts count once."""
        community = inside[self._stated]
        proper = community >= 0
        texts = int(self._texts.max(initial=0)) + 1
        keys = community[proper] * texts + self._texts[proper]
        found, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        told = telling[self._stated[proper]]
        scores = np.bincount(inverse, told, minlength=len(found)).astype(np.float64)
        rows, groups = best_of_groups(
            found // texts, scores, found % texts, count=self._config.max_sentences
        )
        return self._stating[proper][first[rows]], groups

    def contexts(self, level: _Level) -> Iterator[CommunityContext]:
        """Yield what each community's summary may draw on."""
        names = self._entities["name"]
        texts = self._relations["text"]
        first = _first_of_groups(level.members_of, self._config.max_entities)
        entities = _grouped(names, level.members[first], level.members_of[first])
        relations = _grouped(texts, level.relations, level.relations_of)
        cited = self._cited(level.sentences)
        sentences: dict[int, list[CitedSentence]] = {}
        for group, sentence in zip(level.sentences_of.tolist(), cited, strict=True):
            sentences.setdefault(group, []).append(sentence)
        for number, size in enumerate(level.sizes.tolist()):
            yield CommunityContext(
                size,
                tuple(entities[number]),
                tuple(relations.get(number, ())),
                tuple(sentences.get(number, ())),
            )

    def _cited(self, rows: Rows) -> list[CitedSentence]:
        chosen = self._sentences.select(["text", "document_id", "page"]).take(pa.array(rows))
        ids = self._documents["document_id"].combine_chunks()
        titles = self._documents["title"].take(
            pa.array(_rows(chosen["document_id"], ids), pa.int64())
        )
        columns = (chosen["text"], titles, chosen["page"])
        parts = zip(*(column.to_pylist() for column in columns), strict=True)
        return [CitedSentence(" ".join(text.split()), title, page) for text, title, page in parts]

    def rows(self, levels: list[_Level]) -> tuple[list[dict[str, Any]], list[pa.Table]]:
        """Return the rows of `communities`, without their summaries, and of `members`."""
        ids = self._entities["entity_id"].to_pylist()
        rows: list[dict[str, Any]] = []
        members: list[pa.Table] = []
        parents: list[str] = []
        for number, level in enumerate(levels):
            made = self._community_rows(number, level, ids, levels, parents)
            parents = [row["community_id"] for row in made]
            rows += made
            members.append(_member_rows(level, parents, self._entities["entity_id"]))
        return rows, members

    def _community_rows(
        self,
        number: int,
        level: _Level,
        ids: list[str],
        levels: list[_Level],
        parents: list[str],
    ) -> list[dict[str, Any]]:
        rows = []
        starts = np.concatenate([[0], np.cumsum(level.sizes)])
        for group, size in enumerate(level.sizes.tolist()):
            members = level.members[starts[group] : starts[group + 1]]
            sha256 = fingerprint({"members": [ids[member] for member in np.sort(members)]})
            above = levels[number - 1].membership[members[0]] if number else -1
            rows.append(
                {
                    "community_id": content_id("community", number, sha256),
                    "level": number,
                    "parent_id": parents[above] if above >= 0 else None,
                    "size": size,
                    "member_sha256": sha256,
                }
            )
        return rows


def _member_rows(level: _Level, ids: list[str], entity_ids: pa.ChunkedArray) -> pa.Table:
    return pa.table(
        [
            pa.array(ids, pa.string()).take(pa.array(level.members_of)),
            entity_ids.take(pa.array(level.members)),
            pa.array(level.centrality[level.members], pa.float32()),
        ],
        schema=schemas.MEMBERS,
    )


def _by_id(table: pa.Table, column: str) -> pa.Table:
    """Return the rows in order of their ids; tables that are in it, as most are, are not copied."""
    ids = table[column]
    ordered = pc.less_equal(ids.slice(0, max(len(ids) - 1, 0)), ids.slice(1))
    return table if pc.all(ordered).as_py() is not False else table.sort_by(column)


def _rows(ids: pa.ChunkedArray, of: pa.Array) -> Rows:
    """Return the row of each id, -1 where it is none of them."""
    rows: Rows = pc.index_in(ids, value_set=of).fill_null(-1).to_numpy().astype(np.int64)
    return rows


def _first_of_groups(groups: Rows, count: int) -> Rows:
    """Return the first rows of each group, of rows that are sorted by group."""
    starts = np.searchsorted(groups, groups)
    return np.flatnonzero(np.arange(len(groups)) - starts < count)


def _grouped(texts: pa.ChunkedArray, rows: Rows, groups: Rows) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for group, text in zip(groups.tolist(), texts.take(pa.array(rows)).to_pylist(), strict=True):
        found.setdefault(group, []).append(text)
    return found
