"""Features of a pronoun and a candidate antecedent, the input of the learned ranking.

A candidate is an entity, judged by its *anchor*: the last mention before the pronoun that syntax
allows, else the first one after it in the same sentence. Gender features are relative to the
pronoun's gender, so that weights learned from "he" also hold for "she" (but see
`section._first_name`).

Cues from the literature: recency, role and depth (Hobbs 1978; Lappin and Leass 1994), parallelism
and page title (Webster et al. 2018), salience as number and roles of mentions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_tasks.extract.coref.names import Mention, is_excluded
from graphrag_tasks.extract.coref.parses import Parse, Role
from graphrag_tasks.extract.coref.section import Pronoun, Section

_PREPOSITIONS = ("with", "by", "of", "to", "for", "from", "as")
_NOT_PERSONS = frozenset({"GPE", "LOC", "ORG", "FAC", "NORP", "WORK_OF_ART", "PRODUCT", "EVENT"})
_RELATIVE = frozenset({"relcl", "acl"})
_UNRELATED = 9
"""Distance in clauses if neither clause contains the other."""
MAX_CANDIDATES = 40
"""Candidates per pronoun, nearest first; a text of GAP has at most 36."""


@dataclass(slots=True)
class Candidate:
    """An entity as possible antecedent of a pronoun, with its features in `values`.

    `entity` is its index in `Section.entities`; `before` are the mentions before the pronoun that
    syntax allows.
    """

    entity: int
    anchor: Mention
    before: tuple[Mention, ...]
    values: dict[str, float] = field(default_factory=dict)


def candidates_of(section: Section, pronoun: Pronoun) -> list[Candidate]:
    """Return the candidate antecedents of a pronoun, at most `MAX_CANDIDATES`."""
    numbers = range(len(section.entities))
    found = [one for number in numbers if (one := _candidate(section, pronoun, number))]
    if len(found) > MAX_CANDIDATES:
        nearest = sorted(found, key=lambda one: abs(pronoun.offset - one.anchor.offset))
        found = sorted(nearest[:MAX_CANDIDATES], key=lambda one: one.entity)
    for candidate in found:
        for measure in (_place, _syntax, _anchor_form, _salience, _kind, _title):
            measured: dict[str, Any] = measure(section, pronoun, candidate)
            candidate.values |= {name: float(value) for name, value in measured.items()}
    _compare(pronoun, found)
    return found


def _candidate(section: Section, pronoun: Pronoun, number: int) -> Candidate | None:
    def is_allowed(one: Mention) -> bool:
        parse = section.parses[pronoun.sentence]
        return one.sentence != pronoun.sentence or not is_excluded(parse, pronoun.token, one)

    mentions = section.entities[number].mentions
    allowed = list(filter(is_allowed, mentions))
    before = tuple(mention for mention in allowed if mention.offset < pronoun.offset)
    behind = (mention for mention in allowed if mention.offset > pronoun.offset)
    following = next((mention for mention in behind if mention.sentence == pronoun.sentence), None)
    anchor = before[-1] if before else following
    if anchor is None:
        return None
    return Candidate(number, anchor, before, {"blocked": float(len(mentions) - len(allowed))})


def _place(section: Section, pronoun: Pronoun, candidate: Candidate) -> dict[str, Any]:
    anchor = candidate.anchor
    first, last = section.names_before(anchor.offset + 1), section.names_before(pronoun.offset)
    own = {mention.offset for mention in section.entities[candidate.entity].mentions}
    others = [name for name in section.names[first:last] if name.offset not in own]
    persons = {other.key for other in others if other.label == "PERSON"}
    quoted = section.quoted[pronoun.sentence][pronoun.token]
    anchor_quoted = section.quoted[anchor.sentence][anchor.head]
    return {
        "sentences_apart": pronoun.sentence - anchor.sentence,
        "follows": not candidate.before,
        "log_tokens_apart": math.log1p(abs(pronoun.offset - anchor.offset)),
        "anchor_token": anchor.start,
        "persons_between": len(persons),
        "subjects_between": sum(section.role(other) == Role.SUBJECT for other in others),
        "pronoun_quoted": quoted,
        "anchor_quoted": anchor_quoted,
        "across_quotes": quoted != anchor_quoted,
        "pronoun_bracketed": section.bracketed[pronoun.sentence][pronoun.token],
        "anchor_bracketed": section.bracketed[anchor.sentence][anchor.head],
    }


def _syntax(section: Section, pronoun: Pronoun, candidate: Candidate) -> dict[str, Any]:
    anchor, role = candidate.anchor, section.role(candidate.anchor)
    parse, other = section.parses[pronoun.sentence], section.parses[anchor.sentence]
    above, above_anchor = parse.ancestors(pronoun.token), other.ancestors(anchor.head)
    clause = other.clause(anchor.role_head)
    verb = other.heads[anchor.role_head]
    possessive = parse.deps[pronoun.token] == "poss"
    own_verb = parse.heads[pronoun.token]
    return {
        "role": role,
        "parallel": role == pronoun.role or (possessive and role == Role.SUBJECT),
        "same_role": role == pronoun.role,
        "main_subject": role == Role.SUBJECT and other.is_root(verb),
        "anchor_depth": len(above_anchor),
        "clause_depth": len(other.ancestors(clause)),
        "in_subject": role == Role.OBLIQUE
        and any(other.role(i) == Role.SUBJECT for i in above_anchor),
        "in_relative_clause": any(other.deps[i] in _RELATIVE for i in (anchor.head, *above_anchor)),
        "pronoun_role": pronoun.role,
        "pronoun_form": _form(parse, pronoun),
        "pronoun_depth": len(above),
        "pronoun_token": pronoun.token,
        "pronoun_in_main_clause": own_verb == pronoun.clause and parse.is_root(own_verb),
        "pronoun_in_adverbial": any(parse.deps[i] == "advcl" for i in above),
    } | _same_sentence(parse, pronoun, candidate, clause, role)


def _form(parse: Parse, pronoun: Pronoun) -> int:
    word = parse.words[pronoun.token].lower()
    if word in ("he", "she"):
        return 0
    return 2 if word == "his" or parse.deps[pronoun.token] == "poss" else 1


def _same_sentence(
    parse: Parse, pronoun: Pronoun, candidate: Candidate, clause: int, role: Role
) -> dict[str, Any]:
    """Return the features that only a candidate in the pronoun's sentence can have."""
    anchor = candidate.anchor
    if anchor.sentence != pronoun.sentence:
        names = ("same_clause", "commands", "within", "within_conjunct", "owner_coordinated")
        return dict.fromkeys((*names, "relative_of_anchor", "anchor_in_adverbial"), 0) | {
            "clauses_up": -1
        }
    token, above = pronoun.token, parse.ancestors(pronoun.token)
    same = clause == pronoun.clause
    owned = parse.heads[token]
    within = anchor.head in above or anchor.role_head in above
    leads_on = role == Role.SUBJECT and anchor.offset < pronoun.offset
    ends = (anchor.head, anchor.role_head)
    above_anchor = parse.ancestors(anchor.head)
    return {
        "same_clause": same,
        "commands": leads_on and (same or clause in above),
        "clauses_up": 0 if same else above.index(clause) + 1 if clause in above else _UNRELATED,
        "within": within,
        "within_conjunct": within and any(parse.deps[i] == "conj" for i in above[:3]),
        "owner_coordinated": parse.deps[token] == "poss"
        and parse.deps[owned] == "conj"
        and parse.first_conjunct(owned) == anchor.role_head,
        "relative_of_anchor": any(
            parse.deps[i] in _RELATIVE and parse.heads[i] in ends for i in (token, *above)
        ),
        "anchor_in_adverbial": any(parse.deps[i] == "advcl" for i in (anchor.head, *above_anchor)),
    }


