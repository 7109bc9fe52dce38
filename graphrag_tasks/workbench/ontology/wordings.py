"""Compare type names and relation wordings by form, without a model.

An encoder alone cannot decide: it takes "be moved from" for "be moved to" (cosine 0.96 by the
shipped one). So voice and prepositions must agree before a cosine counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphrag_tasks.graph.relation_kinds import ASSOCIATION, kind_of
from graphrag_tasks.language.bm25 import STOP_WORDS, fold, terms
from graphrag_tasks.language.forms import american, singular

_NAME = re.compile(r"\w[\w ./&'’+-]*")
_MOST_CHARACTERS = 60
MOST_TYPE_WORDS, MOST_RELATION_WORDS = 4, 7
"""Longer ones are prose; the longest relation of the example graph has 7 words."""

_ACTIVE, _PASSIVE, BY_AGENT = "active", "passive", "by"
_AUXILIARIES = frozenset({"be", "is", "are", "was", "were", "been", "being", "get", "gets"})
_AUXILIARY_HAVE = frozenset({"has", "had", "have"})
_PARTICIPLE = re.compile(r"\w*(?:ed|en|wn|ght|lt|nt|pt|put|set|run|read|kept|held|made|found)")
_ARTICLES = frozenset({"a", "an", "the"})
_GENERAL_TYPES = frozenset(
    {"thing", "entity", "concept", "other", "unknown", "miscellaneous", "misc", "topic", "name"}
)
"""Words that apply to everything: schema.org's root type is "Thing"."""

_GENERAL_VERBS = frozenset(terms("relate associate connect link concern involve refer correspond"))
"""Verbs that only say that two things are associated."""


def is_name(text: str, most_words: int) -> bool:
    """Tell whether a text can be a name: few words, without markup or code."""
    name = text.strip()
    return (
        len(name) <= _MOST_CHARACTERS
        and len(name.split()) <= most_words
        and _NAME.fullmatch(name) is not None
    )


def type_key(name: str) -> str:
    """Return the comparison key of a type: lower case, American spelling, singular.

    `CDS_VIEW`, "cds-views" and "CDS view" are "cds view".
    """
    words = re.sub(r"[\s_-]+", " ", fold(name)).strip()
    return singular(american(words))


def is_general_type(key: str) -> bool:
    """Tell whether a type applies to everything, such as "thing"."""
    return all(word in _GENERAL_TYPES for word in key.split())


@dataclass(frozen=True)
class Wording:
    """Comparison key of a relation.

    Attributes:
        stems: Stems of its words, including prepositions, without articles and auxiliaries.
        voice: `active`, `passive`, or `by` for a passive with its agent.
    """

    stems: tuple[str, ...]
    voice: str

    @classmethod
    def of(cls, text: str) -> Wording:
        """Return the wording of a relation: "is read by" is `read`, with an agent."""
        words = [fold(one) for one in re.split(r"[\s_]+", text.strip()) if one]
        words = [word for word in words if word not in _ARTICLES]
        voice = _ACTIVE
        if len(words) > 1 and words[0] in _AUXILIARY_HAVE and words[1] == "been":
            words = words[1:]
        if len(words) > 1 and words[0] in _AUXILIARIES and _PARTICIPLE.fullmatch(words[1]):
            words, voice = words[1:], _PASSIVE
        elif len(words) > 1 and _is_participle(words[0]) and words[1] in STOP_WORDS:
            voice = _PASSIVE  # "stored in": a label without its auxiliary
        if voice == _PASSIVE and words[-1] == "by":
            words, voice = words[:-1], BY_AGENT
        return cls(tuple(_stem(word) for word in words), voice)

    @property
    def inverse(self) -> Wording | None:
        """The inverse wording; None if the form does not tell."""
        turned = {_ACTIVE: BY_AGENT, BY_AGENT: _ACTIVE}.get(self.voice)
        return Wording(self.stems, turned) if turned else None

    @property
    def frame(self) -> tuple[str, ...]:
        """Voice and function words, which must agree before a cosine counts."""
        return (self.voice, *(stem for stem in self.stems if stem in STOP_WORDS))


def _is_participle(word: str) -> bool:
    return word.endswith("ed") and terms(word) != [word]


def _stem(word: str) -> str:
    if word in _AUXILIARIES:
        return "be"
    if word in _AUXILIARY_HAVE:
        return "have"
    return "".join(terms(word)) or word


def is_general_relation(text: str) -> bool:
    """Tell whether a relation only associates two things: "have", "be related to"."""
    if kind_of(text, conditional=False) == ASSOCIATION:
        return True
    telling = [stem for stem in Wording.of(text).stems if stem not in STOP_WORDS]
    return all(one in _GENERAL_VERBS or one == "have" for one in telling)
