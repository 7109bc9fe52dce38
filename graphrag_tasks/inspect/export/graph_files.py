"""The graph as GraphML, node-link JSON, and a file of facts.

Gephi, yEd, Cytoscape, igraph and networkx read them. Rows are streamed without a date, so memory stays small and the
same graph gives the same bytes. Parallel relations are separate edges.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from graphrag_tasks.graph.relation_kinds import CONDITION
from graphrag_tasks.graph.selection import Selection
from graphrag_tasks.inspect.export.rows import ENTITY, NOT_XML, RELATION, Row, rows_of, text_of
from graphrag_tasks.language.times import DEPRECATED, EVIDENCE_COLUMNS, times_of
from graphrag_tasks.storage.snapshots.store import Snapshot


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
