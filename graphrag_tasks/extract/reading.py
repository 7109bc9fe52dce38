"""Read lines of prose by a parser and by patterns.

A leading label that disturbs the parse is left out: "Optional: Under Notifications, you can ..." is parsed from
"Under". In "adjust_numbers: Provides final numbers." the label is the verb's subject, so the colon is dropped.

In table cells, "Used to store orders", "Contains the stock" and "Name of the plant" are about the row key. They are
parsed with a pronoun in front; in the frames, the key replaces the pronoun and has an empty span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.extract.context import RowKey
from graphrag_tasks.extract.frames import Argument, Extractor, Frame, Role, Rule
from graphrag_tasks.extract.linear.patterns import aliases, label_of, says_what_it_does
from graphrag_tasks.extract.words import any_of
from graphrag_tasks.language import cells

_PHRASE = re.compile(
    r"\w\)?\s(?:of|for|in|on|from|to|with|within|about|between|without|via|after|before|"
    r"such as)\s\w",
    re.IGNORECASE,
)
_STARTS = r"(?:(?:Typically|Mainly|Usually|Generally|Also|Only|Mostly|Often|Primarily)\s)?"
_PARTICIPLE = re.compile(
    rf"{_STARTS}(?!(?:Based|Compared|Related|Added|Depending)\b)"
    rf"{any_of('participles')}\s"
    r"(?:to|for|in|by|when|if|as|on|with|from|via|during|after|before|at|until|only|per)\s",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"(?:(Are|Have|Were)|Is|Can|Cannot|Must|May|Should|Will|Has|Does|Was|Could)\s"
    r"(?!(?:it|this|that|these|the|you|we|there|an?)\b)"
)
_WORDS = re.compile(r"[^\W\d_]{2,}")
_RELATIVE = re.compile(r"\b(?:that|which|who|where|when|whose|whom|if|whether)\b|[:;]")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|can|cannot|must|will|should|may|has|have|had|does|do|did)\b|n['’]t\b", re.IGNORECASE
)
_NO_PHRASE = re.compile(rf"{any_of('no_phrases')}\b|\W", re.IGNORECASE)
_ITEM_NUMBER = re.compile(r"\s*(?:\(?(?:\d{1,3}|[a-z]|[ivx]+)[.)]|\d+(?:\.\d+)+\.?)\s+(?=\S)")
"""What counts a paragraph or an item: "3.2 One copy", "b. Creation", "(iv) the name"."""
_MAIN_RULES = frozenset(
    {Rule.SVO, Rule.PASSIVE, Rule.COPULA, Rule.VERB_PREP, Rule.CLAUSAL, Rule.ADVERBIAL}
    | {Rule.EXISTENTIAL, Rule.IMPERATIVE}
)
_ENTRIES = frozenset(
    {"add", "choose", "configure", "define", "enter", "indicate", "provide", "select", "set"} | {"specify", "use"}
)
"""Commands about the key: "Enter the name of the plant"."""


class ProseLine(NamedTuple):
    """A line of prose."""

    text: str
    is_parsed: bool = True  # whether the parser reads it too; patterns always do
    key: RowKey | None = None  # what names its row, if it is in a cell of prose
    opens: bool = False  # whether it is the first sentence of its cell


class Reading(NamedTuple):
    """A text to parse, and the offset of its characters in the line."""

    text: str
    shift: int


def read_lines(lines: Sequence[ProseLine], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of each line: the extractor's, then the patterns'."""
    about_keys = _frames_about_keys([line for line in lines if line.key], extractor)
    readings = [readings_of(line.text) if line.is_parsed and not line.key else [] for line in lines]
    for line, parsed in zip(lines, _parsed(readings, extractor), strict=True):
        found = next(about_keys) if line.key else parsed
        yield [*found, *aliases(line.text)]


def is_phrase(text: str) -> bool:
    """Tell whether a line without a verb may relate two nouns.

    It has a preposition, or a label and a word like a verb in the third person: "Log: Stores keys".
    """
    if _PHRASE.search(text):
        return True
    label = label_of(text)
    return label is not None and says_what_it_does(text, label)


