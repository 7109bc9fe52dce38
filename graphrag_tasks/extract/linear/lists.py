"""List items and the sentence that leads to them: "The tool supports: * A * B"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.extract.frames import Frame, Span
from graphrag_tasks.extract.linear.labels import label_of
from graphrag_tasks.extract.linear.names import LinearRule, name_of, pair
from graphrag_tasks.extract.words import any_of, mapping

_LEMMAS = mapping("list_verbs")
_VERB = re.compile(rf"\s({'|'.join(_LEMMAS)})(?=\s|:)")
_CONSISTS = re.compile(r"\s(consists? of)(?=\s|:)")
_FOLLOWING = re.compile(
    r"\bthe following (?:\w+ )??((?:[\w/-]+ ){0,3}?[\w/-]+s)"
    rf"(?=\s{any_of('after_following')}\b|[:,.])",
    re.IGNORECASE,
)
_KINDS = re.compile(
    r"\b(?:kinds|sorts|types|variety) of ((?:[a-z]+ )??[a-z]+s)(?=\s(?:that|which|related)\b|:)"
)
_CLAUSE = re.compile(r"\b(?:is|are|was|were|can|will|must|should|has|have|you|we|may|do|does|it)\b")
_COMMAND = re.compile(rf"{any_of('item_commands')}\b", re.IGNORECASE)
_SUBJECT_BREAK = re.compile(r".*[,;:]\s|.*\b(?:that|which|if|when|where|to|because)\s")
_TRAILING = re.compile(r"(?:\s(?:can|must|may|should|will|also|already|currently|then|now|only))+$")
_NO_SUBJECT = re.compile(rf"{any_of('no_subjects')}\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MAX_ITEM_WORDS = 8


def list_items(text: str, lead: str) -> Iterator[Frame]:
    """Yield the frame that ties the first sentence of a list item to the paragraph before the list.

    The last sentence of `lead` leads to the list if it ends in a colon or says "the following".
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
    """Return the lead's subject and verb, else what it calls the items, which includes them."""
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
