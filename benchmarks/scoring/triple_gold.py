"""Sentences with hand-labelled facts, stored as places in documents and never as text.

A gold line names a document by its path, and a sentence by its place in the document text and the hash of its
characters, so that the set can be shared where the documents can not, and a changed parser does not silently shift it:
where the hash no longer fits the place, the document is searched for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from graphrag_tasks.core.ids import text_sha256
from graphrag_tasks.workbench.evaluation.questions import JsonLine, read_lines

Span = tuple[int, int]  # Characters from the sentence's first one, end exclusive; what stands before it is negative.

Split = Literal["dev", "dev2", "check", "test", "fresh", "held", "cells", "cells_held", "cells_other"]

NO_FACT = "none"  # Kind of the sentences that state no fact.


class GoldTriple(BaseModel):
    """One fact.

    Attributes:
        head: Spans that each may stand for the head.
        relation: Words of the relation; none where the sentence only implies it.
        tail: Spans that each may stand for the tail.
        type: What is implied where there are no relation words (`triple_match.IMPLIED`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    head: tuple[Span, ...]
    relation: tuple[Span, ...] = ()
    tail: tuple[Span, ...]
    type: Literal["alias", "is", "value", "label", "member"] | None = None


class GoldSentence(JsonLine):
    """A sentence and its facts.

    Attributes:
        id: Unique in its file.
        split: `dev`, `dev2`, `check` and `cells` to work with; of `test`, `fresh`, `held`, `cells_held` and
            `cells_other` only totals are looked at, when the rules are written. Those of cells hold the text of one
            cell, or part of it; the key of its row and the header of its column are spans outside of it.
        kind: Construction it was sampled for; `NO_FACT` where it has no facts.
        path: `documents.path` of its document.
        start: First character in the document text when it was labelled.
        end: One past its last character.
        sha256: Hash of its text.
        triples: Its facts.
    """

    model_config = ConfigDict(strict=False)

    split: Split
    kind: str
    path: str
    start: int
    end: int
    sha256: str
    triples: tuple[GoldTriple, ...]


@dataclass(frozen=True)
class Fact:
    """A gold triple in words; each of `heads` and `tails` is as good as the others."""

    heads: tuple[str, ...]
    relation: str
    tails: tuple[str, ...]
    type: str | None = None


def read_gold(path: str | Path) -> list[GoldSentence]:
    """Return the labelled sentences of a JSON lines file."""
    return read_lines(path, GoldSentence)


def locate(sentence: GoldSentence, text: str) -> int | None:
    """Return where the sentence begins in a document's text, or None where it no longer occurs.

    Args:
        sentence: What to look for.
        text: The document text; it may be of another parser than the one that was labelled.
    """
    length = sentence.end - sentence.start

    def is_here(start: int) -> bool:
        return text_sha256(text[start : start + length]) == sentence.sha256

    if is_here(sentence.start):
        return sentence.start
    places = (start for start in range(len(text) - length + 1) if is_here(start))
    return min(places, key=lambda start: abs(start - sentence.start), default=None)


def facts_of(sentence: GoldSentence, text: str, start: int) -> list[Fact]:
    """Return a sentence's facts in words.

    Args:
        sentence: The labelled sentence.
        text: The document text.
        start: Where the sentence begins in it.
    """

    def words(spans: Sequence[Span]) -> tuple[str, ...]:
        return tuple(text[start + first : start + last] for first, last in spans)

    return [Fact(words(one.head), " ".join(words(one.relation)), words(one.tail), one.type) for one in sentence.triples]
