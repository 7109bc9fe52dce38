"""Patterns of lines: list items with their introduction, commands that relate two names, abbreviations.

"Service plan: standard", "adjust_numbers: Provides ..."; "The tool supports: * A * B".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.frames import Argument, Frame, Role, Span
from graphrag_tasks.extract.words import any_of, mapping

_POINTER = re.compile(any_of("pointers"), re.IGNORECASE)
_SCREEN_STEP = re.compile(
    r"(?:(?:then|now|next|first|finally|optional|in the [^,]{1,60}|on the [^,]{1,60}|"
    r"(?:if|after|before|once|when|from) [^,]{1,80}|to [^,]{1,60})[,:]\s(?:then )?)?"
    r"(?:choose|click|press|select|enter|tick|scroll|expand|go to|navigate|log on|log in|open|"
    r"right-click|double-click)\s"
    r"(?!(?:the|an?|your|this|these|all)\s(?!.{0,60}\b(?:button|icon|link|tab|tile)\b))"
    r"(?!.*\b(?:instead of|rather than)\b)(?!(?-i:(?:[A-Z]\S*\s){1,3}(?:is|are|can|[a-z]{3,}s)\s))",
    re.IGNORECASE,
)
"""A command to operate a control: "Choose Save", "click the icon".

Not "Select your system in the list" and "Open SQL reads tables".
"""
_POINTER_HEADING = re.compile(rf"\W*{any_of('pointer_headings')}\W*", re.IGNORECASE)
"""Headings of sections that refer to other pages."""
_WHAT_IS_NEXT = re.compile(r"\W*(?:next|what|where)\b", re.IGNORECASE)


def leads_elsewhere(heading: str) -> bool:
    """Tell whether a heading, or the line before a list, announces links."""
    return _POINTER_HEADING.fullmatch(heading) is not None


def tells_what_is_next(heading: str) -> bool:
    """Tell whether a heading such as "Next steps" may introduce steps as well as links."""
    return _WHAT_IS_NEXT.match(heading) is not None


def states_no_fact(text: str) -> bool:
    """Tell whether a sentence only refers elsewhere, asks, or says where to click."""
    text = text.lstrip()
    return text.endswith("?") or bool(_POINTER.match(text) or _SCREEN_STEP.match(text))


# Find names in a line of text without a parse, and make frames of two names.

EXTRACTOR_NAME = "linear"


ALIAS, ROLE = "alias", "role"
"""The patterns: a name and its short form, "Material Requirements Planning (MRP)"; what somebody is to a document."""
CONFIDENCE = {ALIAS: 0.9, ROLE: 0.95}  # Set by hand; what `benchmarks/training/technical.py` learned takes precedence.


def pair(rule: str, head: Span, relation: str, tail: Span, confidence: float | None = None) -> Frame:
    """Return the frame of two names and their canonical relation; without a confidence, with that of the pattern."""
    if confidence is None:
        confidence = load_weights().patterns.get(rule, CONFIDENCE[rule])
    return Frame(
        predicate=relation, predicate_lemma=relation, start=tail.start, end=tail.end,
        arguments=(_argument(Role.SUBJECT, head, 0), _argument(Role.OBJECT, tail, 1)),
        rule=rule, extractor=EXTRACTOR_NAME, confidence=confidence,
    )  # fmt: skip


def _argument(role: Role, name: Span, slot: int) -> Argument:
    text, start, end = name
    return Argument(
        role=role.value, text=text, start=start, end=end, head_start=start, head_end=end,
        core_text=text, core_start=start, core_end=end, slot=slot,
    )  # fmt: skip


_LABEL = re.compile(r"([^\s:][^:.;!?\n]{0,70}?)\s?:\s+(?=\S)")
_MAX_LABEL_WORDS = 6  # Longest label in words; a longer beginning is a clause. Chosen.
_THIRD_PERSON = re.compile(r"([A-Z][a-z]+s)\s(?!and\b|or\b|of\b|in\b|for\b|to\b)")
_NO_NAMES = re.compile(any_of("labels_of_nothing"), re.IGNORECASE)
_IMPERATIVE = re.compile(rf"{any_of('value_commands')}\b", re.IGNORECASE)
_VERB_FORM = re.compile(
    r"\b(?:is|are|was|were|be|can|could|will|would|must|should|shall|has|have|had|may|might|do|does|"
    r"did|you|we|it|they)\b"
)


class Label(NamedTuple):
    """A label, and the start of the text after it."""

    is_name: bool
    start: int


def label_of(text: str) -> Label | None:
    """Return the label at the start of a line, or None."""
    match = _LABEL.match(text)
    if match is None or len(match[1].split()) > _MAX_LABEL_WORDS or _VERB_FORM.search(match[1]):
        return None
    is_name = any(map(str.isalnum, match[1])) and not _NO_NAMES.fullmatch(match[1]) and not _IMPERATIVE.match(match[1])
    return Label(is_name, match.end())


def says_what_it_does(text: str, label: Label) -> bool:
    """Tell whether the text continues with a verb whose subject is the label ("Returns ...")."""
    return label.is_name and _THIRD_PERSON.match(text, label.start) is not None


# Roles: "Present: Ruth Calder (chair), Owen Tait", "From: Dafydd Roe <dafydd@…>".

_ROLES = mapping("roles")
_ROLE = re.compile(rf"(?:^|(?<=\s))(?-i:(?=[A-Z])){any_of('roles')}\s?:\s", re.IGNORECASE)
_NEXT_LABEL = re.compile(r"\s(?=[A-Z][A-Za-z-]*(?: [a-z]+){0,2}:(?:\s|$))|\n|$")
_ITEM = re.compile(r"(?:[^,;(<]|\([^)]*\)|<[^>]*>)+")
_PERSON = re.compile(r"(?:[^\W\d_a-z][\w.'’-]*\s){1,4}[^\W\d_a-z][\w'’-]*(?=\s*(?:$|[(<.]|(?:for|from|of)\s))")
_OF_PEOPLE = frozenset({"attend", "be absent from", "chair", "take minutes of"})  # A firm may send and receive, too.
_SUBJECT_LINE = re.compile(r"(?:^|\s)Subject:\s+(\S.*)")
_REPLY = re.compile(r"(?:(?:re|fwd?|aw|wg):\s*)+", re.IGNORECASE)


def roles(text: str, title: str | None) -> Iterator[Frame]:
    """Yield what people are to a document, by the labels of its head, as "attend" for "Present: Ruth Calder".

    `title` stands for the document, or its own line "Subject: …".
    """
    subject = _SUBJECT_LINE.search(text)
    document = _REPLY.sub("", subject[1] if subject else title or "", count=1)
    for head in _ROLE.finditer(text) if document else ():
        relation = _ROLES[head[0].rstrip(": ").casefold()]
        end = _NEXT_LABEL.search(text, head.end())
        for item in _ITEM.finditer(text, head.end(), end.start() if end else len(text)):
            start = item.end() - len(item[0].lstrip())
            if person := _PERSON.match(text, start, item.end()):
                at = Span(document, person.end(), person.end())
                frame = pair(ROLE, Span(person[0], *person.span()), relation, at)
                whom = replace(frame.arguments[0], entity_type="PERSON" if relation in _OF_PEOPLE else None)
                yield replace(frame, arguments=(whom, *frame.arguments[1:]))


# Abbreviations: "Material Requirements Planning (MRP)", "MRP (Material ...)".

RELATION = "be known as"

_SHORT = re.compile(r"\(\s*[\"“']?([a-z]{0,2}[A-Z][A-Za-z0-9/&-]{1,9})[\"”']?\s*\)")
_BRACKETED = re.compile(r"(?<![\w(])([A-Z][A-Z0-9]{1,7})s?\s\(([A-Z][\w-]*(?:\s[\w-]+){1,6})\)")
_JOINED_WORD = re.compile(r"[^\W_]+(?:[./'’][^\W_]+)*")
_SMALL = frozenset({"of", "for", "and", "the", "to", "on", "in", "as", "a", "by", "with"})
_BELONGING = frozenset({"for", "in", "of"})
_LEAST_SPELLED = 0.75  # Least share of an abbreviation's letters that capitalised words have in order. Chosen.
_MAX_WORDS = 7  # Most words before a bracket that an abbreviation may stand for; chosen.


def aliases(text: str) -> Iterator[Frame]:
    """Yield a frame for each abbreviation in brackets and the long name before it.

    The long name is the run of words whose initials spell the abbreviation (Schwartz and Hearst, PSB 2003), including a
    "for" phrase ("Development Tools for Eclipse (DT)"), else the run of capitalised words right before the bracket.
    """
    for match in _SHORT.finditer(text):
        short = match[1]
        if sum(map(str.isupper, short)) < 2:
            continue
        words = _words_before(text, match.start())
        start = _spelled(words, short)
        if start is None and len(words) > 3 and words[-2][0] in _BELONGING:
            start = _spelled(words[:-2], short)
        if start is None:
            start = _capitalised(words, short)
        if start is not None:
            end = words[-1].end()
            long = Span(text[start:end], start, end)
            yield pair(ALIAS, long, RELATION, Span(short, *match.span(1)))
    for match in _BRACKETED.finditer(text):
        words = list(_JOINED_WORD.finditer(text, *match.span(2)))
        if _spelled(words, match[1]) == match.start(2):
            long, name = (Span(match[group], *match.span(group)) for group in (2, 1))
            yield pair(ALIAS, long, RELATION, name)


def _words_before(text: str, end: int) -> list[re.Match[str]]:
    """Return the last words before a position, separated only by spaces or hyphens."""
    words: list[re.Match[str]] = []
    for word in _JOINED_WORD.finditer(text, max(0, end - 100), end):
        if words and text[words[-1].end() : word.start()].strip(" -"):
            words = []
        words.append(word)
    if words and text[words[-1].end() : end].strip():
        return []
    return words[-_MAX_WORDS:]


def _spelled(words: list[re.Match[str]], short: str) -> int | None:
    """Return the start of the shortest run of words whose initials spell the abbreviation."""
    letters = short.removesuffix("s").casefold() if short[:-1].isupper() else short.casefold()
    for first in range(len(words) - 1, -1, -1):
        run = [word[0] for word in words[first:]]
        needed = [word[0].casefold() for word in run if word.casefold() not in _SMALL]
        if "".join(word[0].casefold() for word in run) == letters:
            return words[first].start()
        if len(needed) > 1 and "".join(needed) == letters:
            return words[first].start()
    return None


def _capitalised(words: list[re.Match[str]], short: str) -> int | None:
    """Return the start of the final run of two or more capitalised words.

    The abbreviation has the initial of at least one, and they have most of its letters in order: "ABAP Dictionary
    (DDIC)", but not "Government Cloud (US)" and "Simplification Database (SYCM)".
    """
    first = len(words)
    while first and words[first - 1][0][0].isupper():
        first -= 1
    if first < len(words) and words[first][0].casefold() in _SMALL:
        first += 1
    initials = {word[0][0] for word in words[first:]}
    if len(words) - first < 2 or initials.isdisjoint(short):
        return None
    run, place, spelled = "".join(word[0] for word in words[first:]).casefold(), 0, 0
    for letter in short.casefold():
        if (found := run.find(letter, place)) >= 0:
            place, spelled = found + 1, spelled + 1
    return words[first].start() if spelled >= _LEAST_SPELLED * len(short) else None
