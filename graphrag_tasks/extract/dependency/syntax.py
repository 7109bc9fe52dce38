"""Queries on dependency trees, and the text of tokens.

Labels are ClearNLP's (`nsubj`, `dobj`, `pobj`, `acl`, `relcl`, ...), tags the Penn Treebank's, as in spaCy's English
models. Nothing recurses, as trees may be deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from graphrag_tasks.extract.frames import Span
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Doc, Token

SUBJECT_DEPS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
AUXILIARY_DEPS = frozenset({"aux", "auxpass", "neg"})
MODIFIER_DEPS = frozenset({"aux", "auxpass", "amod", "compound"})  # Labels of verbs that only modify another word.
COORDINATION_DEPS = frozenset({"conj", "cc", "preconj"})
VERBAL_POS = frozenset({"VERB", "AUX"})
NOMINAL_POS = frozenset({"NOUN", "PROPN"})
RELATIVE_TAGS = frozenset({"WDT", "WP"})  # Relative and interrogative pronouns.
PLURAL_TAGS = frozenset({"NNS", "NNPS"})

ADDRESSEES = frozenset({"you", "we", "i", "us", "me", "yourself"})  # Words for writer and reader, who are not entities.
ENABLING_VERBS = frozenset({"allow", "enable", "help", "let", "permit", "require", "support"})
"""Verbs that say what the reader can or must do: "lets you manage data"."""
TAKEN_NOUNS = words("taken_nouns")  # Nouns that "take" needs to mean anything: "takes full advantage of".
TIME_ENTITIES = frozenset({"DATE", "TIME"})
EXAMPLE_WORDS = frozenset({"including", "as", "like"})  # Prepositions that may introduce examples.

_REFERENCES = (
    "see ", "cf. ", "refer to ", "Section ", "Chapter ", "Appendix ", "Figure ", "Table ",
)  # fmt: skip
_CONJUNCT_POS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X"})
_OPENING = frozenset({"(", "[", "-LRB-", "``", '"', "'", "“", "\u2018"})
_ONLY = frozenset({"exclusively", "just", "merely", "only", "simply", "solely"})
_EDGE_WORDS = frozenset({",", ";", ":", ".", "--", "-", "and", "or"})
_BRACKET_PAIRS = (("(", ")"), ("-LRB-", "-RRB-"))
_BRACKETS = frozenset(bracket for pair in _BRACKET_PAIRS for bracket in pair)


def children(token: Token, *deps: str) -> list[Token]:
    """Return the token's children with one of these labels, in order."""
    return [child for child in token.children if child.dep_ in deps]


def first_child(token: Token, *deps: str) -> Token | None:
    """Return the token's first child with one of these labels, or None."""
    for child in token.children:
        if child.dep_ in deps:
            return child
    return None


def descendant(token: Token | None, *path: str) -> Token | None:
    """Return the token at the end of a path of first children ("prep", "pobj"), or None."""
    for dep in path:
        token = None if token is None else first_child(token, dep)
    return token


def is_verbal(token: Token) -> bool:
    """Tell whether the token is a verb or an auxiliary."""
    return token.pos_ in VERBAL_POS


def has_subject(verb: Token) -> bool:
    """Tell whether the verb has its own subject."""
    return first_child(verb, *SUBJECT_DEPS) is not None


def has_to(verb: Token) -> bool:
    """Tell whether the verb is an infinitive with "to"."""
    return any(child.tag_ == "TO" for child in children(verb, "aux"))


def denies_phrase(token: Token) -> bool:
    """Tell whether a token is a "not" that denies what follows, unlike in "not only"."""
    after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else token
    return token.lower_ == "not" and after.lower_ not in _ONLY


def is_enabled(token: Token) -> bool:
    """Tell whether the verb is what another verb lets the reader do: "lets you manage"."""
    head = token.head
    if token.dep_ not in ("xcomp", "ccomp") or head.lemma_ not in ENABLING_VERBS:
        return False
    if token.i < head.i or token.tag_ != "VB" or not is_verbal(head):
        return False
    agent = first_child(token, *SUBJECT_DEPS) or first_child(head, "dobj", "dative")
    return agent is not None and agent.lower_ in ADDRESSEES


