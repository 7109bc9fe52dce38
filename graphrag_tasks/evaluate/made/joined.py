"""Questions that need two facts of two documents, joined by one name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from graphrag_tasks.evaluate.made import wording
from graphrag_tasks.evaluate.made.candidates import (
    MULTI_HOP,
    Candidate,
    Stretch,
    content_words,
    is_plain,
)
from graphrag_tasks.evaluate.made.clauses import (
    Clause,
    Clauses,
    answer_of,
    object_asked,
    subject_asked,
    which,
)

_MOST_TOLD = 13
"""Words of a fact that describes a thing in place of its name."""
_LEAST_TOLD = 3
"""Words of it that tell it apart from others."""
_MOST_FACTS = 12
"""Facts of one name that are paired."""


def joined(clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions whose bridge is told of in one document, and asked about in another."""
    told: dict[str, list[Clause]] = defaultdict(list)
    for one in clauses.found:
        if _describes(clauses, one):
            told[one.entity.entity_id].append(one)
    objects = _by_object(clauses)
    for entity, some in told.items():
        first = some[:_MOST_FACTS]
        for one in first:
            for clause, surface in objects.get(entity, ())[:_MOST_FACTS]:
                yield from _checked(clauses, one, clause, _object_described(clauses, one, clause, surface))
        for one, other in permutations(first, 2):
            yield from _checked(clauses, one, other, _subject_described(clauses, one, other))
            if one.stretch.document_id < other.stretch.document_id:
                yield from _checked(clauses, one, other, _both_told(clauses, one, other))


def _describes(clauses: Clauses, clause: Clause) -> bool:
    """Tell whether a clause can stand for its subject: "the report that lists balances"."""
    told = clause.rest
    return (
        clause.rule != "copula" and len(told.split()) <= _MOST_TOLD
        and len(content_words(told)) >= _LEAST_TOLD and not wording.points_elsewhere(told)
        and not clauses.is_common(clause.entity) and not clauses.has_other_heads(clause)
        and re.search(r"\b(?:its|itself|you|your)\b|,", told) is None
    )  # fmt: skip


def _described(clause: Clause) -> str | None:
    """Return a description of a clause's subject in place of its name."""
    kind = clause.kind
    if kind is None:
        return None
    is_head = kind.lower() == clause.head.lower()
    if not wording.agrees(clause.head if is_head else "x", clause.verbs, clause.lemma):
        return None
    if not is_head and wording.is_plural_noun(clause.head):
        return None
    return f"the {kind} that {clause.rest}"


def _by_object(clauses: Clauses) -> Mapping[str, Sequence[tuple[Clause, str]]]:
    """Return the clauses in which a name is an object by itself, with its words there."""
    found: dict[str, list[tuple[Clause, str]]] = defaultdict(list)
    for clause in clauses.found:
        tails = {one.tail_id for one in clause.facts}
        for argument in clause.arguments:
            surface = argument["text"]
            name = re.sub(r"^(?:the|an?)\s+", "", surface, flags=re.I).casefold()
            for tail in sorted(tails):
                entity = clauses.corpus.entities.get(tail)
                if entity and entity.name.casefold() == name and clause.rest.count(surface) == 1:
                    found[tail].append((clause, surface))
    return found


def _object_described(
    clauses: Clauses, told: Clause, clause: Clause, surface: str
) -> Candidate | None:
    described = _described(told)
    if described is None:
        return None
    if f"{surface} " in clause.rest and not clause.rest.endswith(surface):
        return None  # what follows would be read as told of the description
    return subject_asked(clauses, replace(clause, rest=clause.rest.replace(surface, described)))


def _subject_described(clauses: Clauses, told: Clause, clause: Clause) -> Candidate | None:
    described = _described(told)
    if described is None or clause.rule == "copula":
        return None
    return object_asked(clauses, replace(clause, subject=described))


def _both_told(clauses: Clauses, one: Clause, other: Clause) -> Candidate | None:
    """Return a question for the thing that two documents tell different things of."""
    opening = which(one)
    if opening is None or opening != which(other) or one.rest == other.rest:
        return None
    if content_words(one.rest) <= content_words(other.rest):
        return None
    first = subject_asked(clauses, one)
    if first is None or subject_asked(clauses, other) is None:
        return None
    return replace(first, question=f"{opening} {one.rest} and {other.rest}?",
                   answer=answer_of(one.subject), rule="both")  # fmt: skip


def _checked(
    clauses: Clauses, told: Clause, clause: Clause, made: Candidate | None
) -> Iterator[Candidate]:
    """Yield a question if its two facts stand in two documents, and in no passage together."""
    if made is None or not is_plain(made.question) or len(made.question.split()) > 38:
        return
    first, second = clauses.also_said(told), clauses.also_said(clause)
    here, there = (_chunks(clauses, one) for one in (told, clause))
    if told.stretch.document_id == clause.stretch.document_id or here & there:
        return
    if told.name.casefold() in made.question.casefold() or told.name.casefold() == (
        made.answer.casefold() if made.rule != "both" else ""
    ):
        return
    rule = made.rule if made.rule == "both" else "bridge"
    yield replace(made, type=MULTI_HOP, gold=(first, second), rule=rule,
                  subject=told.name.casefold(),
                  sentence=f"{told.sentence.text}\n{clause.sentence.text}")  # fmt: skip


def _chunks(clauses: Clauses, clause: Clause) -> set[str]:
    """Return the passages that state a clause's facts."""
    stretches: set[Stretch] = set(clauses.also_said(clause))
    return {
        one.chunk_id for stretch in stretches
        for one in clauses.corpus.sentences_of[stretch.document_id]
        if (one.char_start, one.char_end) == (stretch.char_start, stretch.char_end)
    }  # fmt: skip
