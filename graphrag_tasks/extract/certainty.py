"""Confidence of a triple, and its worth: whether a reader calls it right, and is glad to have it.

A frame's confidence says how often its tuple is right on news (CaRB). What makes a triple of it wrong is mostly
something else: a long sentence, words between the ends, a preposition that belongs elsewhere. A logistic regression
over such features, with the frame's log-odds as one of them; its weights (`certainty.json`) were learned on judged
facts of documents of many fields by `benchmarks/training/facts.py`.

What is right may still say nothing: "user be in place". Whether a fact is worth showing is another regression, over
what the ends are: names with capitals, codes, words that are rare in general English, or "user" and "value".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib import resources
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from graphrag_tasks.extract.context import Place
from graphrag_tasks.extract.frames import PRONOUN
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.dictionary import shares_of_nouns
from graphrag_tasks.language.names import TAILS_PLACE, singular_noun

WEIGHTS_FILE, WORTH_FILE = "certainty.json", "worth.json"
ODDS = "odds of the frame"  # The feature that is a number: the log-odds of the frame's confidence.

_BE_WITH = re.compile(r"be (\w+)")
_LAST_PREPOSITION = re.compile(r"\s(of|in|to|for|with|on|from|by|as|at|into|about|than|between)$")
_CLAUSE_WORDS = re.compile(
    r"\b(?:that|which|who|whose|where|when|while|because|if|although|whether|and|or|but)\b", re.IGNORECASE
)
_MODAL = re.compile(r"\b(?:can|could|may|might|must|shall|should|will|would)\b")


@cache
def load_weights(name: str) -> Mapping[str, float]:
    """Load the packaged weights of a file, by feature; "" is the intercept."""
    weights: dict[str, float] = json.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    return weights


def certainty_of(row: Mapping[str, Any], text: str, arguments: int) -> float:
    """Return the confidence of a row of `triples`, rounded to four places.

    `text` is its sentence, `arguments` the number of arguments of its frame, and the row's confidence that of its
    frame. Rules that no judged fact shows, such as those of tables, keep the confidence of the frame.
    """
    weights = load_weights(WEIGHTS_FILE)
    if f"rule {row['rule']}" not in weights:
        return float(row["confidence"])
    odds = weights[""] + weights[ODDS] * log_odds(row["confidence"])
    odds += sum(weights.get(name, 0.0) for name in certainty_features(row, text, arguments))
    return round(1 / (1 + math.exp(-odds)), 4)


def worth_of(row: Mapping[str, Any]) -> float:
    """Return how worth showing a row of `triples` is, from 0 to 1, rounded to four places.

    It is the probability that a reader is glad to have it; 0 where it is less sure than `_SURE`, or its head is a plain
    word ("function") and it tells no number. What a rule gives that no judged fact shows, such as a person's or a
    language model's, is worth it.
    """
    weights = load_weights(WORTH_FILE)
    if f"rule {row['rule']}" not in weights:
        return 1.0
    head = row["head_resolved"] or row["head"]
    is_vague = head.islower() and head.isalpha() and not any(map(str.isdigit, row["tail"]))
    if row["confidence"] < _SURE or is_vague:  # .39 and .32 of the vague are right, .63 of the others (22 corpora)
        return 0.0
    odds = weights[""] + sum(weights.get(name, 0.0) * value for name, value in worth_features(row).items())
    return round(1 / (1 + math.exp(-odds)), 4)


def worth_features(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the features of a triple by which its worth is told, by name."""
    found: dict[str, float] = {f"rule {row['rule']}": 1.0}
    plain = []
    for end in ("head", "tail"):
        name = row[f"{end}_resolved"] or row[end]
        parts = name.split()
        common = math.log10(_share_of_head(parts) + _LEAST_SHARE)
        is_plain = len(parts) == 1 and name.islower()
        plain.append(is_plain)
        found |= {
            f"{end} of {_band(len(parts), _NAME_BANDS)} words": 1.0,
            f"{end} has a capital": float(name != name.lower()),
            f"{end} has a digit": float(any(map(str.isdigit, name))),
            f"{end} is a plain word": float(is_plain),
            f"{end} is common": common,
            f"{end} is plain and common": common * is_plain,
        }
    verb, _, rest = row["relation"].partition(" ")
    phrase = row["phrase"].split()
    return found | {
        "both are plain words": float(all(plain)),
        f"relation of {_band(1 + row['relation'].count(' '), _PHRASE_BANDS)} words": 1.0,
        "is": float(verb == "be" and not rest),
        "is at": float(verb == "be" and rest in _PREPOSITIONS),
        "is done": float(verb == "be" and " " not in rest and bool(rest) and rest not in _PREPOSITIONS),
        "has": float(verb == "have"),
        "modal": float(_MODAL.search(row["phrase"]) is not None or phrase[:1] == ["to"]),
        "words behind the tail": float(TAILS_PLACE in phrase),
        "words of the phrase": min(len(phrase), _PHRASE_BANDS[-1]) / _PHRASE_BANDS[-1],
        "negated": float(row["negated"]),
    }


