"""Answering a question from an index, without a language model."""

from __future__ import annotations

import time

from graphrag_tasks.answer.lists import LIST_CHUNKS, asks_for_list, list_items, unread_documents
from graphrag_tasks.answer.quotes import QUOTED, quotes
from graphrag_tasks.answer.reply import Reply
from graphrag_tasks.answer.verdict import verdict
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.registry import AUTO, PLAIN_MODES


def answer(
    index: Index,
    question: str,
    mode: str = AUTO,
    *,
    k: int | None = None,
    filters: Filters | None = None,
    wanted: int = QUOTED,
) -> Reply:
    """Return an answer whose every sentence points to a sentence of a document, or none.

    Args:
        index: Opened with the reader's labels: nothing else is read.
        question: As in `Index.search`.
        mode: How chunks are found, as in `Index.search`; the reranker reads in every mode.
        k: Chunks that are read for sentences; by default `index.config.k`, and 10 for a list.
        filters: As in `Index.search`.
        wanted: Sentences that are quoted, each with its neighbours.

    Raises:
        QueryError: As in `Index.search`.
    """
    started = time.perf_counter()
    as_list = asks_for_list(question) if isinstance(question, str) else False
    places = k or (LIST_CHUNKS if as_list else None)
    rerank = index.config.rerank.candidates if mode in PLAIN_MODES else None
    context = index.search(question, mode, places, filters, rerank)
    found = verdict(context.signals)
    told = found.state != "not in these documents"
    items = list_items(index, context) if told and as_list else ()
    return Reply(
        question=question,
        verdict=found,
        sentences=items or (quotes(index, context, wanted) if told else ()),
        form="list" if items else "quotes",
        context=context,
        milliseconds=(time.perf_counter() - started) * 1000,
        notes=(*context.notes, *(unread_documents(index, context, items) if items else ())),
    )
