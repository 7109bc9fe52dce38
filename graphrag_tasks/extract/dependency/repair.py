"""Repair parses that the small model gets wrong in technical prose.

The model was trained on news, which has few commands: "Use table VBBE" is often read as a noun phrase, and in "run
transaction SPAU" the name is taken for a time or another object. Both have a recognizable form and are corrected before
the rules run; nothing else is changed.
"""

from __future__ import annotations

from collections.abc import Callable

from graphrag_tasks.extract.dependency.rereading import COMMAND_VERBS, is_finite
from graphrag_tasks.extract.dependency.syntax import (
    NOMINAL_POS,
    SUBJECT_DEPS,
    TIME_ENTITIES,
    first_child,
    has_subject,
    is_verbal,
    is_within_name,
)
from graphrag_tasks.extract.inflection import base_of_gerund
from graphrag_tasks.language.parser import copied
from graphrag_tasks.language.tokens import Doc, Token, attach

MAX_NOUNS = 3  # Longest noun compound that a command may seem to modify ("open transaction SE38").

_BEFORE_COMMAND = frozenset({"intj", "punct", "advmod"})
_NOUN_GERUNDS = frozenset({"build", "log", "map", "plan", "print", "report", "start", "test"})
"""Verbs whose gerund names a thing: "Mapping tables", "Test planning"."""
_NOUN_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_NOUN_PARTS = _NOUN_MODIFIERS | {"det", "nummod", "poss"}
_NAME_DEPS = frozenset({"compound", "dobj", "npadvmod", "nsubj", "nsubjpass", "oprd"})


def repaired(doc: Doc) -> Doc:
    """Return a new doc with repaired commands and names, or `doc` if nothing is wrong."""
    command = _misread_command(doc)
    repairs = [(repair, token) for is_misread, repair in _REPAIRS for token in doc if is_misread(token)]
    if command is None and not repairs:
        return doc
    made, heads = copied(doc), [token.head.i for token in doc]
    if command is not None:
        _read_as_command(made, heads, *command)
    for repair, token in repairs:
        repair(made, heads, token)
    for token in made:
        token.children = []
    attach(list(made), heads)
    return made


def _misread_command(doc: Doc) -> tuple[Token, str] | None:
    """Return the command verb that was read as a noun or adjective, with its lemma, or None."""
    first = next((token for token in doc if token.dep_ not in _BEFORE_COMMAND), None)
    lemma = None if first is None else _command_of(first)
    if first is None or lemma is None or (len(first) > 1 and first.text.isupper()):
        return None
    if first.dep_ == "ROOT":
        governs = first_child(first, "dobj") or (first.tag_ == "VB" and first_child(first, "prep"))
        return (first, lemma) if governs else None
    noun = _modified_noun(first)
    if noun is first or noun.dep_ != "ROOT" or noun.pos_ not in NOMINAL_POS:
        return None
    return None if any(map(is_finite, doc)) else (first, lemma)


def _command_of(first: Token) -> str | None:
    """Return the verb that a sentence begins with, if the model missed it, or None.

    Titles begin with a gerund: "Managing keys in BTP". Some gerunds are nouns ("Mapping tables").
    """
    if first.lower_.endswith("ing") and first.dep_ in _NOUN_MODIFIERS:
        return base_of_gerund(first.lower_, COMMAND_VERBS - _NOUN_GERUNDS)
    return first.lower_ if first.lower_ in COMMAND_VERBS and not is_verbal(first) else None


def _modified_noun(token: Token) -> Token:
    for _ in range(MAX_NOUNS):
        if token.dep_ in _NOUN_MODIFIERS:
            token = token.head
    return token


def _read_as_command(made: Doc, heads: list[int], command: Token, lemma: str) -> None:
    """Make the command the root, and the noun that it seemed to modify its object."""
    root = _modified_noun(command)
    verb = made[command.i]
    verb.tag_, verb.pos_, verb.lemma_ = "VB", "VERB", lemma
    if verb.i == root.i:
        return
    verb.dep_, heads[verb.i] = "ROOT", verb.i
    made[root.i].dep_, heads[root.i] = "dobj", verb.i
    for child in root.children:
        verbal = child.dep_ == "conj" and is_verbal(child)
        oblique = child.dep_ == "prep" and child.lower_ != "of"
        if verbal or oblique or child.dep_ in ("punct", "advmod") or child.i < verb.i:
            heads[child.i] = verb.i


def _is_misread_subject(token: Token) -> bool:
    """Tell whether a subject noun was read as part of its verb: "the debugger stops"."""
    verb = token.head
    if verb.i != token.i + 1 or verb.tag_ != "VBZ" or verb.dep_ != "ROOT" or has_subject(verb):
        return False
    if verb.left_edge.i < token.i and first_child(verb, "expl"):
        return False
    is_name = token.dep_ == "punct" and any(map(str.isalpha, token.text))
    return is_name or (token.dep_ == "compound" and token.pos_ in NOMINAL_POS)


def _read_as_subject(made: Doc, heads: list[int], subject: Token) -> None:
    """Make a noun the subject of the next verb, with the words before the verb."""
    made[subject.i].dep_ = "nsubj"
    if subject.pos_ not in NOMINAL_POS:
        made[subject.i].tag_, made[subject.i].pos_ = "NNP", "PROPN"
    for child in subject.head.children:
        if child.i < subject.i and child.dep_ in _NOUN_PARTS:
            heads[child.i] = subject.i


