"""Find a verb's subject: its own, or one shared with another verb or noun.

Technical prose rarely repeats a subject. On the CaRB development set, looking beyond a verb's own subject is worth the
most of all rules (.44 to .53 F1 with relative clauses and participles).
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from graphrag_tasks.extract.dependency.syntax import (
    ADDRESSEES,
    NOMINAL_POS,
    PLURAL_TAGS,
    RELATIVE_TAGS,
    SUBJECT_DEPS,
    children,
    conjunction_heads,
    descendant,
    first_child,
    has_subject,
    has_to,
    is_enabled,
    is_verbal,
)
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Token

MAX_HOPS = 7  # Most verbs passed on the way to a subject; longer ways are mostly parser errors.
_ENDEAVOURS = words("endeavours")  # Nouns that do not perform the following infinitive: "the ability to export data".
_CONTROLLING_VERBS = words("controlling_verbs")
"""Verbs whose object does what follows: "asks SAP to replace", not "cut the trace to enable"."""
_VERBS_OF_MEANS = words("verbs_of_means")
"""Verbs whose object serves a purpose: "run X to delete", not "cut the trace to enable"."""
_CONSEQUENCES = frozenset({"allow", "cause", "enable", "force", "lead", "make", "mean", "permit", "require", "result"})
_HAVING = frozenset({"gain", "get", "have", "keep", "obtain", "receive", "retain"})
_APART = frozenset({"after", "before", "by", "when", "while", "without"})
_RELATIVE_WORDS = frozenset({"that", "which", "who"})


class Origin(Enum):
    """Where a subject was found."""

    DIRECT = auto()  # the verb's own subject
    EXPLETIVE = auto()  # the "there" of "there is"
    RELATIVE = auto()  # the noun that the verb's relative clause belongs to
    ACL = auto()  # the noun that the participle or infinitive belongs to
    INHERITED = auto()  # the subject, or the object, of another verb
    IMPERATIVE = auto()  # the reader, who is not in the sentence


class Subject(NamedTuple):
    """Head of the subject's noun phrase (None for imperatives), and where it was found."""

    head: Token | None
    origin: Origin


_READER = Subject(None, Origin.IMPERATIVE)


def find_subject(verb: Token) -> Subject | None:
    """Return the subject of a verb, or None if it cannot be found."""
    if is_imperative(verb):
        return _READER
    subject = _climb(verb)
    if subject is None or (subject.head is None and verb.tag_ != "VB"):
        return None
    if subject.origin is Origin.INHERITED and _is_command_behind_clause(verb):
        return _READER
    return subject


def is_imperative(verb: Token) -> bool:
    """Tell whether the verb is a command or title: a bare verb, or a conjunct of one.

    It is the root, or the first word of its sentence ("Restore lists, so they are visible").
    """
    first = list(conjunction_heads(verb))[-1]
    is_main = first.dep_ == "ROOT" or (first.i == 0 and first.dep_ in ("advcl", "ccomp"))
    if is_main and _is_title(first):
        return verb.tag_ == first.tag_
    return is_main and _is_bare(first) and _is_bare(verb)


def _is_title(verb: Token) -> bool:
    """Tell whether a title begins with a verb: "Managing keys in BTP", "How to manage keys"."""
    if verb.pos_ != "VERB" or has_subject(verb):
        return False
    if verb.tag_ == "VBG":
        return verb.i == 0 and not children(verb, "aux", "auxpass")
    return verb.tag_ == "VB" and has_to(verb) and verb.doc[0].lower_ == "how"


def _is_command_behind_clause(verb: Token) -> bool:
    """Tell whether a bare verb commands: "once a style is chosen, examine its numbers"."""
    heads = list(conjunction_heads(verb))
    commands = heads[:-1] or heads
    if not all(head.tag_ == "VB" and _is_bare(head) for head in commands):
        return False
    first, edge = heads[-1], commands[-1].left_edge.i
    if not edge or verb.doc[edge - 1].text != ",":
        return False
    if first.tag_ == "VB" and not _is_bare(first):
        return False
    is_shared = any(auxiliary.tag_ in ("MD", "TO") or auxiliary.lemma_ == "do" for auxiliary in children(first, "aux"))
    return first.dep_ in ("ROOT", "ccomp", "conj") and not is_shared


def _is_bare(verb: Token) -> bool:
    """Tell whether a verb is in its base form, without subject and auxiliaries except "do".

    The base form is often tagged as present tense; then only a phrase with a comma may precede it.
    """
    present = verb.tag_ == "VBP" and (verb.left_edge == verb or verb.doc[verb.i - 1].text == ",")
    if verb.pos_ != "VERB" or not (verb.tag_ == "VB" or present):
        return False
    if has_subject(verb) or first_child(verb, "expl"):
        return False
    return all(child.lower_ == "do" for child in children(verb, "aux", "auxpass"))


def _climb(verb: Token) -> Subject | None:
    means = None
    for hop in range(MAX_HOPS):
        found = _own_subject(verb) or _lent_subject(verb)
        if found is not None:
            if hop and is_expletive(found.head):
                return _READER
            if means is not None and found.head is not None and found.head.lower_ in ADDRESSEES:
                return Subject(means, Origin.INHERITED)
            direct = hop == 0 or found.head is None
            return found if direct else Subject(found.head, Origin.INHERITED)
        governor = _governor(verb)
        if governor is None:
            if not is_imperative(verb):
                return None
            return _READER if means is None else Subject(means, Origin.INHERITED)
        if verb.dep_ == "advcl" and has_to(verb):
            if verb.i < governor.i and first_child(governor, "auxpass") is not None:
                return _READER  # "to send messages, a key must be stored": by somebody unnamed
            if means is None and verb.i > governor.i:
                means = _means(governor)
        verb = governor
    return None


