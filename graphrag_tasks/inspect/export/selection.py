"""Select the part of a graph to export, with its provenance: all, an entity's neighbourhood, or a community.

Entities and relations are ordered by id.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.core.visible import did_you_mean, visible
from graphrag_tasks.graph import RELATION
from graphrag_tasks.graph.selection import Selection
from graphrag_tasks.language.names import agreeing, entity_key
from graphrag_tasks.storage.snapshots.store import Snapshot

_NEAR = 3  # Names suggested by an error.

Rows = NDArray[np.int64]


class _Graph:
    """Entities and relations of a snapshot, with row indexes."""

    def __init__(self, snapshot: Snapshot, *, all_kinds: bool) -> None:
        columns = ["entity_id", "name", "type", "mentions", "chunks"]
        self.entities = snapshot.table("entities", columns)
        relations = snapshot.table("relations")
        edges = snapshot.table("edges")
        edges = edges.filter(pc.is_valid(edges["row"])).sort_by("row")
        if not all_kinds:
            facts = pc.equal(edges["kind"], RELATION)
            edges, relations = edges.filter(facts), relations.filter(facts)
        self.ends: Rows = np.column_stack([edges[end].to_numpy() for end in ("source", "target")])
        self.weights: NDArray[np.float32] = edges["weight"].to_numpy()
        self.relations = (
            relations.select(("relation_id", "head_id", "relation", "phrase", "kind", "tail_id", "negated"))
            .append_column("support", relations["weight"])
            .append_column("confidence", relations["confidence"])
            .append_column("weight", edges["weight"])
        )

    def part(self, title: str, rows: Rows, limit: int | None = None) -> Selection:
        kept = np.sort(rows[:limit])
        is_kept = np.zeros(self.entities.num_rows, dtype=bool)
        is_kept[kept] = True
        inside = is_kept[self.ends].all(axis=1)
        entities = self.entities.take(pa.array(kept))
        relations = agreeing_phrases(self.relations.filter(pa.array(inside)), entities)
        return Selection(title, entities, relations, omitted=len(rows) - len(kept))


def agreeing_phrases(relations: pa.Table, entities: pa.Table) -> pa.Table:
    """Return relations whose phrases agree in number with their heads."""
    names = dict(zip(*(entities[one].to_pylist() for one in ("entity_id", "name")), strict=True))
    columns = (relations[one].to_pylist() for one in ("head_id", "phrase", "relation"))
    phrases = [agreeing(names[head], phrase, words) for head, phrase, words in zip(*columns, strict=True)]
    place = relations.column_names.index("phrase")
    return relations.set_column(place, "phrase", pa.array(phrases, pa.string()))


def whole_graph(snapshot: Snapshot, *, all_kinds: bool = False) -> Selection:
    """Return all entities of a snapshot and their facts; with `all_kinds`, all relations."""
    graph = _Graph(snapshot, all_kinds=all_kinds)
    rows = np.arange(graph.entities.num_rows, dtype=np.int64)
    return graph.part(f"Snapshot {snapshot.snapshot_id}", rows)


def neighbourhood(
    snapshot: Snapshot, name: str, *, hops: int = 1, limit: int = 40, all_kinds: bool = False
) -> Selection:
    """Return an entity and its neighbours along facts, in either direction.

    With `all_kinds`, associations ("VBBE is in S/4HANA") and conditions are followed too. `name` is any of its names,
    in any spelling. The limit prefers nearer entities, then stronger relations.
    """
    graph = _Graph(snapshot, all_kinds=all_kinds)
    start = _entity_row(snapshot, graph, name)
    reached = np.array([start], dtype=np.int64)
    frontier = np.zeros(graph.entities.num_rows, dtype=bool)
    for _ in range(hops):
        frontier[reached] = True
        ties = _ties(graph, frontier)
        ties[reached] = 0.0
        found = np.flatnonzero(ties)
        reached = np.concatenate([reached, found[np.argsort(-ties[found], kind="stable")]])
    title = str(graph.entities["name"][start].as_py())
    return graph.part(f"Around {title}", reached, limit)


def _ties(graph: _Graph, among: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the total weight of each entity's relations to entities in `among`."""
    ties = np.zeros(len(among))
    for one, other in ((0, 1), (1, 0)):
        touching = among[graph.ends[:, one]]
        rows, weights = graph.ends[touching, other], graph.weights[touching]
        ties += np.bincount(rows, weights, minlength=len(among))
    return ties


def _entity_row(snapshot: Snapshot, graph: _Graph, name: str) -> int:
    resolved = snapshot.table("resolved", ["key", "entity_id"])
    key = entity_key(name)
    found = resolved.filter(pc.equal(resolved["key"], key))["entity_id"].to_pylist()
    row = int(pc.index(graph.entities["entity_id"], found[0]).as_py()) if found else -1
    if row < 0:
        hint = did_you_mean(key, resolved["key"].to_pylist())
        raise SnapshotError(f"no entity is called '{name}'", snapshot.folder.uri, hint)
    return row


