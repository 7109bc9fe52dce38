"""Confidence of a frame: the probability that its tuple is right.

A logistic regression over a few binary features of the frame. Its weights (`confidence.json`) were learned on CaRB's
development set by `benchmarks/training/confidence.py`; `docs/explanation/extraction.md` has the reliability diagram.
Weights of rules which that set lacks, such as commands, and confidences of line patterns were learned on labelled
technical sentences.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from graphrag_tasks.extract.frames import PRONOUN, Argument, Frame, Role

WEIGHTS_FILE = "confidence.json"
FAR = 60  # Characters from which an argument counts as far from the predicate.

_VAGUE = {"this", "that", "these", "those", "which", "who", "what", "it", "they", "there"}
_CONDITIONS = frozenset({"if", "unless", "whether"})
_LIGHT_VERBS = frozenset({"be", "have", "say", "make", "become", "include", "do", "take", "use"})
_PREPOSITIONS = frozenset({"in", "to", "for", "of", "as", "by", "with", "from", "on", "at"})


class Weights(NamedTuple):
    """Learned weights: a frame's log-odds are the intercept plus its features' weights."""

    intercept: float
    features: Mapping[str, float]
    patterns: Mapping[str, float]  # confidence of the frames of each pattern in lines


@cache
def load_weights() -> Weights:
    """Load the packaged weights."""
    text = resources.files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")
    return Weights(**json.loads(text))


def confidence_of(frame: Frame, *, words: int, frames: int, weights: Weights) -> float:
    """Return the probability that a frame is right, rounded to four places.

    `words` and `frames` are the numbers of tokens and frames in its sentence.
    """
    known = weights.features
    total = sum(known.get(name, 0.0) for name in features(frame, words=words, frames=frames))
    return round(1 / (1 + math.exp(-weights.intercept - total)), 4)


def features(frame: Frame, *, words: int, frames: int) -> Iterator[str]:
    """Yield the names of the features of a frame, each once."""
    subjects = frame.having(Role.SUBJECT)
    others = [argument for argument in frame.arguments if argument.role != Role.SUBJECT]
    yield f"rule {frame.rule}"
    yield f"sentence of {_band(words, 12, 20, 30)} words"
    yield f"{_band(frames, 2, 3, 4, 6)} frames in the sentence"
    yield from _of_predicate(frame)
    if subjects:
        yield from _of_subject(frame, subjects)
    yield from _of_others(frame, others)


def _of_predicate(frame: Frame) -> Iterator[str]:
    words = frame.predicate.split()
    yield f"predicate of {_band(len(words), 2, 3, 4, 5)} words"
    if words and words[0].lower() == "to":
        yield "predicate begins with to"
    elif words and words[0].endswith("ing"):
        yield "predicate begins with a gerund"
    if frame.negated:
        yield "negated"
    if frame.modality:
        yield "condition" if frame.modality in _CONDITIONS else "modality"
    lemma, _, rest = frame.predicate_lemma.partition(" ")
    if lemma in _LIGHT_VERBS:
        yield f"verb {lemma}"
    if rest:
        yield "predicate has more than a verb"


def _of_subject(frame: Frame, subjects: Sequence[Argument]) -> Iterator[str]:
    first = subjects[0]
    words = first.text.split()
    yield f"subject of {_band(len(words), 2, 3, 6, 10)} words"
    if first.entity_type == PRONOUN:
        yield "subject is a pronoun"
    elif first.entity_type:
        yield "subject is a named entity"
    if words[0].lower() in _VAGUE:
        yield f"subject begins with {words[0].lower()}"
    if "," in first.text:
        yield "subject has a comma"
    if len(first.text) != first.end - first.start:
        yield "subject has a gap"
    if not first.core_text:
        yield "subject has no core"
    if len(subjects) > 1:
        yield "subjects are coordinated"
    distance = frame.start - first.end
    yield "subject follows" if distance < 0 else f"subject {_band(distance, 2, 8, 20, 40)} before"


def _of_others(frame: Frame, others: Sequence[Argument]) -> Iterator[str]:
    slots, roles, longest, preposition = set(), set(), 0, None
    comma = gap = before = behind = False
    for other in others:  # once, as this is a tenth of what the rules cost
        slots.add(other.slot)
        roles.add(other.role)
        longest = max(longest, len(other.text.split()))
        preposition = preposition or other.preposition
        comma = comma or "," in other.text
        gap = gap or len(other.text) != other.end - other.start
        before = before or other.end < frame.start
        behind = behind or other.start > frame.end + FAR
    yield f"{_band(len(slots), 2, 3, 4)} slots"
    yield f"longest argument of {_band(longest, 2, 4, 8, 15)} words"
    for role in sorted(roles):
        yield f"has {role}"
    if preposition in _PREPOSITIONS:
        yield f"preposition {preposition}"
    if comma:
        yield "argument has a comma"
    if gap:
        yield "argument has a gap"
    if len(slots) < len(others):
        yield "arguments are coordinated"
    if before:
        yield "argument before the predicate"
    if behind:
        yield "argument far behind"


@lru_cache(maxsize=1024)
def _band(value: int, *bounds: int) -> str:
    """Return the band of a number: "1" below 2, "2-3" below 4, "4+" from there on."""
    lower = 0
    for bound in bounds:
        if value < bound:
            return str(lower) if bound == lower + 1 else f"{lower}-{bound - 1}"
        lower = bound
    return f"{lower}+"
