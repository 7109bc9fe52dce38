"""Score the sentences of found chunks by how well they answer the question: definitions, asked types, the reader.

A reader that was trained on single sentences reads the likeliest ones; words, and the score of the chunk, choose these
and count beside what it says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from graphrag_tasks.core.search_modes import SearchMode
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, SourceSentence
from graphrag_tasks.retrieval.context.context import is_content
from graphrag_tasks.retrieval.context.hits import defines
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.view.arrays import Floats

_MOST_WORDS = 6  # Words of what is defined; chosen.
_ASKS_TO_DEFINE = frozenset({"defin", "definit", "mean"})
_IS = re.compile(r"\s+(?:is|are|was|were|means?|refers? to|stands? for)\s")
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)


def leads(line: str, text: str) -> bool:
    """Tell whether a line leads the text behind it: as a question, or a few words without an end.

    Such words are a heading, or a term that the text defines.
    """
    return line.endswith("?") or defines(line, text)


def named_alone(question: str) -> frozenset[str]:
    """Return the terms of what a question names, as "What is a tun?" names nothing but a tun."""
    return frozenset(filter(is_content, terms(question))).difference(_ASKS_TO_DEFINE)


def says_what_it_is(named: frozenset[str], term: str, text: str) -> bool:
    """Tell whether a sentence defines exactly what a question names.

    Args:
        named: By `named_alone`.
        term: What stands as a line of its own before the sentence; may be empty.
        text: The sentence.
    """
    subject = term or next(iter(_IS.split(text, maxsplit=1)[:-1]), "")
    subject = _ARTICLE.sub("", subject)
    if not named or not subject or subject.count(" ") >= _MOST_WORDS:
        return False
    words = frozenset(terms(subject))
    # "dry-hopping" has terms for the whole and for its parts
    return named == words or ("-" in subject and named < words and len(words - named) == 1)


# Tell what type of answer a question asks for, and whether a sentence has one.

_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million"
    "|once|twice|half|none|zero|pair|unlimited|any number|no limit|every|each|always|never|hourly"
    "|daily|weekly|monthly|yearly|seconds?|minutes?|hours?|days?|weeks?|months?|years?"
)
_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|century"
    "|spring|summer|autumn|winter"
)


@dataclass(frozen=True)
class AskedType:
    """A type of answers: its name, how it is asked for, and what a sentence with one has."""

    name: str
    asks: re.Pattern[str]
    has: re.Pattern[str]

    def is_in(self, text: str, question: str) -> bool:
        """Tell whether a text has an answer of this type that the question does not have."""
        asked = {word.casefold() for word in _WORD.findall(question)}
        new = _WORD.sub(lambda one: "…" if one[0].casefold() in asked else one[0], text)
        return self.has.search(new) is not None


_WORD = re.compile(r"[\w.]*\w")
_TYPES = (
    AskedType(
        "name",
        re.compile(
            r"\bwho\s+(?:first\s+|has\s+|had\s+)?(?:created?|wrote|written|made|invented|founded|discovered"
            r"|developed|designed|built|introduced|published|said)\b|\bby\s+whom\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b[A-Z]\w+ (?:[A-Z][.]? )?[A-Z]\w+|\bby (?:the )?[A-Z]\w+"),
    ),
    AskedType(
        "date",
        re.compile(
            r"\b(?:in|since|from|until)\s+(?:what|which)\s+(?:year|century|month)\b"
            r"|\b(?:what|which)\s+(?:year|date)\b|\bwhen\s+(?:was|were|did)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"\b\d{{3,4}}\b|\b(?:{_MONTHS})\b", re.IGNORECASE),
    ),
    AskedType(
        "number",
        re.compile(
            r"\bhow\s+(?:many|much|long|old|often|far|large|big|deep|high|tall|fast|heavy|wide)\b"
            r"|\b(?:what|which)\s+(?:is\s+the\s+)?(?:(?:maximum|minimum|default|largest|smallest|highest"
            r"|lowest)\s+)*(?:number|percentage|size|age|price|port|cost|rate|limit|distance|height"
            r"|length|temperature)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE),
    ),
)


def asked_type(question: str) -> AskedType | None:
    """Return the type of answer that a question asks for, if it is one that can be seen."""
    return next((one for one in _TYPES if one.asks.search(question)), None)


_READ = 24
"""Sentences that the reader reads: half as many as stand in the chunks; with 8 a quarter of the facts of held-out
questions is lost, with all one in twenty is gained (`benchmarks/README.md`)."""

_CHUNK, _OPENING, _NEW_TERMS, _SHARED = 0.41, -1.16, 0.34, 2.0
"""Weights by which sentences are chosen for reading: log-odds of the chunk, being its first sentence, terms that it
adds to the question, and share of the question's terms. The first sentence of a chunk is often its heading or the
end of the chunk before."""

_OF_READER, _OF_CHUNK, _OF_OPENING, _OF_SHARED = 0.44, 0.13, -0.58, 2.85
"""Weights of the score, by `python -m benchmarks.training.sentences weights`."""

_DEFINITION = 3.0  # Added to the definition of what the question names and nothing else; chosen.
_TYPED = 1.0  # Added to a sentence with the type of answer that is asked for, such as a number.
_ASKS_WHAT = re.compile(r"\W*(?:what|which|who|whom|whose|where|when|why|how)\b", re.IGNORECASE)

_BEHIND = 100.0  # Penalty of sentences that were not read, larger than any score.
_NEVER = 1e-4  # Least probability used: the reranker's own range from .01 to .99.
_SAME = 0.8  # Jaccard similarity above which two sentences are copies.


@dataclass(frozen=True)
class CandidateSentence:
    """A sentence with the index of its chunk in the context, and its own in the chunk.

    Attributes:
        terms: Its words, and those of `lead`.
        lead: What stands before it: the term that it defines, or the question that it answers.
        answers_nothing: Whether it is such a line itself, a question, or the words of the question.
    """

    sentence: SourceSentence
    chunk: int
    position: int
    terms: frozenset[str]
    lead: SourceSentence | None = None
    answers_nothing: bool = False

    def defines(self, named: frozenset[str]) -> bool:
        """Tell whether it says what something is, given the terms of its name."""
        lead = self.lead.text if self.lead else ""
        return says_what_it_is(named, lead, self.sentence.text)

    def is_copy_of(self, other: CandidateSentence) -> bool:
        """Tell whether two sentences are near-duplicates."""
        common = len(self.terms & other.terms)
        return common >= _SAME * max(len(self.terms | other.terms), 1)


def candidates_of(index: Index, context: Context) -> list[CandidateSentence]:
    """Return the sentences of a context, ordered by chunk and position.

    Unless the question can be answered by yes or no, its own words answer nothing.
    """
    question = context.question
    asked = frozenset(terms(question)) if _ASKS_WHAT.match(question) else frozenset()
    found = []
    for place, hit in enumerate(context.chunks):
        sentences = index.sentences(hit.chunk_id)
        are_leads = [leads(*two) for two in pairwise(one.text for one in sentences)]
        for position, sentence in enumerate(sentences):
            lead = sentences[position - 1] if position and are_leads[position - 1] else None
            text = f"{lead.text} {sentence.text}" if lead else sentence.text
            words = frozenset(terms(text))
            silent = are_leads[position : position + 1] == [True] or text.endswith("?")
            silent = silent or words <= asked
            found.append(CandidateSentence(sentence, place, position, words, lead, silent))
    return found


@dataclass(frozen=True)
class Reading:
    """The sentences of a context, as they were read for its question.

    Attributes:
        candidates: The sentences.
        scores: A score for each, shape (candidates,).
        log_odds: The reader's, that the surest sentence answers; None if there is none.
    """

    candidates: Sequence[CandidateSentence]
    scores: Floats
    log_odds: float | None

    def best_first(self) -> Iterator[int]:
        """Yield candidates by score, without copies of better ones."""
        return best_first(self.candidates, self.scores)


def read(index: Index, context: Context) -> Reading:
    """Read the likeliest sentences of a context; they come before all others."""
    candidates = candidates_of(index, context)
    if not candidates:
        return Reading((), np.empty(0, np.float32), None)
    likely, parts = _by_words(context, candidates)
    likely += _defining(context.question, candidates)
    first = np.argsort(-likely, kind="stable")[:_READ]
    read_first = frozenset(first.tolist())
    for row, one in enumerate(candidates):
        if one.lead and not (row in read_first and _is_told(index, one.lead)):
            candidates[row] = replace(one, lead=None)
    passages = [
        Passage(" > ".join(_above(context, one)), one.sentence.text) for one in (candidates[row] for row in first)
    ]
    log_odds = index.read_sentences(context.question, passages)
    scores = likely - np.float32(_BEHIND)
    defining = _defining(context.question, [candidates[row] for row in first])
    scores[first] = parts[first] + np.float32(_OF_READER) * log_odds + defining
    return Reading(candidates, scores, float(log_odds.max()))


def _is_told(index: Index, lead: SourceSentence) -> bool:
    """Tell whether a lead is a question or an item of a list, and no heading."""
    if lead.text.endswith("?"):
        return True
    return any(item[0].char_start == lead.char_start for item in index.items_around(lead))


def _above(context: Context, one: CandidateSentence) -> tuple[str, ...]:
    headings = context.chunks[one.chunk].heading_path
    return (*headings, one.lead.text) if one.lead else headings


def _by_words(context: Context, candidates: Sequence[CandidateSentence]) -> tuple[Floats, Floats]:
    """Return how likely sentences are to be worth reading, and their scores without the reader's.

    Both have the shape (candidates,).
    """
    asked = frozenset(terms(context.question))
    rows = [
        (
            _log_odds(context.chunks[one.chunk].score),
            float(one.position == 0),
            len(one.terms & asked) / max(len(asked), 1),
            math.log1p(len(one.terms - asked)),
        )
        for one in candidates
    ]
    weights = [[_CHUNK, _OF_CHUNK], [_OPENING, _OF_OPENING], [_SHARED, _OF_SHARED], [_NEW_TERMS, 0]]
    likely, parts = (np.array(rows, np.float32) @ np.array(weights, np.float32)).T
    return likely.copy(), parts.copy()


def _defining(question: str, candidates: Sequence[CandidateSentence]) -> Floats:
    """Return what definitions get beside, and what answers nothing; shape (candidates,)."""
    named, asked = named_alone(question), asked_type(question)
    also = [
        -_BEHIND
        if one.answers_nothing
        else _DEFINITION * one.defines(named) + _TYPED * bool(asked and asked.is_in(one.sentence.text, question))
        for one in candidates
    ]
    return np.array(also, np.float32)


def best_of_each_chunk(index: Index, context: Context) -> dict[str, SourceSentence]:
    """Return the best sentence of each chunk, by chunk id.

    After a BM25 search only words count: no model is loaded.
    """
    if context.mode == SearchMode.BM25:
        candidates = candidates_of(index, context)
        scores = _by_words(context, candidates)[0] if candidates else np.empty(0, np.float32)
    else:
        reading = read(index, context)
        candidates, scores = list(reading.candidates), reading.scores
    found: dict[str, SourceSentence] = {}
    for row in np.argsort(-scores, kind="stable"):
        sentence = candidates[row].sentence
        found.setdefault(sentence.chunk_id, sentence)
    return found


def best_first(candidates: Sequence[CandidateSentence], scores: Floats) -> Iterator[int]:
    """Yield candidates by score, without copies of better ones."""
    taken: list[CandidateSentence] = []
    for row in np.argsort(-scores, kind="stable").tolist():
        one = candidates[row]
        if not any(one.is_copy_of(other) for other in taken):
            taken.append(one)
            yield row


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _NEVER), 1 - _NEVER)
    return math.log(kept / (1 - kept))
