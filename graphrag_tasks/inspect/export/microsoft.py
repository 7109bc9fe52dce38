"""The graph as the Parquet files that Microsoft GraphRAG's readers expect.

The names of columns are those of `graphrag/data_model/schemas.py` in graphrag 3.3, with those that
2.7 has in their place (`document_ids`, `metadata`, `x`, `y`). Ends of relationships are titles of
entities there, so titles are unique. What a model writes there is made of the graph here: a
description is the statements of an entity that have most support, a report is the summary of a
community.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.graph.drawing import Selection
from graphrag_tasks.inspect.export.provenance import Provenance
from graphrag_tasks.snapshots.store import Snapshot

_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()
_TEXTS = pa.list_(_TEXT)
_FINDINGS = pa.list_(pa.struct([("summary", _TEXT), ("explanation", _TEXT)]))

TABLES: Mapping[str, pa.Schema] = {
    "entities": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "title": _TEXT, "type": _TEXT,
         "description": _TEXT, "text_unit_ids": _TEXTS, "frequency": _WHOLE, "degree": _WHOLE,
         "x": _NUMBER, "y": _NUMBER}
    ),
    "relationships": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "source": _TEXT, "target": _TEXT,
         "description": _TEXT, "weight": _NUMBER, "combined_degree": _WHOLE,
         "text_unit_ids": _TEXTS}
    ),
    "text_units": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "text": _TEXT, "n_tokens": _WHOLE,
         "document_id": _TEXT, "document_ids": _TEXTS, "entity_ids": _TEXTS,
         "relationship_ids": _TEXTS, "covariate_ids": _TEXTS}
    ),
    "documents": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "title": _TEXT, "text": pa.large_string(),
         "text_unit_ids": _TEXTS, "creation_date": _TEXT, "raw_data": _TEXT, "metadata": _TEXT}
    ),
    "communities": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "community": _WHOLE, "level": _WHOLE,
         "parent": _WHOLE, "children": pa.list_(_WHOLE), "title": _TEXT, "entity_ids": _TEXTS,
         "relationship_ids": _TEXTS, "text_unit_ids": _TEXTS, "period": _TEXT, "size": _WHOLE}
    ),
    "community_reports": pa.schema(
        {"id": _TEXT, "human_readable_id": _WHOLE, "community": _WHOLE, "level": _WHOLE,
         "parent": _WHOLE, "children": pa.list_(_WHOLE), "title": _TEXT, "summary": _TEXT,
         "full_content": _TEXT, "rank": _NUMBER, "rating_explanation": _TEXT,
         "findings": _FINDINGS, "full_content_json": _TEXT, "period": _TEXT, "size": _WHOLE}
    ),
}  # fmt: skip
"""The tables with their columns; a file is called as its table, with the ending `.parquet`."""

GRAPHRAG_FILES = tuple(f"{name}.parquet" for name in TABLES)

_ROOT = -1
"""The parent of a community without one, as graphrag writes it."""

_STATEMENTS = 5
"""Statements of a description: what fits a line of a prompt."""

_CHARACTERS_A_TOKEN = 4
"""Of English text, by the rule of thumb of OpenAI's tokenizers."""

_HIGHEST_RANK = 10.0
"""Of a report, as graphrag's prompt of reports asks for it."""

_Row = dict[str, Any]
_Groups = Mapping[str, Sequence[str]]


