"""Features of a pronoun and a candidate antecedent, the input of the learned ranking.

A candidate is an entity, judged by its *anchor*: the last mention before the pronoun that syntax allows, else the first
one after it in the same sentence. Gender features are relative to the pronoun's gender, so that weights learned from
"he" also hold for "she" (but see `section._first_name`).

Cues from the literature: recency, role and depth (Hobbs 1978; Lappin and Leass 1994), parallelism and page title
(Webster et al. 2018), salience as number and roles of mentions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from graphrag_tasks.extract.coref.protocol import Parse, Role
from graphrag_tasks.extract.coref.section import Pronoun, Section
from graphrag_tasks.extract.coref.things import Mention, is_excluded

_PREPOSITIONS = ("with", "by", "of", "to", "for", "from", "as")
_NOT_PERSONS = frozenset({"GPE", "LOC", "ORG", "FAC", "NORP", "WORK_OF_ART", "PRODUCT", "EVENT"})
_RELATIVE = frozenset({"relcl", "acl"})
_UNRELATED = 9  # Distance in clauses if neither clause contains the other.
MAX_CANDIDATES = 40  # Candidates per pronoun, nearest first; a text of GAP has at most 36.

Values = dict[str, float]  # Features by name.


@dataclass(slots=True)
class Candidate:
    """An entity as possible antecedent of a pronoun, with its features in `values`.

    `entity` is its index in `Section.entities`; `before` are the mentions before the pronoun that syntax allows.
    """

    entity: int
    anchor: Mention
    before: tuple[Mention, ...]
    values: Values = field(default_factory=dict)


def candidates_in(section: Section) -> dict[Pronoun, list[Candidate]]:
    """Return the candidate antecedents of each pronoun, at most `MAX_CANDIDATES`."""

    @cache
    def of_entity(number: int) -> Values:
        return _entity(section, number)

    @cache
    def of_anchor(anchor: Mention) -> Values:
        return _anchor_syntax(section, anchor) | _anchor_form(section, anchor)

    found = {pronoun: _nearest(section, pronoun) for pronoun in section.pronouns}
    for pronoun, candidates in found.items():
        above = section.parses[pronoun.sentence].ancestors(pronoun.token)
        of_pronoun = _pronoun(section, pronoun, above)
        for one in candidates:
            one.values |= of_pronoun | of_anchor(one.anchor) | of_entity(one.entity)
            one.values |= _place(section, pronoun, one)
            one.values |= _agreement(section, pronoun, one)
            one.values |= _same_sentence(section, pronoun, one, above)
            one.values |= _salience(section, pronoun, one, above)
        _compare(pronoun, candidates)
    return found


def _nearest(section: Section, pronoun: Pronoun) -> list[Candidate]:
    numbers = range(len(section.entities))
    found = [one for number in numbers if (one := _candidate(section, pronoun, number))]
    if len(found) > MAX_CANDIDATES:
        nearest = sorted(found, key=lambda one: abs(pronoun.offset - one.anchor.offset))
        found = sorted(nearest[:MAX_CANDIDATES], key=lambda one: one.entity)
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
    return Candidate(number, anchor, before, {"blocked": len(mentions) - len(allowed)})


def _pronoun(section: Section, pronoun: Pronoun, above: Sequence[int]) -> Values:
    """Return the features of a pronoun alone; `above` are its ancestors."""
    parse = section.parses[pronoun.sentence]
    own_verb = parse.heads[pronoun.token]
    return {
        "pronoun_quoted": section.quoted[pronoun.sentence][pronoun.token],
        "pronoun_bracketed": section.bracketed[pronoun.sentence][pronoun.token],
        "pronoun_role": pronoun.role,
        "pronoun_form": _form(parse, pronoun),
        "pronoun_depth": len(above),
        "pronoun_token": pronoun.token,
        "pronoun_in_main_clause": own_verb == pronoun.clause and parse.is_root(own_verb),
        "pronoun_in_adverbial": any(parse.deps[i] == "advcl" for i in above),
    }


def _form(parse: Parse, pronoun: Pronoun) -> int:
    word = parse.words[pronoun.token].lower()
    if word in ("he", "she"):
        return 0
    return 2 if word == "his" or parse.deps[pronoun.token] == "poss" else 1


def _anchor_syntax(section: Section, anchor: Mention) -> Values:
    role, parse = section.role(anchor), section.parses[anchor.sentence]
    above = parse.ancestors(anchor.head)
    return {
        "anchor_token": anchor.start,
        "anchor_quoted": section.quoted[anchor.sentence][anchor.head],
        "anchor_bracketed": section.bracketed[anchor.sentence][anchor.head],
        "role": role,
        "main_subject": role == Role.SUBJECT and parse.is_root(parse.heads[anchor.role_head]),
        "anchor_depth": len(above),
        "clause_depth": len(parse.ancestors(parse.clause(anchor.role_head))),
        "in_subject": role == Role.OBLIQUE and any(parse.role(i) == Role.SUBJECT for i in above),
        "in_relative_clause": any(parse.deps[i] in _RELATIVE for i in (anchor.head, *above)),
    }


def _anchor_form(section: Section, anchor: Mention) -> Values:
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


def _entity(section: Section, number: int) -> Values:
    """Return the features of an entity, whatever the pronoun."""
    mentions, title = section.entities[number].mentions, set(section.title)
    labels = [mention.label for mention in mentions]
    keys = [set(mention.key) for mention in mentions]
    shares = [1.0 if key <= title else 0.5 * bool(key & title) for key in keys if title]
    return {
        "mentions": len(mentions),
        "first_offset": mentions[0].offset,
        "is_first": number == 0,
        "person": labels.count("PERSON") / len(labels),
        "not_person": sum(label in _NOT_PERSONS for label in labels) / len(labels),
        "name_words": max(len(mention.key) for mention in mentions),
        "in_title": max(shares, default=0.0),
        "is_title": bool(title) and title in keys,
        "title_words": len(title),
    }


def _place(section: Section, pronoun: Pronoun, candidate: Candidate) -> Values:
    anchor = candidate.anchor
    between = range(section.names_before(anchor.offset + 1), section.names_before(pronoun.offset))
    others = [i for i in between if section.entity_of[i] != candidate.entity]
    names = [section.names[i] for i in others]
    quoted = section.quoted[pronoun.sentence][pronoun.token]
    return {
        "sentences_apart": pronoun.sentence - anchor.sentence,
        "follows": not candidate.before,
        "log_tokens_apart": math.log1p(abs(pronoun.offset - anchor.offset)),
        "persons_between": len({name.key for name in names if name.label == "PERSON"}),
        "subjects_between": sum(section.is_subject[i] for i in others),
        "across_quotes": quoted != section.quoted[anchor.sentence][anchor.head],
    }


def _agreement(section: Section, pronoun: Pronoun, candidate: Candidate) -> Values:
    """Return how gender and role of the candidate agree with the pronoun's."""
    cues, role = section.genders[candidate.entity], candidate.values["role"]
    sign = 1 if pronoun.gender == "feminine" else -1
    possessive = section.parses[pronoun.sentence].deps[pronoun.token] == "poss"
    return {
        "first_name_agrees": sign * cues.first_name,
        "title_agrees": sign * cues.title,
        "noun_agrees": sign * cues.noun,
        "same_role": role == pronoun.role,
        "parallel": role == pronoun.role or (possessive and role == Role.SUBJECT),
    }