def _anchor_form(section: Section, _: Pronoun, candidate: Candidate) -> dict[str, Any]:
    anchor = candidate.anchor
    parse = section.parses[anchor.sentence]
    governor = parse.heads[anchor.role_head]
    preposition = parse.words[governor].lower() if parse.pos[governor] == "ADP" else ""
    following = anchor.end < len(parse)
    return {f"after_{word}": preposition == word for word in _PREPOSITIONS} | {
        "coordinated": anchor.coordinated,
        "later_conjunct": anchor.coordinated and anchor.head != anchor.role_head,
        "chained": anchor.chained,
        "has_possessive_mark": following and parse.tags[anchor.end] == "POS",
        "before_comma": following and parse.words[anchor.end] == ",",
        "anchor_words": len(anchor.key),
    }


def _salience(section: Section, pronoun: Pronoun, candidate: Candidate) -> dict[str, Any]:
    mentions, before = section.entities[candidate.entity].mentions, candidate.before
    named_before = section.names_before(pronoun.offset)
    subjects = [one for one in before if section.role(one) == Role.SUBJECT]
    previous = [subject for subject in subjects if subject.sentence == pronoun.sentence - 1]
    own = [subject for subject in subjects if subject.sentence == pronoun.sentence]
    parse = section.parses[pronoun.sentence]
    path = {pronoun.token, *parse.ancestors(pronoun.token)}
    return {
        "mentions_before": len(before),
        "mentions": len(mentions),
        "mentions_after": sum(mention.offset >= pronoun.offset for mention in mentions),
        "share_of_names": len(before) / max(1, named_before),
        "subject_mentions": len(subjects),
        "near_subject_mentions": sum(
            pronoun.sentence - subject.sentence <= 2 for subject in subjects
        ),
        "first_offset": mentions[0].offset,
        "is_first": candidate.entity == 0,
        "previous_subject": bool(previous),
        "previous_main_subject": any(
            section.parses[one.sentence].is_root(section.parses[one.sentence].heads[one.role_head])
            for one in previous
        ),
        "own_subject": bool(own),
        "own_subject_above": any(parse.heads[one.role_head] in path for one in own),
    }


