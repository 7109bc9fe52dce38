"""GraphML, GEXF and node-link JSON: what Gephi, yEd, Cytoscape, igraph and networkx read.

The files are written as rows are read, without a date, so they need little memory and the same
graph gives the same bytes. Parallel relations are edges of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from graphrag_tasks.inspect.export.selection import Selection

_ENTITY = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
_RELATION = {
    "relation": "string",
    "negated": "boolean",
    "support": "double",
    "confidence": "double",
    "weight": "double",
}
"""Attributes of nodes and edges, with their types as XML Schema names them."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_Row = Mapping[str, Any]


def write_graphml(selection: Selection, file: TextIO) -> None:
    """Write GraphML (graphml.graphdrawing.org).

    Args:
        selection: What to write.
        file: An open text file, in UTF-8.
    """
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


def _graphml_data(domain: str, row: _Row, names: Sequence[str] | Mapping[str, str]) -> str:
    return "".join(
        f'<data key="{domain}_{name}">{escape(_text(row[name]))}</data>'
        for name in names
        if row[name] is not None
    )


def write_gexf(selection: Selection, file: TextIO) -> None:
    """Write GEXF 1.2 (gexf.net), which more programs read than 1.3.

    Args:
        selection: What to write.
        file: An open text file, in UTF-8.
    """
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


def _gexf_values(row: _Row, names: Mapping[str, str]) -> str:
    values = "".join(
        f'<attvalue for="{name}" value={_attribute(row[name])}/>'
        for name in names
        if row[name] is not None
    )
    return f"<attvalues>{values}</attvalues>"


def write_json(selection: Selection, file: TextIO) -> None:
    """Write node-link JSON: what `networkx.node_link_graph` and D3 read.

    Args:
        selection: What to write.
        file: An open text file, in UTF-8.
    """
    file.write('{"directed": true, "multigraph": true, ')
    file.write(f'"graph": {_json({"title": selection.title})},\n"nodes": [')
    _write_items(file, ({"id": row["entity_id"]} | _without(row, "entity_id")
                        for row in _rows(selection.entities)))  # fmt: skip
    file.write('],\n"edges": [')
    renamed = {"source": "head_id", "target": "tail_id", "key": "relation_id"}
    _write_items(
        file,
        ({name: row[column] for name, column in renamed.items()} | _without(row, *renamed.values())
         for row in _rows(selection.relations)),
    )  # fmt: skip
    file.write("]}\n")


def _write_items(file: TextIO, items: Iterator[_Row]) -> None:
    for number, item in enumerate(items):
        file.write(f"{',' if number else ''}\n{_json(item)}")


def _without(row: _Row, *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(table: pa.Table) -> Iterator[_Row]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _text(value: object) -> str:
    """Return a value as XML Schema writes it, without the characters that XML cannot hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _NOT_XML.sub("\ufffd", str(value))


def _attribute(value: object) -> str:
    return quoteattr(_text(value))
