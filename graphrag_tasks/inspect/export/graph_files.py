"""The graph as GraphML, node-link JSON, a file of facts, and CSV for Neo4j.

Gephi, yEd, Cytoscape, igraph and networkx read them. Rows are streamed without a date, so memory stays small and the
same graph gives the same bytes. Parallel relations are separate edges.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.visible import did_you_mean, visible
from graphrag_tasks.graph import RELATION
from graphrag_tasks.graph.clusters import Selection
from graphrag_tasks.graph.weights import CONDITION
from graphrag_tasks.language.names import agreeing, entity_key
from graphrag_tasks.language.times import DEPRECATED, EVIDENCE_COLUMNS, times_of
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
    titled = pc.equal(pc.utf8_lower(communities["title"]), wanted.lower())
    same = pc.or_(titled, pc.equal(communities["community_id"], wanted))
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


ENTITY_ATTRIBUTES = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
RELATION_ATTRIBUTES = {"relation": "string", "phrase": "string", "kind": "string", "negated": "boolean",
            "support": "double", "confidence": "double", "weight": "double"}  # fmt: skip
"""Attributes of nodes and edges, with XML Schema and neo4j-admin types."""

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # Characters that XML does not allow.
_AT_ONCE = 10_000  # Rows converted to Python objects at a time; bounds memory.

Row = Mapping[str, Any]


def rows_of(table: pa.Table) -> Iterator[Row]:
    """Yield the rows of a table, converting a batch at a time."""
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def text_of(value: object) -> str:
    """Return a value as text; booleans in XML Schema and neo4j-admin notation."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def write_graphml(selection: Selection, file: TextIO) -> None:
    """Write GraphML (graphml.graphdrawing.org) to a text file opened in UTF-8."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    for domain, attributes in (("node", ENTITY_ATTRIBUTES), ("edge", RELATION_ATTRIBUTES)):
        for name, type_ in attributes.items():
            file.write(f'  <key id="{domain}_{name}" for="{domain}" attr.name="{name}" attr.type="{type_}"/>\n')
    file.write('  <graph edgedefault="directed">\n')
    for row in rows_of(selection.entities):
        data = _graphml_data("node", row, ENTITY_ATTRIBUTES)
        file.write(f"    <node id={_attribute(row['entity_id'])}>{data}</node>\n")
    for row in rows_of(selection.relations):
        ends = f"source={_attribute(row['head_id'])} target={_attribute(row['tail_id'])}"
        data = _graphml_data("edge", row, RELATION_ATTRIBUTES)
        file.write(f"    <edge id={_attribute(row['relation_id'])} {ends}>{data}</edge>\n")
    file.write("  </graph>\n</graphml>\n")


def _graphml_data(domain: str, row: Row, names: Iterable[str]) -> str:
    return "".join(
        f'<data key="{domain}_{name}">{escape(_text(row[name]))}</data>' for name in names if row[name] is not None
    )


def write_json(selection: Selection, file: TextIO) -> None:
    """Write node-link JSON, as `networkx.node_link_graph` and D3 read it, to a UTF-8 file."""
    file.write('{"directed": true, "multigraph": true, ')
    file.write(f'"graph": {_json({"title": selection.title})},\n"nodes": [')
    _write_items(file, selection.entities, {"id": "entity_id"})
    file.write('],\n"edges": [')
    ids = {"source": "head_id", "target": "tail_id", "key": "relation_id"}
    _write_items(file, selection.relations, ids)
    file.write("]}\n")


def _write_items(file: TextIO, table: pa.Table, ids: Mapping[str, str]) -> None:
    for number, row in enumerate(rows_of(table)):
        item = {name: row[column] for name, column in ids.items()}
        item |= {name: value for name, value in row.items() if name not in ids.values()}
        file.write(f"{',' if number else ''}\n{_json(item)}")


def write_facts(snapshot: Snapshot, selection: Selection, file: TextIO) -> None:
    """Write the relations as a file of facts, which can be indexed, to a UTF-8 text file.

    Conditions are left out, as they would read as facts. A time is that of the surest sentence.
    """
    entities = {row["entity_id"]: row for row in rows_of(selection.entities)}
    times = times_of(snapshot.table("evidence", EVIDENCE_COLUMNS))
    for row in rows_of(selection.relations):
        if row["kind"] != CONDITION:
            head, tail = entities[row["head_id"]], entities[row["tail_id"]]
            fact = {"head": head["name"], "relation": row["relation"], "tail": tail["name"]}
            fact |= {"head_type": head["type"], "tail_type": tail["type"]}
            fact["negated"] = row["negated"]
            time = times.get(row["relation_id"])
            if time and time["valid_kind"] != DEPRECATED:  # what is deprecated still holds
                fact |= {name: time[name] for name in ("valid_from", "valid_to") if time[name]}
            file.write(f"{_json(fact)}\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    """Return a value in XML Schema notation, without characters that XML forbids."""
    return NOT_XML.sub("\ufffd", text_of(value))


def _attribute(value: object) -> str:
    return quoteattr(_text(value))


# The graph as CSV for Neo4j, including chunks and documents.

LOAD = "load.cypher"
NEO4J_FILES = (
    "nodes.csv", "chunks.csv", "documents.csv",
    "relationships.csv", "mentions.csv", "part_of.csv", LOAD,
)  # fmt: skip
"""Files of `write_property_graph`: three of nodes, three of relationships."""

_SEPARATOR = ";"  # List separator, the default of `neo4j-admin database import`.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # Characters that begin a spreadsheet formula (OWASP, CSV Injection).

_ESCAPING = re.compile(r'(?<!\\)((?:\\\\)*\\)(?="|$)')
"""An odd number of backslashes before a quotation mark, or at the end of a text."""


def write_property_graph(selection: Selection, provenance: Provenance, folder: Path) -> None:
    r"""Write CSV files for `neo4j-admin database import`, and `load.cypher`, which loads them.

    Entities have the label Entity and their relations the type RELATES_TO, each with the ids of its chunks; a chunk
    MENTIONS entities and is PART_OF a document.

    By default `LOAD CSV` reads `\"` as a quotation mark, so such a backslash gets a space after it.
    """
    chunks: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows_of(provenance.evidence):
        chunks[row["relation_id"]][row["chunk_id"]] = None
    nodes = {"entity_id": "id:ID"} | _typed(ENTITY_ATTRIBUTES)
    tables = {
        "nodes.csv": _rows(selection.entities, nodes, ":LABEL", "Entity"),
        "chunks.csv": _rows(provenance.chunks, _CHUNK, ":LABEL", "Chunk"),
        "documents.csv": _rows(provenance.documents, _DOCUMENT, ":LABEL", "Document"),
        "relationships.csv": _relationships(selection.relations, chunks),
        "mentions.csv": _rows(provenance.mentions, _MENTIONS, ":TYPE", "MENTIONS"),
        "part_of.csv": _rows(provenance.chunks, _PART_OF, ":TYPE", "PART_OF"),
    }
    for name, rows in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    (folder / LOAD).write_bytes(files(__package__).joinpath(LOAD).read_bytes())


_CHUNK = {"chunk_id": "id:ID", "text": "text", "heading_path": "headings:string[]",
          "ordinal": "place:long", "page_start": "page_start:long",
          "page_end": "page_end:long"}  # fmt: skip
_DOCUMENT = {"document_id": "id:ID", "title": "title", "uri": "uri", "media_type": "media_type",
             "content_sha256": "sha256"}  # fmt: skip
_MENTIONS = {"chunk_id": ":START_ID", "entity_id": ":END_ID", "mentions": "mentions:long"}
_PART_OF = {"chunk_id": ":START_ID", "document_id": ":END_ID"}


def _rows(table: pa.Table, columns: Mapping[str, str], kind: str, word: str) -> Iterator[list[object]]:
    yield [*columns.values(), kind]
    for row in rows_of(table):
        yield [*(_neo4j(row[name]) for name in columns), word]


def _relationships(relations: pa.Table, chunks: Mapping[str, Iterable[str]]) -> Iterator[list[object]]:
    columns = {"head_id": ":START_ID", "tail_id": ":END_ID", "relation_id": "relation_id"}
    columns |= _typed(RELATION_ATTRIBUTES)
    yield [*columns.values(), "chunk_ids:string[]", ":TYPE"]
    for row in rows_of(relations):
        stated = _SEPARATOR.join(chunks.get(row["relation_id"], ()))
        yield [*(_neo4j(row[name]) for name in columns), stated, "RELATES_TO"]


def _typed(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: name if type_ == "string" else f"{name}:{type_}"
            for name, type_ in attributes.items()}  # fmt: skip


def _neo4j(value: object) -> object:
    if isinstance(value, list):
        items = (str(item).replace(_SEPARATOR, ",") for item in value)
        value = _SEPARATOR.join(items)
    cell = _cell(value)
    return _ESCAPING.sub(r"\1 ", cell) if isinstance(cell, str) else cell


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return text_of(value)
    if not isinstance(value, str):
        return value
    line = NOT_XML.sub("\ufffd", " ".join(value.split()))
    return f"'{line}" if value.startswith(_FORMULA) or line.startswith(_FORMULA) else line
