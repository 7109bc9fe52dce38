"""Find on which side of a verb an end of a fact stands: the subject's or the object's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from graphrag_tasks.language.tokens import Token


class Side(StrEnum):
    """Position of an end relative to a verb."""

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
"""Labels by which a verb without a subject shares its head's subject."""
_OF_NOUN = frozenset({"relcl", "acl", "prep", "pcomp", "xcomp", "advcl", "conj", "appos"})
"""Labels by which a verb modifies a noun that may be any of its ends: "tables that it reads"."""

VERBS = frozenset({"VERB", "AUX"})
RELATIVE = frozenset({"WDT", "WP", "WP$"})
_CONTRASTS = frozenset(
    {"instead of", "rather than", "contrast to", "opposed to", "contrary to", "unlike"}
)
_DENIALS = frozenset({"not", "nor", "neither"})


def side_of(end: Token, verb: Token, said: Collection[Token]) -> Side:
    """Return the side of an end relative to a verb; `said` are the words of the relation."""
    if end is verb:
        return Side.NONE
    above = list(governors(end))
    if verb in above:
        return _side_below([end, *above[: above.index(verb)]], verb, said)
    return _side_above(end, above, verb)


def _side_below(path: Sequence[Token], verb: Token, said: Collection[Token]) -> Side:
    """Return the side of an end below a verb; `path` leads from the end up to the verb."""
    for token in path[1:]:
        is_other_verb = token.dep_ == "conj" and token.pos_ in VERBS
        if token in said or not (is_other_verb or token.dep_ in CLAUSES):
            continue
        if is_other_verb and token.head in {verb, *said} and not _has_object(token.head):
            continue  # "reads and updates B"
        if any(child in said and child.dep_ in ("mark", "advmod") for child in token.children):
            continue  # "is sent when B ends"
        return Side.NONE
    label = path[-1].dep_
    if len(path) == 1 and label == "dobj" and any(_is_said_below(one, verb) for one in said):
        return Side.OPEN  # "use A to read B": the object of one verb, the subject of the other
    if label in SUBJECTS:
        return Side.PASSIVE_SUBJECT if _is_passive(verb) else Side.SUBJECT
    if label in PASSIVE_SUBJECTS:
        return Side.PASSIVE_SUBJECT
    return Side.AGENT if label == "agent" else Side.OBJECT


def _side_above(end: Token, above: Sequence[Token], verb: Token) -> Side:
    """Return the side of an end above a verb, or below a common governor."""
    chain = [verb, *governors(verb)]
    place = next((i for i, token in enumerate(chain) if token is end or token in above), None)
    if place is None:
        return Side.NONE
    meeting = chain[place]
    links = [token.dep_ for token in chain[:place]]
    if meeting.pos_ not in VERBS:
        return Side.OPEN if links[-1] in _OF_NOUN else Side.NONE
    top = (
        end
        if end.head is meeting
        else next((token for token in above if token.head is meeting), end)
    )
    if links[-1] == "attr" and top.dep_ in SUBJECTS and len(links) > 1:
        return Side.OPEN if links[-2] in _OF_NOUN else Side.NONE  # "A is a B that reads C"
    if any(link not in _SHARED for link in links[:-1]) or links[-1] not in _SHARED:
        return Side.NONE
    if any(has_subject(token) for token in chain[:place]):
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


def _is_said_below(word: Token, verb: Token) -> bool:
    return word.pos_ == "VERB" and word.dep_ != "conj" and verb in governors(word)


def _is_passive(verb: Token) -> bool:
    return verb.tag_ == "VBN" and any(token.dep_ == "auxpass" for token in verb.children)


def has_subject(verb: Token) -> bool:
    """Tell whether a verb has its own subject."""
    return any(token.dep_ in SUBJECTS | PASSIVE_SUBJECTS for token in verb.children)


def _has_object(verb: Token) -> bool:
    return any(
        token.dep_ in ("dobj", "attr", "oprd", "acomp", "prep", "agent") for token in verb.rights
    )


def is_contrasted(noun: Token, relation: str) -> bool:
    """Tell whether a noun is the contrasted alternative: "unlike B", "A instead of B"."""
    return any(
        _CONTRASTS & {word.lower_, f"{word.doc[word.i - 1].lower_} {word.lower_}"}
        for word in _before(noun)
        if word.lower_ not in relation.split()
    )


def denial_of(noun: Token) -> Token | None:
    """Return the word that negates only this noun: "A, not B", "neither A nor B"."""
    for word in _before(noun):
        is_of_verb = word.lower_ == "not" and word.doc[word.i - 1].pos_ == "AUX"
        is_only = word.doc[word.i + 1].lower_ in ("only", "just", "merely")
        if word.lower_ in _DENIALS and not is_of_verb and not is_only:
            return word
    return None


def _before(noun: Token) -> Iterator[Token]:
    while True:
        at = noun.i - 1
        while at >= 0 and noun.doc[at].lower_ not in _DENIALS and noun in governors(noun.doc[at]):
            at -= 1
        if at >= 0:
            yield noun.doc[at]
        between = {token.lower_ for token in noun.doc[noun.head.i : noun.i]}
        if noun.dep_ != "conj" or between & {"but", "not"}:
            return
        noun = noun.head


def governors(token: Token) -> Iterator[Token]:
    """Yield the heads of a token, up to the root."""
    while token.head is not token:
        token = token.head
        yield token