def _same_sentence(section: Section, pronoun: Pronoun, candidate: Candidate, above: Sequence[int]) -> Values:
    """Return the features that only a candidate in the pronoun's sentence can have."""
    anchor = candidate.anchor
    if anchor.sentence != pronoun.sentence:
        return _ELSEWHERE
    parse = section.parses[pronoun.sentence]
    token, role, clause = pronoun.token, section.role(anchor), parse.clause(anchor.role_head)
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
        "relative_of_anchor": any(parse.deps[i] in _RELATIVE and parse.heads[i] in ends for i in (token, *above)),
        "anchor_in_adverbial": any(parse.deps[i] == "advcl" for i in (anchor.head, *above_anchor)),
    }


_ELSEWHERE: Values = {
    "same_clause": 0, "commands": 0, "clauses_up": -1, "within": 0, "within_conjunct": 0,
    "owner_coordinated": 0, "relative_of_anchor": 0, "anchor_in_adverbial": 0,
}  # fmt: skip
"""These features of a candidate in another sentence."""


def _salience(section: Section, pronoun: Pronoun, candidate: Candidate, above: Sequence[int]) -> Values:
    mentions, before = section.entities[candidate.entity].mentions, candidate.before
    named_before = section.names_before(pronoun.offset)
    subjects = [one for one in before if section.role(one) == Role.SUBJECT]
    previous = [subject for subject in subjects if subject.sentence == pronoun.sentence - 1]
    own = [subject for subject in subjects if subject.sentence == pronoun.sentence]
    parse = section.parses[pronoun.sentence]
    path = (pronoun.token, *above)
    return {
        "mentions_before": len(before),
        "mentions_after": sum(mention.offset >= pronoun.offset for mention in mentions),
        "share_of_names": len(before) / max(1, named_before),
        "subject_mentions": len(subjects),
        "near_subject_mentions": sum(pronoun.sentence - subject.sentence <= 2 for subject in subjects),
        "previous_subject": bool(previous),
        "previous_main_subject": any(
            section.parses[one.sentence].is_root(section.parses[one.sentence].heads[one.role_head]) for one in previous
        ),
        "own_subject": bool(own),
        "own_subject_above": any(parse.heads[one.role_head] in path for one in own),
    }


def _compare(pronoun: Pronoun, found: Sequence[Candidate]) -> None:
    """Add features that compare each candidate with the others."""
    orders: dict[str, Callable[[Candidate], Any]] = {
        "recency_rank": lambda candidate: (candidate.values["follows"], candidate.values["log_tokens_apart"]),
        "frequency_rank": lambda candidate: -candidate.values["mentions"],
        "hobbs_rank": lambda candidate: _hobbs_order(pronoun, candidate),
    }
    for name, order in orders.items():
        places = [order(candidate) for candidate in found]
        steps = {place: step for step, place in enumerate(sorted(set(places)))}
        for candidate, place in zip(found, places, strict=True):
            candidate.values[name] = steps[place]
    persons = sum(candidate.values["person"] > 0 for candidate in found)
    for candidate in found:
        candidate.values |= {"candidates": len(found), "persons": persons}
    for name in ("first_name_agrees", "in_title", "mentions", "subject_mentions"):
        for candidate, lead in zip(found, leads([each.values[name] for each in found]), strict=True):
            candidate.values[f"{name}_lead"] = lead


def _hobbs_order(pronoun: Pronoun, one: Candidate) -> tuple[float, ...]:
    """Return the approximate order of Hobbs's search: up the own tree, then left to right."""
    if one.anchor.sentence != pronoun.sentence:
        return (pronoun.sentence - one.anchor.sentence, 0, 0, 0, one.anchor.start)
    values = one.values
    return (0, values["follows"], 1 - values["commands"], values["clauses_up"], one.anchor.start)


def leads(values: Sequence[float]) -> list[float]:
    """Return the lead of each value over the best other value; 0 is the other if there is none."""
    best, second = sorted([*values, *[0.0] * (2 - len(values))], reverse=True)[:2]
    return [value - (second if value == best else best) for value in values]
