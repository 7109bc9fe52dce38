"""Questions that need two facts from two documents, joined by a name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from graphrag_tasks.workbench.questions import wording
from graphrag_tasks.workbench.questions.candidates import MULTI_HOP, Candidate, Stretch, content_words, is_plain
from graphrag_tasks.workbench.questions.clauses import Clause, Clauses
from graphrag_tasks.workbench.questions.single import object_asked, subject_asked, which
from graphrag_tasks.workbench.questions.tables import Tables

_MOST_TOLD = 13  # Most words of a fact that describes a thing instead of its name.
_LEAST_TOLD = 3  # Fewest distinctive words of such a description.
_MOST_FACTS = 12  # Facts of a name that are paired.
_MOST_WORDS = 38  # Longest question in words; longer ones are hard to follow.


@dataclass(frozen=True)
class _Description:
    """A description that replaces a name, "the report that lists balances", with its source."""

    name: str
    words: str
    gold: tuple[Stretch, ...]
    sentence: str
    is_plural: bool = False


def joined(clauses: Clauses, tables: Tables) -> Iterator[Candidate]:
    """Yield questions about a name in one document that another document describes."""
    descriptions: dict[str, list[_Description]] = defaultdict(list)
    for description in _descriptions(clauses, tables):
        descriptions[description.name].append(description)
    objects = _by_object(clauses)
    for clause in clauses.found:
        for one in descriptions.get(clause.name.casefold(), ())[:_MOST_FACTS]:
            if one.is_plural != wording.is_plural_noun(clause.head):
                continue
            made = object_asked(clauses, replace(clause, subject=one.words))
            yield from _checked(clauses, one, clause.stretch, made)
    for name, some in descriptions.items():
        for one in some[:_MOST_FACTS]:
            for clause, surface in objects.get(name, ())[:_MOST_FACTS]:
                if clause.rest.endswith(surface):  # else what follows is told of the description
                    rest = clause.rest.removesuffix(surface) + one.words
                    made = subject_asked(clauses, replace(clause, rest=rest))
                    yield from _checked(clauses, one, clause.stretch, made)
            for made in tables.singles_of(name, one.words):
                yield from _checked(clauses, one, made.gold[0][0], made)
    yield from _both_told(clauses)


def _descriptions(clauses: Clauses, tables: Tables) -> Iterator[_Description]:
    for clause in clauses.found:
        words = _defined(clause) if clause.rule == "copula" else _told(clauses, clause)
        if words is not None and not clauses.is_common(clause.entity):
            yield _Description(clause.name.casefold(), words, clauses.also_said(clause),
                               clause.sentence.text,
                               clause.rule != "copula" and wording.is_plural_noun(clause.head),
                               )  # fmt: skip
    for made, words in tables.described():
        yield _Description(made.answer.casefold(), words, made.gold[0], made.sentence)


def _is_short(told: str) -> bool:
    return (
        len(told.split()) <= _MOST_TOLD and len(content_words(told)) >= _LEAST_TOLD
        and not wording.points_elsewhere(told)
        and re.search(r"\b(?:its|itself|you|your)\b|,", told) is None
    )  # fmt: skip


def _told(clauses: Clauses, clause: Clause) -> str | None:
    """Return "the report that lists balances" from a clause about a subject."""
    kind = clause.kind
    if kind is None or not _is_short(clause.rest) or clauses.has_other_heads(clause):
        return None
    is_head = kind.lower() == clause.head.lower()
    if not wording.agrees(clause.head if is_head else "x", clause.verbs, clause.lemma):
        return None
    if not is_head and wording.is_plural_noun(clause.head):
        return None
    return f"the {kind} that {clause.rest}"


def _defined(clause: Clause) -> str | None:
    """Return "the file format which supports compression" from a subject's definition."""
    told = clause.rest.removeprefix("is ")
    found = re.match(r"an? (?P<what>.+)", told)
    if clause.verbs != "is" or found is None or not _is_short(told):
        return None
    specific = re.search(r" (?:that|which|who|for|used|of|to) ", told)
    return f"the {found['what']}" if specific and len(content_words(told)) > _LEAST_TOLD else None


def _by_object(clauses: Clauses) -> Mapping[str, Sequence[tuple[Clause, str]]]:
    """Return the clauses in which a name is an object, with its words there."""
    found: dict[str, list[tuple[Clause, str]]] = defaultdict(list)
    for clause in clauses.found:
        for argument in clause.arguments:
            surface = " ".join(argument["text"].split())
            name = re.sub(r"^(?:the|an?)\s+", "", surface, flags=re.I).casefold()
            if name and clause.rest.count(surface) == 1:
                found[name].append((clause, surface))
    return found


def _both_told(clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions for the thing that two documents state different facts about."""
    told: dict[str, list[tuple[Clause, Candidate]]] = defaultdict(list)
    for clause in clauses.found:
        made = subject_asked(clauses, clause)
        if made is not None and _is_short(clause.rest):
            told[clause.name.casefold()].append((clause, made))
    for some in told.values():
        for (one, first), (other, second) in combinations(some[:_MOST_FACTS], 2):
            opening = which(one)
            if opening != which(other) or content_words(one.rest) & content_words(other.rest):
                continue
            question = f"{opening} {one.rest} and {other.rest}?"
            description = _Description("", "", first.gold[0], one.sentence.text)
            made = replace(second, question=question, rule="both")
            yield from _checked(clauses, description, other.stretch, made)


def _checked(clauses: Clauses, one: _Description, place: Stretch, made: Candidate | None) -> Iterator[Candidate]:
    """Yield a question if its two facts are in two documents, and never in one passage."""
    if made is None or not is_plain(made.question) or len(made.question.split()) > _MOST_WORDS:
        return
    second = made.gold[0]
    if one.gold[0].document_id == place.document_id:
        return
    if _chunks(clauses, one.gold) & _chunks(clauses, second):
        return
    if one.name and (one.name in made.question.casefold() or one.name in made.answer.casefold()):
        return
    yield replace(made, type=MULTI_HOP, gold=(one.gold, second),
                  rule="both" if made.rule == "both" else "bridge",
                  subject=one.name or made.answer.casefold(),
                  sentence=f"{one.sentence}\n{made.sentence}")  # fmt: skip


def _chunks(clauses: Clauses, stretches: Sequence[Stretch]) -> set[str]:
    return {
        sentence.chunk_id for stretch in stretches
        for sentence in clauses.corpus.sentences_of.get(stretch.document_id, ())
        if sentence.char_start < stretch.char_end and stretch.char_start < sentence.char_end
    }  # fmt: skip
