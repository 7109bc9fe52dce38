"""Quote the sentences that answer a question best, with their neighbours, of the newest version and the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphrag_tasks.answering.draft import Asked, Draft
from graphrag_tasks.answering.reading import CandidateSentence, Reading
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.answering.table_questions import asks_for_rows
from graphrag_tasks.core.schemas import CELL_SEPARATOR
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.question.router import question_parts
from graphrag_tasks.sources.media_types import is_sheet, may_hold_facts


def by_quotes(asked: Asked) -> Draft:
    """Return the sentences that answer a question best, of the newest releases unless filters ask for others."""
    quoted = quotes(asked.index, asked.context, asked.reading, asked.wanted)
    best = [citation.source.uri for said in quoted if said.is_best for citation in said.citations]
    is_of_rows = bool(best) and asks_for_rows(asked.question) and all(map(is_sheet, best))
    doubts = ("These rows are the nearest: not every word of the question chose them.",) if is_of_rows else ()
    if asked.filters:
        return Draft(sentences=quoted, doubts=doubts)
    newest, gone = with_newest(asked.index, quoted)
    return Draft(sentences=newest, notes=gone, doubts=doubts)


def with_newest(
    index: Index, sentences: Sequence[AnswerSentence]
) -> tuple[tuple[AnswerSentence, ...], tuple[str, ...]]:
    """Return quotations, the best ones from the newest versions, and notes on what is gone."""
    releases = index.releases
    if not releases.of:
        return tuple(sentences), ()
    number = max((one for said in sentences for one in said.numbers), default=0)
    found: list[AnswerSentence] = []
    notes: list[str] = []
    shown: set[str] = set()
    for said in sentences:
        source = said.citations[-1].source
        newest = releases.newest(source.document_id)
        if newest is None:
            found.append(said)
            continue
        release = releases.of[newest]
        found_id = releases.newest_of(source.document_id, source.text)
        is_moved = source.document_id != newest
        if found_id is None and said.is_best:
            own = releases.of[source.document_id]
            notes.append(f"“{source.text}” stands in {own}, no longer in {release}.")
        elif found_id is None and is_moved:
            continue
        current = index.sentence(found_id) if found_id and is_moved else source
        if current.sentence_id in shown:
            continue
        shown.add(current.sentence_id)
        old = releases.before(newest, current.text) if found_id and said.is_best else None
        found.append(_quoted(said, current, release if old else ""))
        if old:
            number += 1
            before = index.sentence(old[1])
            found.append(
                AnswerSentence(
                    text=before.text,
                    citations=(Citation(number=number, source=before),),
                    is_best=False,
                    release=releases.of[old[0]],
                )
            )
    return tuple(_renumbered(found)), tuple(notes)


def _renumbered(sentences: Sequence[AnswerSentence]) -> Iterator[AnswerSentence]:
    """Yield sentences whose citations count from 1, as they come."""
    order = {old: new for new, old in enumerate(dict.fromkeys(one for said in sentences for one in said.numbers), 1)}
    for said in sentences:
        citations = (replace(one, number=order[one.number]) for one in said.citations)
        yield replace(said, citations=tuple(citations))


def _quoted(said: AnswerSentence, source: SourceSentence, release: str) -> AnswerSentence:
    """Return a quotation of another sentence, or the same one, with its release."""
    own = said.citations[-1]
    if source.sentence_id == own.source.sentence_id:
        return replace(said, release=release)
    citation = Citation(number=own.number, source=source)
    answer = said.answer if said.answer in source.text else ""
    return replace(said, text=source.text, citations=(citation,), release=release, answer=answer)


QUOTED = 3  # Sentences chosen, each with its neighbours.

_FAR_BEHIND = 2.0
"""Largest score difference to the best sentence: of 119 held-out questions .65 have their fact among 2.8 chosen
sentences, with 3 as many among 2.9, with 1 .61 among 2.4."""

_BEHIND = 0.5
"""The same of sentences that are marked as best: of four sets of questions .25 to .50 of them are gold and .42 to
.65 of the questions have one, with 2 .18 to .29 and .44 to .70."""

_BEFORE, _AFTER = 1, 2  # Quoted neighbours: the antecedent of "it" comes before, the rest of an answer after.
_LEAST_WORDS = 3  # Least words of a quoted neighbour; shorter ones are fragments, such as a lone name.


def quotes(index: Index, context: Context, reading: Reading, wanted: int) -> tuple[AnswerSentence, ...]:
    """Return the sentences that answer a question best, with their neighbours, best first.

    A question for several things gets at most one quotation per chunk, as its parts are often answered in different
    documents.
    """
    if not reading.candidates:
        return ()
    candidates, scores = reading.candidates, reading.scores
    floor = scores.max() - _FAR_BEHIND
    of_parts = reading.best_of_parts(context)
    order = iter(dict.fromkeys([*of_parts, *(row for row in reading.best_first() if scores[row] >= floor)]))
    several = len(question_parts(context.question)) > 1
    runs = _runs(candidates, order, wanted, _Connected(index, context), one_per_chunk=several)
    best = {run[0] for run in runs if scores[run[0]] >= scores.max() - _BEHIND}
    asked = frozenset(terms(context.question))
    most = max((len(asked & candidates[row].terms) for row in best), default=0)
    # Rows differ in their keys: a row that shares fewer words with the question is about another thing.
    best = {row for row in best if len(asked & candidates[row].terms) == most or not _is_row(candidates[row])}
    best |= {row for run in runs for row in run if row in of_parts}
    told = {candidates[row].sentence.document_id for row in best if _is_row(candidates[row])}
    told = set() if asks_for_rows(context.question) else told  # of several rows, which the tables did not answer
    others = {row for row, one in enumerate(candidates) if _is_row(one) and one.sentence.document_id in told}
    runs = [run for run in runs if best.intersection(run) or others.isdisjoint(run)]
    best |= {row + 1 for row in best if candidates[row].sentence.text.endswith(":")}
    return tuple(
        _quotation(index, candidates[row], number, is_best=row in best)
        for number, run in enumerate(_joined(candidates, runs), 1)
        for row in run
    )


class _Connected:
    """Decides which sentences may join the best sentence: those related to it.

    A related sentence, or its headings, shares a content word with the question, or it shares a name with a chosen
    sentence.
    """

    def __init__(self, index: Index, context: Context) -> None:
        self._index = index
        self._headings = [frozenset(terms(" ".join(hit.heading_path))) for hit in context.chunks]
        self._asked = frozenset(filter(is_content, terms(context.question)))
        self._has_best, self._named = False, set[str]()

    def take(self, candidate: CandidateSentence) -> bool:
        """Tell whether a sentence is related to the question; if so, remember its names."""
        names = self._index.names_in(candidate.sentence.text)
        held = candidate.terms | self._headings[candidate.chunk]
        if self._has_best and not (self._asked & held or self._named.intersection(names)):
            return False
        self._has_best = True
        self._named.update(names)
        return True


def _runs(
    candidates: Sequence[CandidateSentence], order: Iterator[int], wanted: int, connected: _Connected,
    *, one_per_chunk: bool,
) -> list[list[int]]:  # fmt: skip
    """Return runs of neighbouring candidates, best run first, each with its best row first."""
    runs: list[list[int]] = []
    shown: set[int] = set()
    chunks: set[int] = set()
    for row in order:
        one = candidates[row]
        repeats = any(one.is_copy_of(candidates[other]) for other in shown)
        if repeats or (one_per_chunk and one.chunk in chunks) or not connected.take(one):
            continue
        run = [row]
        shown.add(row)
        for other in _beside(candidates, row):
            if not any(candidates[other].is_copy_of(candidates[known]) for known in shown):
                run.append(other)
                shown.add(other)
        chunks.add(one.chunk)
        runs.append(run)
        if len(runs) == wanted:
            break
    return runs


def _beside(candidates: Sequence[CandidateSentence], row: int) -> Iterator[int]:
    """Yield the quoted neighbours of a sentence, without fragments such as a lone name.

    A heading, a term, a question and a table row begin something else.
    """
    one = candidates[row]
    steps = [] if _is_row(one) or one.lead else [range(row - 1, max(row - _BEFORE, 0) - 1, -1)]
    for step in (*steps, range(row + 1, min(row + _AFTER + 1, len(candidates)))):
        for other in step:
            beside = candidates[other]
            if beside.chunk != one.chunk or beside.answers_nothing or (other > row and _is_row(beside)):
                break
            if len(beside.sentence.text.split()) >= _LEAST_WORDS:
                yield other


def _is_row(candidate: CandidateSentence) -> bool:
    sentence = candidate.sentence
    return CELL_SEPARATOR in sentence.text or may_hold_facts(sentence.uri)


def _quotation(index: Index, one: CandidateSentence, number: int, *, is_best: bool) -> AnswerSentence:
    """Return a sentence with a citation number, behind the question or item of a list that leads it."""
    lead = one.lead
    if lead and not lead.text.endswith("?"):
        is_item = any(item[0].char_start == lead.char_start for item in index.items_around(lead))
        lead = lead if is_item else None  # a heading stands above
    said = (lead, one.sentence) if lead else (one.sentence,)
    joint = " " if said[0].text.endswith("?") else ": "
    return AnswerSentence(
        text=joint.join(source.text for source in said),
        citations=tuple(Citation(number=number, source=source) for source in said),
        is_best=is_best,
        answer=_words(one.sentence.text, *one.span) if is_best and one.span else "",
    )


def _words(text: str, start: int, end: int) -> str:
    """Return the words of a span; of one that begins in the header of a cell, the cell."""
    cell = text.rfind(CELL_SEPARATOR, 0, start)
    first = cell + len(CELL_SEPARATOR) if cell >= 0 else 0
    header, is_row, value = text[first:].partition(CELL_SEPARATOR)[0].partition(": ")
    if CELL_SEPARATOR in text and is_row and start < first + len(header):
        return value
    return text[start:end]


def _joined(candidates: Sequence[CandidateSentence], runs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the runs in their order, each in reading order; one that touches another joins it."""
    joined: list[list[int]] = []
    for run in map(sorted, runs):
        beside = next(
            (
                other
                for other in joined
                if candidates[other[0]].chunk == candidates[run[0]].chunk
                and other[0] - 1 <= run[-1]
                and run[0] - 1 <= other[-1]
            ),
            None,
        )
        if beside is None:
            joined.append(run)
        else:
            beside[:] = sorted({*beside, *run})
    return joined