def _means(verb: Token) -> Token | None:
    """Return the means of a purpose: "follow the steps to ...", "go to X to ..."."""
    if verb.lemma_ not in _VERBS_OF_MEANS:
        return None
    return first_child(verb, "dobj") or descendant(verb, "prep", "pobj")


def is_expletive(subject: Token | None) -> bool:
    """Tell whether an "it" stands for a clause: "it is possible to ...", "it is assumed that"."""
    if subject is None or subject.lower_ != "it" or subject.dep_ not in SUBJECT_DEPS:
        return False
    verb = subject.head
    if verb.lemma_ != "be" and subject.dep_ != "nsubjpass":
        return False
    return any(
        child.dep_ in ("ccomp", "xcomp") and child.i > verb.i and is_verbal(child)
        for token in (verb, *children(verb, "acomp"))
        for child in token.children
    )


def _own_subject(verb: Token) -> Subject | None:
    subject = first_child(verb, *SUBJECT_DEPS)
    if subject is None:
        expletive = first_child(verb, "expl")
        return None if expletive is None else Subject(expletive, Origin.EXPLETIVE)
    clause = list(conjunction_heads(verb))[-1]
    relative = subject.tag_ in RELATIVE_TAGS or (verb.dep_ == "relcl" and subject.lower_ in _RELATIVE_WORDS)
    if relative and clause.dep_ == "relcl":
        return Subject(_antecedent(clause, verb), Origin.RELATIVE)
    return Subject(subject, Origin.DIRECT)


def _antecedent(clause: Token, verb: Token) -> Token:
    """Return the noun of a relative clause: a higher noun, if only that agrees in number.

    "Objects of the Dictionary that represent types": the objects represent.
    """
    noun = clause.head
    plural = _is_plural_verb(verb)
    if plural is None or noun.dep_ != "pobj" or _is_plural(noun) == plural:
        return noun
    above = noun.head.head
    agrees = above.pos_ in NOMINAL_POS and _is_plural(above) == plural
    return above if agrees else noun


def _is_plural_verb(verb: Token) -> bool | None:
    """Tell whether a present-tense verb is plural; None if its form does not tell."""
    for word in (*children(verb, "aux", "auxpass"), verb):
        if word.tag_ in ("VBZ", "VBP"):
            return word.tag_ == "VBP"
    return None


def _is_plural(noun: Token) -> bool:
    return noun.tag_ in PLURAL_TAGS or first_child(noun, "conj") is not None


def _lent_subject(verb: Token) -> Subject | None:
    """Return the governing noun as subject: a modified noun, or the object of the verb above."""
    if verb.dep_ == "acl" and has_to(verb) and verb.head.lemma_ in _ENDEAVOURS:
        return _endeavouring(verb.head)
    if verb.dep_ == "acl":
        return Subject(verb.head, Origin.ACL)
    if verb.dep_ == "relcl":
        return Subject(verb.head, Origin.RELATIVE)
    if verb.dep_ == "xcomp" and is_verbal(verb.head):
        controller = first_child(verb.head, "dobj", "dative")
        if controller is not None:
            acts = not has_to(verb) or verb.head.lemma_ in _CONTROLLING_VERBS
            return Subject(controller if acts else None, Origin.INHERITED)
    return None


def _endeavouring(noun: Token) -> Subject | None:
    """Return who has an ability, need or permission: its owner, or the subject of "have"."""
    verb = noun.head
    owner = first_child(noun, "poss")
    if owner is None and noun.dep_ == "dobj" and is_verbal(verb):
        has_it = (*SUBJECT_DEPS,) if verb.lemma_ in _HAVING else ("nsubjpass",)
        owner = first_child(verb, "dative") or first_child(verb, *has_it)
    return None if owner is None or owner.pos_ == "PRON" else Subject(owner, Origin.INHERITED)


def _governor(verb: Token) -> Token | None:
    """Return the verb whose subject this verb shares, or None."""
    head = verb.head
    if verb.dep_ == "conj" and is_enabled(head):
        head = head.head
    elif verb.dep_ in ("xcomp", "advcl", "pcomp"):
        if verb.dep_ == "pcomp":
            head = head.head
        if verb.tag_ == "VBG" and first_child(head, "auxpass") and _is_apart(verb):
            return None
        if verb.tag_ == "VBG" and verb.lemma_ in _CONSEQUENCES and _is_set_off(verb):
            return None
        if head.dep_ == "acomp":
            head = head.head
    elif verb.dep_ not in ("conj", "dep", "prep"):
        return None
    return head if is_verbal(head) else None


def _is_set_off(gerund: Token) -> bool:
    """Tell whether a gerund after a comma refers to the whole clause: "…, causing errors"."""
    first = gerund.left_edge
    return gerund.dep_ == "advcl" and first.i > 0 and gerund.doc[first.i - 1].text == ","


def _is_apart(gerund: Token) -> bool:
    """Tell whether a gerund beside a passive has another subject: "stored by clicking Save"."""
    if gerund.dep_ == "pcomp":
        return gerund.head.lower_ in _APART
    return gerund.dep_ == "advcl" and first_child(gerund, "advmod") is not None
