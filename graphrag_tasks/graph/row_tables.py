"""Ids as row numbers, for readers: evidence of relations, and where an entity stands first.

Readers map these tables; joining the ids again took ten seconds with 10^5 chunks. The ends of relations, and the chunks
of entities, are in `edges`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from graphrag_tasks.core.schemas import ENTITY_ROWS, EVIDENCE_ROWS, NO_ROW
from graphrag_tasks.storage.sql import Rows, sql_over, with_row

ROW_TABLES = ("evidence_rows", "entity_rows")

_EVIDENCE = """
    SELECT r.row::INTEGER AS relation, s.row::INTEGER AS sentence, c.row::INTEGER AS chunk,
        evidence.confidence::FLOAT AS confidence, valid_kind, valid_from, valid_to
    FROM evidence
    JOIN relations AS r USING (relation_id)
    JOIN sentences AS s USING (sentence_id)
    JOIN chunks AS c ON c.chunk_id = evidence.chunk_id
    ORDER BY relation, confidence DESC, sentence_id
"""
_FIRST = """
    SELECT e.row AS entity, s.row::INTEGER AS sentence
    FROM (SELECT entity_id, arg_min(sentence_id, row) AS sentence_id FROM mentions GROUP BY 1)
    JOIN entities AS e USING (entity_id) JOIN sentences AS s USING (sentence_id)
"""


def row_tables(
    entities: pa.Table, chunks: pa.Table, relations: Rows, mentions: Rows, sentences: Rows,
    evidence: Rows,
) -> dict[str, pa.Table]:  # fmt: skip
    """Return `ROW_TABLES`. Each has one chunk, as an Arrow file of one batch needs it."""
    inputs = {
        "evidence": evidence, "relations": with_row(relations, ["relation_id"]),
        "sentences": with_row(sentences, ["sentence_id"]),
        "chunks": with_row(chunks, ["chunk_id"]),
    }  # fmt: skip
    with sql_over(inputs) as connection:
        stated = connection.sql(_EVIDENCE).to_arrow_table()
    inputs = {
        "mentions": with_row(mentions, ["entity_id", "sentence_id"]),
        "entities": with_row(entities, ["entity_id"]),
        "sentences": with_row(sentences, ["sentence_id"]),
    }
    with sql_over(inputs) as connection:
        found = connection.sql(_FIRST).fetchnumpy()
    first = np.full(entities.num_rows, NO_ROW, dtype=np.int32)
    first[found["entity"]] = found["sentence"]
    return {
        "evidence_rows": stated.cast(EVIDENCE_ROWS).combine_chunks(),
        "entity_rows": pa.table({"sentence": first}, schema=ENTITY_ROWS),
    }
