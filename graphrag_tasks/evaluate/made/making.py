"""The making of questions: every rule's proposals, drawn, and written with their gold spans."""

from __future__ import annotations

from graphrag_tasks.evaluate.made.candidates import SINGLE, Candidate
from graphrag_tasks.evaluate.made.clauses import Clauses, singles
from graphrag_tasks.evaluate.made.corpus import Corpus
from graphrag_tasks.evaluate.made.headings import asked_by_headings
from graphrag_tasks.evaluate.made.joined import joined
from graphrag_tasks.evaluate.made.listings import listings
from graphrag_tasks.evaluate.made.nowhere import unanswerable
from graphrag_tasks.evaluate.made.overviews import overviews
from graphrag_tasks.evaluate.made.tables import Tables


def candidates(corpus: Corpus) -> list[Candidate]:
    """Return every question that a rule proposes, in the order of the documents."""
    clauses, tables = Clauses(corpus), Tables(corpus)
    asked = [*singles(clauses), *tables.singles()]
    return [
        *asked,
        *asked_by_headings(corpus, clauses),
        *joined(clauses, tables),
        *listings(corpus, clauses),
        *tables.listings(),
        *overviews(corpus),
        *tables.gaps(),
        *unanswerable(clauses, [one for one in asked if one.type == SINGLE]),
    ]
