"""Confidence of a triple: the probability that a reader of its sentence would call it right.

A frame's confidence says how often its tuple is right on news (CaRB). What makes a triple of it wrong is mostly
something else: a long sentence, words between the ends, a preposition that belongs elsewhere. A logistic regression
over such features, with the frame's log-odds as one of them; its weights (`certainty.json`) were learned on judged
facts of documents of many fields by `benchmarks/training/facts.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from graphrag_tasks.extract.frames import PRONOUN
from graphrag_tasks.language.names import TAILS_PLACE

WEIGHTS_FILE = "certainty.json"
ODDS = "odds of the frame"  # The feature that is a number: the log-odds of the frame's confidence.

_BE_WITH = re.compile(r"be (\w+)")
_LAST_PREPOSITION = re.compile(r"\s(of|in|to|for|with|on|from|by|as|at|into|about|than|between)$")
_CLAUSE_WORDS = re.compile(
    r"\b(?:that|which|who|whose|where|when|while|because|if|although|whether|and|or|but)\b", re.IGNORECASE
)
_MODAL = re.compile(r"\b(?:can|could|may|might|must|shall|should|will|would)\b")


@cache
def load_certainty() -> Mapping[str, float]:
    """Load the packaged weights by feature; "" is the intercept."""
    text = resources.files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")
    weights: dict[str, float] = json.loads(text)
    return weights


def certainty_of(row: Mapping[str, Any], text: str, arguments: int) -> float:
    """Return the confidence of a row of `triples`, rounded to four places.

    `text` is its sentence, `arguments` the number of arguments of its frame, and the row's confidence that of its
    frame. Rules that no judged fact shows, such as those of tables, keep the confidence of the frame.
    """
    weights = load_certainty()
    if f"rule {row['rule']}" not in weights:
        return float(row["confidence"])
    odds = weights[""] + weights[ODDS] * log_odds(row["confidence"])
    odds += sum(weights.get(name, 0.0) for name in certainty_features(row, text, arguments))
    return round(1 / (1 + math.exp(-odds)), 4)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, which is kept off 0 and 1."""
    bounded = min(max(probability, 0.01), 0.99)
    return math.log(bounded / (1 - bounded))


def certainty_features(row: Mapping[str, Any], text: str, arguments: int) -> Iterator[str]:
    """Yield the names of the features of a triple, each once."""
    yield f"rule {row['rule']}"
    yield f"frame of {_band(arguments, _ARGUMENT_BANDS)} arguments"
    relation = row["relation"]
    if match := _BE_WITH.fullmatch(relation):
        yield f"relation be {match[1]}"
    elif match := _LAST_PREPOSITION.search(relation):
        yield f"relation with {match[1]}"
    else:
        yield "relation without a preposition"
    if len(relation.split()) > _LONG_RELATION:
        yield "long relation"
    yield from _of_sentence(text)
    yield from _between(row, text)
    for end in ("head", "tail"):
        yield from _of_name(end, row[end], row[f"{end}_type"])
        before = text[: row[f"{end}_start"]].rstrip().rpartition(" ")[2].lower()
        if before in _POINTING:
            yield f"{end} is pointed at"
    for name in ("negated", "conditional"):
        if row[name]:
            yield name
    yield from _of_phrase(row["phrase"])


def _of_phrase(phrase: str) -> Iterator[str]:
    words = phrase.split()
    yield f"phrase of {_band(len(words), _PHRASE_BANDS)} words"
    if TAILS_PLACE in words:
        yield "words behind the tail"
    if words[:1] == ["to"]:
        yield "phrase begins with to"
    if _MODAL.search(phrase):
        yield "modal"


def _of_sentence(text: str) -> Iterator[str]:
    yield f"sentence of {_band(text.count(' ') + 1, _SENTENCE_BANDS)} words"
    if text.rstrip()[-1:] not in _ENDS:
        yield "sentence without an end"
    if not text[:1].isupper():
        yield "sentence begins in the middle"
    if any(mark in text for mark in _QUOTES):
        yield "quotation marks"
    if any(mark in text for mark in "()[]"):
        yield "brackets"


def _between(row: Mapping[str, Any], text: str) -> Iterator[str]:
    if row["tail_start"] < row["head_start"]:
        yield "tail before head"
    first, last = sorted(((row["head_start"], row["head_end"]), (row["tail_start"], row["tail_end"])))
    between = text[first[1] : last[0]]
    yield f"{_band(between.count(' '), _GAP_BANDS)} words between"
    if "," in between:
        yield "comma between"
    if any(mark in between for mark in "():;"):
        yield "bracket or colon between"
    if _CLAUSE_WORDS.search(between):
        yield "conjunction between"


def _of_name(end: str, name: str, label: str | None) -> Iterator[str]:
    words = name.split()
    yield f"{end} of {_band(len(words), _NAME_BANDS)} words"
    if label == PRONOUN:
        yield f"{end} is a pronoun"
    elif label:
        yield f"{end} is a named entity"
    if any(map(str.isdigit, name)):
        yield f"{end} has a digit"
    if name[:1].isupper():
        yield f"{end} is capitalised"
    if " of " in name:
        yield f"{end} has an of"


def _band(value: int, bounds: tuple[int, ...]) -> str:
    """Return the band of a number: "0-11", "12-19", "45+"."""
    lower = 0
    for bound in bounds:
        if value < bound:
            return f"{lower}-{bound - 1}"
        lower = bound
    return f"{lower}+"


_SENTENCE_BANDS, _GAP_BANDS = (12, 20, 30, 45), (3, 6, 10, 16)
_NAME_BANDS, _PHRASE_BANDS = (2, 3, 4), (2, 3, 5, 9)
_ARGUMENT_BANDS = (2, 3, 4, 5)
_LONG_RELATION = 3
_POINTING = frozenset({"this", "that", "these", "those", "such", "same", "other", "another"})
_ENDS = frozenset(".!:;)\"'”’")
_QUOTES = ('"', "“", "”", "„", "‘")
