"""The graph as GraphML, node-link JSON, a file of facts, and CSV for Neo4j.

Gephi, yEd, Cytoscape, igraph and networkx read them. Rows are streamed without a date, so memory stays small and the
same graph gives the same bytes. Parallel relations are separate edges.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from graphrag_tasks.graph.selection import Selection
from graphrag_tasks.graph.weights import CONDITION
from graphrag_tasks.inspect.export.selection import Provenance
from graphrag_tasks.language.times import DEPRECATED, EVIDENCE_COLUMNS, times_of
from graphrag_tasks.storage.snapshots.store import Snapshot

ENTITY = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
RELATION = {"relation": "string", "phrase": "string", "kind": "string", "negated": "boolean",
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
    for domain, attributes in (("node", ENTITY), ("edge", RELATION)):
        for name, type_ in attributes.items():
            file.write(f'  <key id="{domain}_{name}" for="{domain}" attr.name="{name}" attr.type="{type_}"/>\n')
    file.write('  <graph edgedefault="directed">\n')
    for row in rows_of(selection.entities):
        data = _graphml_data("node", row, ENTITY)
        file.write(f"    <node id={_attribute(row['entity_id'])}>{data}</node>\n")
    for row in rows_of(selection.relations):
        ends = f"source={_attribute(row['head_id'])} target={_attribute(row['tail_id'])}"
        data = _graphml_data("edge", row, RELATION)
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
    nodes = {"entity_id": "id:ID"} | _typed(ENTITY)
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
    columns |= _typed(RELATION)
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
