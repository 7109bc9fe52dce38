"""A parsed sentence as plain Python objects.

Rules ask each token for children, label and text dozens of times. spaCy makes new objects for each answer; here each
token is made once, and rules run more than twice as fast. All names are spaCy's, so rules accept a `spacy.tokens.Doc`
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span


@dataclass(slots=True, eq=False, repr=False)
class Token:
    """A token, with the attributes that it has in spaCy.

    The root is its own `head`; `children` are its dependents, in order.
    """

    i: int
    idx: int
    text: str
    lower_: str
    tag_: str
    pos_: str
    dep_: str
    lemma_: str
    is_punct: bool
    is_space: bool
    ent_type_: str
    doc: Doc = field(init=False)
    head: Token = field(init=False)
    children: list[Token] = field(init=False, default_factory=list)

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        return self.text

    @property
    def lefts(self) -> list[Token]:
        """Children before the token."""
        return [child for child in self.children if child.i < self.i]

    @property
    def rights(self) -> list[Token]:
        """Children after the token."""
        return [child for child in self.children if child.i > self.i]

    @property
    def n_rights(self) -> int:
        """Number of children after the token."""
        return len(self.rights)

    @property
    def left_edge(self) -> Token:
        """First token of its subtree."""
        return self.doc[self.doc.left_edges[self.i]]

    @property
    def right_edge(self) -> Token:
        """Last token of its subtree."""
        return self.doc[self.doc.right_edges[self.i]]

    @property
    def subtree(self) -> list[Token]:
        """The token and all below it, in order."""
        found = [self]
        for token in found:
            found.extend(token.children)
        return sorted(found, key=lambda token: token.i)


class Doc(list[Token]):
    """A parsed sentence: its text and tokens; each token's `doc` is set."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.text = text
        for token in tokens:
            token.doc = self

    @cached_property
    def left_edges(self) -> list[int]:
        """For each token, the index of its subtree's first token."""
        return self._edges(range(len(self)))

    @cached_property
    def right_edges(self) -> list[int]:
        """For each token, the index of its subtree's last token."""
        return self._edges(range(len(self) - 1, -1, -1))

    def _edges(self, order: range) -> list[int]:
        """Return the first token of each subtree in this order; linear, as none is set twice."""
        edges: list[int | None] = [None] * len(self)
        for i in order:
            token = self[i]
            while edges[token.i] is None:
                edges[token.i] = i
                token = token.head
        return [edge for edge in edges if edge is not None]


def attach(tokens: Sequence[Token], heads: Sequence[int]) -> None:
    """Set the heads of tokens by index, and so their children; a root is its own head."""
    for token, head in zip(tokens, heads, strict=True):
        token.head = tokens[head]
        if token.head is not token:
            token.head.children.append(token)


# Verbs that the tagger takes for plural nouns: "The server stores files.".

_NOUNS = frozenset({"NN", "NNP"})
_BEGINS_OF_OBJECTS = frozenset({"CD", "DT", "JJ", "NN", "NNS", "NNP", "NNPS", "PRP$", "TO", "IN", "VBN", "VBG"})
_ENDS = frozenset({".", "!"})


def may_be_verb(sentence: Doc | Span, place: int) -> bool:
    """Tell whether the token at a place of a tagged sentence may be its verb, not a plural noun.

    It stands between a singular noun and what may begin an object, and the sentence ends as one: headings do not.
    """
    last = len(sentence) - 1
    if not 0 < place < last - 1 or sentence[last].text not in _ENDS:
        return False
    before, word, after = (sentence[place + step] for step in (-1, 0, 1))
    return before.tag_ in _NOUNS and word.tag_ == "NNS" and word.text.islower() and after.tag_ in _BEGINS_OF_OBJECTS
