"""The Protocol of coreference resolvers, what they read and return, and their registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from graphrag_tasks.core.registry import Registry
from graphrag_tasks.extract.coref.parses import Parse

Span = tuple[int, int, int]
"""Tokens of a passage: number of their sentence, the first one, one past the last one."""


class Kind(StrEnum):
    """What kind of mention was resolved."""

    PRONOUN = "pronoun"
    DEFINITE = "definite"
    """A noun with "the" or "this" and nothing else: "the report", "this transaction"."""


class Source(StrEnum):
    """Where the antecedent stands."""

    TEXT = "text"
    HEADING = "heading"
    TITLE = "title"
    KEY = "key"
    """The cell that names the row of a table."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a cell is about without saying so: the key of its row."""

    name: str
    kind: str = ""
    """The heading of the column of keys ("Field name")."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The text in which antecedents are looked for: the sentences below one heading, or in a cell.

    `parses` are its sentences in order; one that was not parsed has no tokens. `title` is that of
    the document, `headings` are outermost first, and cells have a `topic`.
    """

    parses: Sequence[Parse]
    title: str = ""
    headings: Sequence[str] = ()
    topic: Topic | None = None

    def place(self, span: Span) -> tuple[int, int, int, str]:
        """Return the sentence, first character, end and text of tokens."""
        number, start, end = span
        parse = self.parses[number]
        return number, parse.starts[start], parse.end(end - 1), parse.surface(start, end)

    def resolved(
        self, mention: Span, antecedent: Span, *, kind: Kind, rule: str, confidence: float
    ) -> Coreference:
        """Return the coreference of a mention with other tokens of the passage."""
        number, start, end, name = self.place(antecedent)
        return Coreference(
            *self.place(mention), name, kind, rule, confidence, Source.TEXT, number, start, end
        )


@dataclass(frozen=True, slots=True)
class Coreference:
    """One mention, resolved: its place, its text, and what it stands for.

    Sentences are numbered from 0 in the passage, offsets are characters of a sentence, and ends are
    exclusive. `antecedent` is in words that can name a node; it has a place only where its `source`
    is the text. `rule` says what found it.
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
    """Finds what the pronouns and definite mentions of a passage stand for.

    The answer depends only on the passage and the fingerprint, not on the other documents.
    """

    @property
    def name(self) -> str:
        """Short name."""

    @property
    def fingerprint(self) -> str:
        """All that decides the answer apart from the passage: rules, weights, model."""

    def resolve(self, passage: Passage) -> list[Coreference]:
        """Return what was resolved, at most once for each mention, in the order of the text."""


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
    """Return the resolver of a name, or raise `ConfigError` where there is none."""
    return RESOLVERS.factory(name)()
