"""Why a sentence has the frames it has: the parse, and what its other predicates lack.

It asks the rules again, one by one, so that extraction itself carries no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphrag_tasks.extract.arguments import collect_arguments
from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.predicates import is_chained, verb_chain
from graphrag_tasks.extract.subjects import find_subject
from graphrag_tasks.extract.syntax import is_close_apposition, is_verbal

if TYPE_CHECKING:
    from graphrag_tasks.nlp.tokens import Doc, Token


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A word that could have had a frame.

    Attributes:
        word: The word.
        start: First character of it.
        reason: What keeps it from having one.
    """

    word: str
    start: int
    reason: str


def near_misses(doc: Doc, frames: Sequence[Frame]) -> list[NearMiss]:
    """Return the verbs, appositions and possessives of a sentence that have no frame.

    Args:
        doc: The parsed sentence.
        frames: Its frames.
    """
    found = {frame.start for frame in frames}
    return [
        NearMiss(token.text, token.idx, reason)
        for token in doc
        if token.idx not in found
        for reason in _reasons(token)
    ]


def _reasons(token: Token) -> Iterator[str]:
    if is_verbal(token):
        yield _verb_reason(token)
    elif token.dep_ == "appos":
        close = "it is part of the name before it" if is_close_apposition(token) else ""
        yield close or f"an apposition of two nouns is expected, not {_pos_of_both(token)}"
    elif token.dep_ == "poss":
        yield f"the owner is no noun but {token.pos_}"


def _pos_of_both(token: Token) -> str:
    return f"{token.head.pos_} and {token.pos_}"


def _verb_reason(verb: Token) -> str:
    if is_chained(verb):
        return f'it is in one predicate with "{verb.head.text}"'
    subject = find_subject(verb)
    if verb.dep_ in ("aux", "auxpass", "amod", "compound"):
        return f'its label is {verb.dep_}: it only modifies "{verb.head.text}"'
    if subject is None:
        return f'no subject was found (its label is {verb.dep_}, its head "{verb.head.text}")'
    if not collect_arguments(verb_chain(verb), subject.origin):
        return f"it has no argument but its subject ({subject.origin.name.lower()})"
    return "it is no word"


def displacy_input(doc: Doc) -> dict[str, Any]:
    """Return a parse in the form that `spacy.displacy` draws when `manual` is set."""
    arcs = [
        {
            "start": min(token.i, token.head.i),
            "end": max(token.i, token.head.i),
            "label": token.dep_,
            "dir": "left" if token.i < token.head.i else "right",
        }
        for token in doc
        if token.head is not token
    ]
    return {"words": [{"text": token.text, "tag": token.tag_} for token in doc], "arcs": arcs}
