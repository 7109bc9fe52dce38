"""The entity graph as arrays of numbers, and the texts of the few rows that are chosen by number.

Ids are numbered in SQL, out of core: what is held of a relation or a statement is a few integers.
Names, wordings and sentences stay in their files until a summary asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.config import GraphConfig
from graphrag_tasks.graph import relation_weights
from graphrag_tasks.graph.communities.ranking import Rows

if TYPE_CHECKING:
    import duckdb

COLUMNS: Mapping[str, list[str]] = {
    "documents": ["document_id", "title"],
    "sentences": ["sentence_id", "document_id", "text", "page"],
    "entities": ["entity_id", "name"],
    "relations": ["relation_id", "head_id", "tail_id", "text", "weight", "confidence"],
    "evidence": ["relation_id", "sentence_id"],
}
"""Columns that the stage reads of each table."""

LONGEST_SENTENCE = 400
"""Longer ones are lists and tables that lost their line ends: poor quotations."""

_NUMBERED = (
    """
    CREATE TABLE thing AS
    SELECT entity_id, (row_number() OVER (ORDER BY entity_id) - 1)::INT AS entity FROM entities
    """,
    """
    CREATE TABLE tie AS
    SELECT relation_id, (row_number() OVER (ORDER BY relation_id) - 1)::INT AS relation,
        h.entity AS head, t.entity AS tail, weight, confidence
    FROM relations JOIN thing AS h ON h.entity_id = head_id JOIN thing AS t ON t.entity_id = tail_id
    """,
    f"""
    CREATE TABLE quotable AS
    SELECT sentence_id, sentence, min(sentence) OVER (PARTITION BY hash) AS text FROM (
        SELECT sentence_id, (row_number() OVER (ORDER BY sentence_id) - 1)::INT AS sentence,
            md5_number(text) AS hash
        FROM sentences WHERE length(text) <= {LONGEST_SENTENCE}
    )
    """,  # noqa: S608 - made of constants
)

_TIES = "SELECT head, tail, weight, confidence FROM tie ORDER BY relation"
_STATED = """
    SELECT DISTINCT relation, sentence, text
    FROM evidence JOIN tie USING (relation_id) JOIN quotable USING (sentence_id)
    ORDER BY relation, sentence
"""
_NAMES = """
    SELECT name FROM chosen JOIN thing ON entity = number JOIN entities USING (entity_id)
    ORDER BY place
"""
_WORDINGS = """
    SELECT text FROM chosen JOIN tie ON relation = number JOIN relations USING (relation_id)
    ORDER BY place
"""
_QUOTATIONS = """
    SELECT {text: sentences.text, title: title, page: page}
    FROM chosen JOIN quotable ON sentence = number JOIN sentences USING (sentence_id)
    JOIN documents USING (document_id)
    ORDER BY place
"""


@dataclass(frozen=True)
class Statements:
    """Which sentences state which relations, each pair once, by relation and then sentence.

    Attributes:
        relations: Number of each pair's relation.
        sentences: Number of its sentence.
        texts: Number of the sentence's text: equal texts have one, by first appearance.
    """

    relations: NDArray[np.int32]
    sentences: NDArray[np.int32]
    texts: Rows


class Source:
    """The graph of a corpus; entities, relations and sentences are numbered in order of their ids.

    Args:
        connection: Knows the tables of `COLUMNS`; it must stay open.
        graph: How relations are weighed.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, graph: GraphConfig) -> None:
        self._connection = connection
        for statement in _NUMBERED:
            connection.execute(statement)
        ids = connection.sql("SELECT entity_id FROM thing ORDER BY entity").to_arrow_table()
        self.entity_ids: pa.Array[Any] = ids["entity_id"].combine_chunks()
        ties = connection.sql(_TIES).fetchnumpy()
        self.ends = np.column_stack([ties["head"], ties["tail"]]).astype(np.int64)
        self.weights = relation_weights(
            ties["weight"],
            ties["confidence"],
            self.ends,
            entities=len(self.entity_ids),
            degree_cap=graph.degree_cap,
        )
        self.statements = self._statements()

    def _statements(self) -> Statements:
        stated = self._connection.sql(_STATED).fetchnumpy()
        first_told = np.empty(int(stated["text"].max(initial=-1)) + 1, np.int64)
        backwards = stated["text"][::-1]
        first_told[backwards] = np.arange(len(backwards))[::-1]  # the last of equals stays
        return Statements(stated["relation"], stated["sentence"], first_told[stated["text"]])

    def names(self, entities: Rows) -> list[str]:
        """Return the name of each of these entities."""
        return self._chosen(_NAMES, entities)

    def wordings(self, relations: Rows) -> list[str]:
        """Return each of these relations in words."""
        return self._chosen(_WORDINGS, relations)

    def quotations(self, sentences: Rows) -> list[dict[str, Any]]:
        """Return text, title of the document, and page of each of these sentences."""
        return self._chosen(_QUOTATIONS, sentences)

    def _chosen(self, query: str, numbers: Rows) -> list[Any]:
        places = pa.array(np.arange(len(numbers)))
        self._connection.register("chosen", pa.table({"place": places, "number": numbers}))
        found: list[Any] = self._connection.sql(query).to_arrow_table().column(0).to_pylist()
        return found
