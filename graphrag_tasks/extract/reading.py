"""Lines of prose, read by a parser and by patterns.

The parser reads a line without a label that only disturbs it: "Optional: Under Notifications, you
can ..." is read from "Under" on. In "adjust_numbers: Provides final numbers." the label is the
subject of the verb after it, so the colon gives way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.extract.context import RowKey
from graphrag_tasks.extract.frames import Argument, Extractor, Frame
from graphrag_tasks.extract.linear import linear_frames
from graphrag_tasks.extract.linear.labels import label_of, says_what_it_does
from graphrag_tasks.extract.topics import Reading, clause_about, phrase_about, told_of_key

_PHRASE = re.compile(
    r"\w\)?\s(?:of|for|in|on|from|to|with|within|about|between|without|via|after|before|"
    r"such as)\s\w",
    re.IGNORECASE,
)


def is_phrase(text: str) -> bool:
    """Return whether a line without a verb may relate two nouns.

    It has a preposition, or a label and a word like a verb in the third person: "Log: Stores keys".
    """
    if _PHRASE.search(text):
        return True
    label = label_of(text)
    return label is not None and says_what_it_does(text, label)


class Line(NamedTuple):
    """A line of prose."""

    text: str
    lead: str | None = None  # the text before the list that it is an item of, if it is one
    is_parsed: bool = True  # whether the parser reads it too; patterns always do
    key: RowKey | None = None  # what names its row, if it is in a cell of prose
    opens: bool = False  # whether it is the first sentence of its cell


def read_lines(lines: Sequence[Line], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of each line: those of the extractor, then those of the patterns."""
    about_keys = _frames_about_keys([line for line in lines if line.key], extractor)
    readings = [readings_of(line.text) if line.is_parsed and not line.key else [] for line in lines]
    for line, parsed in zip(lines, _parsed(readings, extractor), strict=True):
        found = next(about_keys) if line.key else parsed
        yield [*found, *linear_frames(line.text, line.lead)]


def _parsed(readings: Sequence[list[Reading]], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of each line's readings, with places in the line."""
    parses = extractor.extract([one.text for pieces in readings for one in pieces])
    for pieces in readings:
        yield [shifted(frame, piece.shift) for piece in pieces for frame in next(parses)]


def _frames_about_keys(lines: Sequence[Line], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of sentences in cells, with the key of the row for a missing subject.

    A phrase, which shows by its frames only, is read a second time, as what the key is.
    """
    readings = [_readings_about_key(line) for line in lines]
    frames = list(_parsed(readings, extractor))
    phrases = {
        number: phrase
        for number, (line, found) in enumerate(zip(lines, frames, strict=True))
        if line.opens
        and not (readings[number] and readings[number][0].shift < 0)
        and (phrase := phrase_about(line.text, found))
    }
    again = _parsed([[phrase] for phrase in phrases.values()], extractor)
    frames_of_phrases = dict(zip(phrases, again, strict=True))
    for number, line in enumerate(lines):
        if line.key:
            found = frames_of_phrases.get(number, frames[number])
            yield list(told_of_key(found, line.key, line.text, opens=line.opens))


def _readings_about_key(line: Line) -> list[Reading]:
    if about := clause_about(line.text):
        return [about]
    return readings_of(line.text) if line.is_parsed else []


def readings_of(text: str) -> list[Reading]:
    """Return what is to be parsed of a text: each of its lines, as a title is a line of its own."""
    readings, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            reading = _reading_of(line)
            readings.append(Reading(reading.text, reading.shift + start))
        start += len(line) + 1
    return readings


def _reading_of(line: str) -> Reading:
    """Return what is to be parsed of a line of prose."""
    label = label_of(line)
    if label is None:
        return Reading(line, 0)
    if not says_what_it_does(line, label):
        return Reading(line[label.start :], label.start)
    colon = line.rindex(":", 0, label.start)
    joined = line[:colon] + " " * (label.start - colon) + line[label.start].lower()
    return Reading(joined + line[label.start + 1 :], 0)


def shifted(frame: Frame, shift: int) -> Frame:
    """Return a frame with all its places moved on."""
    if not shift:
        return frame
    arguments = tuple(_shifted(argument, shift) for argument in frame.arguments)
    return replace(frame, start=frame.start + shift, end=frame.end + shift, arguments=arguments)


def _shifted(argument: Argument, shift: int) -> Argument:
    places = ("start", "end", "head_start", "head_end", "core_start", "core_end")
    return replace(argument, **{name: getattr(argument, name) + shift for name in places})
