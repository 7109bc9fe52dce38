"""Noun phrases: their surface as an argument, and their core as a node of the graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from graphrag_tasks.extract.frames import PRONOUN, Argument, Role
from graphrag_tasks.extract.syntax import (
    COORDINATION_DEPS,
    RELATIVE_TAGS,
    children,
    conjuncts,
    first_child,
    is_close_apposition,
    subtree,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MAX_OF_PHRASE = 4
"""Longest "of" phrase, in tokens with the "of", that stays in a core ("list of credit data")."""

_TRIMMED_DEPS = frozenset({"relcl", "appos", "parataxis"})
_OPENING = frozenset({"(", "[", "-LRB-", "``", '"', "'", "“", "\u2018"})
_BRACKET_PAIRS = (("(", ")"), ("-LRB-", "-RRB-"))
_EDGE_WORDS = frozenset({",", ";", ":", ".", "--", "-", "and", "or"})
_CORE_LEFT_DEPS = frozenset(
    {"compound", "amod", "nummod", "nmod", "quantmod", "poss", "punct", "npadvmod"}
)
_CORE_RIGHT_DEPS = frozenset({"nummod", "nmod"})
_DETERMINER_TAGS = frozenset({"DT", "PDT", "PRP$", "WP$", "WDT", "CC"})
_CORE_BREAKS = frozenset({"(", ")", "[", "]", "{", "}", "-LRB-", "-RRB-", ",", ";", ":"})
_NODE_POS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X", "SYM"})


@dataclass(frozen=True, slots=True)
class Surface:
    """A text and the characters of the sentence that it covers."""

    text: str
    start: int
    end: int


def phrase(head: Token, *, without: Collection[Token] = ()) -> list[int]:
    """Return the token indices of the noun phrase of one head, without its conjuncts.

    Relative clauses and appositions are left out (each has a frame of its own), and so is
    punctuation that belonged to what was left out.

    Args:
        head: Head of the phrase.
        without: Further tokens to leave out, with all below them.
    """

    def outside(token: Token) -> bool:
        return (
            token in without
            or (token.head == head and token.dep_ in COORDINATION_DEPS)
            or (token.head == head and token.dep_ == "neg" and token.i > head.i)
            or (token.dep_ in _TRIMMED_DEPS and not is_close_apposition(token))
        )

    doc = head.doc
    indices = subtree(head, outside=outside)
    if children(head, *COORDINATION_DEPS):
        indices = [i for i in indices if i <= head.i or doc[i].head != head or not doc[i].is_punct]
    return _without_stray_brackets(doc, indices)


def surface(doc: Doc, indices: Sequence[int]) -> Surface | None:
    """Return the text of some tokens, without punctuation and conjunctions at its edges.

    Args:
        doc: The sentence.
        indices: Token indices, sorted.

    Returns:
        The text, whose contiguous pieces are joined by a space, or None when nothing is left.
    """
    kept = [i for i in indices if not doc[i].is_space]
    while kept and _droppable_at_start(doc[kept[0]]):
        kept = kept[1:]
    while kept and doc[kept[-1]].lower_ in _EDGE_WORDS:
        kept = kept[:-1]
    if not kept:
        return None
    pieces = [[kept[0], kept[0]]]
    for before, index in pairwise(kept):
        if _adjacent(doc, before, index):
            pieces[-1][1] = index
        else:
            pieces.append([index, index])
    text = " ".join(doc.text[doc[a].idx : _end(doc[b])] for a, b in pieces)
    return Surface(text, doc[kept[0]].idx, _end(doc[kept[-1]]))


def core(head: Token, *, without: Collection[Token] = ()) -> Surface:
    """Return the noun-phrase core of a head: see `Argument.core_text`.

    The core is empty when the head is a verb, adverb or the like, or an adjective that says
    nothing without its complement ("able to read").

    Args:
        head: Head of the phrase.
        without: Tokens that may not be part of it.
    """
    doc = head.doc
    incomplete = head.pos_ == "ADJ" and first_child(head, "xcomp", "ccomp", "prep") is not None
    if head.pos_ not in _NODE_POS or incomplete:
        return Surface("", head.idx, head.idx)
    first, last = _core_start(head, without), _core_end(head)
    while first < head.i and _droppable_in_core(doc[first]):
        first += 1
    start, end = doc[first].idx, _end(doc[last])
    return Surface(doc.text[start:end], start, end)


def noun_arguments(
    role: Role,
    head: Token,
    *,
    slot: int,
    preposition: str | None = None,
    split: bool = True,
    without: Collection[Token] = (),
) -> list[Argument]:
    """Return one argument for a noun phrase, or one for each of its conjuncts.

    Args:
        role: Role of all of them.
        head: Head of the phrase, or of its first conjunct.
        slot: The slot they share.
        preposition: The preposition they share.
        split: Whether conjuncts are arguments too; otherwise they are left out.
        without: Tokens to leave out of the surface, with all below them.
    """
    arguments = []
    for conjunct in conjuncts(head) if split else [head]:
        span = surface(head.doc, phrase(conjunct, without=without))
        if span is not None:
            node = core(conjunct, without=without)
            arguments.append(_argument(role, conjunct, span, node, preposition, slot))
    return arguments


def clause_argument(role: Role, head: Token, *, slot: int) -> list[Argument]:
    """Return the argument that spans all below a verb or adverb; it has no core."""
    span = surface(head.doc, subtree(head))
    if span is None:
        return []
    return [_argument(role, head, span, Surface("", head.idx, head.idx), None, slot)]


def is_denied(head: Token) -> bool:
    """Return whether a noun phrase is denied by its determiner ("no tables", "neither field")."""
    return any(child.lower_ in ("no", "neither") for child in children(head, "det", "preconj"))


def _argument(
    role: Role, head: Token, span: Surface, node: Surface, preposition: str | None, slot: int
) -> Argument:
    return Argument(
        role=role.value,
        text=span.text,
        start=span.start,
        end=span.end,
        preposition=preposition,
        entity_type=PRONOUN if head.pos_ == "PRON" else head.ent_type_ or None,
        head_start=head.idx,
        head_end=_end(head),
        core_text=node.text,
        core_start=node.start,
        core_end=node.end,
        slot=slot,
    )


def _core_start(head: Token, without: Collection[Token]) -> int:
    start = head.i
    for child in reversed(list(head.lefts)):
        joined = child.right_edge.i + 1 == start and child.dep_ in _CORE_LEFT_DEPS
        if not joined or child.tag_ in _DETERMINER_TAGS or child in without:
            break
        if any(token.text in _CORE_BREAKS for token in child.subtree):
            break
        start = child.left_edge.i
    return start


def _core_end(head: Token) -> int:
    end = head.i
    for child in head.rights:
        if child.left_edge.i != end + 1:
            break
        if child.dep_ in _CORE_RIGHT_DEPS or is_close_apposition(child):
            end = child.i
        elif child.lower_ == "of" and child.dep_ == "prep":
            return _of_phrase_end(child) or end
        else:
            break
    return end


def _of_phrase_end(preposition: Token) -> int | None:
    noun = first_child(preposition, "pobj")
    if noun is None or noun.tag_ in RELATIVE_TAGS or noun.i - preposition.i >= MAX_OF_PHRASE:
        return None
    return noun.i


def _droppable_at_start(token: Token) -> bool:
    return token.dep_ == "cc" or (token.is_punct and token.text not in _OPENING)


def _droppable_in_core(token: Token) -> bool:
    return token.tag_ in _DETERMINER_TAGS or token.is_punct or token.is_space


def _without_stray_brackets(doc: Doc, indices: list[int]) -> list[int]:
    """Drop brackets that lost their partner, and pairs that lost their content."""
    words = [doc[i].text for i in indices]
    for opening, closing in _BRACKET_PAIRS:
        if (opening in words) != (closing in words):
            return [i for i in indices if doc[i].text not in (opening, closing)]
    empty = {
        k
        for a, b in pairwise(range(len(indices)))
        if (words[a], words[b]) in _BRACKET_PAIRS
        for k in (indices[a], indices[b])
    }
    return [i for i in indices if i not in empty]


def _adjacent(doc: Doc, before: int, after: int) -> bool:
    return all(doc[i].is_space for i in range(before + 1, after))


def _end(token: Token) -> int:
    return token.idx + len(token)
