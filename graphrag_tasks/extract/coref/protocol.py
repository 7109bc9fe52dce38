"""Protocol of coreference resolvers, their input and output, and their registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from graphrag_tasks.core.registry import Registry
from graphrag_tasks.extract.coref.parses import Parse

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
class Passage:
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


class CoreferenceResolver(Protocol):
    """Resolves the pronouns and definite mentions of a passage.

    The result depends only on the passage and the fingerprint, not on other documents.
    """

    @property
    def name(self) -> str:
        """Short name."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides the result apart from the passage: rules, weights, model."""

    def resolve(self, passage: Passage) -> list[Coreference]:
        """Return the resolved mentions, each at most once, in text order."""


class NoResolver:
    """Resolves nothing."""

    name = "none"
    fingerprint = "none"

    def resolve(self, _: Passage) -> list[Coreference]:
        """Return no coreferences."""
        return []


RESOLVERS: Registry[CoreferenceResolver] = Registry(
    "coreference resolver",
    "graphrag_tasks.resolvers",
    "extract.coref",
    {
        "ranking": "graphrag_tasks.extract.coref.ranking:RankingResolver",
        "none": "graphrag_tasks.extract.coref.protocol:NoResolver",
    },
)
"""Factories take no arguments."""


def load_resolver(name: str) -> CoreferenceResolver:
    """Return the resolver of this name, or raise `ConfigError`."""
    return RESOLVERS.factory(name)()
