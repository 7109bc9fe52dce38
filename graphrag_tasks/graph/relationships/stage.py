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
from graphrag_tasks.storage.sql import Rows, id_of, label, sql_over, stream, surface

if TYPE_CHECKING:
    import duckdb


SAME_ENDS = "same_ends"
"""Reason to drop a triple that relates an entity to itself."""

_ENDS = """
    CREATE TABLE ends AS
    SELECT surface, surface_forms.type AS type, problem, entity_id, resolved.type AS entity_type
    FROM surface_forms LEFT JOIN resolved USING (key)
"""

_TOLD = f"""
    CREATE VIEW told AS
    SELECT
        triple_id, sentence_id, chunk_id, document_id, relation, negated, confidence, tail,
        h.entity_id AS head_id, t.entity_id AS tail_id, t.type AS tail_label,
        h.entity_type AS head_type, t.entity_type AS tail_type,
        h.problem AS head_problem, t.problem AS tail_problem
    FROM triples
    JOIN ends AS h ON h.surface = {surface("head")} AND h.type = {label("head")}
    JOIN ends AS t ON t.surface = {surface("tail")} AND t.type = {label("tail")}
"""  # noqa: S608 - made of constants

_FREE = """
    CREATE TABLE facts AS
    SELECT * EXCLUDE (head_type, tail_type), NULL::VARCHAR AS violation, false AS refused FROM told
"""

_JUDGED = f"""
    CREATE VIEW judged AS
    WITH worded AS (
        SELECT told.*, coalesce(inverse, false) AS turned, canonical, heads, tails,
            CASE WHEN turned THEN told.tail_id ELSE told.head_id END AS from_id,
            CASE WHEN turned THEN told.head_id ELSE told.tail_id END AS to_id,
            CASE WHEN turned THEN tail_type ELSE head_type END AS from_type,
            CASE WHEN turned THEN head_type ELSE tail_type END AS to_type
        FROM told LEFT JOIN rules
            ON wording = relation AND head_problem IS NULL AND tail_problem IS NULL
    )
    SELECT *, CASE
        WHEN head_problem IS NOT NULL OR tail_problem IS NOT NULL THEN NULL
        WHEN canonical IS NULL THEN '{UNKNOWN_RELATION}'
        WHEN NOT coalesce(list_contains(heads, from_type), heads IS NULL OR $untyped)
            THEN '{WRONG_HEAD}'
        WHEN NOT coalesce(list_contains(tails, to_type), tails IS NULL OR $untyped)
            THEN '{WRONG_TAIL}'
    END AS violation
    FROM worded
"""  # noqa: S608 - made of constants

_WITHIN_SCHEMA = """
    CREATE TABLE facts AS
    SELECT triple_id, sentence_id, chunk_id, document_id, negated, confidence, tail, tail_label,
        head_problem, tail_problem, violation,
        CASE WHEN violation IS NOT NULL AND $map THEN $map_to ELSE coalesce(canonical, relation) END
            AS relation,
        CASE WHEN violation IS NOT NULL AND $map THEN head_id ELSE from_id END AS head_id,
        CASE WHEN violation IS NOT NULL AND $map THEN tail_id ELSE to_id END AS tail_id,
        violation IS NOT NULL AND $drop AS refused
    FROM judged
"""

_RULES = pa.schema(
    [
        pa.field("wording", pa.string()),
        pa.field("canonical", pa.string()),
        pa.field("inverse", pa.bool_()),
        pa.field("heads", pa.list_(pa.string())),
        pa.field("tails", pa.list_(pa.string())),
    ]
)

_RELATED = "head_problem IS NULL AND tail_problem IS NULL AND head_id <> tail_id AND NOT refused"
_ATTRIBUTED = f"head_problem IS NULL AND coalesce(tail_problem, '') IN ('{LITERAL}', '{GENERIC}')"

