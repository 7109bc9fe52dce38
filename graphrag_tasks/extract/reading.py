"""Lines of prose, read by a parser and by patterns.

The parser reads a line without a label that only disturbs it.

"Optional: Under Notifications, you can ..." is read from "Under" on. In "adjust_numbers: Provides
final numbers." the label is the subject of the verb after it, so the colon gives way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.extract import topics
from graphrag_tasks.extract.context import RowKey
from graphrag_tasks.extract.frames import Argument, Frame
from graphrag_tasks.extract.linear import linear_frames
from graphrag_tasks.extract.linear.labels import label_of, says_what_it_does
from graphrag_tasks.extract.protocol import Extractor

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
    """A line of prose.

    Attributes:
        text: Its text.
        lead: The sentence before the list that it is an item of, if it is one.
        is_parsed: Whether the parser reads it too; patterns always do.
        key: What names the row of the table that it stands in, if it is in a cell of prose.
        opens: Whether it is the first sentence of its cell.
    """

    text: str
    lead: str | None = None
    is_parsed: bool = True
    key: RowKey | None = None
    opens: bool = False


def read_lines(lines: Sequence[Line], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of each line: those of the extractor, then those of the patterns."""
    about_keys = _frames_about_keys([line for line in lines if line.key], extractor)
    readings = [readings_of(line.text) if line.is_parsed and not line.key else [] for line in lines]
    parses = extractor.extract([one.text for line in readings for one in line])
    for line, pieces in zip(lines, readings, strict=True):
        parsed = [shifted(frame, piece.shift) for piece in pieces for frame in next(parses)]
        if line.key:
            parsed = next(about_keys)
        yield [*parsed, *linear_frames(line.text, line.lead)]


def _frames_about_keys(lines: Sequence[Line], extractor: Extractor) -> Iterator[list[Frame]]:
    """Yield the frames of sentences in cells, with the key of the row for a missing subject.

    A phrase, which shows by its frames only, is read a second time, as what the key is.
    """
    readings = [_readings_about_key(line) for line in lines]
    parses = extractor.extract([one.text for line in readings for one in line])
    frames = [
        [shifted(frame, piece.shift) for piece in pieces for frame in next(parses)]
        for pieces in readings
    ]
    phrases = {
        number: phrase
        for number, (line, found) in enumerate(zip(lines, frames, strict=True))
        if line.opens
        and not (readings[number] and readings[number][0].shift < 0)
        and (phrase := topics.phrase_about(line.text, found))
    }
    again = extractor.extract([one.text for one in phrases.values()])
    for number, found in zip(phrases, again, strict=True):
        frames[number] = [shifted(frame, phrases[number].shift) for frame in found]
    for line, found in zip(lines, frames, strict=True):
        if line.key:
            yield list(topics.told_of_key(found, line.key, line.text, opens=line.opens))


def _readings_about_key(line: Line) -> list[Reading]:
    about = topics.clause_about(line.text)
    if about:
        return [Reading(*about)]
    return readings_of(line.text) if line.is_parsed else []


class Reading(NamedTuple):
    """A text to parse, and how many characters further on each of its own stands in the line."""

    text: str
    shift: int


def readings_of(text: str) -> list[Reading]:
    """Return what is to be parsed of a text: each of its lines, as a title is a line of its own."""
    readings, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            reading = reading_of(line)
            readings.append(Reading(reading.text, reading.shift + start))
        start += len(line) + 1
    return readings


def reading_of(line: str) -> Reading:
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
