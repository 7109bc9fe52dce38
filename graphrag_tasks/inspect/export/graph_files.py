"""The graph as files: GraphML, GEXF and node-link JSON.

Gephi, yEd, Cytoscape, igraph and networkx read them. Files are written row by row and without a
date, so they need little memory and the same graph gives the same bytes. Parallel relations are
edges of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from graphrag_tasks.graph.drawing import NOT_XML, Selection
from graphrag_tasks.inspect.export.rows import ENTITY, RELATION, Row, rows_of, text_of


def write_graphml(selection: Selection, file: TextIO) -> None:
    """Write GraphML (graphml.graphdrawing.org) to a text file opened in UTF-8."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    for domain, attributes in (("node", ENTITY), ("edge", RELATION)):
        for name, type_ in attributes.items():
            file.write(
                f'  <key id="{domain}_{name}" for="{domain}" attr.name="{name}" '
                f'attr.type="{type_}"/>\n'
            )
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
        f'<data key="{domain}_{name}">{escape(_text(row[name]))}</data>'
        for name in names
        if row[name] is not None
    )


def write_gexf(selection: Selection, file: TextIO) -> None:
    """Write GEXF 1.2 (gexf.net), which more programs read than 1.3, to a file opened in UTF-8."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write('<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n')
    file.write('  <graph defaultedgetype="directed" mode="static">\n')
    for domain, attributes in (("node", ENTITY), ("edge", RELATION)):
        file.write(f'    <attributes class="{domain}" mode="static">\n')
        for name, type_ in attributes.items():
            file.write(f'      <attribute id="{name}" title="{name}" type="{type_}"/>\n')
        file.write("    </attributes>\n")
    file.write("    <nodes>\n")
    for row in rows_of(selection.entities):
        label = f"id={_attribute(row['entity_id'])} label={_attribute(row['name'])}"
        file.write(f"      <node {label}>{_gexf_values(row, ENTITY)}</node>\n")
    file.write("    </nodes>\n    <edges>\n")
    for row in rows_of(selection.relations):
        about = {"id": "relation_id", "source": "head_id", "target": "tail_id",
                 "label": "relation", "weight": "weight"}  # fmt: skip
        words = " ".join(f"{name}={_attribute(row[column])}" for name, column in about.items())
        file.write(f"      <edge {words}>{_gexf_values(row, RELATION)}</edge>\n")
    file.write("    </edges>\n  </graph>\n</gexf>\n")


def _gexf_values(row: Row, names: Iterable[str]) -> str:
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
    for number, row in enumerate(rows_of(table)):
        item = {name: row[column] for name, column in ids.items()}
        item |= {name: value for name, value in row.items() if name not in ids.values()}
        file.write(f"{',' if number else ''}\n{_json(item)}")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    """Return a value as XML Schema writes it, without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text_of(value))


def _attribute(value: object) -> str:
    return quoteattr(_text(value))
