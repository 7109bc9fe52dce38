"""Answer a question from an index: by quotation, or by a checked language model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from graphrag_tasks.answering.citations import checked
from graphrag_tasks.answering.follow_up import Filled, filled
from graphrag_tasks.answering.lists import (
    LIST_CHUNKS,
    Mentioned,
    asks_for_list,
    documents_asked_for,
    list_items,
    quoted_mentions,
    unread_documents,
)
from graphrag_tasks.answering.map_reduce import Drawn, drawn
from graphrag_tasks.answering.overview import SUBJECT_CHUNKS, asks_for_overview, overview, sections
from graphrag_tasks.answering.plan import searched
from graphrag_tasks.answering.quotes import QUOTED, quotes, with_newest
from graphrag_tasks.answering.reply import NOT_HERE, AnswerSentence, Reply, State, Verdict, verdict
from graphrag_tasks.answering.rows import RowsFound, UnknownNoun, asks_for_rows, find_rows, quoted_rows
from graphrag_tasks.answering.sentences import Reading, asked_type, read
from graphrag_tasks.answering.writing import Model, written
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.languages import CODES, ENGLISH, language_of
from graphrag_tasks.language.support import Held
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Context, Index, open_index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.overview import has_subject, subject_of
from graphrag_tasks.retrieval.modes.registry import AUTO, PLAIN_MODES
from graphrag_tasks.retrieval.question.query import checked_number

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
        filters: As in `Index.search`; tables are not counted with them.
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
    _check_wanted(wanted)
    index = index if isinstance(index, Index) else open_index(index)
    follow_up = filled(question, after, index) if after and isinstance(question, str) else None
    typed, question = question, follow_up.text if follow_up else question
    model = Model(client, index, max_usd) if client else None
    rerank = index.config.rerank.candidates if mode in PLAIN_MODES else None
    context = index.search(question, mode, k or _most(question, model), filters, rerank)
    reply = Reply(
        question=question,
        verdict=Verdict(state=NOT_HERE, probability=0.0, unknown=context.signals.unknown),
        sentences=(),
        context=context,
        milliseconds=0.0,
        notes=context.limits,
    )
    with_rows = not filters and asks_for_rows(question)  # the tables are not read for others
    found = find_rows(question, index.views) if with_rows else None
    mentions = None if filters else documents_asked_for(index, question)
    if asks_for_overview(context) and model is None:
        reply = _with_topics(index, reply)
    elif mentions is not None:
        reply = _with_mentions(reply, mentions)
    elif isinstance(found, RowsFound):
        reply = _with_rows(index, reply, found)
    elif isinstance(found, UnknownNoun) and not _is_found(found.noun, context):
        reply = replace(reply, summary=found.summary)
    else:
        reading = read(index, context)
        reply = replace(reply, verdict=verdict(context.question, context.signals, reading.log_odds))
        if model is not None and _may_answer(reply):
            reply = replace(reply, context=searched(model, context, mode, filters))
            reply = _written(reply, model, tell, is_filtered=bool(filters))
            reply = replace(reply, usd=model.usd, notes=(*reply.notes, *model.notes))
        if reply.model is None and asks_for_overview(context):
            reply = _with_topics(index, reply)
        elif reply.model is None and reply.verdict.state != NOT_HERE:
            if reply.context is not context:  # a plan searched further
                reading = read(index, reply.context)
            reply = _with_sentences(index, reply, reading, wanted, filters)
    if reply.verdict.state != "answered":
        reply = _in_its_language(index, reply, wanted)
    reply = _as_typed(reply, typed, follow_up)
    return replace(reply, milliseconds=(time.perf_counter() - started) * 1000)


def _most(question: str, model: Model | None) -> int | None:
    """Return how many chunks are found; None: as many as by default."""
    if not isinstance(question, str):
        return None  # `search` refuses it
    if model is None and subject_of(question):
        return SUBJECT_CHUNKS
    return LIST_CHUNKS if asks_for_list(question) else None


def _as_typed(reply: Reply, typed: str, follow_up: Filled | None) -> Reply:
    """Return a reply that tells the question as it was typed, and as it was searched."""
    if follow_up is None:
        return reply
    notes = (*filter(None, [follow_up.note]), *reply.notes)
    return replace(reply, question=typed, asked_as=follow_up.text, notes=notes)


def _may_answer(reply: Reply) -> bool:
    """Tell whether the model is asked.

    For the corpus as a whole, no passage tells whether it answers; the model is then asked, unless no document contains
    a word of the subject.
    """
    if reply.verdict.state == NOT_HERE and reply.context.communities:
        return not has_subject(" ".join(reply.verdict.unknown))
    return reply.verdict.state != NOT_HERE


def _with_topics(index: Index, reply: Reply) -> Reply:
    topics = overview(index)
    state: State = "answered" if topics else NOT_HERE
    seen = replace(reply.verdict, state=state, probability=float(bool(topics)))
    return replace(reply, verdict=seen, sentences=topics, form="overview")


def _with_rows(index: Index, reply: Reply, found: RowsFound) -> Reply:
    return replace(
        reply,
        verdict=replace(reply.verdict, state="answered", probability=1.0),
        sentences=quoted_rows(index, found),
        form="rows",
        summary=found.summary,
    )


def _with_mentions(reply: Reply, found: Mentioned) -> Reply:
    state: State = "answered" if found.sources else NOT_HERE
    return replace(
        reply,
        verdict=Verdict(state=state, probability=float(bool(found.sources))),
        sentences=quoted_mentions(found),
        form="list",
        summary=found.summary,
    )


def _check_wanted(wanted: int) -> None:
    if checked_number("wanted", wanted) < 1:
        raise QueryError("wanted must be at least 1 (got 0)")


def _in_its_language(index: Index, reply: Reply, wanted: int) -> Reply:
    """Mark the reply if no document is in the question's language.

    Neither words nor the reranker can then tell whether the documents answer it.
    """
    asked_in = language_of(reply.question)
    known = [code for code in index.snapshot.table("documents", ["language"])["language"].to_pylist() if code]
    if asked_in == ENGLISH if not known else CODES[asked_in] in known:
        return reply
    written = {code: name for name, code in CODES.items()}
    most = max(known, key=known.count, default=CODES[ENGLISH])
    note = (
        f"The question seems to be in {asked_in}, and the documents are in "
        f"{written.get(most, most)}: what is quoted was found by its meaning alone."
    )
    uncertain = replace(reply.verdict, state="uncertain" if reply.context.chunks else NOT_HERE, unknown=())
    sentences = reply.sentences or quotes(index, reply.context, read(index, reply.context), wanted)
    return replace(reply, verdict=uncertain, sentences=sentences, notes=(*reply.notes, note))


def _is_found(noun: str, context: Context) -> bool:
    """Tell whether a chunk contains a noun that no table has: then its sentences may answer."""
    term = terms(noun)
    return any(set(term) <= set(terms(chunk.text)) for chunk in context.chunks)


def _with_sentences(index: Index, reply: Reply, reading: Reading, wanted: int, filters: Filters | None) -> Reply:
    if lines := sections(index, reply.context, reading):
        return replace(reply, sentences=lines, form="overview")
    as_list = asks_for_list(reply.question)
    found = list_items(index, reply.context, reading) if as_list else None
    if not found:
        is_sure = reply.verdict.state == "answered"
        quoted = quotes(index, reply.context, reading, wanted, is_sure=is_sure)
        if filters:  # they may ask for an older version
            return _typed(replace(reply, sentences=quoted))
        newest, gone = with_newest(index, quoted)
        return _typed(replace(reply, sentences=newest, notes=(*reply.notes, *gone)))
    notes = (*reply.notes, *found.notes, *unread_documents(index, reply.context, found.items))
    return replace(reply, sentences=found.items, nearby=found.nearby, form="list", notes=notes)


def _typed(reply: Reply) -> Reply:
    """Return the reply, uncertain if no best sentence has the type of answer that is asked for."""
    asked = asked_type(reply.question)
    best = [one.text for one in reply.sentences if one.is_best]
    if not asked or reply.verdict.state != "answered":
        return reply
    if any(asked.is_in(text, reply.question) for text in best):
        return reply
    note = f"The question asks for a {asked.name}, and none stands in the sentences in bold."
    return replace(reply, verdict=replace(reply.verdict, state="uncertain"), notes=(*reply.notes, note))


def _written(reply: Reply, model: Model, tell: Callable[[str], None] | None, *, is_filtered: bool) -> Reply:
    """Return a reply with the model's text, or with a note why there is none."""
    source: Drawn | None = Drawn(reply.context)
    if reply.context.mode == "global" and not is_filtered:  # communities rest on all documents
        source = drawn(model, reply.context)
    if source is None:
        return reply
    held = Held(tell) if tell else None
    found = written(model, source.context, held.take if held else None, source.notes)
    if held:
        held.end()
    if not found.text:
        return replace(reply, notes=(*reply.notes, found.note))
    reply = replace(reply, context=found.context, model=found.model)
    if found.is_refusal:
        none = replace(reply.verdict, state=NOT_HERE)
        return replace(reply, verdict=none, notes=(*reply.notes, _REFUSED))
    sentences = checked(found.text, model.index, found.context, found.prompt, found.noted)
    return replace(reply, sentences=sentences, verdict=_seen(reply, sentences))


def _seen(reply: Reply, sentences: Sequence[AnswerSentence]) -> Verdict:
    """Return the verdict on a model's text: uncertain at best if every sentence has a problem."""
    seen = reply.verdict
    if all(sentence.problem for sentence in sentences):
        return replace(seen, state="uncertain") if seen.state == "answered" else seen
    if asks_for_overview(reply.context):
        return replace(seen, state="answered")
    return replace(seen, state="uncertain") if seen.state == NOT_HERE else seen


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