def community(snapshot: Snapshot, wanted: str, *, limit: int = 40, all_kinds: bool = False) -> Selection:
    """Return the most central members of a community, and the facts between them.

    With `all_kinds`, associations and conditions too. `wanted` is the community's id, or its title in any case; the
    largest match wins.
    """
    communities = snapshot.table("communities", ["community_id", "title", "size", "level"])
    if len(wanted) == ID_HEX_DIGITS:
        same = pc.equal(communities["community_id"], wanted)
    else:
        same = pc.equal(pc.utf8_lower(communities["title"]), wanted.lower())
    order = [("size", "descending"), ("level", "ascending"), ("community_id", "ascending")]
    found = communities.filter(same).sort_by(order).to_pylist()
    if not found:
        titles = communities.sort_by(order)["title"].to_pylist()
        near = [title for title in dict.fromkeys(titles) if wanted.lower() in title.lower()][:_NEAR]
        near = near or difflib.get_close_matches(wanted, titles, n=_NEAR, cutoff=0.4)
        hint = f"Did you mean: {'; '.join(near)}?" if near else ""
        raise SnapshotError(f"there is no community '{wanted}'", snapshot.folder.uri, hint)
    members = snapshot.table("members")
    members = members.filter(pc.equal(members["community_id"], found[0]["community_id"]))
    graph = _Graph(snapshot, all_kinds=all_kinds)
    rows = pc.index_in(members["entity_id"], value_set=graph.entities["entity_id"].combine_chunks())
    return graph.part(str(found[0]["title"]), rows.to_numpy().astype(np.int64), limit)


# Provenance of a part of a graph: sentences of its relations, with chunks and documents.


@dataclass(frozen=True)
class Provenance:
    """The sources of a selection; each table is ordered by id.

    Attributes:
        evidence: `relation_id`, `sentence_id`, `chunk_id`: each sentence of a relation once.
        mentions: `entity_id`, `chunk_id`, `mentions`: how often a chunk mentions an entity.
        aliases: `entity_id`, `alias`.
        sentences: `sentence_id`, `chunk_id`, `text`, `page` of the evidence.
        chunks: `chunk_id`, `document_id`, `ordinal`, `heading_path`, `text`, `page_start`, `page_end` of the evidence
            and the mentions; by document and position.
        documents: `document_id`, `title`, `uri`, `media_type`, `content_sha256` of the chunks.
    """

    evidence: pa.Table
    mentions: pa.Table
    aliases: pa.Table
    sentences: pa.Table
    chunks: pa.Table
    documents: pa.Table


def provenance(snapshot: Snapshot, selection: Selection) -> Provenance:
    """Return the provenance of a part of a snapshot's graph."""
    entities, relations = selection.entities["entity_id"], selection.relations["relation_id"]
    evidence = snapshot.table("evidence", ["relation_id", "sentence_id", "chunk_id"])
    evidence = _once(_those(evidence, "relation_id", relations))
    mentions = snapshot.table("mentions", ["entity_id", "chunk_id"])
    mentions = _those(mentions, "entity_id", entities)
    mentions = mentions.group_by(["entity_id", "chunk_id"]).aggregate([([], "count_all")])
    mentions = mentions.rename_columns(["entity_id", "chunk_id", "mentions"])
    aliases = snapshot.table("aliases", ["entity_id", "alias"])
    sentences = snapshot.table("sentences", ["sentence_id", "chunk_id", "text", "page"])
    columns = ["chunk_id", "document_id", "ordinal", "heading_path", "text", "page_start",
               "page_end"]  # fmt: skip
    chunks = _those(
        snapshot.table("chunks", columns),
        "chunk_id",
        pa.chunked_array([*evidence["chunk_id"].chunks, *mentions["chunk_id"].chunks], pa.string()),
    )
    columns = ["document_id", "title", "uri", "media_type", "content_sha256"]
    documents = _those(snapshot.table("documents", columns), "document_id", chunks["document_id"])
    for column in ("title", "uri"):  # a file's name may hold what turns the direction of writing
        shown = [one and visible(one) for one in documents[column].to_pylist()]
        at = documents.column_names.index(column)
        documents = documents.set_column(at, column, pa.array(shown, pa.string()))
    return Provenance(
        evidence=evidence,
        mentions=_ordered(mentions, "entity_id", "chunk_id"),
        aliases=_once(_those(aliases, "entity_id", entities)),
        sentences=_ordered(_those(sentences, "sentence_id", evidence["sentence_id"]), "sentence_id"),
        chunks=_ordered(chunks, "document_id", "ordinal"),
        documents=_ordered(documents, "document_id"),
    )


def _those(table: pa.Table, key: str, ids: pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table[key], value_set=ids.combine_chunks()))


def _once(table: pa.Table) -> pa.Table:
    names = table.column_names
    return _ordered(table.group_by(names).aggregate([]), *names)


def _ordered(table: pa.Table, *keys: str) -> pa.Table:
    return table.sort_by([(key, "ascending") for key in keys])
