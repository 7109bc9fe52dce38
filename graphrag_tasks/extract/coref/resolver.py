"""The built-in resolver: persons by the learned ranking, things by rules."""

from __future__ import annotations

from collections.abc import Iterator

from graphrag_tasks.extract.coref.personal import rank_antecedents
from graphrag_tasks.extract.coref.protocol import Coreference, Kind, Passage
from graphrag_tasks.extract.coref.section import Section
from graphrag_tasks.extract.coref.things import resolve_things
from graphrag_tasks.extract.coref.windows import Window, windows

RANKING = "ranking"
"""Name of the rule that resolves "he" and "she"; its confidence is the ranking's probability."""


class RankingResolver:
    """Resolves pronouns and definite mentions without a language model."""

    name = "ranking"

    @property
    def fingerprint(self) -> str:
        """Its name: rules and weights count as code."""
        return self.name

    def resolve(self, passage: Passage) -> list[Coreference]:
        """Return what was resolved, in the order of the text; see `CoreferenceResolver`."""
        found = [*_persons(passage), *resolve_things(passage)]
        return sorted(found, key=lambda one: (one.sentence, one.start))


def _persons(passage: Passage) -> list[Coreference]:
    return [
        one
        for window in windows(passage.parses)
        for one in _persons_of(passage, window)
        if one.sentence >= window.start
    ]


def _persons_of(passage: Passage, window: Window) -> Iterator[Coreference]:
    section = Section(passage.parses[window.context : window.end], passage.title)
    for pronoun, choice in rank_antecedents(section).items():
        # The fullest name joins nodes best; where the anchor is shorter it is the same person.
        name = section.entities[choice.entity].longest
        parse, other = section.parses[pronoun.sentence], section.parses[name.sentence]
        yield Coreference(
            sentence=window.context + pronoun.sentence,
            start=parse.starts[pronoun.token],
            end=parse.end(pronoun.token),
            surface=parse.words[pronoun.token],
            antecedent=other.surface(name.start, name.end),
            kind=Kind.PRONOUN,
            rule=RANKING,
            confidence=choice.probability,
            antecedent_sentence=window.context + name.sentence,
            antecedent_start=other.starts[name.start],
            antecedent_end=other.end(name.end - 1),
        )
