"""The entity graph as numeric arrays, and the texts of the few rows that summaries quote.

Ids are numbered in SQL, out of core, so a relation or a statement takes a few integers of memory. Names, wordings and
sentences stay on disk until a summary needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.graph.weights import FACT, Rows, relation_weights
from graphrag_tasks.storage.sql import Connection, statements

COLUMNS: Mapping[str, list[str]] = {
    "documents": ["document_id", "title"],
    "sentences": ["sentence_id", "document_id", "text", "page"],
    "entities": ["entity_id", "name"],
    "relations": ["relation_id", "head_id", "relation", "tail_id", "phrase", "kind", "weight", "confidence"],
    "evidence": ["relation_id", "sentence_id"],
    "mentions": ["entity_id", "chunk_id"],
    "chunks": ["chunk_id", "document_id", "heading_path"],
}
"""Columns that the stage reads from each table."""

_FAR_APART = 0.02
"""Share of its weight that a relation keeps whose ends share no chunk but that of its statement, in the limit; with
the square of their closeness. Chosen on three manuals: the share of a community's members that stand in one document
rises from .56-.71 to .64-.80, and a removed chunk exchanges half as many communities (benchmarks/README.md)."""

_LONGEST_SENTENCE = 400  # Longest quoted sentence in characters; longer ones are lists and tables without line breaks.

_LONGEST_HEADING, _LEAST_FIT = 60, 0.3
"""Characters of a heading that can be a name, and the least fit of its entities and a community's; chosen by
reading."""

_SQL = statements(
    __package__,
    "source.sql",
    longest_sentence=_LONGEST_SENTENCE,
    longest_heading=_LONGEST_HEADING,
    least_fit=_LEAST_FIT,
    fact=FACT,
)


@dataclass(frozen=True)
class Statements:
    """Which sentences state which relations, each pair once, sorted by relation and sentence.

    Sentences with equal texts share a number in `texts`, by first appearance; `documents` are the sentences' documents.
    """

    relations: NDArray[np.int32]
    sentences: NDArray[np.int32]
    texts: Rows
    documents: NDArray[np.int32]


class Source:
    """The graph of a corpus; entities, relations and sentences are numbered by id.

    A relation weighs more if its ends stand in the same chunks: what a general name is said to do in passing does not
    join two topics.

    The connection knows the tables of `COLUMNS`, and must stay open.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        for name in ("thing", "tie", "mentioned", "standing", "quotable"):
            connection.execute(_SQL[name])
        ids = connection.sql("SELECT entity_id FROM thing ORDER BY entity").to_arrow_table()
        self.entity_ids: pa.Array[Any] = ids["entity_id"].combine_chunks()
        ties = connection.sql(_SQL["ties"]).fetchnumpy()
        self.ends = np.column_stack([ties["head"], ties["tail"]]).astype(np.int64)
        closeness = connection.sql(_SQL["closeness"]).fetchnumpy()["closeness"]
        self.weights = (_FAR_APART + closeness**2) * relation_weights(
            ties["weight"], ties["confidence"], self.ends, entities=len(self.entity_ids)
        )
        stated = connection.sql(_SQL["stated"]).fetchnumpy()
        first_stated = np.empty(int(stated["text"].max(initial=-1)) + 1, np.int64)
        backwards = stated["text"][::-1]
        first_stated[backwards] = np.arange(len(backwards))[::-1]  # the last of equals stays
        texts = first_stated[stated["text"]]
        self.is_fact: NDArray[np.bool_] = ties["is_fact"]
        self.statements = Statements(stated["relation"], stated["sentence"], texts, stated["document"])

    def headings(self, memberships: Sequence[Rows]) -> Iterator[tuple[int, int, str]]:
        """Yield level, community and a heading that most of its members share, best fits first.

        `memberships` has the community of each entity, or -1, by level.
        """
        inside = [np.flatnonzero(membership >= 0) for membership in memberships]
        member = pa.table(
            {
                "level": np.repeat(np.arange(len(inside)), [len(one) for one in inside]),
                "community": np.concatenate([one[rows] for one, rows in zip(memberships, inside, strict=True)]),
                "entity": np.concatenate(inside),
            }
        )
        self._connection.register("member", member)
        yield from self._connection.sql(_SQL["headings"]).fetchall()

    def telling(self, entities: Rows) -> NDArray[np.float64]:
        """Return how much entities say as names: mentioned often, and in few chunks."""
        self._choose(entities)
        found = self._connection.sql(_SQL["telling"]).fetchnumpy()["telling"]
        return np.asarray(found, np.float64)

    def texts(self, kind: Literal["names", "wordings", "quotations"], numbers: Rows) -> list[Any]:
        """Return names of entities, wordings of relations, or quotations of sentences, by number.

        A wording maps `head`, `relation`, `phrase` and `tail`; a quotation `text`, the document's `title`, and `page`.
        """
        self._choose(numbers)
        found: list[Any] = self._connection.sql(_SQL[kind]).to_arrow_table().column(0).to_pylist()
        return found

    def _choose(self, numbers: Rows) -> None:
        places = pa.array(np.arange(len(numbers)))
        self._connection.register("chosen", pa.table({"place": places, "number": numbers}))
