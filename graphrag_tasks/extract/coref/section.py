"""A stretch of text in which antecedents are searched, with its names and pronouns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from graphrag_tasks.extract.coref.protocol import SUBJECTS, Parse, Role
from graphrag_tasks.extract.coref.things import Mention, NamedEntity, find_names, folded, group_names, title_key
from graphrag_tasks.language.dictionary import Gender, first_name_gender, gender_of_pronoun, noun_gender, title_gender

_OPENING_QUOTES, _CLOSING_QUOTES = frozenset({"``", "“"}), frozenset({"''", "”"})
_OPENING_BRACKETS = frozenset({"(", "[", "-LRB-"})
_CLOSING_BRACKETS = frozenset({")", "]", "-RRB-"})
_MODIFIERS = frozenset({"appos", "compound", "nmod", "amod"})
_MOST_BITS = 1.5  # Limit of a first name's vote: beyond it, name lists are overconfident.
_SURNAME_SHARE = 0.5
"""Factor of a lone first name's vote for a man, as it may be a woman's surname: F1 on GAP, cross-validated, rose by
.010 with it."""
_NAMED_BY = frozenset({"appos", "compound", "attr", "nmod", "flat"})


class Pronoun(NamedTuple):
    """A gendered personal pronoun; `offset` counts the tokens before it."""

    sentence: int
    token: int
    offset: int
    gender: Gender
    role: Role
    clause: int
    """Head token of its clause."""


class GenderCues(NamedTuple):
    """Evidence for a woman (positive) or a man (negative), by kind."""

    first_name: float
    title: int
    noun: int


class Section:
    """Consecutive sentences, under the title of their document."""

    def __init__(self, parses: Sequence[Parse], title: str = "") -> None:
        self.parses = tuple(parses)
        self.title = title_key(title)
        self.offsets = [0, *accumulate(map(len, self.parses))]

    @cached_property
    def names(self) -> list[Mention]:
        """All mentions of names, in text order."""
        return [
            mention
            for number, parse in enumerate(self.parses)
            for mention in find_names(parse, number, self.offsets[number])
        ]

    @cached_property
    def entities(self) -> list[NamedEntity]:
        """The entities of these names, ordered by first mention."""
        return group_names(self.names)

    @cached_property
    def entity_of(self) -> list[int]:
        """The index of each mention's entity, in the order of `names`."""
        numbers = {one: number for number, entity in enumerate(self.entities) for one in entity.mentions}
        return [numbers[mention] for mention in self.names]

    @cached_property
    def is_subject(self) -> list[bool]:
        """Whether each mention is a subject, in the order of `names`."""
        return [self.role(mention) == Role.SUBJECT for mention in self.names]

    @cached_property
    def genders(self) -> list[GenderCues]:
        """The gender evidence of each entity."""
        return [self._gender(entity) for entity in self.entities]

    @cached_property
    def pronouns(self) -> list[Pronoun]:
        """The pronouns "he", "she" and their forms, without reflexives, in order."""
        found = []
        for number, parse in enumerate(self.parses):
            for token, word in enumerate(parse.words):
                if (gender := gender_of_pronoun(word)) and not word.lower().endswith("self"):
                    offset, role = self.offsets[number] + token, parse.role(token)
                    found.append(Pronoun(number, token, offset, gender, role, parse.clause(token)))
        return found

    @cached_property
    def quoted(self) -> list[list[bool]]:
        """Whether a token is inside quotation marks, by sentence and token."""
        inside, found = False, []
        for parse in self.parses:
            flags = []
            for word in parse.words:
                inside = inside or word in _OPENING_QUOTES
                flags.append(inside)
                inside = (inside and word not in _CLOSING_QUOTES) != (word == '"')
            found.append(flags)
        return found

    @cached_property
    def bracketed(self) -> list[list[bool]]:
        """Whether a token is inside brackets, by sentence and token."""
        found = []
        for parse in self.parses:
            depth, flags = 0, []
            for word in parse.words:
                depth += word in _OPENING_BRACKETS
                flags.append(depth > 0)
                depth = max(0, depth - (word in _CLOSING_BRACKETS))
            found.append(flags)
        return found

    def names_before(self, offset: int) -> int:
        """Return the number of mentions whose head is before this token of the section."""
        return bisect_left(self._heads, offset)

    @cached_property
    def _heads(self) -> list[int]:
        return [mention.offset for mention in self.names]

    def role(self, mention: Mention) -> Role:
        """Return the role of a name's phrase."""
        return self.parses[mention.sentence].role(mention.role_head)

    def _gender(self, entity: NamedEntity) -> GenderCues:
        titles: list[str] = []
        nouns: list[str] = []
        for mention in entity.mentions:
            parse, first = self.parses[mention.sentence], mention.start
            titles += map(folded, parse.words[max(0, first - 1) : first + 1])
            nouns += [parse.words[i].lower() for i in _describing(parse, mention.head)]
        return GenderCues(_first_name(entity.longest.key), title_gender(titles), noun_gender(nouns))


def _first_name(key: Sequence[str]) -> float:
    """Return the vote of a name's first word; less if it may be a surname ("James")."""
    score = first_name_gender(key[0]) if key else 0.0
    score = max(-_MOST_BITS, min(_MOST_BITS, score))
    return score * _SURNAME_SHARE if score < 0 and len(key) == 1 else score


def _describing(parse: Parse, head: int) -> list[int]:
    """Return the nouns that describe a name: modifiers, appositions, "X was an actress"."""
    found = [child for child in parse.children(head) if parse.deps[child] in _MODIFIERS]
    if parse.deps[head] in _NAMED_BY:
        found.append(parse.heads[head])
    if parse.deps[head] in SUBJECTS:
        siblings = parse.children(parse.heads[head])
        found += [child for child in siblings if parse.deps[child] == "attr"]
    return found
