"""Repair of parses that the small model gets wrong in technical prose.

News text, which the model was trained on, has few commands: "Use table VBBE" is often read as a
noun phrase, and in "run transaction SPAU" the name is taken for a time or another object. Both
are known by their form, so they are set right before the rules read the parse. Nothing else is
touched.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphrag_tasks.extract.dependency.commands import (
    NOUN_MODIFIERS,
    misread_command,
    modified_noun,
)
from graphrag_tasks.extract.dependency.syntax import (
    NOMINAL_POS,
    SUBJECT_DEPS,
    VERBAL_POS,
    first_child,
    has_subject,
    is_close_apposition,
    is_verbal,
    is_within_name,
)
from graphrag_tasks.language.parser import copied
from graphrag_tasks.language.tokens import Doc, Token, attach

_NOUN_PARTS = NOUN_MODIFIERS | {"det", "nummod", "poss"}
_PLAIN_TAGS = frozenset({"NN", "NNP"})
_OBJECT_DEPS = frozenset({"dobj", "pobj"})
_NAME_DEPS = frozenset({"compound", "dobj", "npadvmod", "nsubj", "nsubjpass", "oprd"})
_TIME_ENTITIES = frozenset({"DATE", "TIME"})


@dataclass(slots=True)
class _Reading:
    """The columns of a parse that a repair may change."""

    tags: list[str]
    pos: list[str]
    deps: list[str]
    heads: list[int]
    lemmas: list[str]


def repaired(doc: Doc) -> Doc:
    """Return the sentence with its commands and names read as such.

    Args:
        doc: One parsed sentence; it is not changed.

    Returns:
        A new doc of the same tokens, or `doc` itself when there is nothing to repair.
    """
    command = misread_command(doc)
    names = [token for token in doc if _is_misread_name(token)]
    ties = [token for token in doc if _ties_names(token)]
    items = [token for token in doc if _is_misread_item(token)]
    subjects = [token for token in doc if _is_misread_subject(token)]
    nouns = [token for token in doc if _is_misread_noun(token)]
    choices = [token for token in doc if _is_misread_choice(token)]
    means = [token for token in doc if _is_misplaced_means(token)]
    found = (names, ties, items, subjects, nouns, choices, means)
    if command is None and not any(found):
        return doc
    reading = _Reading(
        tags=[token.tag_ for token in doc],
        pos=[token.pos_ for token in doc],
        deps=[token.dep_ for token in doc],
        heads=[token.head.i for token in doc],
        lemmas=[token.lemma_ for token in doc],
    )
    if command is not None:
        _read_as_command(reading, *command)
    for name in names:
        reading.deps[name.i], reading.heads[name.i] = "appos", name.i - 1
    for item in items:
        reading.deps[item.i] = "conj"
    for subject in subjects:
        _read_as_subject(reading, subject)
    for noun in nouns:
        _read_as_noun(reading, noun)
    for choice in choices:
        _read_as_preposition(reading, choice)
    for using in means:
        reading.deps[using.i], reading.heads[using.i] = "advcl", _acting(using.head).i
    for tie in ties:
        reading.heads[tie.i] = tie.i - 1
    return _rebuilt(doc, reading)


def _read_as_command(reading: _Reading, command: Token, lemma: str) -> None:
    """Make the command the root; the noun it seemed to modify becomes its object."""
    root = modified_noun(command)
    verb, noun = command.i, root.i
    reading.tags[verb], reading.pos[verb], reading.lemmas[verb] = "VB", "VERB", lemma
    if verb == noun:
        return
    reading.deps[verb], reading.heads[verb] = "ROOT", verb
    reading.deps[noun], reading.heads[noun] = "dobj", verb
    for child in root.children:
        verbal = child.dep_ == "conj" and child.pos_ in VERBAL_POS
        oblique = child.dep_ == "prep" and child.lower_ != "of"
        if verbal or oblique or child.dep_ in ("punct", "advmod") or child.i < verb:
            reading.heads[child.i] = verb


def _is_misread_subject(token: Token) -> bool:
    """Return whether a noun was read as part of the third person after it: "the debugger stops"."""
    verb = token.head
    if verb.i != token.i + 1 or verb.tag_ != "VBZ" or verb.dep_ != "ROOT" or has_subject(verb):
        return False
    if verb.left_edge.i < token.i and first_child(verb, "expl"):
        return False
    is_name = token.dep_ == "punct" and any(map(str.isalpha, token.text))
    return is_name or (token.dep_ == "compound" and token.pos_ in NOMINAL_POS)


def _read_as_subject(reading: _Reading, subject: Token) -> None:
    """Make a noun the subject of the verb after it, with what stands before the verb."""
    reading.deps[subject.i] = "nsubj"
    if subject.pos_ not in NOMINAL_POS:
        reading.tags[subject.i], reading.pos[subject.i] = "NNP", "PROPN"
    for child in subject.head.children:
        if child.i < subject.i and child.dep_ in _NOUN_PARTS:
            reading.heads[child.i] = subject.i


def _is_misread_noun(token: Token) -> bool:
    """Return whether a plural was read as a verb: "deletes the status tables VBUK"."""
    return token.tag_ == "VBZ" and token.dep_ in _OBJECT_DEPS and token.text.islower()


def _read_as_noun(reading: _Reading, noun: Token) -> None:
    """Make a verb a noun, its subject a part of it, and its object its name."""
    reading.tags[noun.i], reading.pos[noun.i] = "NNS", "NOUN"
    for child in noun.children:
        if child.dep_ == "nsubj" and child.i == noun.i - 1:
            reading.deps[child.i] = "compound"
            for part in child.children:
                reading.heads[part.i] = noun.i
        elif child.dep_ == "dobj" and child.i == noun.i + 1:
            reading.deps[child.i] = "appos"


def _is_misplaced_means(token: Token) -> bool:
    """Return whether a "using" hangs on an object, as if that used something.

    "Connects the steps using an adapter" says how they are connected.
    """
    if token.lower_ != "using" or token.dep_ != "acl" or first_child(token, "dobj") is None:
        return False
    return is_verbal(_acting(token.head))


def _acting(noun: Token) -> Token:
    """Return the verb that an object or the noun of its preposition hangs on, or another word."""
    while noun.dep_ in ("conj", "pobj", "prep") and noun.head.i < noun.i:
        noun = noun.head
    return noun.head if noun.dep_ == "dobj" else noun


def _is_misread_choice(token: Token) -> bool:
    """Return whether what is chosen over something was read as a second one: "A instead of B"."""
    if token.dep_ != "cc" or token.lower_ != "of" or not token.i:
        return False
    return token.doc[token.i - 1].lower_ == "instead" and is_verbal(token.head.head)


def _read_as_preposition(reading: _Reading, of: Token) -> None:
    """Make "instead of" a preposition of the verb, and what follows it its noun."""
    noun = of.head
    reading.deps[of.i], reading.heads[of.i] = "prep", noun.head.i
    reading.heads[of.i - 1] = of.i
    for child in noun.children:
        if child.dep_ == "conj" and child.i > of.i:
            reading.deps[child.i], reading.heads[child.i] = "pobj", of.i


def _is_misread_name(token: Token) -> bool:
    """Return whether a name right after its noun was read as a time or another object."""
    if token.dep_ not in _NAME_DEPS:
        return False
    if _is_misread_code(token) or _is_torn_off(token) or _names_subject(token):
        return True
    if token.dep_ not in ("npadvmod", "dobj") or token.i == 0 or token.left_edge.i != token.i:
        return False
    noun = token.doc[token.i - 1]
    if noun.head != token.head or noun.dep_ != "dobj" or noun.pos_ != "NOUN":
        return False
    return (
        token.tag_ in _PLAIN_TAGS
        and not token.text.islower()
        and token.ent_type_ not in _TIME_ENTITIES
    )


def _is_misread_code(token: Token) -> bool:
    """Return whether a name of code after a preposition's noun was read as what the verb makes.

    "Stored in table ZORDERS_NEW" makes nothing.
    """
    if token.dep_ != "oprd" or token.i == 0 or token.text.lower() == token.text:
        return False
    noun = token.doc[token.i - 1]
    return noun.dep_ == "pobj" and noun.pos_ == "NOUN" and noun.head.head == token.head


def _is_torn_off(token: Token) -> bool:
    """Return whether the end of a subject's name hangs on the verb: "SAP S/4HANA eliminates"."""
    if (
        token.dep_ != "compound"
        or token.tag_ != "NNP"
        or token.head.i != token.i + 1
        or not token.i
    ):
        return False
    before = token.doc[token.i - 1]
    return token.head.tag_ == "VBZ" and before.head == token.head and before.dep_ == "nsubj"