def _kind(section: Section, pronoun: Pronoun, candidate: Candidate) -> dict[str, Any]:
    mentions = section.entities[candidate.entity].mentions
    labels = [mention.label for mention in mentions]
    cues = section.genders[candidate.entity]
    sign = 1 if pronoun.gender == "feminine" else -1
    return {
        "person": labels.count("PERSON") / len(labels),
        "not_person": sum(label in _NOT_PERSONS for label in labels) / len(labels),
        "name_words": max(len(mention.key) for mention in mentions),
        "first_name_agrees": sign * cues.first_name,
        "title_agrees": sign * cues.title,
        "noun_agrees": sign * cues.noun,
    }


def _title(section: Section, _: Pronoun, candidate: Candidate) -> dict[str, Any]:
    title = set(section.title)
    keys = [set(mention.key) for mention in section.entities[candidate.entity].mentions]
    shares = [1.0 if key <= title else 0.5 * bool(key & title) for key in keys if title]
    return {
        "in_title": max(shares, default=0.0),
        "is_title": bool(title) and title in keys,
        "title_words": len(title),
    }


def _compare(pronoun: Pronoun, found: Sequence[Candidate]) -> None:
    """Add features that compare each candidate with the others."""
    orders: dict[str, Callable[[Candidate], Any]] = {
        "recency_rank": lambda candidate: (
            candidate.values["follows"],
            candidate.values["log_tokens_apart"],
        ),
        "frequency_rank": lambda candidate: -candidate.values["mentions"],
        "hobbs_rank": lambda candidate: _hobbs_order(pronoun, candidate),
    }
    for name, order in orders.items():
        steps = sorted({order(candidate) for candidate in found})
        for candidate in found:
            candidate.values[name] = float(steps.index(order(candidate)))
    persons = sum(candidate.values["person"] > 0 for candidate in found)
    for candidate in found:
        candidate.values |= {"candidates": float(len(found)), "persons": float(persons)}
    for name in ("first_name_agrees", "in_title", "mentions", "subject_mentions"):
        for candidate, lead in zip(
            found, leads([each.values[name] for each in found]), strict=True
        ):
            candidate.values[f"{name}_lead"] = lead


def _hobbs_order(pronoun: Pronoun, one: Candidate) -> tuple[float, ...]:
    """Return the approximate order of Hobbs's search: up the own tree, then left to right."""
    start = float(one.anchor.start)
    if one.anchor.sentence != pronoun.sentence:
        return (float(pronoun.sentence - one.anchor.sentence), 0.0, 0.0, 0.0, start)
    values = one.values
    return (0.0, values["follows"], 1.0 - values["commands"], values["clauses_up"], start)


def leads(values: Sequence[float]) -> list[float]:
    """Return the lead of each value over the best other value; 0 is the other if there is none."""
    others = [[*values[:i], *values[i + 1 :]] for i in range(len(values))]
    return [value - max(rest, default=0.0) for value, rest in zip(values, others, strict=True)]