def _share_of_head(words: Sequence[str]) -> float:
    """Return the share of a name's last word in general English."""
    return shares_of_nouns().get(singular_noun(re.sub(r"\W", "", words[-1].lower())), 0.0) if words else 0.0


_SURE = 0.55  # Least confidence of what is shown: of less sure ones .42 and .37 are right.
_LEAST_SHARE = 1e-6  # Added to a share, so that unknown words have a finite logarithm.
_PREPOSITIONS = words("prepositions")


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


# When a fact holds: the date or release that its sentence names.

_FROM, _UNTIL, _RANGE, _CHANGED, _AT, _ENDED = "from", "until", "range", "changed", "at", "ended"
_KINDS = (_RANGE, _UNTIL, _CHANGED, "deprecated", _FROM, _AT, _ENDED)
"""Of kinds at the same place the first counts; of the last two, only where no other one is."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOST = 1_000  # characters of a sentence that are read, as longer ones are mostly none; chosen
_TIMED = re.compile(r"\d|no longer|discontinued")
_ISO = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


class Validity(NamedTuple):
    """What a sentence says of the time of its facts."""

    kind: str
    start: str | None = None
    end: str | None = None

    def columns(self, row: Mapping[str, Any], text: str) -> dict[str, str | None]:
        """Return `valid_*` of a triple: what is "no longer" so until 4.0, is denied from 4.0 on."""
        kind, start, end = self
        if row["negated"] and kind == _UNTIL and "no longer" in text:
            kind, start, end = _FROM, end, None
        return {"valid_kind": kind, "valid_from": start, "valid_to": end}


def validities(placed: Sequence[tuple[Mapping[str, Any], Place]]) -> dict[str, Validity]:
    """Return the times of sentences, in reading order with their places, by the sentences' ids.

    An item has that of the sentence with a colon before its list, but no event's. What only tells a time ("New in
    version 3.4.") tells it of the sentence before, of the paragraph before its own, or, below a heading, of the next
    paragraph.
    """
    found: dict[str, Validity] = {}
    above: list[str] = []
    block: tuple[str, int, str] = "", -1, ""
    pending = carried = None
    for row, place in placed:
        if place.kind == "code":
            continue
        here, own = (row["document_id"], place.block, place.kind), validity_of(row["text"])
        if own and here[0] == block[0] and _is_note(row["text"], own):
            pending = own if block[2] in ("heading", "title") else pending
            is_whole = here != block and block[2] in ("paragraph", "list_item")
            for noted in above if is_whole else above[-1:]:
                found.setdefault(noted, own)
        else:
            if here != block:
                carried, pending = (pending if here[0] == block[0] else None), None
                above, block = [], here
            above.append(row["sentence_id"])
        lead = place.lead.rpartition(". ")[2] if place.lead and place.lead.endswith(":") else ""
        led = validity_of(lead)
        if own := own or (led if led and led.kind != _AT else carried):
            found[row["sentence_id"]] = own
    return found


def _is_note(text: str, validity: Validity) -> bool:
    """Tell whether a sentence is only about a time, or begins so: "New in 3.4: the old one"."""
    text = " ".join(text.split()).strip(" ().")
    match = _patterns()[validity.kind].match(text)
    rest = text[match.end() :] if match else "?"
    return not rest or (rest.startswith(": ") and validity.kind != _CHANGED)


def validity_of(text: str) -> Validity | None:
    """Return what a sentence says of the time of its facts, or None.

    Of several times the first counts; an event's day counts if nothing bounds the sentence.
    """
    known = _patterns()
    if not _TIMED.search(text, 0, _MOST) or not known["hint"].search(text, 0, _MOST):
        return None
    text = known["requirement"].sub(
        lambda match: match[0] if match[1] else "_" * len(match[0]), " ".join(text[:_MOST].split())
    )
    of_facts = (read for kind in _KINDS[:-2] for read in islice(_read(kind, text), 1))
    others = (read for kind in _KINDS[-2:] for read in _read(kind, text))
    first = min(of_facts, key=itemgetter(0), default=None) or next(others, None)
    return first[1] if first else None


def _read(kind: str, text: str) -> Iterator[tuple[int, Validity]]:
    known = _patterns()
    for match in known[kind].finditer(text):
        clause = text[: match.start()]
        clause = clause[max(map(clause.rfind, ",;:(")) + 1 :]
        is_event = match[0][:5].casefold() == "as of" or known["past"].search(text)
        if known["subordinate"].search(clause) or (kind == _AT and not is_event):
            continue
        said = [group for group in match.groups() if group]
        values = [_value(one, other) for one, other in zip(said, reversed(said), strict=True)]
        is_share = kind == _RANGE and "." in (values[0] or "") and known["measure"].search(text)
        if all(values) and not is_share:
            start = values[0] if values and kind != _UNTIL else None
            end = values[-1] if values and kind in (_UNTIL, _RANGE, _AT) else None
            yield match.start(), Validity(kind, start, end)


def _value(text: str, other: str) -> str | None:
    """Return a date in ISO form, or the number of a release; a range's other end helps."""
    if not _patterns()["dated"].fullmatch(text):
        return text.split()[-1].rpartition("-")[2].lower().removeprefix("v")
    (year, month, day), (other_year, other_month, _) = _parts(text), _parts(other)
    year, month = year or other_year, month or (other_month if day else 0)
    try:
        date(year, month or 1, day or 1)
    except ValueError:
        return None
    return "-".join([f"{year:04}", *(f"{part:02}" for part in (month, day) if part)])


def _parts(text: str) -> tuple[int, int, int]:
    """Return year, month and day; 0 for what is not said."""
    if match := _ISO.fullmatch(text):
        return int(match[1]), int(match[2]), int(match[3] or 0)
    numbers = [int(one) for one in re.findall(r"\d+", text)]
    months = [_MONTHS.index(word) + 1 for word in re.findall(r"\b[a-z]{3}", text.casefold())
              if word in _MONTHS]  # fmt: skip
    years, days = ([one for one in numbers if (one > 31) == far] for far in (True, False))
    return (*years, 0)[0], (*months, 0)[0], (*days, 0)[0]


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    words = json.loads(resources.files(__package__).joinpath("validity.json").read_text("utf-8"))
    forms: dict[str, str] = {}

    def formed(pattern: str) -> str:
        for name, form in forms.items():
            pattern = pattern.replace(f"{{{name}}}", form)
        return pattern

    for name, form in words["forms"].items():
        forms[name] = formed(form)
    return {
        name: re.compile(rf"(?<![\w.-])(?:{formed('|'.join(patterns))})", re.IGNORECASE)
        for name, patterns in words["patterns"].items()
    }
