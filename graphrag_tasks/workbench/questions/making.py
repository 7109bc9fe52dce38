"""Make questions: the candidates of all rules, selected, with gold spans.

No person writes these questions, so figures on them are optimistic: they use the words of the answering sentence, and
only facts that extraction found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.gold import spans_of
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Made, Question, Span
from graphrag_tasks.workbench.questions.candidates import MULTI_HOP, SINGLE, TYPES, Candidate, Stretch
from graphrag_tasks.workbench.questions.clauses import Clauses
from graphrag_tasks.workbench.questions.corpus import Corpus
from graphrag_tasks.workbench.questions.drawing import drawn, shares
from graphrag_tasks.workbench.questions.headings import asked_by_headings
from graphrag_tasks.workbench.questions.joined import joined
from graphrag_tasks.workbench.questions.listings import listings
from graphrag_tasks.workbench.questions.nowhere import unanswerable
from graphrag_tasks.workbench.questions.overviews import overviews
from graphrag_tasks.workbench.questions.rewording import Rewording
from graphrag_tasks.workbench.questions.single import singles
from graphrag_tasks.workbench.questions.tables import Tables

NUMBER = 60  # Default number of questions: the 95 % interval of a share is then at most ± .13.


@dataclass(frozen=True)
class MadeQuestions:
    """Questions, with notes for a person.

    Attributes:
        questions: Ordered by type; deterministic for a snapshot, number and seed.
        notes: Types with fewer questions than wanted, and why.
    """

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()

    def counts(self) -> Mapping[str, int]:
        """Return how many questions there are of each type."""
        found = Counter(question.type for question in self.questions)
        return {kind: found[kind] for kind in TYPES}

    def to_jsonl(self) -> str:
        """Return one line per question, as `read_questions` reads them."""
        lines = [question.model_dump_json(exclude_defaults=True) for question in self.questions]
        return "".join(f"{line}\n" for line in lines)


def make_questions(
    snapshot: Snapshot, number: int = NUMBER, seed: int = 0, rewording: Rewording | None = None
) -> MadeQuestions:
    """Make questions with known answers from a snapshot.

    Args:
        snapshot: As a reader sees it: with access labels, what `visibility.visible` lets through.
        number: Number of questions wanted; a small corpus gives fewer.
        seed: Decides which of equally good questions are taken.
        rewording: Rewords the questions by a model; None: they stay as made by rules.
    """
    if number < 1:
        raise ConfigError(f"must be at least 1 (got {number})", "--number", "Ask for 60")
    corpus = Corpus(snapshot)
    taken = drawn(candidates(corpus), number, seed)
    if not taken:
        raise ConfigError(
            "no rule makes a question from this corpus",
            snapshot.folder.uri,
            "Index documents with sentences that state facts, tables or headings, or write questions by hand",
        )
    worded: Sequence[str | None] = [None] * len(taken)
    if rewording is not None:
        worded = rewording.reworded(taken, corpus.paths)
    questions = tuple(_questions(snapshot, corpus, taken, worded))
    return MadeQuestions(questions, tuple(_notes(corpus, taken, number)))


def candidates(corpus: Corpus) -> list[Candidate]:
    """Return every candidate question of all rules, in document order."""
    clauses, tables = Clauses(corpus), Tables(corpus)
    asked = [*singles(clauses), *tables.singles()]
    return [
        *asked,
        *asked_by_headings(corpus),
        *joined(clauses, tables),
        *listings(corpus, clauses),
        *tables.listings(),
        *overviews(corpus),
        *tables.gaps(),
        *unanswerable(clauses, [candidate for candidate in asked if candidate.type == SINGLE]),
    ]


@dataclass(frozen=True)
class _Place:
    """A span with its document's uri, for `spans_of`."""

    document_id: str
    uri: str
    char_start: int
    char_end: int


def _questions(
    snapshot: Snapshot, corpus: Corpus, taken: Sequence[Candidate], worded: Sequence[str | None]
) -> Iterator[Question]:
    stretches = list(dict.fromkeys(
        stretch for candidate in taken for alike in candidate.gold for stretch in alike
    ))  # fmt: skip
    places = [_Place(one.document_id, corpus.uris[one.document_id], one.char_start, one.char_end) for one in stretches]
    spans = dict(zip(stretches, spans_of(snapshot, places), strict=True))
    for candidate, words in zip(taken, worded, strict=True):
        gold = tuple(_gold(alike, spans) for alike in candidate.gold)
        made: Made = "rule" if words is None else "model"
        parts = [f"{span.path}:{span.char_start}-{span.char_end}" for span in gold]
        yield Question(
            id=f"made-{content_id('made', candidate.type, candidate.question, *parts)}",
            question=words or candidate.question,
            answer=candidate.answer,
            type=candidate.type,
            gold=gold,
            answerable=bool(gold),
            made=made,
        )


def _gold(alike: Sequence[Stretch], spans: Mapping[Stretch, Span]) -> GoldSpan:
    first, *others = (spans[stretch] for stretch in alike)
    return GoldSpan(**first.model_dump(), alternatives=tuple(others))


def _notes(corpus: Corpus, taken: Sequence[Candidate], number: int) -> Iterator[str]:
    if len(taken) < number:
        yield f"The corpus gives {len(taken)} questions of the {number} that were asked for."
    found = Counter(candidate.type for candidate in taken)
    for kind, wanted in shares(number).items():
        if not found[kind] and wanted:
            why = ""
            if kind == MULTI_HOP and len(corpus.uris) < 2:
                why = ": they need two documents"
            yield f"No question of the type {kind}{why}."
        elif found[kind] < wanted:
            yield f"{found[kind]} of {wanted} questions of the type {kind}."
