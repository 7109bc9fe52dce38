"""Read the sentences of found chunks: how well each answers the question, and with which words.

The reader sees windows of whole sentences, once; its log-odds, the margin of its span over no answer, and the score of
the chunk make the score of a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from graphrag_tasks.core.search_modes import SearchMode
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.context.hits import defines
from graphrag_tasks.retrieval.question.router import asks, question_parts
from graphrag_tasks.retrieval.reranker.cross_encoder import make_span_reader
from graphrag_tasks.retrieval.view.arrays import Floats

_A_CHUNK = 2.4
"""Windows that are read for each chunk, those of the best chunks first. Twice as many answer 281 questions on six
corpora no better, and take a fifth more time."""

_OF_MARGIN, _OF_CHUNK, _OF_SHARED = 0.25, 0.6, 2.0
"""Weights of the span's margin, of the chunk's log-odds and of the share of the question's words beside the reader's
log-odds: small and fixed, as weights that are fitted on other corpora lose (`benchmarks/README.md`)."""

_OF_PART = 10.0
"""Weight of the share of a question part's own words in a sentence or its headings, for the best sentence of a part."""

_DENIED = 2.0  # Penalty of a denied sentence where a question asks which thing something is said of; chosen.
_ASKS_WHICH = re.compile(r"\W*(?:\w+ )?(?:which|who|whom|whose)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)

_OF_MAIL = re.compile(r"(?:From|Sent|To|Cc|Subject): .|(?:Dear|Hi|Hello)\b[^.!?]{0,40},$")
"""A header or greeting of a mail, which is no sentence of it."""

_ASKED_THERE = 10.0  # Bonus of what stands below the same question, which it answers; larger than what is read tells.
_NOT_READ = 100.0  # Penalty of sentences that were not read, larger than any score.
_NEVER = 1e-4  # Least probability used: the reranker's own range from .01 to .99.
_SAME = 0.8  # Jaccard similarity above which two sentences are copies.
_ASKS_WHAT = re.compile(r"\W*(?:what|which|who|whom|whose|where|when|why|how)\b", re.IGNORECASE)


def asks_what(question: str) -> bool:
    """Tell whether a question asks for more than yes or no."""
    return _ASKS_WHAT.match(question) is not None


def leads(line: str, text: str) -> bool:
    """Tell whether a line leads the text behind it: as a question, or a few words without an end.

    Such words are a heading, or a term that the text defines.
    """
    return line.endswith("?") or defines(line, text)


@dataclass(frozen=True)
class CandidateSentence:
    """A sentence with the index of its chunk in the context, and its own in the chunk.

    Attributes:
        terms: Its words, and those of `lead`.
        lead: What stands before it: the term that it defines, or the question that it answers.
        answers_nothing: Whether it is such a line itself, a question, or the words of the question.
        span: Characters that answer, if it was read.
    """

    sentence: SourceSentence
    chunk: int
    position: int
    terms: frozenset[str]
    lead: SourceSentence | None
    answers_nothing: bool
    span: tuple[int, int] | None

    def is_copy_of(self, other: CandidateSentence) -> bool:
        """Tell whether two sentences are near-duplicates."""
        common = len(self.terms & other.terms)
        return common >= _SAME * max(len(self.terms | other.terms), 1)


@dataclass(frozen=True)
class Reading:
    """The sentences of a context, as they were read for its question.

    Attributes:
        candidates: The sentences, by chunk and position.
        scores: A score for each, shape (candidates,).
        log_odds: The reader's, with the margin, that the surest sentence answers; None if nothing was read.
    """

    candidates: Sequence[CandidateSentence]
    scores: Floats
    log_odds: float | None

    def best_first(self) -> Iterator[int]:
        """Yield candidates by score, without copies of better ones."""
        taken: list[CandidateSentence] = []
        for row in np.argsort(-self.scores, kind="stable").tolist():
            candidate = self.candidates[row]
            if not any(candidate.is_copy_of(other) for other in taken):
                taken.append(candidate)
                yield row

    def best_of_parts(self, context: Context) -> list[int]:
        """Return the best candidate of each part of a question that asks in several parts; none for others.

        The words of a part that the others lack tell which sentence is its.
        """
        parts = [part for part in question_parts(context.question) if asks(part)]
        if len(parts) < 2 or not self.candidates:
            return []
        words = [frozenset(filter(is_content, terms(part))) for part in parts]
        headings = [frozenset(terms(" ".join(hit.heading_path))) for hit in context.chunks]
        best = []
        for part, held in enumerate(words):
            own = held.difference(*(other for place, other in enumerate(words) if place != part)) or held
            share = [len(own & (one.terms | headings[one.chunk])) / max(len(own), 1) for one in self.candidates]
            best.append(int((self.scores + np.float32(_OF_PART) * np.array(share, np.float32)).argmax()))
        return best


def read(index: Index, context: Context) -> Reading:
    """Read the sentences of a context with the reader; those of the last chunks may stay unread."""
    sentences = [index.sentences(hit.chunk_id) for hit in context.chunks]
    passages = [
        (" > ".join(hit.heading_path), [sentence.text for sentence in of_chunk])
        for hit, of_chunk in zip(context.chunks, sentences, strict=True)
    ]
    found = (
        make_span_reader().read(context.question, passages, round(_A_CHUNK * len(passages))) if any(sentences) else []
    )
    # unless the question can be answered by yes or no, its own words answer nothing
    asked = frozenset(terms(context.question))
    all_words = asked if asks_what(context.question) else frozenset()
    denies = _denies(context.question)
    candidates: list[CandidateSentence] = []
    scores: list[float] = []
    log_odds: list[float] = []
    for place, (hit, of_chunk, of_reader) in enumerate(zip(context.chunks, sentences, found, strict=bool(found))):
        are_leads = [leads(*two) for two in pairwise(sentence.text for sentence in of_chunk)] + [False]
        kept = min(max(hit.score, _NEVER), 1 - _NEVER)
        of_hit = _OF_CHUNK * math.log(kept / (1 - kept))
        for position, (sentence, said) in enumerate(zip(of_chunk, of_reader, strict=True)):
            lead = of_chunk[position - 1] if position and are_leads[position - 1] else None
            words = frozenset(terms(f"{lead.text} {sentence.text}" if lead else sentence.text))
            is_silent = are_leads[position] or sentence.text.endswith("?") or bool(_OF_MAIL.match(sentence.text))
            is_silent = is_silent or (words <= all_words and not sentence.text.endswith(":"))
            span = (said.start, said.end) if said else None
            candidates.append(CandidateSentence(sentence, place, position, words, lead, is_silent, span))
            surety = said.log_odds + _OF_MARGIN * said.margin if said else -_NOT_READ
            if said and lead and lead.text.endswith("?") and frozenset(terms(lead.text)) == asked:
                surety += _ASKED_THERE
            share = len(words & asked) / max(len(asked), 1)
            score = of_hit + surety + _OF_SHARED * share - _NOT_READ * is_silent
            scores.append(score - _DENIED * bool(denies and denies.search(sentence.text)))
            if said and not is_silent:
                log_odds.append(surety)
    return Reading(candidates, np.array(scores, np.float32), max(log_odds, default=None))


def _denies(question: str) -> re.Pattern[str] | None:
    """Return what denies a statement, for a question that asks which thing something is said of."""
    return None if not _ASKS_WHICH.match(question) or _NOT.search(question) else _NOT


def best_of_each_chunk(index: Index, context: Context) -> dict[str, SourceSentence]:
    """Return the best sentence of each chunk, by chunk id.

    After a BM25 search only the words of the question count: no model is loaded.
    """
    found: dict[str, SourceSentence] = {}
    if context.mode == SearchMode.BM25:
        asked = frozenset(terms(context.question))
        for hit in context.chunks:
            sentences = index.sentences(hit.chunk_id)
            if sentences:
                found[hit.chunk_id] = max(sentences, key=lambda one: len(asked & frozenset(terms(one.text))))
        return found
    reading = read(index, context)
    for row in np.argsort(-reading.scores, kind="stable"):
        sentence = reading.candidates[row].sentence
        found.setdefault(sentence.chunk_id, sentence)
    return found
