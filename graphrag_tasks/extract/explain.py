"""Explain a sentence's frames: why its other predicates and patterns gave none.

The rules are run again one by one, so that extraction itself needs no tracing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from graphrag_tasks.extract.dependency.arguments import collect_arguments
from graphrag_tasks.extract.dependency.predicates import is_chained, verb_chain
from graphrag_tasks.extract.dependency.subjects import find_subject
from graphrag_tasks.extract.dependency.syntax import MODIFIER_DEPS, is_close_apposition, is_verbal
from graphrag_tasks.extract.frames import Frame, Rule
from graphrag_tasks.extract.linear.labels import label_of, says_what_it_does
from graphrag_tasks.extract.linear.names import LinearRule
from graphrag_tasks.extract.linear.pointers import states_no_fact
from graphrag_tasks.language.tokens import Doc, Token

PARSE = "parse"


class NearMiss(NamedTuple):
    """A rule that almost gave a frame."""

    rule: str  # "parse", or the pattern (`LinearRule`)
    word: str  # the word that shows that it could have
    start: int  # first character of the word in what was read
    reason: str  # the condition that failed


_SHORT_NAME = re.compile(r"\(\s*[\"“']?([A-Z][\w/&-]{0,11})[\"”']?\s*\)")
_NO_PAIR = "not two short names stand beside the arrow, or the line begins with a command"
_ARROWS = re.compile(r"→|⇒|➔|➜|-?->")


def near_misses(doc: Doc, frames: Sequence[Frame]) -> list[NearMiss]:
    """Return the verbs, appositions and possessives of a sentence without a frame."""
    found = {frame.start for frame in frames}
    return [
        NearMiss(PARSE, token.text, token.idx, reason)
        for token in doc
        if token.idx not in found and (reason := _reason(token))
    ]


def pattern_misses(
    text: str, frames: Sequence[Frame], *, lead: str | None = None
) -> Iterator[NearMiss]:
    """Yield patterns whose signs a sentence shows, but that gave no frame.

    `lead` is the text before the sentence's list, if it is a list item.
    """
    rules = {frame.rule for frame in frames}
    if states_no_fact(text):
        reason = "it points elsewhere, asks, or says where to click: the index does not read it"
        yield NearMiss("sentence", text.split()[0], 0, reason)
    if LinearRule.ALIAS not in rules:
        for match in _SHORT_NAME.finditer(text):
            reason = "the words before the bracket do not have its capitals as initials"
            yield NearMiss(LinearRule.ALIAS, match[1], match.start(1), reason)
    if LinearRule.LABEL not in rules:
        yield from _label_misses(text)
    arrows = list(_ARROWS.finditer(text))
    if arrows and LinearRule.ARROW not in rules:
        reason = "several arrows are a menu path" if len(arrows) > 1 else _NO_PAIR
        yield NearMiss(LinearRule.ARROW, arrows[0][0], arrows[0].start(), reason)
    if LinearRule.COOKBOOK not in rules:
        for frame in frames:
            if frame.rule == Rule.IMPERATIVE and frame.start == 0:
                reason = "no preposition ties the command's object to another name"
                yield NearMiss(LinearRule.COOKBOOK, frame.predicate, frame.start, reason)
    if lead is not None and LinearRule.LIST_ITEM not in rules:
        reason = "the item is no name, or its lead has no subject with a verb that takes a list"
        yield NearMiss(LinearRule.LIST_ITEM, text.split()[0], 0, reason)


def _label_misses(text: str) -> Iterator[NearMiss]:
    label = label_of(text)
    if label is None:
        return
    if label.name is None:
        reason = "the label names nothing; the parser reads what follows it"
    elif says_what_it_does(text, label):
        reason = "a verb follows whose subject is the label; the parser reads both as one clause"
    else:
        reason = "what follows is a clause or a description, and no name"
    yield NearMiss(LinearRule.LABEL, text[: label.start].strip(), 0, reason)


def _reason(token: Token) -> str | None:
    if is_verbal(token):
        return _verb_reason(token)
    if token.dep_ == "appos" and is_close_apposition(token):
        return "it is part of the name before it"
    if token.dep_ == "appos":
        both = f"{token.head.pos_} and {token.pos_}"
        return f"an apposition of two nouns is expected, not {both}"
    return f"the owner is no noun but {token.pos_}" if token.dep_ == "poss" else None


def _verb_reason(verb: Token) -> str:
    if is_chained(verb):
        return f'it is in one predicate with "{verb.head.text}"'
    subject = find_subject(verb)
    if verb.dep_ in MODIFIER_DEPS:
        return f'its label is {verb.dep_}: it only modifies "{verb.head.text}"'
    if subject is None:
        return f'no subject was found (its label is {verb.dep_}, its head "{verb.head.text}")'
    if not collect_arguments(verb_chain(verb), subject.origin):
        return f"it has no argument but its subject ({subject.origin.name.lower()})"
    return "it is no word"


def displacy_input(doc: Doc) -> dict[str, Any]:
    """Return a parse in the form that `spacy.displacy` draws with `manual`."""
    arcs = [
        {"start": min(token.i, token.head.i), "end": max(token.i, token.head.i),
         "label": token.dep_, "dir": "left" if token.i < token.head.i else "right"}
        for token in doc
        if token.head is not token
    ]  # fmt: skip
    return {"words": [{"text": token.text, "tag": token.tag_} for token in doc], "arcs": arcs}