def subtree(head: Token, *, outside: Callable[[Token], bool] = lambda _: False) -> list[int]:
    """Return the sorted token indices of a subtree, without subtrees whose root is `outside`."""
    found = []
    stack = [head]
    while stack:
        token = stack.pop()
        found.append(token.i)
        stack.extend(child for child in token.children if not outside(child))
    return sorted(found)


def conjuncts(head: Token) -> list[Token]:
    """Return a noun or adjective and its conjuncts, in order.

    spaCy attaches each conjunct to the one before it. Verbs, which are wrongly attached conjuncts of the clause, and
    negated conjuncts ("X but not Y") are left out with all that follow.
    """
    found = [head]
    for token in found:
        found.extend(
            child
            for child in children(token, "conj")
            if child.pos_ in _CONJUNCT_POS and first_child(child, "neg") is None
        )
    return sorted(found, key=lambda token: token.i)


def conjunction_heads(verb: Token) -> Iterator[Token]:
    """Yield the verb, then the conjuncts before it, up to the first."""
    yield verb
    while verb.dep_ == "conj":
        verb = verb.head
        yield verb


def is_close_apposition(token: Token) -> bool:
    """Tell whether the token names the noun right before it ("table KNKK", "report RFC").

    Such a name is part of the noun phrase. Other appositions are set off by punctuation, or have a determiner or
    further words.
    """
    return token.dep_ == "appos" and token.i == token.head.i + 1 and token.left_edge == token


def is_reference(token: Token) -> bool:
    """Tell whether a token is a whole cross-reference: "Section 2, “Filters”"."""
    return " " in token.text and token.text.startswith(_REFERENCES)


def is_within_name(token: Token) -> bool:
    """Tell whether a "for" is part of a name: "Joule for Consultants", "Tools for Eclipse".

    Both sides are capitalised, without an article between them.
    """
    if token.dep_ != "prep" or token.text != "for" or token.i == 0:
        return False
    noun = first_child(token, "pobj")
    before = token.doc[token.i - 1]
    if noun is None or not before.text[:1].isupper() or before.pos_ not in NOMINAL_POS:
        return False
    first = token.doc[token.i + 1]
    if min(len(before), len(first)) < 2:
        return False
    return first.text[:1].isupper() and first_child(noun, "det", "poss") is None


def surface(doc: Doc, indices: Sequence[int]) -> Span | None:
    """Return the text of tokens, without punctuation and conjunctions at its edges.

    Gaps become a space. None means that nothing is left.
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
        if all(doc[i].is_space for i in range(before + 1, index)):
            pieces[-1][1] = index
        else:
            pieces.append([index, index])
    text = " ".join(doc.text[doc[a].idx : token_end(doc[b])] for a, b in pieces)
    return Span(text, doc[kept[0]].idx, token_end(doc[kept[-1]]))


def without_stray_brackets(doc: Doc, indices: list[int]) -> list[int]:
    """Drop unpaired brackets, and empty pairs."""
    words = [doc[i].text for i in indices]
    if _BRACKETS.isdisjoint(words):
        return indices
    for opening, closing in _BRACKET_PAIRS:
        if (opening in words) != (closing in words):
            return [i for i in indices if doc[i].text not in (opening, closing)]
    pairs = zip(pairwise(indices), pairwise(words), strict=True)
    empty = {i for pair, texts in pairs if texts in _BRACKET_PAIRS for i in pair}
    return [i for i in indices if i not in empty]


def token_end(token: Token) -> int:
    """Return the end offset of a token."""
    return token.idx + len(token)


def _droppable_at_start(token: Token) -> bool:
    return token.dep_ == "cc" or (token.is_punct and token.text not in _OPENING)
