"""What the readers of graphrag make of a folder, as JSON; runs in an environment of its own."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from graphrag.data_model import dfs, schemas
from graphrag.query.indexer_adapters import (
    read_indexer_communities,
    read_indexer_entities,
    read_indexer_relationships,
    read_indexer_reports,
    read_indexer_text_units,
)

FOLDER = Path(sys.argv[1])
DEEPEST = 100
"""A level below all communities; at a level, entities without a community are left out."""


def table(name: str) -> pd.DataFrame:
    found = pd.read_parquet(FOLDER / f"{name}.parquet")
    columns = getattr(schemas, f"{name.upper()}_FINAL_COLUMNS")
    typed: Any = getattr(dfs, f"{name}_typed")
    return typed(found[columns].copy())


def main() -> None:
    tables = {name: table(name) for name in (
        "entities", "relationships", "text_units", "documents", "communities", "community_reports"
    )}  # fmt: skip
    entities = read_indexer_entities(tables["entities"], tables["communities"], None)
    inside = read_indexer_entities(tables["entities"], tables["communities"], DEEPEST)
    relationships = read_indexer_relationships(tables["relationships"])
    reports = read_indexer_reports(tables["community_reports"], tables["communities"], DEEPEST)
    units = read_indexer_text_units(tables["text_units"])
    communities = read_indexer_communities(tables["communities"], tables["community_reports"])
    json.dump(
        {
            "columns": {name: list(one.columns) for name, one in tables.items()},
            "entities": {one.title: [one.type, one.description, sorted(one.community_ids or []),
                                     one.text_unit_ids, one.rank] for one in entities},
            "inside": [one.title for one in inside],
            "relationships": [[one.source, one.description, one.target, one.weight,
                               one.text_unit_ids] for one in relationships],
            "reports": {one.community_id: [one.title, one.summary, one.rank] for one in reports},
            "text_units": {one.id: [one.text, one.document_id, one.entity_ids, one.n_tokens]
                           for one in units},
            "communities": {one.short_id: [one.title, one.level, one.parent, one.children]
                            for one in communities},
            "documents": tables["documents"]["title"].tolist(),
        },
        sys.stdout,
    )  # fmt: skip


main()
