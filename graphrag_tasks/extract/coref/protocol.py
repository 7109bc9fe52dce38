"""What every resolver of coreference offers, and how one is found by its name."""

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
    """What a passage is about without saying so: the key of a row, in a cell beside it.

    Attributes:
        name: The key.
        kind: What the column of keys calls them ("Field name"), or "".
    """

    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """The text in which antecedents are looked for: the sentences below one heading, or in a cell.

    Attributes:
        parses: Its sentences, in order. One that was not parsed has no tokens.
        title: Title of the document, or "".
        headings: Headings above it, outermost first.
        topic: What it is about, in a cell of a table.
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
    """One mention, resolved. Offsets are characters of the sentence; ends are exclusive.

    Attributes:
        sentence: Number of the sentence in the passage, from 0.
        start: First character of the mention.
        end: One past its last character.
        surface: The mention.
        antecedent: What it stands for, in words that can name a node.
        kind: A value of `Kind`.
        rule: What found it.
        confidence: Between 0 and 1.
        source: A value of `Source`.
        antecedent_sentence: Number of the antecedent's sentence; None for title and headings.
        antecedent_start: First character of the antecedent there; None for title and headings.
        antecedent_end: One past its last character; None for title and headings.
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

    The answer depends on the passage and on the fingerprint alone, so a document is resolved
    alike in whatever shard it is.
    """

    @property
    def name(self) -> str:
        """Short name."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides the answer apart from the passage: rules, weights, model."""

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
        "ranking": "graphrag_tasks.extract.coref.resolver:RankingResolver",
        "none": "graphrag_tasks.extract.coref.protocol:NoResolver",
    },
)
"""Factories take no arguments."""


def load_resolver(name: str) -> CoreferenceResolver:
    """Return the resolver of a name.

    Raises:
        ConfigError: There is none of that name.
    """
    return RESOLVERS.factory(name)()