def _names_subject(token: Token) -> bool:
    """Return whether a subject's name was read as another subject: "the report ZSALES reads"."""
    if token.dep_ not in SUBJECT_DEPS or token.tag_ != "NNP" or token.left_edge.i != token.i:
        return False
    if token.i == 0 or token.text.islower():
        return False
    noun = token.doc[token.i - 1]
    return noun.head == token.head and noun.dep_ == token.dep_ and noun.tag_ == "NN"


def _is_misread_item(token: Token) -> bool:
    """Return whether the second of three items was read as an apposition of the first one.

    Several things can not be one: in "a project, a package, and a request" there are three.
    """
    if token.dep_ != "appos" or token.head.dep_ not in _OBJECT_DEPS or is_close_apposition(token):
        return False
    if not all(_has_indefinite_article(one) for one in (token, token.head)):
        return False
    return first_child(token, "conj") is not None and first_child(token, "cc") is not None


def _has_indefinite_article(noun: Token) -> bool:
    article = first_child(noun, "det")
    return article is not None and article.lower_ in ("a", "an")


def _ties_names(token: Token) -> bool:
    """Return whether a "for" between two names hangs on something else than the first one."""
    if not is_within_name(token):
        return False
    name = token.doc[token.i - 1]
    governor = name.head.head if name.dep_ == "pobj" else name.head
    return token.head != name and governor == token.head


def _rebuilt(doc: Doc, reading: _Reading) -> Doc:
    made = copied(doc)
    columns = (reading.tags, reading.pos, reading.deps, reading.lemmas)
    for token, *values in zip(made, *columns, strict=True):
        token.tag_, token.pos_, token.dep_, token.lemma_ = values
        token.children = []
    attach(list(made), reading.heads)
    return made
