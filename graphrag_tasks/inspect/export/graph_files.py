"""The graph as files: GraphML, GEXF, node-link JSON, and CSV for `neo4j-admin import`.

Gephi, yEd, Cytoscape, igraph and networkx read the first three. Files are written row by row and
without a date, so they need little memory and the same graph gives the same bytes. Parallel
relations are edges of their own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from graphrag_tasks.graph.drawing import NOT_XML, Selection

_ENTITY = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
_RELATION = {"relation": "string", "phrase": "string", "kind": "string", "negated": "boolean",
             "support": "double", "confidence": "double", "weight": "double"}  # fmt: skip
"""Attributes of nodes and edges, with their types as XML Schema and neo4j-admin name them."""

_SHEET = ("relation", "kind", "negated", "support", "confidence", "weight")

_NODE_IDS = {"entity_id": ":ID"}
_EDGE_IDS = {"head_id": ":START_ID", "tail_id": ":END_ID", "relation_id": "relation_id"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

_Row = Mapping[str, Any]


def write_graphml(selection: Selection, file: TextIO) -> None:
    """Write GraphML (graphml.graphdrawing.org) to a text file opened in UTF-8."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    for domain, attributes in (("node", _ENTITY), ("edge", _RELATION)):
        for name, type_ in attributes.items():
            file.write(
                f'  <key id="{domain}_{name}" for="{domain}" attr.name="{name}" '
                f'attr.type="{type_}"/>\n'
            )
    file.write('  <graph edgedefault="directed">\n')
    for row in _rows(selection.entities):
        data = _graphml_data("node", row, _ENTITY)
        file.write(f"    <node id={_attribute(row['entity_id'])}>{data}</node>\n")
    for row in _rows(selection.relations):
        ends = f"source={_attribute(row['head_id'])} target={_attribute(row['tail_id'])}"
        data = _graphml_data("edge", row, _RELATION)
        file.write(f"    <edge id={_attribute(row['relation_id'])} {ends}>{data}</edge>\n")
    file.write("  </graph>\n</graphml>\n")


def _graphml_data(domain: str, row: _Row, names: Iterable[str]) -> str:
    return "".join(
        f'<data key="{domain}_{name}">{escape(_text(row[name]))}</data>'
        for name in names
        if row[name] is not None
    )


def write_gexf(selection: Selection, file: TextIO) -> None:
    """Write GEXF 1.2 (gexf.net), which more programs read than 1.3, to a file opened in UTF-8."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write('<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n')
    file.write('  <graph defaultedgetype="directed" mode="static">\n')
    for domain, attributes in (("node", _ENTITY), ("edge", _RELATION)):
        file.write(f'    <attributes class="{domain}" mode="static">\n')
        for name, type_ in attributes.items():
            file.write(f'      <attribute id="{name}" title="{name}" type="{type_}"/>\n')
        file.write("    </attributes>\n")
    file.write("    <nodes>\n")
    for row in _rows(selection.entities):
        label = f"id={_attribute(row['entity_id'])} label={_attribute(row['name'])}"
        file.write(f"      <node {label}>{_gexf_values(row, _ENTITY)}</node>\n")
    file.write("    </nodes>\n    <edges>\n")
    for row in _rows(selection.relations):
        about = {"id": "relation_id", "source": "head_id", "target": "tail_id",
                 "label": "relation", "weight": "weight"}  # fmt: skip
        words = " ".join(f"{name}={_attribute(row[column])}" for name, column in about.items())
        file.write(f"      <edge {words}>{_gexf_values(row, _RELATION)}</edge>\n")
    file.write("    </edges>\n  </graph>\n</gexf>\n")


def _gexf_values(row: _Row, names: Iterable[str]) -> str:
    values = "".join(
        f'<attvalue for="{name}" value={_attribute(row[name])}/>'
        for name in names
        if row[name] is not None
    )
    return f"<attvalues>{values}</attvalues>"


def write_json(selection: Selection, file: TextIO) -> None:
    """Write node-link JSON, as `networkx.node_link_graph` and D3 read it, to a file in UTF-8."""
    file.write('{"directed": true, "multigraph": true, ')
    file.write(f'"graph": {_json({"title": selection.title})},\n"nodes": [')
    _write_items(file, selection.entities, {"id": "entity_id"})
    file.write('],\n"edges": [')
    ids = {"source": "head_id", "target": "tail_id", "key": "relation_id"}
    _write_items(file, selection.relations, ids)
    file.write("]}\n")


def _write_items(file: TextIO, table: pa.Table, ids: Mapping[str, str]) -> None:
    for number, row in enumerate(_rows(table)):
        item = {name: row[column] for name, column in ids.items()}
        item |= {name: value for name, value in row.items() if name not in ids.values()}
        file.write(f"{',' if number else ''}\n{_json(item)}")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_property_graph(selection: Selection, nodes: TextIO, relationships: TextIO) -> None:
    """Write two CSV files with the headers that `neo4j-admin import` reads.

    Nodes get the label Entity and relationships the type RELATES_TO. Names come from documents, so
    a text that a spreadsheet would take for a formula gets an apostrophe before it. The files are
    opened in UTF-8 with `newline=""`.
    """
    _write_csv(nodes, selection.entities, _NODE_IDS | _typed(_ENTITY), (":LABEL", "Entity"))
    columns = _EDGE_IDS | _typed(_RELATION)
    _write_csv(relationships, selection.relations, columns, (":TYPE", "RELATES_TO"))


def write_sheet(selection: Selection, file: TextIO) -> None:
    """Write the relations as one CSV file for a spreadsheet, with the names of their ends.

    A text that would be taken for a formula gets an apostrophe before it. The file is opened in
    UTF-8 with `newline=""`.
    """
    names = dict(
        zip(*(selection.entities[one].to_pylist() for one in ("entity_id", "name")), strict=True)
    )
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["head", "phrase", "tail", *_SHEET])
    for row in _rows(selection.relations):
        words = (names[row["head_id"]], row["phrase"], names[row["tail_id"]])
        writer.writerow([_cell(one) for one in (*words, *(row[name] for name in _SHEET))])


def _typed(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: name if type_ == "string" else f"{name}:{type_}"
            for name, type_ in attributes.items()}  # fmt: skip


def _write_csv(
    file: TextIO, table: pa.Table, columns: Mapping[str, str], kind: tuple[str, str]
) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*columns.values(), kind[0]])
    for row in _rows(table):
        writer.writerow([*(_cell(row[name]) for name in columns), kind[1]])


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return _text(value)
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())  # neo4j-admin reads a row from one line
    return f"'{line}" if value.startswith(_FORMULA) or line.startswith(_FORMULA) else line


def _rows(table: pa.Table) -> Iterator[_Row]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _text(value: object) -> str:
    """Return a value as XML Schema writes it, without the characters that XML cannot hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return NOT_XML.sub("\ufffd", str(value))


def _attribute(value: object) -> str:
    return quoteattr(_text(value))
