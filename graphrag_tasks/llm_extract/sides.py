"""On which side of a verb an end of a fact stands, by the parse: its subject's or its object's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from graphrag_tasks.language.tokens import Token


class Side(StrEnum):
    """Where an end stands to a verb."""

    SUBJECT = "subject"
    PASSIVE_SUBJECT = "passive subject"
    AGENT = "agent"
    OBJECT = "object"
    OPEN = "open"
    NONE = "none"


SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
PASSIVE_SUBJECTS = frozenset({"nsubjpass", "csubjpass"})
ARGUMENTS = SUBJECTS | PASSIVE_SUBJECTS | {"dobj"}
CLAUSES = frozenset({"relcl", "advcl", "ccomp", "acl", "parataxis", "csubj", "csubjpass"})
_SHARED = frozenset({"conj", "xcomp", "advcl", "pcomp", "prep", "acl", "ccomp", "dep", "attr"})
"""Labels by which a verb without a subject hangs on what has its subject."""

VERBS = frozenset({"VERB", "AUX"})
RELATIVE = frozenset({"WDT", "WP", "WP$"})


def side_of(end: Token, verb: Token, said: Collection[Token]) -> Side:
    """Return the side on which an end stands to a verb; `said` are the words of the relation."""
    if end is verb:
        return Side.NONE
    above = list(governors(end))
    if verb in above:
        return _side_below(above[: above.index(verb)], verb, said)
    return _side_above(end, above, verb)


def _side_below(path: Sequence[Token], verb: Token, said: Collection[Token]) -> Side:
    """Return the side of an end that a verb governs; `path` leads from it up to the verb."""
    if not path:
        return Side.OPEN
    for token in path:
        is_other_verb = token.dep_ == "conj" and token.pos_ in VERBS
        if token is path[0] or token in said or not (is_other_verb or token.dep_ in CLAUSES):
            continue
        if is_other_verb and token.head is verb and not _has_object(verb):
            continue  # "reads and updates B"
        return Side.NONE
    label = path[-1].dep_
    if label in SUBJECTS:
        return Side.PASSIVE_SUBJECT if _is_passive(verb) else Side.SUBJECT
    if label in PASSIVE_SUBJECTS:
        return Side.PASSIVE_SUBJECT
    return Side.AGENT if label == "agent" else Side.OBJECT


def _side_above(end: Token, above: Sequence[Token], verb: Token) -> Side:
    """Return the side of an end that stands above a verb, or beside it below another one."""
    chain = [verb, *governors(verb)]
    place = next((i for i, token in enumerate(chain) if token is end or token in above), None)
    if place is None:
        return Side.NONE
    meeting, below = chain[place], chain[place - 1]
    links = [token.dep_ for token in chain[:place]]
    if meeting.pos_ not in VERBS:
        return _side_of_noun(below, verb, links)
    top = (
        end
        if end.head is meeting
        else next((token for token in above if token.head is meeting), end)
    )
    if links[-1] == "attr" and top.dep_ in SUBJECTS and len(links) > 1:
        return _side_of_noun(chain[place - 2], verb, links[:-1])  # "A is a B that reads C"
    if any(link not in _SHARED for link in links[:-1]) or links[-1] not in _SHARED:
        return Side.NONE
    if any(_has_subject(token) for token in chain[:place]):
        return Side.NONE
    if end is meeting:
        return Side.OPEN
    if top.dep_ in SUBJECTS | PASSIVE_SUBJECTS:
        is_passive = _is_passive(verb) or (verb.tag_ == "VBN" and top.dep_ in PASSIVE_SUBJECTS)
        return Side.PASSIVE_SUBJECT if is_passive else Side.SUBJECT
    is_purpose = "xcomp" in links or any(
        child.tag_ == "TO" for token in chain[:place] for child in token.children
    )
    return Side.OPEN if is_purpose else Side.NONE


def _side_of_noun(below: Token, verb: Token, links: Sequence[str]) -> Side:
    """Return the side of a noun that a clause with the verb hangs on: "tables that it reads"."""
    link = links[-1]
    if link == "relcl":
        for child in below.children:
            if child.dep_ in SUBJECTS | PASSIVE_SUBJECTS:
                if child.tag_ in RELATIVE or child.lower_ in ("that", "which", "who"):
                    is_passive = child.dep_ in PASSIVE_SUBJECTS and verb.tag_ == "VBN"
                    return Side.PASSIVE_SUBJECT if is_passive else Side.SUBJECT
                return Side.OBJECT if below is verb else Side.OPEN
        return Side.OPEN
    if link == "acl":
        if below.tag_ == "VBG":
            return Side.SUBJECT
        return Side.PASSIVE_SUBJECT if below.tag_ == "VBN" and below is verb else Side.OPEN
    return Side.OPEN if link in ("prep", "pcomp", "xcomp", "advcl", "conj", "appos") else Side.NONE


def _is_passive(verb: Token) -> bool:
    return verb.tag_ == "VBN" and any(token.dep_ == "auxpass" for token in verb.children)


def _has_subject(verb: Token) -> bool:
    return any(token.dep_ in SUBJECTS | PASSIVE_SUBJECTS for token in verb.children)


def _has_object(verb: Token) -> bool:
    return any(
        token.dep_ in ("dobj", "attr", "oprd", "acomp", "prep", "agent") for token in verb.children
    )


def governors(token: Token) -> Iterator[Token]:
    """Yield what a word hangs on, what that hangs on, and so on."""
    while token.head is not token:
        token = token.head
        yield token