def write_graphrag(
    snapshot: Snapshot, selection: Selection, provenance: Provenance, folder: Path
) -> None:
    """Write the tables of `TABLES` to a folder.

    Communities are those of the selected entities, and have no others. There are no dates:
    `period` is empty and `creation_date` null.
    """
    chunks_of = _grouped(provenance.mentions, "entity_id", "chunk_id")
    stated_in = _grouped(provenance.evidence, "relation_id", "chunk_id")
    entities, relations = selection.entities.to_pylist(), selection.relations.to_pylist()
    degrees = Counter(row[end] for row in relations for end in ("head_id", "tail_id"))
    names = [row["name"] for row in entities]
    titles = dict(zip((row["entity_id"] for row in entities), _unique(names), strict=True))
    communities, places = _communities(snapshot, entities, relations, stated_in)
    made: dict[str, list[_Row]] = {
        "entities": _entities(entities, relations, titles, chunks_of, degrees, places),
        "relationships": _relationships(relations, titles, stated_in, degrees),
        "text_units": _text_units(provenance),
        "documents": _documents(snapshot, provenance),
        "communities": communities,
        "community_reports": _reports(communities),
    }
    for name, schema in TABLES.items():
        rows = [row | {"human_readable_id": number} for number, row in enumerate(made[name])]
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / f"{name}.parquet")


def _entities(
    entities: Iterable[_Row], relations: Iterable[_Row], titles: Mapping[str, str],
    chunks_of: _Groups, degrees: Mapping[str, int], places: Mapping[str, tuple[float, float]],
) -> list[_Row]:  # fmt: skip
    said: dict[str, list[str]] = defaultdict(list)
    for row in sorted(relations, key=lambda row: (-row["support"], row["relation_id"])):
        statement = f"{titles[row['head_id']]} {row['phrase']} {titles[row['tail_id']]}."
        for end in dict.fromkeys((row["head_id"], row["tail_id"])):
            if len(said[end]) < _STATEMENTS:
                said[end].append(statement)
    return [
        {"id": row["entity_id"], "title": titles[row["entity_id"]], "type": row["type"] or "",
         "description": " ".join(said[row["entity_id"]]) or titles[row["entity_id"]],
         "text_unit_ids": chunks_of.get(row["entity_id"], []), "frequency": row["mentions"] or 0,
         "degree": degrees[row["entity_id"]], "x": places.get(row["entity_id"], (0.0, 0.0))[0],
         "y": places.get(row["entity_id"], (0.0, 0.0))[1]}
        for row in entities
    ]  # fmt: skip


def _relationships(
    relations: Iterable[_Row], titles: Mapping[str, str], stated_in: _Groups,
    degrees: Mapping[str, int],
) -> list[_Row]:  # fmt: skip
    return [
        {"id": row["relation_id"], "source": titles[row["head_id"]],
         "target": titles[row["tail_id"]], "weight": row["support"],
         "description": f"{titles[row['head_id']]} {row['phrase']} {titles[row['tail_id']]}",
         "combined_degree": degrees[row["head_id"]] + degrees[row["tail_id"]],
         "text_unit_ids": stated_in.get(row["relation_id"], [])}
        for row in relations
    ]  # fmt: skip


