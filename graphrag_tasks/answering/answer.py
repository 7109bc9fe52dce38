"""Answer a question from an index: by quotation, or by a checked language model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from graphrag_tasks.answering.citations import checked
from graphrag_tasks.answering.draft import Asked, Draft, decide
from graphrag_tasks.answering.follow_up import filled
from graphrag_tasks.answering.lists import LIST_CHUNKS, asks_for_list, by_documents, by_list
from graphrag_tasks.answering.overview import SUBJECT_CHUNKS, by_parts
from graphrag_tasks.answering.plan import searched
from graphrag_tasks.answering.quotes import QUOTED, by_quotes
from graphrag_tasks.answering.reply import NOT_HERE, Reply
from graphrag_tasks.answering.rows import by_rows
from graphrag_tasks.answering.writing import Drawn, Model, drawn, written
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.language.support import Held
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Context, Index, open_index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.overview import has_subject, subject_of
from graphrag_tasks.retrieval.modes.registry import AUTO, PLAIN_MODES
from graphrag_tasks.retrieval.question.query import checked_number

WAYS: tuple[Callable[[Asked], Draft | None], ...] = (by_rows, by_documents, by_parts, by_list, by_quotes)
"""Ways of answering without a model, in order: the first that proposes something counts."""

_REFUSED = "The model found no answer in the passages."


def answer(
    index: Index | str | Path,
    question: str,
    client: Client | None = None,
    mode: str = AUTO,
    *,
    k: int | None = None,
    filters: Filters | None = None,
    wanted: int = QUOTED,
    max_usd: float | None = None,
    tell: Callable[[str], None] | None = None,
    after: Reply | str | None = None,
) -> Reply:
    """Answer a question with sentences that cite documents, or with none.

    Questions that filter or count table rows are answered from tables, even if there is a model. Other questions go to
    the model. Without one, overviews of the corpus or of a subject are answered by its parts, questions for several
    things by whole lists, the rest by quotations. If a model gives no answer, the answer is as without it, with a note
    why. It is not asked if no document answers, or, for questions on the whole corpus, if no document contains a word
    of the subject.

    Args:
        index: Opened with the reader's labels: nothing else is read, or sent. A store is opened for this question
            alone, which takes longer.
        question: As in `Index.search`.
        client: Client of the model that writes the answer; None: documents are quoted.
        mode: How chunks are found, as in `Index.search`; the reranker reads in every mode.
        k: Chunks that are read for sentences; by default `index.config.k`, 10 for a list, 24 for an overview of a
            subject.
        filters: As in `Index.search`; with one of headings, tables are not counted.
        wanted: Sentences that are quoted, each with its neighbours.
        max_usd: Cost limit of the model for this question.
        tell: Is called with pieces of the model's text as they arrive, without links.
        after: The question before, or its reply: what a follow-up such as "and VBUP?" leaves out is filled in from it;
            `Reply.asked_as` says how.

    Raises:
        QueryError: As in `Index.search`, or `wanted` is no whole number from 1.
        TerminalError: The settings of the model are wrong.
    """
    started = time.perf_counter()
    if checked_number("wanted", wanted) < 1:
        raise QueryError("wanted must be at least 1 (got 0)")
    index = index if isinstance(index, Index) else open_index(index)
    follow_up = filled(question, after, index) if after not in (None, "") and isinstance(question, str) else None
    typed, question = question, follow_up.text if follow_up else question
    model = Model(client, index, max_usd) if client else None
    rerank = index.config.rerank.candidates if mode in PLAIN_MODES else None
    context = index.search(question, mode, k or _most(question, model), filters, rerank)
    asked = Asked(index, question, context, filters, wanted)
    draft = next(filter(None, (way(asked) for way in WAYS)))
    verdict, notes = decide(draft, asked)
    if model is not None and _is_asked(draft, verdict.state, asked):
        draft, context = _written(asked, draft, model, mode, tell)
        verdict, notes = decide(draft, asked)
    is_shown = verdict.state != NOT_HERE
    return Reply(
        question=typed,
        asked_as=follow_up.text if follow_up else "",
        verdict=verdict,
        form=draft.form,
        summary=draft.summary,
        sentences=draft.sentences if is_shown else (),
        nearby=draft.nearby if is_shown else (),
        context=context,
        model=draft.model,
        usd=model.usd if model else 0.0,
        milliseconds=(time.perf_counter() - started) * 1000,
        notes=(
            *filter(None, [follow_up.note if follow_up else ""]),
            *(asked.context.limits if asked.context.chunks else asked.context.notes),
            *(model.notes if model else ()),
            *draft.notes,
            *notes,
        ),
    )


def _most(question: str, model: Model | None) -> int | None:
    """Return how many chunks are found; None: as many as by default."""
    if not isinstance(question, str):
        return None  # `search` refuses it
    if model is None and subject_of(question):
        return SUBJECT_CHUNKS
    return LIST_CHUNKS if asks_for_list(question) else None


def _is_asked(draft: Draft, state: str, asked: Asked) -> bool:
    """Tell whether the model is asked: not for what was counted or looked up, and not if no document answers.

    For the corpus as a whole, no passage tells whether it answers; the model is then asked, unless no document contains
    a word of the subject.
    """
    if asked.is_global or (state == NOT_HERE and asked.context.communities):
        return not has_subject(" ".join(asked.context.signals.unknown))
    return draft.looked_up is None and state != NOT_HERE


def _written(
    asked: Asked, draft: Draft, model: Model, mode: str, tell: Callable[[str], None] | None
) -> tuple[Draft, Context]:
    """Return the model's text, checked, and what it was shown; or the draft without it, with a note why."""
    context = searched(model, asked.context, mode, asked.filters)
    source: Drawn | None = Drawn(context)
    if context.mode == "global" and not asked.filters:  # communities rest on all documents
        source = drawn(model, context)
    if source is None:
        return draft, asked.context
    held = Held(tell) if tell else None
    found = written(model, source.context, held.take if held else None, source.notes)
    if held:
        held.end()
    if not found.text:
        return replace(draft, notes=(*draft.notes, found.note)), asked.context
    if found.is_refusal:
        return Draft(model=found.model, is_refusal=True, notes=(_REFUSED,)), found.context
    sentences = checked(found.text, model.index, found.context, found.prompt, found.noted)
    return Draft(sentences=sentences, model=found.model), found.context


def answer_stream(
    index: Index | str | Path,
    question: str,
    client: Client | None = None,
    mode: str = AUTO,
    *,
    k: int | None = None,
    filters: Filters | None = None,
    wanted: int = QUOTED,
    max_usd: float | None = None,
    after: Reply | str | None = None,
) -> Iterator[str | Reply]:
    """Yield the pieces of a model's answer as they arrive, and finally the checked reply.

    Pieces have no links, but are otherwise unchecked: only the reply counts, which may quote sentences instead. Without
    a model these are the pieces. Stopping early does not stop the answer: it is paid, and kept.

    Args and errors are those of `answer`.
    """
    came: SimpleQueue[str | Reply | Exception] = SimpleQueue()

    def work() -> None:
        try:
            reply = answer(
                index, question, client, mode,
                k=k, filters=filters, wanted=wanted, max_usd=max_usd, tell=came.put, after=after,
            )  # fmt: skip
            for sentence in () if client else reply.sentences:
                came.put(f"{sentence.marked} ")
            came.put(reply)
        except Exception as error:  # noqa: BLE001 - raised below
            came.put(error)

    Thread(target=work, name="answer", daemon=True).start()
    while isinstance(one := came.get(), str):
        yield one
    if isinstance(one, Exception):
        raise one
    yield one
