"""Relationships stage: triples between resolved names become relations with evidence.

Equal triples are one relation, however many sentences state it. A triple becomes an attribute where its tail is a
literal (a number, a date), one end is a common noun that names nothing, or the tail is a single word that is no term
("is visible"). Rejected triples are kept as rows with the reason. A relation that is less sure than the setting is
rejected. A schema may merge wordings of a relation and restrict its ends.
"""

from __future__ import annotations

from contextlib import ExitStack

import pyarrow as pa

from graphrag_tasks.core.config import RelationshipsConfig
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.graph.relationships.graph_schema import (
    UNKNOWN_RELATION,
    VIOLATIONS,
    WRONG_HEAD,
    WRONG_TAIL,
    GraphSchema,
)
from graphrag_tasks.graph.weights import ASSOCIATION, ASSOCIATION_PATTERN, CONDITION, FACT, JOINT_CONFIDENCE
from graphrag_tasks.language.names import GENERIC, LITERAL, PROBLEMS
from graphrag_tasks.storage.sql import Connection, Rows, id_of, sql_over, statements, stream

_SAME_ENDS = "same_ends"  # Reason to drop a triple that relates an entity to itself.
_UNSURE = "unsure"  # Reason to drop the triples of a relation that is less sure than the setting.

_RELATED = "head_problem IS NULL AND tail_problem IS NULL AND head_id <> tail_id AND NOT refused AND NOT is_ascribed"
_ATTRIBUTED = (
    f"(head_problem IS NULL"
    f" AND (is_ascribed OR coalesce(tail_problem, '') IN ('{LITERAL}', '{GENERIC}'))"
    f" OR coalesce(head_problem, '') = '{GENERIC}' AND tail_problem IS NULL)"
)
_SQL = statements(
    __package__,
    "stage.sql",
    unknown_relation=UNKNOWN_RELATION,
    wrong_head=WRONG_HEAD,
    wrong_tail=WRONG_TAIL,
    same_ends=_SAME_ENDS,
    unsure=_UNSURE,
    related=_RELATED,
    attributed=_ATTRIBUTED,
    relation_id=id_of("relation", "head_id", "relation", "tail_id", "negated::INT::VARCHAR"),
    joint_confidence=JOINT_CONFIDENCE.strip(),
    association_pattern=ASSOCIATION_PATTERN,
    fact=FACT,
    association=ASSOCIATION,
    condition=CONDITION,
)
_STRINGS = pa.list_(pa.string())
_RULES = pa.schema(
    {
        "wording": pa.string(), "canonical": pa.string(), "inverse": pa.bool_(),
        "heads": _STRINGS, "tails": _STRINGS,
    }
)  # fmt: skip
_REASONS = (*PROBLEMS, _SAME_ENDS, _UNSURE, *VIOLATIONS)


@stage(
    per="corpus",
    reads=(scan("triples"), scan("surface_forms"), scan("resolved")),
    makes=("relations", "evidence", "attributes"),
    settings={"config": "relationships"},
    given=("schema",),
    libraries=("duckdb", "pyyaml"),
)
def relationships(
    triples: Rows,
    surface_forms: Rows,
    resolved: Rows,
    *,
    config: RelationshipsConfig,
    schema: GraphSchema | None = None,
) -> StageResult:
    """Turn triples into relations between entities.

    The three tables are streams, each sorted by its ids. The stats count the rejected triples by reason, and the schema
    violations, rejected or not.
    """
    inputs = {
        "triples": triples, "surface_forms": surface_forms, "resolved": resolved,
    }  # fmt: skip
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs))
        for name in ("ends", "told"):
            connection.execute(_SQL[name])
        _make_facts(connection, schema)
        connection.execute(_SQL["witnesses"])
        connection.execute(_SQL["grouped"], {"least": config.min_confidence})
        for name in ("unrelated", "stated", "phrased", "named"):
            connection.execute(_SQL[name])
        stats: dict[str, int | float] = {}
        tables = {name: stream(connection, _SQL[name], name, stats) for name in relationships.makes}
        reasons, violations = (dict(connection.sql(_SQL[name]).fetchall()) for name in ("reasons", "violations"))
        stats |= {f"rejected_{reason}": reasons.get(reason, 0) for reason in _REASONS}
        stats |= {f"outside_{kind}": violations.get(kind, 0) for kind in VIOLATIONS}
        return StageResult(tables, stats, stack.pop_all())


def _make_facts(connection: Connection, schema: GraphSchema | None) -> None:
    """Create the table of facts: triples in the schema's wording, and whether they violate it."""
    if schema is None or not schema.relations:
        connection.execute(_SQL["all_facts"])
        return
    connection.register("rules", pa.Table.from_pylist(schema.rules(), schema=_RULES))
    untyped = "true" if schema.untyped == "accept" else "false"
    connection.execute(_SQL["judged"].replace("$untyped", untyped))
    action = schema.on_violation
    values = {"map": action == "map", "drop": action == "drop", "map_to": schema.map_to}
    connection.execute(_SQL["facts_of_schema"], values)
