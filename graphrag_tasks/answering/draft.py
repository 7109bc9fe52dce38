"""Decide whether a draft answers its question: the only place that sets a verdict.

A way of answering proposes a draft. What was looked up, counted or refused is certain; of what was read, the reader's
log-odds, names that no document has, and what of the question was not used decide; of what a model wrote, also the
checks of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from graphrag_tasks.answering.reading import Reading, asks_what, read
from graphrag_tasks.answering.reply import NOT_HERE, AnswerSentence, Form, State, Verdict
from graphrag_tasks.language.languages import CODES, ENGLISH, language_of
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.overview import has_subject
from graphrag_tasks.retrieval.question.query import probability

_ANSWERED, _UNCERTAIN, _UNCERTAIN_OF_YES = 0.4, -3.5, -6.5
"""Log-odds of the reader. Of 174 questions of seven corpora from 0 on .60 were marked rightly, and of those between 0
and the first 2 of 10; below the second are .02 of the answerable questions of six corpora. It knows few questions for
yes or no, so more is needed to say that nothing answers them. Cosine and coverage of the first chunk told no more."""

_NEVER = -100.0  # Log-odds where nothing was read.


@dataclass(frozen=True)
class Asked:
    """A question and what was found for it: all that a way of answering takes, and that decides.

    Attributes:
        wanted: Sentences that are quoted.
    """

    index: Index
    question: str
    context: Context
    filters: Filters | None
    wanted: int

    @cached_property
    def reading(self) -> Reading:
        """The sentences found, read once."""
        return read(self.index, self.context)

    @property
    def is_global(self) -> bool:
        """Whether the topics of the whole corpus are asked for: no passage can tell then."""
        return self.context.mode == "global" and not has_subject(self.question)

    @property
    def languages(self) -> tuple[str, str]:
        """The names of the question's language, and of the documents' where none is in it, else ""."""
        asked_in = language_of(self.question)
        known = self.index.snapshot.table("documents", ["language"])["language"].to_pylist()
        known = [code for code in known if code] or [CODES[ENGLISH]]
        most = max(known, key=known.count)
        names = {code: name for name, code in CODES.items()}
        return asked_in, "" if CODES[asked_in] in known else names.get(most, most)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a way of answering proposes; fields that are not listed are as in `Reply`.

    Attributes:
        looked_up: Whether what was asked for is there, where that was looked up or counted; None: it was read.
        is_refusal: Whether a model wrote that it found no answer.
        doubts: What of the question was not used: then it is uncertain at best.
    """

    sentences: tuple[AnswerSentence, ...] = ()
    form: Form = "quotes"
    summary: str = ""
    nearby: tuple[AnswerSentence, ...] = ()
    notes: tuple[str, ...] = ()
    looked_up: bool | None = None
    model: str | None = None
    is_refusal: bool = False
    doubts: tuple[str, ...] = ()


def decide(draft: Draft, asked: Asked) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict on a draft, and notes on why it is not sure."""
    unknown = asked.context.signals.unknown
    if draft.looked_up is not None:
        state: State = "answered" if draft.looked_up else NOT_HERE
        return Verdict(state=state, probability=float(draft.looked_up), unknown=() if draft.looked_up else unknown), ()
    read_odds = asked.reading.log_odds if asked.context.read else None  # A question of unknown words is not read.
    log_odds = _NEVER if read_odds is None else read_odds
    state = _of_model(_of_reading(log_odds, asked), draft, asked) if draft.model else _of_reading(log_odds, asked)
    notes: list[str] = []
    if draft.doubts and (state == "answered" or draft.form == "quotes"):  # the reader counts no rows
        state = "uncertain"
        notes += draft.doubts
    if state == "answered":
        return Verdict(state=state, probability=probability(log_odds)), ()
    asked_in, documents_in = asked.languages
    if documents_in:
        state, unknown = ("uncertain" if asked.context.chunks else NOT_HERE), ()
        notes.append(
            f"The question seems to be in {asked_in}, and the documents are in {documents_in}: "
            "what is quoted was found by its meaning alone."
        )
    return Verdict(state=state, probability=probability(log_odds), unknown=unknown), tuple(notes)


def _of_reading(log_odds: float, asked: Asked) -> State:
    """Return the state by what was read.

    It is uncertain at best, however near the passages are, if no document contains a name of the question.
    """
    signals = asked.context.signals
    if log_odds < (_UNCERTAIN if asks_what(asked.question) else _UNCERTAIN_OF_YES):
        return NOT_HERE
    return "uncertain" if log_odds < _ANSWERED or signals.unknown_names else "answered"


def _of_model(state: State, draft: Draft, asked: Asked) -> State:
    """Return the state of a model's text: uncertain at best if every sentence has a problem."""
    if draft.is_refusal:
        return NOT_HERE
    if all(sentence.problem for sentence in draft.sentences):
        return "uncertain" if state == "answered" else state
    if asked.is_global:
        return "answered"
    return "uncertain" if state == NOT_HERE else state