_UNRELATED = f"""
    CREATE VIEW unrelated AS
    SELECT triple_id, document_id, coalesce(
        head_problem, tail_problem,
        CASE WHEN head_id = tail_id THEN '{SAME_ENDS}' ELSE violation END
    ) AS reason
    FROM facts WHERE NOT ({_RELATED}) AND NOT ({_ATTRIBUTED})
"""  # noqa: S608 - made of constants

_QUERIES = {
    "relations": """
        SELECT relation_id, head_id, relation, tail_id,
            concat_ws(' ', h.name, CASE WHEN negated THEN 'not' END, relation, t.name) AS text,
            negated, weight, confidence
        FROM grouped
        JOIN named AS h ON h.entity_id = head_id
        JOIN named AS t ON t.entity_id = tail_id
        ORDER BY relation_id
    """,
    "evidence": f"""
        SELECT relation_id, triple_id, sentence_id, chunk_id, document_id, facts.confidence
        FROM facts JOIN grouped USING (head_id, relation, tail_id, negated)
        WHERE {_RELATED} ORDER BY relation_id, triple_id
    """,  # noqa: S608
    "attributes": f"""
        SELECT head_id AS entity_id, relation, tail AS value, tail_label AS type, negated,
            triple_id, sentence_id, chunk_id, document_id, confidence
        FROM facts WHERE {_ATTRIBUTED} ORDER BY entity_id, relation, value, triple_id
    """,  # noqa: S608
    "rejected": "SELECT triple_id, document_id, reason FROM unrelated ORDER BY triple_id",
}
_REASONS = "SELECT reason, count(*) FROM unrelated GROUP BY reason"
_ALL_REASONS = (*PROBLEMS, SAME_ENDS, *VIOLATIONS)

_GROUPED = f"""
    CREATE TABLE grouped AS
    SELECT {id_of("relation", "head_id", "relation", "tail_id", "negated::INT::VARCHAR")}
            AS relation_id, *
    FROM (
        SELECT head_id, relation, tail_id, negated, count(*) AS weight,
            {JOINT_CONFIDENCE} AS confidence
        FROM facts WHERE {_RELATED} GROUP BY head_id, relation, tail_id, negated
    )
"""  # noqa: S608 - made of constants

_VIOLATIONS = "SELECT violation, count(*) FROM facts WHERE violation IS NOT NULL GROUP BY ALL"

_NAMED = """
    CREATE TABLE named AS
    SELECT entity_id, any_value(name) AS name FROM resolved GROUP BY entity_id
"""


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
        `PRODUCES`, each a stream sorted by its ids; counts of them, of what was dropped, by
        reason, and of triples outside the schema, dropped or not.
    """
    inputs = {"triples": triples, "surface_forms": surface_forms, "resolved": resolved}
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs, sql))
        for statement in (_ENDS, _TOLD):
            connection.execute(statement)
        _judge(connection, schema)
        for statement in (_UNRELATED, _GROUPED, _NAMED):
            connection.execute(statement)
        stats: dict[str, int | float] = {}
        tables = {name: stream(connection, query, name, stats) for name, query in _QUERIES.items()}
        reasons, violations = (
            dict(connection.sql(query).fetchall()) for query in (_REASONS, _VIOLATIONS)
        )
        stats |= {f"rejected_{reason}": reasons.get(reason, 0) for reason in _ALL_REASONS}
        stats |= {f"outside_{kind}": violations.get(kind, 0) for kind in VIOLATIONS}
        return StageResult(tables, stats, stack.pop_all())


def _judge(connection: duckdb.DuckDBPyConnection, schema: GraphSchema | None) -> None:
    """Make the table of facts: triples in the words of the schema, with what is outside it."""
    if schema is None or not schema.relations:
        connection.execute(_FREE)
        return
    connection.register("rules", pa.Table.from_pylist(schema.rules(), schema=_RULES))
    untyped = "true" if schema.untyped == "accept" else "false"
    connection.execute(_JUDGED.replace("$untyped", untyped))
    action = schema.on_violation
    values = {"map": action == "map", "drop": action == "drop", "map_to": schema.map_to}
    connection.execute(_WITHIN_SCHEMA, values)
