"""The expert's schema: what it lets through, what becomes of the rest, and files that are wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import RelationshipsConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.graph.relationships import read_schema, relationships

ROOT = Path(__file__).parents[2]
TEXT = """
entity_types:
  table: [TABLE]
  person: [PERSON]
relations:
  be replaced by:
    domain: [table]
    range: [table]
    synonyms: [be superseded by]
    inverses: [replace]
  know: {}
"""
TYPES = {"VBBS": "TABLE", "VBBE": "TABLE", "Ann": "PERSON", "thing": None}


def run(text: str, *told: tuple[str, str, str]) -> tuple[list[tuple[str, str, str]], list[str], dict[str, float]]:
    triples = [
        dict.fromkeys(schemas.TRIPLES.names)
        | {"triple_id": f"t{number}", "document_id": "d", "sentence_id": "s", "chunk_id": "c",
           "head": head, "relation": relation, "tail": tail, "phrase": relation, "negated": False,
           "conditional": False, "said": number, "confidence": 0.5, "worth": 1.0}
        for number, (head, relation, tail) in enumerate(told)
    ]  # fmt: skip
    surface_forms: list[dict[str, Any]] = [
        {"surface": name, "type": "", "key": name, "name": name, "problem": None} for name in TYPES
    ]
    surface_forms.append({"surface": "4", "type": "", "key": "4", "name": "4", "problem": "literal"})
    resolved = [
        {"key": name, "entity_id": name, "centre": name, "name": name, "type": type_} for name, type_ in TYPES.items()
    ]
    result = relationships(
        pa.Table.from_pylist(triples, schema=schemas.TRIPLES),
        pa.Table.from_pylist(surface_forms, schema=schemas.SURFACE_FORMS),
        pa.Table.from_pylist(resolved, schema=schemas.RESOLVED),
        config=RelationshipsConfig(),
        schema=read_schema(text, "s.yaml"),
    ).collected()
    relations = sorted(
        (row["head_id"], row["relation"], row["tail_id"]) for row in result.tables["relations"].to_pylist()
    )
    counts = {name.removeprefix("rejected_"): int(count) for name, count in result.stats.items()
              if name.startswith("rejected_")}  # fmt: skip
    return relations, sorted(Counter(counts).elements()), dict(result.stats)


def test_wordings_are_one_relation_whichever_end_it_is_told_from() -> None:
    relations, dropped, stats = run(
        TEXT, ("VBBS", "be replaced by", "VBBE"), ("VBBS", "be superseded by", "VBBE"), ("VBBE", "replace", "VBBS")
    )
    assert relations == [("VBBS", "be replaced by", "VBBE")]
    assert (dropped, stats["evidence"]) == ([], 3)


def test_what_is_outside_is_dropped_with_the_reason() -> None:
    relations, dropped, stats = run(
        TEXT,
        ("VBBS", "have", "VBBE"),
        ("Ann", "be replaced by", "VBBE"),
        ("VBBS", "be replaced by", "Ann"),
        ("VBBS", "replace", "Ann"),
    )
    assert relations == []
    assert dropped == ["schema_domain", "schema_domain", "schema_range", "schema_relation"]
    assert stats["outside_schema_domain"] == stats["rejected_schema_domain"] == 2


def test_what_is_outside_can_be_kept_or_mapped() -> None:
    told = (("Ann", "replace", "VBBE"), ("VBBS", "have", "VBBE"))
    relations, dropped, stats = run(TEXT + "on_violation: keep\n", *told)
    assert relations == [("VBBE", "be replaced by", "Ann"), ("VBBS", "have", "VBBE")]
    assert (dropped, stats["outside_schema_range"]) == ([], 1)
    relations, dropped, _ = run(TEXT + "on_violation: map\nmap_to: touch\n", *told)
    assert relations == [("Ann", "touch", "VBBE"), ("VBBS", "touch", "VBBE")]
    assert dropped == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("relation: {}\n", r"line 1: unknown key 'relation'.*Did you mean 'relations'\?"),
        ("relations:\n  a:\n    domian: []\n", r"line 3: .*'domian'.*Did you mean 'domain'\?"),
        ("\non_violation: delete\n", r"line 2: on_violation.*'delete'"),
        ("relations:\n  a:\n    domain: table\n", r"line 3: relations.a.domain"),
        ("entity_types:\n  table: [T]\nrelations:\n  a:\n    range: [tabel]\n",
         r"line 5: .*type 'tabel'.*Did you mean 'table'\?"),
        ("relations:\n  a:\n    synonyms: [b]\n  b: {}\n", r"'b'.*line 2.*line 4"),
        ("relations:\n  a: {}\n  a: {}\n", r"'a' stands on line 2 and on line 3"),
        ("- a\n", "valid dictionary"),
        ("a: [\n", "not readable as YAML"),
        ("relations: {a: {synonyms: [1]}}\n", "synonyms"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_schema(text, "s.yaml")


def test_the_example_is_a_schema() -> None:
    file = ROOT / "examples" / "migration_schema.yaml"
    assert read_schema(file.read_text("utf-8"), str(file)).on_violation == "map"
