"""Light parses, and the passages and coreferences made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import groupby
from typing import Any, NamedTuple

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
OBJECTS = frozenset({"dobj", "dative", "iobj"})
_CLAUSES = frozenset({"relcl", "acl", "advcl", "ccomp", "xcomp", "pcomp", "csubj", "parataxis"})
_VERBAL = frozenset({"VERB", "AUX"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_NAME_PARTS = frozenset({"compound", "flat", "nmod"})
_WORD_COLUMNS = ("words", "lemmas", "tags", "pos", "deps")


class Role(IntEnum):
    """Role of a noun phrase in its clause; the numbers are feature values."""

    SUBJECT = 0
    OBJECT = 1
    POSSESSOR = 2
    OBLIQUE = 3
    AGENT = 4
    ATTRIBUTE = 5
    APPOSITION = 6
    ROOT = 7
    OTHER = 8


_ROLES = dict.fromkeys(SUBJECTS, Role.SUBJECT) | dict.fromkeys(OBJECTS, Role.OBJECT) | {
    "poss": Role.POSSESSOR, "pobj": Role.OBLIQUE, "attr": Role.ATTRIBUTE,
    "appos": Role.APPOSITION, "ROOT": Role.ROOT,
}  # fmt: skip


class Entity(NamedTuple):
    """A named entity: tokens from `start` to before `end`, and its label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Parse:
    """A parsed sentence: one column for each token attribute, and its named entities.

    `starts` are character offsets in `text`, `tags` are of the Penn Treebank, `pos` are universal parts of speech, and
    `deps` are spaCy's English labels (ClearNLP style). `heads` are token indexes; the root is its own head.
    """

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    pos: tuple[str, ...]
    deps: tuple[str, ...]
    heads: tuple[int, ...]
    entities: tuple[Entity, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    def end(self, token: int) -> int:
        """Return the end offset of a token."""
        return self.starts[token] + len(self.words[token])

    def surface(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to before `end`."""
        return self.text[self.starts[start] : self.end(end - 1)]

    def ancestors(self, token: int) -> list[int]:
        """Return the tokens from the token's head up to the root."""
        found: list[int] = []
        while self.heads[token] != token and len(found) < len(self):
            token = self.heads[token]
            found.append(token)
        return found

    def children(self, token: int) -> list[int]:
        """Return the children of a token, in order."""
        return [i for i, head in enumerate(self.heads) if head == token and i != token]

    def is_root(self, token: int) -> bool:
        """Tell whether the token is the head of the sentence."""
        return self.heads[token] == token

    def role(self, token: int) -> Role:
        """Return the role of the phrase that a token heads."""
        if self.deps[token] == "pobj" and self.deps[self.heads[token]] == "agent":
            return Role.AGENT
        return _ROLES.get(self.deps[token], Role.OTHER)

    def clause(self, token: int) -> int:
        """Return the head of the smallest clause that contains the token."""
        for node in (path := [token, *self.ancestors(token)]):
            conjoined = self.deps[node] == "conj" and self.pos[node] in _VERBAL
            if conjoined or self.deps[node] in _CLAUSES:
                return node
        return path[-1]

    def name_head(self, token: int) -> int:
        """Return the noun that a part of a name modifies: "actress" in "actress Mary"."""
        while self.deps[token] in _NAME_PARTS and not self.is_root(token):
            token = self.heads[token]
        return token

    def apposed(self, token: int) -> int:
        """Return the noun that a part of a name modifies or is in apposition to."""
        token = self.name_head(token)
        while self.deps[token] == "appos":
            token = self.heads[token]
        return token

    def first_conjunct(self, token: int) -> int:
        """Return the first conjunct of the noun coordination that contains the token."""
        while self.deps[token] == "conj" and self.pos[self.heads[token]] in _NOMINAL:
            token = self.heads[token]
        return token

    def role_head(self, token: int) -> int:
        """Return the token whose label is the role of the token's phrase."""
        return self.first_conjunct(self.apposed(token))


def parse_of(tokens: Iterable[Any], text: str) -> Parse:
    """Return the light parse of spaCy tokens."""
    listed = list(tokens)
    first, offset = (listed[0].i, listed[0].idx) if listed else (0, 0)
    entities = []
    for label, run in groupby(enumerate(listed), key=lambda place: place[1].ent_type_):
        places = [i for i, _ in run]
        if label:
            entities.append(Entity(places[0], places[-1] + 1, label))
    return Parse(
        text=text,
        words=tuple(token.text for token in listed),
        starts=tuple(token.idx - offset for token in listed),
        lemmas=tuple(token.lemma_ for token in listed),
        tags=tuple(token.tag_ for token in listed),
        pos=tuple(token.pos_ for token in listed),
        deps=tuple(token.dep_ for token in listed),
        heads=tuple(token.head.i - first for token in listed),
        entities=tuple(entities),
    )


def joined(text: str, parses: Iterable[tuple[Parse, int]]) -> Parse:
    """Join the parses of a sentence's pieces; each comes with its start offset."""
    columns: dict[str, list[Any]] = {name: [] for name in (*_WORD_COLUMNS, "starts", "heads")}
    entities = []
    for parse, start in parses:
        before = len(columns["words"])
        for name in _WORD_COLUMNS:
            columns[name] += getattr(parse, name)
        columns["starts"] += [place + start for place in parse.starts]
        columns["heads"] += [head + before for head in parse.heads]
        entities += [Entity(e.start + before, e.end + before, e.label) for e in parse.entities]
    tuples = {name: tuple(values) for name, values in columns.items()}
    return Parse(text=text, entities=tuple(entities), **tuples)


Span = tuple[int, int, int]  # Tokens of a passage: sentence index, first token, end token.


class Kind(StrEnum):
    """Kind of the resolved mention."""

    PRONOUN = "pronoun"
    DEFINITE = "definite"
    """A noun with only a definite determiner: "the report", "this transaction"."""


class Source(StrEnum):
    """Where the antecedent was found."""

    TEXT = "text"
    HEADING = "heading"
    TITLE = "title"
    KEY = "key"
    """The cell that names a table row."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The row key that a cell is implicitly about."""

    name: str
    kind: str = ""
    """Header of the key column ("Field name")."""


@dataclass(frozen=True, slots=True)
class CorefText:
    """A text in which antecedents are searched: the sentences below a heading, or in a cell.

    `parses` are its sentences in order; unparsed ones have no tokens. `title` is the document's, `headings` are
    outermost first, and cells have a `topic`.
    """

    parses: Sequence[Parse]
    title: str = ""
    headings: Sequence[str] = ()
    topic: Topic | None = None

    def place(self, span: Span) -> tuple[int, int, int, str]:
        """Return the sentence index, start offset, end offset and text of tokens."""
        number, start, end = span
        parse = self.parses[number]
        return number, parse.starts[start], parse.end(end - 1), parse.surface(start, end)

    def resolved(self, mention: Span, antecedent: Span, *, kind: Kind, rule: str, confidence: float) -> Coreference:
        """Return the coreference of a mention with an antecedent in the passage."""
        number, start, end, name = self.place(antecedent)
        return Coreference(*self.place(mention), name, kind, rule, confidence, Source.TEXT, number, start, end)


@dataclass(frozen=True, slots=True)
class Coreference:
    """A resolved mention: position, text and antecedent.

    Sentences are counted from 0 in the passage; offsets are characters of a sentence, ends exclusive. `antecedent` is a
    text that can name a node; it has a position only if its `source` is the text. `rule` names the rule that found it.
    """

    sentence: int
    start: int
    end: int
    surface: str
    antecedent: str
    kind: str
    rule: str
    confidence: float
    source: str = Source.TEXT
    antecedent_sentence: int | None = None
    antecedent_start: int | None = None
    antecedent_end: int | None = None
