"""Labels at the start of a line, and list items with their introducing sentence.

"Service plan: standard", "adjust_numbers: Provides ..."; "The tool supports: * A * B".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from graphrag_tasks.extract.dependency.rereading import COMMAND_VERBS
from graphrag_tasks.extract.frames import Frame, Span
from graphrag_tasks.extract.inflection import base_of_gerund
from graphrag_tasks.extract.linear.names import LinearRule, name_of, names_at, pair
from graphrag_tasks.extract.words import any_of, mapping

_LABEL = re.compile(r"([^\s:][^:.;!?\n]{0,70}?)\s?:\s+(?=\S)")
_MOST_BEHIND_VALUE = 3  # Most words behind a value; with more it is a sentence. Chosen.
_MAX_LABEL_WORDS = 6  # Longest label in words; a longer beginning is a clause. Chosen.
_THIRD_PERSON = re.compile(r"([A-Z][a-z]+s)\s(?!and\b|or\b|of\b|in\b|for\b|to\b)")
_NO_NAMES = re.compile(any_of("labels_of_nothing"), re.IGNORECASE)
_IMPERATIVE = re.compile(rf"{any_of('value_commands')}\b", re.IGNORECASE)
_NO_VALUE = re.compile(r"(?:of|how|what|where|when|why|whether|which)\b.*|[A-Z][a-z]+(?:ing|es)|\S*[/\\]\S*")
_VERB_FORM = re.compile(
    r"\b(?:is|are|was|were|be|can|could|will|would|must|should|shall|has|have|had|may|might|do|does|"
    r"did|you|we|it|they)\b"
)

_LEMMAS = mapping("list_verbs")
_VERB = re.compile(rf"\s({'|'.join(_LEMMAS)})(?=\s|:)")
_CONSISTS = re.compile(r"\s(consists? of)(?=\s|:)")
_FOLLOWING = re.compile(
    r"\bthe following (?:\w+ )??((?:[\w/-]+ ){0,3}?[\w/-]+s)"
    rf"(?=\s{any_of('after_following')}\b|[:,.])",
    re.IGNORECASE,
)
_KINDS = re.compile(r"\b(?:kinds|sorts|types|variety) of ((?:[a-z]+ )??[a-z]+s)(?=\s(?:that|which|related)\b|:)")
_CLAUSE = re.compile(r"\b(?:is|are|was|were|can|will|must|should|has|have|you|we|may|do|does|it)\b")
_COMMAND = re.compile(rf"{any_of('item_commands')}\b", re.IGNORECASE)
_SUBJECT_BREAK = re.compile(r".*[,;:]\s|.*\b(?:that|which|if|when|where|to|because)\s")
_TRAILING = re.compile(r"(?:\s(?:can|must|may|should|will|also|already|currently|then|now|only))+$")
_NO_SUBJECT = re.compile(rf"{any_of('no_subjects')}\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MAX_ITEM_WORDS = 8
"""Longest item, in words, that is a name; longer names are dropped (`wordy` in `docs/explanation/graph.md`)."""


class Label(NamedTuple):
    """A label, and the start of the text after it; `name` is None if it is not a name."""

    name: Span | None
    start: int


def label_of(text: str) -> Label | None:
    """Return the label at the start of a line, or None."""
    match = _LABEL.match(text)
    if match is None or len(match[1].split()) > _MAX_LABEL_WORDS or _VERB_FORM.search(match[1]):
        return None
    is_name = not _NO_NAMES.fullmatch(match[1]) and not _IMPERATIVE.match(match[1])
    return Label(name_of(text, *match.span(1)) if is_name else None, match.end())


def field_names(lines: Iterable[str]) -> frozenset[str]:
    """Return the labels that begin several different lines of a document, in small letters.

    They are fields of what a page is about: "Default: 30" states nothing of a thing named Default.
    """
    begun: dict[str, set[str]] = {}
    for line in lines:
        label = label_of(line)
        if label and label.name:
            begun.setdefault(label.name.text.casefold(), set()).add(line)
    return frozenset(name for name, of_name in begun.items() if len(of_name) > 1)


def is_of_field(frame: Frame, fields: Collection[str]) -> bool:
    """Tell whether a frame states the value of one of these fields."""
    return frame.rule == LinearRule.LABEL and frame.arguments[0].text.casefold() in fields


def says_what_it_does(text: str, label: Label) -> bool:
    """Tell whether the text continues with a verb whose subject is the label ("Returns ...")."""
    return label.name is not None and _THIRD_PERSON.match(text, label.start) is not None


def labels(text: str) -> Iterator[Frame]:
    """Yield a frame for each value of a label, if the values are names.

    Not values are commands, clauses, verbs without their object ("Catching"), descriptions among several values, and a
    second label, which makes a path of headings.
    """
    label = label_of(text)
    if label is None or label.name is None or says_what_it_does(text, label):
        return
    rest = text[label.start :]
    if _VERB_FORM.search(rest) or _IMPERATIVE.match(rest) or _begins_with_command(rest):
        return
    values = names_at(text, label.start)
    if not values or any(_NO_VALUE.fullmatch(value.text) for value in values):
        return
    behind = text[values[-1].end :].lstrip()
    if behind.startswith(":") or len(behind.split()) > _MOST_BEHIND_VALUE:
        return
    if len(values) == 1 or not any(span.text[0].islower() and " " in span.text for span in values):
        for value in values:
            yield pair(LinearRule.LABEL, label.name, "be", value)


def _begins_with_command(text: str) -> bool:
    """Tell whether a text begins with a command verb: "Extract keys", "Using keys"."""
    first, *others = text.casefold().split()
    is_command = first in COMMAND_VERBS or first in ("be", "do", "don't")
    return bool(others) and (is_command or base_of_gerund(first, COMMAND_VERBS) is not None)


def list_items(text: str, lead: str) -> Iterator[Frame]:
    """Yield the frame that links a list item's first sentence to the paragraph before the list.

    The last sentence of `lead` introduces the list if it ends in a colon or says "the following".
    """
    item = _item_name(text)
    sentence = _SENTENCE_END.split(lead.rstrip())[-1]
    if item is None or not (sentence.endswith(":") or "following" in sentence):
        return
    found = _head_and_relation(sentence)
    if found is not None:
        head, relation = found
        yield pair(LinearRule.LIST_ITEM, Span(head, item.end, item.end), relation, item)


def _item_name(text: str) -> Span | None:
    label = label_of(text)
    if label is not None:
        return label.name
    first = re.split(r"\s[–—-]\s|\s\(|,\s(?:which|that|such)|\.$", text, maxsplit=1)[0]
    if _CLAUSE.search(first) or _COMMAND.match(first) or len(first.split()) > _MAX_ITEM_WORDS:
        return None
    return name_of(text, 0, len(first))


def _head_and_relation(lead: str) -> tuple[str, str] | None:
    """Return the subject and verb of the introducing sentence, or its noun and "include"."""
    verb = _CONSISTS.search(lead) or _VERB.search(lead)
    if verb is not None:
        head = _subject(lead, verb.start())
        if head is not None:
            return head, _LEMMAS.get(verb[1], "consist of")
    called = _FOLLOWING.search(lead) or _KINDS.search(lead)
    return (called[1], "include") if called else None


def _subject(lead: str, end: int) -> str | None:
    start = match.end() if (match := _SUBJECT_BREAK.match(lead, 0, end)) else 0
    name = name_of(lead, start, end)
    text = _TRAILING.sub("", name.text) if name else ""
    return None if not text or _NO_SUBJECT.match(text) or text.endswith(" to") else text