def _parsed(readings: Sequence[list[Reading]], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of each line's readings, with offsets in the line."""
    parses = extractor.extract([reading.text for pieces in readings for reading in pieces])
    for pieces in readings:
        yield [shifted(frame, piece.shift) for piece in pieces for frame in next(parses)]


def _frames_about_keys(lines: Sequence[ProseLine], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of sentences in cells; the row key replaces a missing subject.

    A phrase without a verb, recognized by its frames, is read a second time as a description of the key.
    """
    readings = [_readings_about_key(line) for line in lines]
    frames = list(_parsed(readings, extractor))
    phrases = {
        number: phrase
        for number, (line, found) in enumerate(zip(lines, frames, strict=True))
        if line.opens
        and not (readings[number] and readings[number][0].shift < 0)
        and (phrase := _phrase_about(line.text, found))
    }
    again = _parsed([[phrase] for phrase in phrases.values()], extractor)
    frames_of_phrases = dict(zip(phrases, again, strict=True))
    for number, line in enumerate(lines):
        if line.key:
            found = frames_of_phrases.get(number, frames[number])
            yield list(_told_of_key(found, line.key, line.text, opens=line.opens))


def _readings_about_key(line: ProseLine) -> list[Reading]:
    if about := _clause_about(line.text):
        return [about]
    return readings_of(line.text) if line.is_parsed else []


def readings_of(text: str) -> list[Reading]:
    """Return the texts to parse: each line of a text, as a title is a line of its own."""
    readings, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            reading = _reading_of(line)
            readings.append(Reading(reading.text, reading.shift + start))
        start += len(line) + 1
    return readings


def _reading_of(line: str) -> Reading:
    number = _ITEM_NUMBER.match(line)
    start = number.end() if number else 0
    line = line[start:]
    label = label_of(line)
    if label is None:
        return Reading(line, start)
    if not says_what_it_does(line, label):
        return Reading(line[label.start :], start + label.start)
    colon = line.rindex(":", 0, label.start)
    joined = line[:colon] + " " * (label.start - colon) + line[label.start].lower()
    return Reading(joined + line[label.start + 1 :], start)


def shifted(frame: Frame, shift: int) -> Frame:
    """Return a frame with all offsets shifted."""
    if not shift:
        return frame
    arguments = tuple(_shifted(argument, shift) for argument in frame.arguments)
    return replace(frame, start=frame.start + shift, end=frame.end + shift, arguments=arguments)


def _shifted(argument: Argument, shift: int) -> Argument:
    places = ("start", "end", "head_start", "head_end", "core_start", "core_end")
    return replace(argument, **{name: getattr(argument, name) + shift for name in places})


def _clause_about(text: str) -> Reading | None:
    """Return a sentence without a subject with a pronoun in front, or None if it has a subject."""
    if auxiliary := _AUXILIARY.match(text):
        return _behind("They " if auxiliary[1] else "It ", text)
    if cells.says_what_it_does(text):
        return _behind("It ", text)
    return _behind("It is ", text) if _PARTICIPLE.match(text) else None


def _phrase_about(text: str, frames: Iterable[Frame]) -> Reading | None:
    """Return a phrase with "It is" in front, or None if the text is a clause."""
    relative = _RELATIVE.search(text)
    end = relative.start() if relative else len(text)
    if any(frame.rule in _MAIN_RULES and frame.start < end for frame in frames):
        return None
    if _NO_PHRASE.match(text) or _FINITE.search(text, 0, end):
        return None
    return _behind("It is ", text) if len(_WORDS.findall(text)) > 1 else None


def _behind(subject: str, text: str) -> Reading:
    first = text[:1].lower() if text[1:2].islower() or text[1:2] == " " else text[:1]
    return Reading(subject + first + text[1:], -len(subject))


def _told_of_key(frames: Iterable[Frame], key: RowKey, text: str, *, opens: bool) -> Iterator[Frame]:
    """Yield frames in which the key replaces its pronoun.

    Offsets are those of the sentence `text`; the pronoun's are negative. A command that `opens` a cell is about the
    key, too: "Enter the name of the plant".
    """
    for frame in frames:
        yield _with_key(frame, key, text)
        is_command = frame.predicate.casefold() in _ENTRIES  # no gerund: "Using X, you ..."
        if opens and is_command and frame.rule == Rule.IMPERATIVE and frame.start == 0:
            objects = frame.having(Role.OBJECT)
            if objects and not objects[0].text.lower().startswith("this "):
                subject = _with_name(objects[0], key.name, objects[-1].end, Role.SUBJECT)
                yield replace(frame, arguments=(subject, *objects))


def _with_key(frame: Frame, key: RowKey, sentence: str) -> Frame:
    if all(argument.start > 0 for argument in frame.arguments) and frame.start >= 0:
        return frame
    at = max(0, *(argument.end for argument in frame.arguments))
    arguments = tuple(
        _with_name(argument, key.name, at, argument.role) if argument.start < 0 else _capital(argument, sentence)
        for argument in frame.arguments
    )
    if frame.start < 0 and frame.predicate_lemma == "be":
        frame = replace(frame, predicate=key.relation, predicate_lemma=key.relation.rstrip(":"))
    return replace(frame, start=max(0, frame.start), end=max(0, frame.end), arguments=arguments)


def _capital(argument: Argument, sentence: str) -> Argument:
    """Return an argument with the sentence's own capitalization."""
    if argument.start:
        return argument
    core = argument.core_text
    return replace(
        argument,
        text=sentence[:1] + argument.text[1:],
        core_text=core if argument.core_start or not core else sentence[:1] + core[1:],
    )


def _with_name(like: Argument, name: str, at: int, role: str) -> Argument:
    return replace(
        like, role=str(role), text=name, core_text=name, entity_type=None, preposition=None,
        start=at, end=at, head_start=at, head_end=at, core_start=at, core_end=at,
    )  # fmt: skip