def _text_units(provenance: Provenance) -> list[_Row]:
    entities = _grouped(provenance.mentions, "chunk_id", "entity_id")
    relations = _grouped(provenance.evidence, "chunk_id", "relation_id")
    return [
        {"id": row["chunk_id"], "text": row["text"],
         "n_tokens": -(-len(row["text"]) // _CHARACTERS_A_TOKEN),
         "document_id": row["document_id"], "document_ids": [row["document_id"]],
         "entity_ids": entities.get(row["chunk_id"], []),
         "relationship_ids": relations.get(row["chunk_id"], [])}
        for row in provenance.chunks.to_pylist()
    ]  # fmt: skip


def _documents(snapshot: Snapshot, provenance: Provenance) -> list[_Row]:
    ids = provenance.documents["document_id"]
    blocks = snapshot.table("blocks", ["document_id", "ordinal", "text"])
    blocks = blocks.filter(pc.is_in(blocks["document_id"], value_set=ids.combine_chunks()))
    blocks = blocks.sort_by([("document_id", "ascending"), ("ordinal", "ascending")])
    texts = _grouped(blocks, "document_id", "text", once=False)
    chunks = _grouped(provenance.chunks, "document_id", "chunk_id")
    return [
        {"id": row["document_id"], "title": row["title"],
         "text": BLOCK_SEPARATOR.join(texts.get(row["document_id"], ())),
         "text_unit_ids": chunks.get(row["document_id"], []),
         "metadata": _json({"uri": row["uri"], "media_type": row["media_type"]})}
        for row in provenance.documents.to_pylist()
    ]  # fmt: skip


def _communities(
    snapshot: Snapshot, entities: Iterable[_Row], relations: Iterable[_Row], stated_in: _Groups
) -> tuple[list[_Row], dict[str, tuple[float, float]]]:
    """Return the communities of some entities by number, and where entities are on the map."""
    wanted = {row["entity_id"] for row in entities}
    rows = snapshot.table("members", ["community_id", "entity_id", "x", "y"]).to_pylist()
    rows = [row for row in rows if row["entity_id"] in wanted]
    places = {row["entity_id"]: (row["x"], row["y"]) for row in rows}
    members: dict[str, list[str]] = defaultdict(list)
    homes: dict[str, set[str]] = defaultdict(set)
    for row in sorted(rows, key=lambda row: str(row["entity_id"])):
        members[row["community_id"]].append(row["entity_id"])
        homes[row["entity_id"]].add(row["community_id"])
    inside: dict[str, list[str]] = defaultdict(list)
    for row in relations:
        for community in homes[row["head_id"]] & homes[row["tail_id"]]:
            inside[community].append(row["relation_id"])
    columns = ["community_id", "level", "parent_id", "title", "summary", "size"]
    found = snapshot.table("communities", columns).sort_by(
        [("level", "ascending"), ("size", "descending"), ("community_id", "ascending")]
    )
    kept = [row for row in found.to_pylist() if row["community_id"] in members]
    number = {row["community_id"]: place for place, row in enumerate(kept)}
    children: dict[str, list[int]] = defaultdict(list)
    for row in kept:
        children[row["parent_id"]].append(number[row["community_id"]])
    titles = _unique([row["title"] for row in kept])
    made = [
        {"id": row["community_id"], "community": number[row["community_id"]],
         "level": row["level"], "parent": number.get(row["parent_id"], _ROOT),
         "children": children[row["community_id"]], "title": title,
         "entity_ids": members[row["community_id"]],
         "relationship_ids": inside[row["community_id"]],
         "text_unit_ids": list(dict.fromkeys(
             chunk for relation in inside[row["community_id"]]
             for chunk in stated_in.get(relation, ()))),
         "period": "", "size": len(members[row["community_id"]]), "summary": row["summary"]}
        for row, title in zip(kept, titles, strict=True)
    ]  # fmt: skip
    return made, places


def _reports(communities: Sequence[_Row]) -> list[_Row]:
    largest = max((row["size"] for row in communities), default=1)
    return [_report(row, _HIGHEST_RANK * row["size"] / largest) for row in communities]


def _report(community: _Row, rank: float) -> _Row:
    title, summary = community["title"], community["summary"]
    why = f"It has {community['size']} entities; the largest community has rank {_HIGHEST_RANK:g}."
    said = {"title": title, "summary": summary, "rating": rank, "rating_explanation": why,
            "findings": []}  # fmt: skip
    return community | {
        "rank": rank, "rating_explanation": why, "findings": [],
        "full_content": f"# {title}\n\n{summary}", "full_content_json": _json(said),
    }  # fmt: skip


def _unique(names: Sequence[str]) -> list[str]:
    """Return names of which each comes once: a repeated one gets a number."""
    taken = set(names)
    seen: set[str] = set()
    unique = []
    for name in names:
        number, chosen = 1, name
        while chosen in seen or (number > 1 and chosen in taken):
            number += 1
            chosen = f"{name} ({number})"
        seen.add(chosen)
        unique.append(chosen)
    return unique


def _grouped(table: pa.Table, key: str, value: str, *, once: bool = True) -> dict[str, list[str]]:
    """Return the values of each key in the order of rows, each value once unless told otherwise."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for name, found in zip(table[key].to_pylist(), table[value].to_pylist(), strict=True):
        grouped[name].append(found)
    return {name: list(dict.fromkeys(found)) if once else found for name, found in grouped.items()}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