def _is_misread_noun(token: Token) -> bool:
    """Tell whether a plural was read as a verb: "deletes the status tables VBUK"."""
    return token.tag_ == "VBZ" and token.dep_ in ("dobj", "pobj") and token.text.islower()


def _read_as_noun(made: Doc, heads: list[int], noun: Token) -> None:
    """Turn a verb into a noun; its subject becomes a part, its object a name."""
    made[noun.i].tag_, made[noun.i].pos_ = "NNS", "NOUN"
    for child in noun.children:
        if child.dep_ == "nsubj" and child.i == noun.i - 1:
            made[child.i].dep_ = "compound"
            for part in child.children:
                heads[part.i] = noun.i
        elif child.dep_ == "dobj" and child.i == noun.i + 1:
            made[child.i].dep_ = "appos"


def _is_misplaced_means(token: Token) -> bool:
    """Tell whether "using" was attached to an object: "Connects the steps using an adapter"."""
    if token.lower_ != "using" or token.dep_ != "acl" or first_child(token, "dobj") is None:
        return False
    return is_verbal(_acting(token.head))


def _read_as_means(made: Doc, heads: list[int], using: Token) -> None:
    made[using.i].dep_, heads[using.i] = "advcl", _acting(using.head).i


def _acting(noun: Token) -> Token:
    """Return the verb that governs an object or a preposition's noun, or another word."""
    while noun.dep_ in ("conj", "pobj", "prep") and noun.head.i < noun.i:
        noun = noun.head
    return noun.head if noun.dep_ == "dobj" else noun


def _is_misread_choice(token: Token) -> bool:
    """Tell whether "instead of" was read as coordination: "A instead of B"."""
    if token.dep_ != "cc" or token.lower_ != "of" or not token.i:
        return False
    return token.doc[token.i - 1].lower_ == "instead" and is_verbal(token.head.head)


def _read_as_preposition(made: Doc, heads: list[int], of: Token) -> None:
    """Make "instead of" a preposition of the verb."""
    noun = of.head
    made[of.i].dep_, heads[of.i] = "prep", noun.head.i
    heads[of.i - 1] = of.i
    for child in noun.children:
        if child.dep_ == "conj" and child.i > of.i:
            made[child.i].dep_, heads[child.i] = "pobj", of.i


def _is_misread_name(token: Token) -> bool:
    """Tell whether a name right after its noun was read as a time or another object."""
    if token.dep_ not in _NAME_DEPS:
        return False
    if _is_misread_code(token) or _is_torn_off(token) or _names_subject(token):
        return True
    if token.dep_ not in ("npadvmod", "dobj") or token.i == 0 or token.left_edge.i != token.i:
        return False
    noun = token.doc[token.i - 1]
    if noun.head != token.head or noun.dep_ != "dobj" or noun.pos_ != "NOUN":
        return False
    is_plain = token.tag_ in ("NN", "NNP") and not token.text.islower()
    return is_plain and token.ent_type_ not in TIME_ENTITIES


def _read_as_name(made: Doc, heads: list[int], name: Token) -> None:
    made[name.i].dep_, heads[name.i] = "appos", name.i - 1


def _is_misread_code(token: Token) -> bool:
    """Tell whether a code name was read as a verb's result: "Stored in table ZORDERS_NEW"."""
    if token.dep_ != "oprd" or token.i == 0 or token.text.lower() == token.text:
        return False
    noun = token.doc[token.i - 1]
    return noun.dep_ == "pobj" and noun.pos_ == "NOUN" and noun.head.head == token.head


def _is_torn_off(token: Token) -> bool:
    """Tell whether a name's end was attached to the verb: "SAP S/4HANA eliminates"."""
    if token.dep_ != "compound" or token.tag_ != "NNP" or not 0 < token.i == token.head.i - 1:
        return False
    before = token.doc[token.i - 1]
    return token.head.tag_ == "VBZ" and before.head == token.head and before.dep_ == "nsubj"


def _names_subject(token: Token) -> bool:
    """Tell whether a subject's name was read as another subject: "the report ZSALES reads"."""
    if token.dep_ not in SUBJECT_DEPS or token.tag_ != "NNP" or token.left_edge.i != token.i:
        return False
    if token.i == 0 or token.text.islower():
        return False
    noun = token.doc[token.i - 1]
    return noun.head == token.head and noun.dep_ == token.dep_ and noun.tag_ == "NN"


def _ties_names(token: Token) -> bool:
    """Tell whether a "for" inside a name was attached elsewhere than to the first part."""
    if not is_within_name(token):
        return False
    name = token.doc[token.i - 1]
    governor = name.head.head if name.dep_ == "pobj" else name.head
    return token.head != name and governor == token.head


def _read_as_tie(_made: Doc, heads: list[int], tie: Token) -> None:
    heads[tie.i] = tie.i - 1


_REPAIRS: tuple[tuple[Callable[[Token], bool], Callable[[Doc, list[int], Token], None]], ...] = (
    (_is_misread_name, _read_as_name),
    (_is_misread_subject, _read_as_subject),
    (_is_misread_noun, _read_as_noun),
    (_is_misread_choice, _read_as_preposition),
    (_is_misplaced_means, _read_as_means),
    (_ties_names, _read_as_tie),
)
"""Pairs of a test for a misread word and its repair; later repairs may change earlier ones."""
