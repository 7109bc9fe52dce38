"""Relate stage: names are entities now; triples between them become relations, with evidence.

Equal triples are one relation, however many sentences state it. Triples whose tail is a value (a
number, a date) or a common noun are attributes of their head. What becomes neither is kept as a
row with its reason.
"""

from __future__ import annotations

from contextlib import ExitStack

from graphrag_tasks.config import SqlConfig
from graphrag_tasks.names import GENERIC, LITERAL, PROBLEMS
from graphrag_tasks.sql import Rows, label, sql_over, stream, surface
from graphrag_tasks.stage import StageResult

REQUIRES = ("triples", "surfaces", "resolved")
PRODUCES = ("relations", "evidence", "attributes", "dropped")
DEPENDENCIES = ("duckdb",)

SAME_ENDS = "same_ends"
"""Reason to drop a triple that relates an entity to itself."""

_ENDS = """
    CREATE TABLE ends AS
    SELECT surface, surfaces.type AS type, problem, entity_id
    FROM surfaces LEFT JOIN resolved USING (key)
"""

_FACTS = f"""
    CREATE TABLE facts AS
    SELECT
        triple_id, sentence_id, chunk_id, document_id, relation, negated, confidence, tail,
        h.entity_id AS head_id, t.entity_id AS tail_id, t.type AS tail_label,
        h.problem AS head_problem, t.problem AS tail_problem
    FROM triples
    JOIN ends AS h ON h.surface = {surface("head")} AND h.type = {label("head")}
    JOIN ends AS t ON t.surface = {surface("tail")} AND t.type = {label("tail")}
"""  # noqa: S608 - made of constants

_RELATED = "head_problem IS NULL AND tail_problem IS NULL AND head_id <> tail_id"
_ATTRIBUTED = f"head_problem IS NULL AND coalesce(tail_problem, '') IN ('{LITERAL}', '{GENERIC}')"

_UNRELATED = f"""
    CREATE VIEW unrelated AS
    SELECT triple_id, document_id, coalesce(head_problem, tail_problem, '{SAME_ENDS}') AS reason
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
    "dropped": "SELECT triple_id, document_id, reason FROM unrelated ORDER BY triple_id",
}
_REASONS = "SELECT reason, count(*) FROM unrelated GROUP BY reason"
_ALL_REASONS = (*PROBLEMS, SAME_ENDS)

_GROUPED = f"""
    CREATE TABLE grouped AS
    SELECT content_id('relation', [head_id, relation, tail_id, negated::INT::VARCHAR])
            AS relation_id, *
    FROM (
        SELECT head_id, relation, tail_id, negated, count(*) AS weight,
            1 - exp(sum(round(ln(1 - least(confidence, 0.999999)) * 1e9)::HUGEINT)::DOUBLE / 1e9)
                AS confidence
        FROM facts WHERE {_RELATED} GROUP BY head_id, relation, tail_id, negated
    )
"""  # noqa: S608 - joint confidence 1 - Π(1 - c), summed as whole numbers: exact in any order

_NAMED = """
    CREATE TABLE named AS
    SELECT entity_id, any_value(name) AS name FROM resolved GROUP BY entity_id
"""


def relate(triples: Rows, surfaces: Rows, resolved: Rows, *, sql: SqlConfig) -> StageResult:
    """Turn triples into relations between entities.

    Args:
        triples: Rows of `schemas.TRIPLES`.
        surfaces: What each head and tail is (`schemas.SURFACES`).
        resolved: The entity of each name (`schemas.RESOLVED`).
        sql: Memory and threads.

    Returns:
        `PRODUCES`, each a stream sorted by its ids; counts of them and of what was dropped, by
        reason.
    """
    inputs = {"triples": triples, "surfaces": surfaces, "resolved": resolved}
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs, sql))
        for statement in (_ENDS, _FACTS, _UNRELATED, _GROUPED, _NAMED):
            connection.execute(statement)
        stats: dict[str, int | float] = {}
        tables = {name: stream(connection, query, name, stats) for name, query in _QUERIES.items()}
        reasons = dict(connection.sql(_REASONS).fetchall())
        stats |= {f"dropped_{reason}": reasons.get(reason, 0) for reason in _ALL_REASONS}
        return StageResult(tables, stats, stack.pop_all())
