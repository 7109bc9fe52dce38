"""Sentences in cells of tables whose subject is the key of their row.

"Used to store orders", "Contains the stock" and "Name of the plant" say what the key beside them
is or does. They are parsed with a pronoun in front, which no key disturbs, however it is written;
in the frames the key stands for the pronoun. It covers no characters of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.extract.context import RowKey
from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule
from graphrag_tasks.extract.words import any_of
from graphrag_tasks.language.cells import says_what_it_does

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
    r"\b(?:is|are|was|were|can|cannot|must|will|should|may|has|have|had|does|do|did)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_PHRASE = re.compile(rf"{any_of('no_phrases')}\b|\W", re.IGNORECASE)
_MAIN_RULES = frozenset(
    {Rule.SVO, Rule.PASSIVE, Rule.COPULA, Rule.VERB_PREP, Rule.CLAUSAL, Rule.ADVERBIAL}
    | {Rule.EXISTENTIAL, Rule.IMPERATIVE}
)
_ENTRIES = frozenset(
    {"add", "choose", "configure", "define", "enter", "indicate", "provide", "select", "set"}
    | {"specify", "use"}
)
"""Commands that say what to do with the key: "Enter the name of the plant"."""


class Reading(NamedTuple):
    """A text to parse, and how many characters further on each of its own stands in the line."""

    text: str
    shift: int


def clause_about(text: str) -> Reading | None:
    """Return a sentence that lacks its subject with a pronoun for it, or None if it has one."""
    if auxiliary := _AUXILIARY.match(text):
        return _behind("They " if auxiliary[1] else "It ", text)
    if says_what_it_does(text):
        return _behind("It ", text)
    return _behind("It is ", text) if _PARTICIPLE.match(text) else None


def phrase_about(text: str, frames: Iterable[Frame]) -> Reading | None:
    """Return a phrase as what a pronoun is, or None if the text is a clause."""
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


def told_of_key(frames: Iterable[Frame], key: RowKey, text: str, *, opens: bool) -> Iterator[Frame]:
    """Yield frames with the key where they have the pronoun that stood for it.

    A command at the beginning of a cell is about the key, too: "Enter the name of the plant".
    Places in the frames are those in the sentence `text`; the pronoun's are negative. `opens` says
    whether the sentence is the first of its cell.
    """
    for frame in frames:
        yield _with_key(frame, key, text)
        if opens and frame.rule == Rule.IMPERATIVE and frame.start == 0:
            objects = frame.having(Role.OBJECT)
            is_command = frame.predicate.casefold() in _ENTRIES  # no gerund: "Using X, you ..."
            is_key = bool(objects) and objects[0].text.lower().startswith("this ")
            if objects and is_command and not is_key:
                at = objects[-1].end
                subject = _argument(objects[0], key.name, at, Role.SUBJECT)
                yield replace(frame, arguments=(subject, *objects))


def _with_key(frame: Frame, key: RowKey, sentence: str) -> Frame:
    if all(one.start > 0 for one in frame.arguments) and frame.start >= 0:
        return frame
    at = max(0, *(one.end for one in frame.arguments))
    arguments = tuple(
        _argument(one, key.name, at, one.role) if one.start < 0 else _capital(one, sentence)
        for one in frame.arguments
    )
    if frame.start < 0 and frame.predicate_lemma == "be":
        frame = replace(frame, predicate=key.relation, predicate_lemma=key.relation)
    return replace(frame, start=max(0, frame.start), end=max(0, frame.end), arguments=arguments)


def _capital(argument: Argument, sentence: str) -> Argument:
    """Return an argument as it stands in the sentence, not behind a pronoun."""
    if argument.start:
        return argument
    core = argument.core_text
    return replace(
        argument,
        text=sentence[:1] + argument.text[1:],
        core_text=core if argument.core_start or not core else sentence[:1] + core[1:],
    )


def _argument(like: Argument, name: str, at: int, role: str) -> Argument:
    return replace(
        like, role=str(role), text=name, core_text=name, entity_type=None, preposition=None,
        start=at, end=at, head_start=at, head_end=at, core_start=at, core_end=at,
    )  # fmt: skip
