"""Relate stage: names are entities now; triples between them become relations, with evidence.

Equal triples are one relation, however many sentences state it. Triples whose tail is a value (a
number, a date) or a common noun are attributes of their head. What becomes neither is kept as a
row with its reason. An expert's schema, where there is one, joins wordings of a relation and says
which ends it may have.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.graph.relationships.graph_schema import (
    UNKNOWN_RELATION,
    VIOLATIONS,
    WRONG_HEAD,
    WRONG_TAIL,
    GraphSchema,
)
from graphrag_tasks.graph.relationships.support import JOINT_CONFIDENCE
from graphrag_tasks.language.names import GENERIC, LITERAL, PROBLEMS
from graphrag_tasks.storage.sql import Rows, id_of, sql_over, statements, stream

if TYPE_CHECKING:
    import duckdb


SAME_ENDS = "same_ends"
"""Reason to drop a triple that relates an entity to itself."""

_RELATED = "head_problem IS NULL AND tail_problem IS NULL AND head_id <> tail_id AND NOT refused"
_ATTRIBUTED = f"head_problem IS NULL AND coalesce(tail_problem, '') IN ('{LITERAL}', '{GENERIC}')"
_SQL = statements(
    __package__,
    "stage.sql",
    unknown_relation=UNKNOWN_RELATION,
    wrong_head=WRONG_HEAD,
    wrong_tail=WRONG_TAIL,
    same_ends=SAME_ENDS,
    related=_RELATED,
    attributed=_ATTRIBUTED,
    relation_id=id_of("relation", "head_id", "relation", "tail_id", "negated::INT::VARCHAR"),
    joint_confidence=JOINT_CONFIDENCE.strip(),
)
_RULES = pa.schema(
    [
        pa.field("wording", pa.string()),
        pa.field("canonical", pa.string()),
        pa.field("inverse", pa.bool_()),
        pa.field("heads", pa.list_(pa.string())),
        pa.field("tails", pa.list_(pa.string())),
    ]
)
_REASONS = (*PROBLEMS, SAME_ENDS, *VIOLATIONS)


@stage(
    per="corpus",
    reads=(scan("triples"), scan("surface_forms"), scan("resolved")),
    makes=("relations", "evidence", "attributes", "rejected"),
    settings={"sql": "sql"},
    given=("schema",),
    libraries=("duckdb", "pyyaml"),
)
def relationships(
    triples: Rows,
    surface_forms: Rows,
    resolved: Rows,
    *,
    sql: SqlConfig,
    schema: GraphSchema | None = None,
) -> StageResult:
    """Turn triples into relations between entities.

    Args:
        triples: Rows of `schemas.TRIPLES`.
        surface_forms: What each head and tail is (`schemas.SURFACE_FORMS`).
        resolved: The entity of each name (`schemas.RESOLVED`).
        sql: Memory and threads.
        schema: What an expert lets through; everything by default.

    Returns:
        The four tables, each a stream sorted by its ids; counts of them, of what was dropped, by
        reason, and of triples outside the schema, dropped or not.
    """
    inputs = {"triples": triples, "surface_forms": surface_forms, "resolved": resolved}
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs, sql))
        for name in ("ends", "told"):
            connection.execute(_SQL[name])
        _make_facts(connection, schema)
        for name in ("unrelated", "grouped", "named"):
            connection.execute(_SQL[name])
        stats: dict[str, int | float] = {}
        tables = {name: stream(connection, _SQL[name], name, stats) for name in relationships.makes}
        reasons, violations = (
            dict(connection.sql(_SQL[name]).fetchall()) for name in ("reasons", "violations")
        )
        stats |= {f"rejected_{reason}": reasons.get(reason, 0) for reason in _REASONS}
        stats |= {f"outside_{kind}": violations.get(kind, 0) for kind in VIOLATIONS}
        return StageResult(tables, stats, stack.pop_all())


def _make_facts(connection: duckdb.DuckDBPyConnection, schema: GraphSchema | None) -> None:
    """Make the table of facts: triples in the words of the schema, with what is outside it."""
    if schema is None or not schema.relations:
        connection.execute(_SQL["all_facts"])
        return
    connection.register("rules", pa.Table.from_pylist(schema.rules(), schema=_RULES))
    untyped = "true" if schema.untyped == "accept" else "false"
    connection.execute(_SQL["judged"].replace("$untyped", untyped))
    action = schema.on_violation
    values = {"map": action == "map", "drop": action == "drop", "map_to": schema.map_to}
    connection.execute(_SQL["facts_of_schema"], values)
