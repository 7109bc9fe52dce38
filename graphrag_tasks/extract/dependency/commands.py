"""Commands and titles whose verb the model takes for a part of a noun phrase.

"Export data", "Open transaction SE38" and "Managing keys" have no verb in the parse of a model that
was trained on news. They are known by their first word.
"""

from __future__ import annotations

from graphrag_tasks.extract.dependency.rereading import COMMAND_VERBS, is_finite
from graphrag_tasks.extract.dependency.syntax import NOMINAL_POS, VERBAL_POS, first_child
from graphrag_tasks.extract.inflection import base_of_gerund
from graphrag_tasks.language.tokens import Doc, Token

MAX_NOUNS = 3
"""Longest row of nouns that a command may seem to modify ("open | transaction SE38")."""

NOUN_MODIFIERS = frozenset({"compound", "amod", "nmod"})

_BEFORE_COMMAND = frozenset({"intj", "punct", "advmod"})
_NOUN_GERUNDS = frozenset({"build", "log", "map", "plan", "print", "report", "start", "test"})
"""Verbs whose gerund is a kind of thing: "Mapping tables", "Test planning"."""


def misread_command(doc: Doc) -> tuple[Token, str] | None:
    """Return the verb of a command that was read as a noun or adjective, and its lemma, or None."""
    first = next((token for token in doc if token.dep_ not in _BEFORE_COMMAND), None)
    lemma = None if first is None else _command_of(first)
    if first is None or lemma is None:
        return None
    if len(first) > 1 and first.text.isupper():
        return None
    if first.dep_ == "ROOT":
        governs = first_child(first, "dobj") or (first.tag_ == "VB" and first_child(first, "prep"))
        return (first, lemma) if governs else None
    noun = modified_noun(first)
    if noun is first or noun.dep_ != "ROOT" or noun.pos_ not in NOMINAL_POS:
        return None
    return None if any(map(is_finite, doc)) else (first, lemma)


def _command_of(first: Token) -> str | None:
    """Return the verb that a sentence seems to begin with, though the model read none, or None.

    A title has its gerund: "Managing keys in BTP". Some gerunds are nouns ("Mapping tables").
    """
    if first.lower_.endswith("ing") and first.dep_ in NOUN_MODIFIERS:
        return base_of_gerund(first.lower_, COMMAND_VERBS - _NOUN_GERUNDS)
    known = first.lower_ in COMMAND_VERBS and first.pos_ not in VERBAL_POS
    return first.lower_ if known else None


def modified_noun(token: Token) -> Token:
    """Return the noun that a word seems to modify: "transaction" in "open | transaction SE38"."""
    for _ in range(MAX_NOUNS):
        if token.dep_ in NOUN_MODIFIERS:
            token = token.head
    return token
