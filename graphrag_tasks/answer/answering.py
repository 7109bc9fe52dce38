"""Answering a question from an index, without a language model."""

from __future__ import annotations

import time
from dataclasses import replace

from graphrag_tasks.answer.lists import LIST_CHUNKS, asks_for_list, list_items, unread_documents
from graphrag_tasks.answer.quotes import QUOTED, quotes
from graphrag_tasks.answer.reply import Reply
from graphrag_tasks.answer.rows import RowsFound, UnknownNoun, find_rows, quoted_rows
from graphrag_tasks.answer.verdict import NOT_HERE, verdict
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index
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

    A question that filters or counts rows is answered from tables, one for several things by whole
    lists, any other by quotations.

    Args:
        index: Opened with the reader's labels: nothing else is read.
        question: As in `Index.search`.
        mode: How chunks are found, as in `Index.search`; the reranker reads in every mode.
        k: Chunks that are read for sentences; by default `index.config.k`, and 10 for a list.
        filters: As in `Index.search`; tables are not counted with them.
        wanted: Sentences that are quoted, each with its neighbours.

    Raises:
        QueryError: As in `Index.search`.
    """
    started = time.perf_counter()
    as_list = isinstance(question, str) and asks_for_list(question)
    rerank = index.config.rerank.candidates if mode in PLAIN_MODES else None
    context = index.search(question, mode, k or (LIST_CHUNKS if as_list else None), filters, rerank)
    reply = Reply(
        question=question,
        verdict=verdict(context.signals),
        sentences=(),
        context=context,
        milliseconds=0,
        notes=context.notes,
    )
    found = None if filters else find_rows(question, index.views)
    if isinstance(found, RowsFound):
        reply = _with_rows(index, reply, found)
    elif isinstance(found, UnknownNoun) and not _is_found(found.noun, context):
        reply = replace(
            reply, verdict=replace(reply.verdict, state=NOT_HERE), summary=found.summary
        )
    elif reply.verdict.state != NOT_HERE:
        reply = _with_sentences(index, reply, wanted, as_list=as_list)
    return replace(reply, milliseconds=(time.perf_counter() - started) * 1000)


def _with_rows(index: Index, reply: Reply, found: RowsFound) -> Reply:
    return replace(
        reply,
        verdict=replace(reply.verdict, state="answered"),
        sentences=quoted_rows(index, found),
        form="rows",
        summary=found.summary,
    )


def _is_found(noun: str, context: Context) -> bool:
    """Tell whether a chunk has a noun that no table has: then its sentences may answer."""
    term = terms(noun)
    return any(set(term) <= set(terms(chunk.text)) for chunk in context.chunks)


def _with_sentences(index: Index, reply: Reply, wanted: int, *, as_list: bool) -> Reply:
    items = list_items(index, reply.context) if as_list else ()
    if not items:
        return replace(reply, sentences=quotes(index, reply.context, wanted))
    notes = (*reply.notes, *unread_documents(index, reply.context, items))
    return replace(reply, sentences=items, form="list", notes=notes)
