"""The communities stage: Leiden communities of the entity graph, each with a title and a summary.

Communities answer global questions: each level covers the graph, coarser levels with fewer and broader summaries. A
summary of the same content by the same summarizer is reused from an earlier snapshot, so an expensive summarizer runs
for changed communities only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import CommunitiesConfig
from graphrag_tasks.core.ids import content_id, fingerprint
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.graph.communities.partition import COLUMNS, Level, Ranked, Source, partition, rank
from graphrag_tasks.graph.communities.summaries import CitedSentence, CommunityContext, Summarizer, Summary, names
from graphrag_tasks.language.names import agreeing, told
from graphrag_tasks.storage.sql import BATCH_ROWS, Rows, sql_over

_BATCH = 1 << 13  # Communities whose texts are held in memory at once.
_MOST_CHILDREN = 8  # Most child summaries that a summary is made from; chosen, so that a prompt stays short.
_MOST_ENTITIES = 8  # Entities that a summary is made from; chosen by reading summaries.


@stage(
    per="corpus",
    reads=tuple(map(scan, COLUMNS)),
    makes=("communities", "members"),
    settings={"config": "communities"},
    given=("summarizer", "summarized", "unsent_entities"),
    libraries=("python-igraph", "scipy", "duckdb"),
)
def communities(
    documents: Rows, sentences: Rows, entities: Rows, relations: Rows, evidence: Rows,
    mentions: Rows, chunks: Rows, *, config: CommunitiesConfig, summarizer: Summarizer,
    summarized: pa.Table | None = None,
    unsent_entities: Set[str] = frozenset(),
) -> StageResult:  # fmt: skip
    """Find the communities of the entity graph and summarise them.

    `COLUMNS` of each table are enough. `summarized` is the `communities` table of an earlier snapshot, whose summaries
    are reused. Communities with one of `unsent_entities` are private. The result has `communities`, by level and
    number, and the stream `members`, the most central first.
    """
    tables = {
        "documents": documents, "sentences": sentences, "entities": entities,
        "relations": relations, "evidence": evidence, "mentions": mentions,
        "chunks": chunks,
    }  # fmt: skip
    with sql_over(tables) as connection:
        source = Source(connection)
        unsent = np.isin(source.entity_ids.to_numpy(zero_copy_only=False), [*unsent_entities])
        ends = np.concatenate([source.ends, source.places])
        weights = np.concatenate([source.weights, source.place_weights])
        nodes = len(unsent) + source.sections
        memberships = partition(nodes, ends, weights, resolutions=config.resolutions, proper=len(unsent))
        levels = [rank(source, membership) for membership in memberships]
        named = names(levels, source)
        rows = _rows(levels, source.entity_ids)
        summaries = _Summaries(summarizer, summarized)
        made: list[pa.Table] = []
        below: list[dict[str, Any]] = []
        for level, of_level, called in reversed(list(zip(levels, rows, named, strict=True))):
            written = [
                row
                for part, contexts in _batches(of_level, called, level, source, unsent)
                for row in map(or_, part, summaries.of(_with_children(part, contexts, below)))
            ]
            made.insert(0, pa.Table.from_pylist(written, schemas.COMMUNITIES))
            below = written if summarizer.reads_children else []
    stats = {f"communities_level_{number}": len(level) for number, level in enumerate(levels)}
    stats |= {"communities": sum(map(len, levels)), "summaries_reused": summaries.reused}
    ids = [pa.array([row["community_id"] for row in one], pa.string()) for one in rows]
    found = {
        "communities": pa.concat_tables([schemas.empty("communities"), *made]),
        "members": _members(levels, ids, source.entity_ids),
    }
    return StageResult(found, stats)


def _rows(levels: list[Level], entity_ids: pa.Array[Any]) -> list[list[dict[str, Any]]]:
    """Return the rows of `communities` per level, without their summaries."""
    rows: list[list[dict[str, Any]]] = []
    for number, level in enumerate(levels):
        made = []
        for members in _split(level.members, level.members.rows):
            ids = entity_ids.take(pa.array(np.sort(members))).to_pylist()
            sha256 = fingerprint({"members": ids})
            above = levels[number - 1].membership[members[0]] if number else -1
            made.append(
                {
                    "community_id": content_id("community", number, sha256),
                    "level": number,
                    "parent_id": rows[-1][above]["community_id"] if above >= 0 else None,
                    "size": len(members),
                    "member_sha256": sha256,
                }
            )
        rows.append(made)
    return rows


def _batches(
    rows: list[dict[str, Any]], called: list[str], level: Level, source: Source, unsent: NDArray[np.bool_]
) -> Iterator[tuple[list[dict[str, Any]], list[CommunityContext]]]:
    """Yield rows of communities in batches, with the context for each summary."""
    for first in range(0, len(rows), _BATCH):
        part = rows[first : first + _BATCH]
        last = first + len(part)
        entities = level.members.part(first, last).best(_MOST_ENTITIES)
        relations = level.relations.part(first, last)
        sentences = level.sentences.part(first, last)
        members = level.members.part(first, last)
        private = [bool(of.any()) for of in _split(members, unsent[members.rows])]
        drawn = zip(
            part,
            _split(entities, source.texts("names", entities.rows)),
            _split(relations, list(map(_worded, source.texts("wordings", relations.rows)))),
            _split(sentences, list(map(_cited, source.texts("quotations", sentences.rows)))),
            strict=True,
        )
        contexts = [
            CommunityContext(row["size"], *map(tuple, texts), name=name, is_private=is_private)
            for (row, *texts), name, is_private in zip(drawn, called[first:last], private, strict=True)
        ]
        yield part, contexts


def _with_children(
    rows: Sequence[dict[str, Any]], contexts: Sequence[CommunityContext], below: Sequence[dict[str, Any]]
) -> list[CommunityContext]:
    """Return contexts with the summaries of their largest child communities."""
    children: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(below, key=lambda row: (-row["size"], row["community_id"])):
        children[row["parent_id"]].append(row)
    return [
        replace(
            context,
            children=tuple(
                Summary(child["title"], child["summary"]) for child in children[row["community_id"]][:_MOST_CHILDREN]
            ),
        )
        for row, context in zip(rows, contexts, strict=True)
    ]


def _split(ranked: Ranked, values: Sequence[Any] | NDArray[Any]) -> Iterator[Any]:
    for start, end in pairwise(ranked.starts.tolist()):
        yield values[start:end]


def _worded(row: dict[str, Any]) -> str:
    phrase = agreeing(row["head"], row["phrase"], row["relation"])
    return told(row["head"], phrase, row["tail"])


def _cited(row: dict[str, Any]) -> CitedSentence:
    return CitedSentence(" ".join(row["text"].split()), row["title"], row["page"])


class _Summaries:
    """Titles and summaries by key: each is written once, or reused."""

    def __init__(self, summarizer: Summarizer, published: pa.Table | None) -> None:
        self._summarizer, self._published = summarizer, published
        self._known: dict[str, dict[str, str]] = {}
        self.reused = 0

    def of(self, contexts: list[CommunityContext]) -> list[dict[str, str]]:
        """Return `title`, `summary` and `summary_key` of each context."""
        by = self._summarizer.fingerprint
        keys = [fingerprint({"content": context.sha256, "by": by}) for context in contexts]
        self._take_over(keys)
        by_key = zip(keys, contexts, strict=True)
        missing = {key: community_context for key, community_context in by_key if key not in self._known}
        written = self._summarizer.summarize(list(missing.values()))
        for key, summary in zip(missing, written, strict=True):
            self._known[key] = {"title": summary.title, "summary": summary.text, "summary_key": key}
        return [self._known[key] for key in keys]

    def _take_over(self, keys: list[str]) -> None:
        new = pa.array([key for key in keys if key not in self._known], pa.string())
        if self._published is None or not len(new):
            return
        found = self._published.filter(pc.is_in(self._published["summary_key"], value_set=new))
        rows = found.select(["title", "summary", "summary_key"]).to_pylist()
        taken = {row["summary_key"]: row for row in rows}
        self._known |= taken
        self.reused += len(taken)


def _members(levels: list[Level], ids: list[pa.Array[Any]], entity_ids: pa.Array[Any]) -> pa.RecordBatchReader:
    schema = schemas.MEMBERS

    def batches() -> Iterator[pa.RecordBatch]:
        for level, community_ids in zip(levels, ids, strict=True):
            members = level.members.rows
            of = np.repeat(np.arange(len(level)), np.diff(level.members.starts))
            for start in range(0, len(members), BATCH_ROWS):
                part = slice(start, start + BATCH_ROWS)
                yield pa.record_batch(
                    [
                        community_ids.take(pa.array(of[part])),
                        entity_ids.take(pa.array(members[part])),
                        pa.array(level.centrality[members[part]], pa.float32()),
                    ],
                    schema=schema,
                )

    return pa.RecordBatchReader.from_batches(schema, batches())
