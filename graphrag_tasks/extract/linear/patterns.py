"""Patterns of lines: list items with their introduction, commands that relate two names, abbreviations.

"Service plan: standard", "adjust_numbers: Provides ..."; "The tool supports: * A * B".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.frames import Argument, Frame, Role, Span
from graphrag_tasks.extract.words import any_of, mapping, words

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
MAX_WORDS = 8  # Longer runs of words are clauses.

_LEADING = re.compile(
    r"(?:(?:an?|the|this|that|these|those|any|each|all|some|your|our|its|their|existing|either|"
    r"both|the following)\s+)+",
    re.IGNORECASE,
)
_EDGES = " \t.,;:!?\"'“”‘’`*•·–—-"
_END = re.compile(rf"\s{any_of('name_ends')}(?=\s|$)|[,;:()\[\]]|\.(?=\s|$)|\s[–—-]\s")
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s|or\s)?|\s(?:and|or)\s)\s*")
_BEGINS_CLAUSE = re.compile(r"[a-z]+\s(?:the|an?|these|this|your|all|it|them)\s")
"""A verb with its object: a conjunction before it joins clauses, not names."""
_PRONOUNS = words("pronouns")
_LETTER = re.compile(r"\w")


class LinearRule(StrEnum):
    """The pattern that found a frame."""

    ALIAS = "alias"  # a name and its short form: "Material Requirements Planning (MRP)"
    LIST_ITEM = "list_item"  # an item and the sentence that leads to its list
    COOKBOOK = "cookbook"  # a command about two things: "Use VBBE instead of VBBS"


CONFIDENCE = {LinearRule.ALIAS: 0.9, LinearRule.COOKBOOK: 0.7, LinearRule.LIST_ITEM: 0.55}
"""Set by hand; confidences learned by `benchmarks/training/technical.py` take precedence."""


def name_at(text: str, start: int, end: int | None = None) -> Span | None:
    """Return the name that begins at a position, up to a preposition, verb form or comma.

    Leading articles are skipped. None means that there is only a pronoun, or too many words.
    """
    end = len(text) if end is None else end
    start = _name_start(text, start, end)
    if stop := _END.search(text, start, end):
        end = stop.start()
    return name_of(text, start, end)


def name_of(text: str, start: int, end: int) -> Span | None:
    """Return the name between two positions, without surrounding articles and punctuation."""
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    start = _name_start(text, start, end)
    found = text[start:end]
    if not _LETTER.search(found) or len(found.split()) > MAX_WORDS:
        return None
    return None if found.casefold() in _PRONOUNS else Span(found, start, end)


def names_at(text: str, start: int, end: int | None = None) -> list[Span]:
    """Return the names of a coordination ("A, B or C") that begins at a position."""
    end = len(text) if end is None else end
    found: list[Span] = []
    while (name := name_at(text, start, end)) is not None:
        found.append(name)
        joint = _JOINT.match(text, name.end, end)
        if joint is None or _BEGINS_CLAUSE.match(text, joint.end()):
            break
        start = joint.end()
    return found


def pair(rule: str, head: Span, relation: str, tail: Span, confidence: float | None = None) -> Frame:
    """Return the frame of two names and their canonical relation; without a confidence, with that of the pattern."""
    if confidence is None:
        confidence = load_weights().patterns.get(rule, CONFIDENCE[LinearRule(rule)])
    return Frame(
        predicate=relation, predicate_lemma=relation, start=tail.start, end=tail.end,
        arguments=(_argument(Role.SUBJECT, head, 0), _argument(Role.OBJECT, tail, 1)),
        rule=str(rule), extractor=EXTRACTOR_NAME, confidence=confidence,
    )  # fmt: skip


def _name_start(text: str, start: int, end: int) -> int:
    while start < end and text[start] in _EDGES:
        start += 1
    leading = _LEADING.match(text, start, end)
    return leading.end() if leading else start


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

_LEMMAS = mapping("list_verbs")
_VERB = re.compile(rf"\s({'|'.join(_LEMMAS)})(?=\s|:)")
_CONSISTS = re.compile(r"\s(consists? of)(?=\s|:)")
_FOLLOWING = re.compile(
    r"\bthe following (?:\w+ )??((?:[\w/-]+ ){0,3}?[\w/-]+s)"
    rf"(?=\s{any_of('after_following')}\b|[:,.])",
    re.IGNORECASE,
)
_KINDS = re.compile(r"\b(?:kinds|sorts|types|variety) of ((?:[a-z]+ )??[a-z]+s)(?=\s(?:that|which|related)\b|:)")
_VERB_OF_CLAUSE = re.compile(r"\b(?:is|are|was|were|can|will|must|should|has|have|you|we|may|do|does|it)\b")
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


def says_what_it_does(text: str, label: Label) -> bool:
    """Tell whether the text continues with a verb whose subject is the label ("Returns ...")."""
    return label.name is not None and _THIRD_PERSON.match(text, label.start) is not None


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
    if _VERB_OF_CLAUSE.search(first) or _COMMAND.match(first) or len(first.split()) > _MAX_ITEM_WORDS:
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


# Commands that relate two names: "Use VBBE instead of VBBS".

_VERBS = any_of("object_verbs")
_ORDER = re.compile(rf"(?:please\s|always\s|just\s)?({_VERBS})\s(?=\S)", re.IGNORECASE)
_TIE = re.compile(r"\s(instead of|rather than|in place of|in favor of|for|with|by|to|into|from|over|in|as|on)\s")
_TO_VERB = re.compile(r"\sto\s(?:[a-z]+ly\s)?([a-z]+)\s(?=\S)")
_TIES = {
    "replace": ("with", "by"),
    "substitute": ("with", "by", "for"),
    "exchange": ("with", "by", "for"),
    "prefer": ("to", "over", "instead of", "rather than"),
    "avoid": ("in", "for"),
}
_NOT_NAMES = re.compile(
    r"(?:more|further|additional|details|example|this|that|which|it|case|them|"
    r"be|between|by|for|from|on|or|out|with|\w+ing)\b"
)
_TWO_COMMANDS = re.compile(rf"\b(?:and|or|then)\s(?:{_VERBS}|\w+\s(?:the|an?|your|this|all|it))\b")
_NEW_CLAUSE = re.compile(r"[.;:]\s|\b(?:that|which|is|are|be|whether|how|if)\b")
_MAX_GAP = 90
"""Characters from a command to the word that relates its names; a word further on belongs elsewhere. Chosen."""


def cookbook(text: str) -> Iterator[Frame]:
    """Yield a frame for each pair of a command's object and a prepositional object."""
    command = _ORDER.match(text)
    if command is None or _TWO_COMMANDS.search(text, command.end()):
        return
    verb = command[1].casefold()
    ties = _TIE.finditer(text, command.end() - 1, command.end() + _MAX_GAP)
    tie = next((match for match in ties if verb not in _TIES or match[1] in _TIES[verb]), None)
    objects = _objects(text, command.end(), tie.start()) if tie else []
    if tie is None or not objects:
        return
    purpose = _TO_VERB.match(text, tie.start())
    if purpose and verb == "use":
        relation, place = f"be used to {purpose[1]}", purpose.end()
    else:
        relation, place = f"{verb} {tie[1]}", tie.end()
    if _NOT_NAMES.match(text, place) or (tie[1] == "to" and _ORDER.match(text, place)):
        return
    others = [span for span in names_at(text, place) if not _NOT_NAMES.match(span.text)]
    for span in objects:
        for other in others:
            yield pair(LinearRule.COOKBOOK, span, relation, other)


def _objects(text: str, start: int, end: int) -> list[Span]:
    """Return the objects between the verb and its preposition, including "of" phrases."""
    if _NEW_CLAUSE.search(text[start:end]):
        return []
    names = names_at(text, start, end)
    if names and text[names[-1].end : end].strip(" .,") == "":
        return names
    whole = name_of(text, start, end)
    return [whole] if whole is not None and name_at(text, start, end) else []


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
            yield pair(LinearRule.ALIAS, long, RELATION, Span(short, *match.span(1)))
    for match in _BRACKETED.finditer(text):
        words = list(_JOINED_WORD.finditer(text, *match.span(2)))
        if _spelled(words, match[1]) == match.start(2):
            long, name = (Span(match[group], *match.span(group)) for group in (2, 1))
            yield pair(LinearRule.ALIAS, long, RELATION, name)


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
