"""Parse listing questions: a kind of thing, a verb, and a name.

"Which tables were replaced by MATDOC?" asks for tables, with a passive verb followed by MATDOC. Questions of this form
need no parser: the order of words and names is enough.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest

from graphrag_tasks.language.bm25 import STOP_WORDS, fold, terms
from graphrag_tasks.retrieval.question.seeds import NamedSeeds

_WORD = re.compile(r"[^\W_]+(?:['’./_-][^\W_]+)*")
_WORDS = json.loads((resources.files(__package__) / "listing_question.json").read_text("utf-8"))
_PREPOSITIONS: list[str] = _WORDS["prepositions"]
_LEAD = re.compile(
    r"(?:^\W*|(?<=[.:;?!]) |(?<= - ))(?:please )?"
    rf"(?:(?:{'|'.join(_PREPOSITIONS)}) )?"
    r"(?:which|what|list|name|show|enumerate|give)\b(?: me| are(?= (?:all|the|my|our)\b))?"
    r"(?: (?:all|every|each|the|my|our|of|a|list|other|different|kinds?|types?)\b)*",
    re.IGNORECASE,
)
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
_NOT = frozenset(("not", "never", "cannot", "without"))
_SAYING_NOTHING = STOP_WORDS | {"exist", "exists", "available", "known", "all"}
_RELATIVE = frozenset(("that", "which", "who"))
_SINGULAR = frozenset(_WORDS["singular_in_s"])  # Words ending in s that are not a plural kind.

_MOST_KIND_WORDS, _MOST_BETWEEN, _ADVERBS_BETWEEN = 4, 4, 3
"""Words before the plural, between a verb and its name, and from "be" to its participle; chosen."""
_IRREGULAR: dict[str, str] = _WORDS["irregular_forms"]


@dataclass(frozen=True)
class Verb:
    """A verb of a question, and its given subject or object.

    `term` is its stem; `name_follows` says that the name stands after the verb.
    """

    term: str
    passive: bool
    negated: bool
    name: NamedSeeds
    name_follows: bool

    @property
    def asks_for_patient(self) -> bool:
        """Whether it asks for the patient: "replaced by X", "X replaced"."""
        return self.passive == self.name_follows


@dataclass(frozen=True)
class Asked:
    """A parsed listing question.

    Attributes:
        kind: Stem of the noun for the kind of thing, or None.
        verbs: Verbs with a name, in order.
        done: Stem of a passive without a name, "replaced" in "which tables were replaced"; or None.
        names: Names after the kind.
        kind_names: Names that are the kind itself.
        is_bare: Whether it only names the kind: "list all tables".
    """

    kind: str | None
    verbs: tuple[Verb, ...]
    done: str | None
    names: tuple[NamedSeeds, ...]
    kind_names: tuple[NamedSeeds, ...]
    is_bare: bool


def verb_term(words: str) -> str | None:
    """Return the stem of the first content word, or None."""
    for word in _WORD.findall(words):
        if found := terms(_IRREGULAR.get(fold(word), word)):
            return found[0]
    return None


def read(question: str, named: Sequence[NamedSeeds]) -> Asked:
    """Parse a listing question, given the names in it in order."""
    words = list(_WORD.finditer(question))
    lead = _LEAD.search(question)
    kind = _kind(words, lead.end() if lead else 0, asks=lead is not None)
    begin = kind.end() if kind else lead.end() if lead else 0
    names = tuple(seeds for seeds in named if seeds.start >= begin)
    return Asked(
        kind=verb_term(kind[0]) if kind else None,
        verbs=tuple(_verbs(words, names, begin)) if lead or kind else (),
        done=None if any(name.as_name for name in names) else _done(words, begin),
        names=names,
        kind_names=tuple(seeds for seeds in named if kind and seeds.start == kind.start()),
        is_bare={fold(word[0]) for word in words if word.start() >= begin} <= _SAYING_NOTHING,
    )


def _kind(words: Sequence[re.Match[str]], begin: int, *, asks: bool) -> re.Match[str] | None:
    """Return the first plural after the asking words; without these, a plural before "that"."""
    near = [word for word in words if word.start() >= begin][: _MOST_KIND_WORDS + 1]
    for word, following in zip_longest(near, near[1:]):
        folded = fold(word[0])
        if folded in STOP_WORDS:
            return None
        if folded.endswith("s") and folded not in _SINGULAR:
            relative = following is not None and fold(following[0]) in _RELATIVE
            return word if asks or relative else None
    return None


def _verbs(words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], begin: int) -> Iterator[Verb]:
    folded = [fold(word[0]) for word in words]
    for place, word in enumerate(words):
        in_a_name = any(name.start <= word.start() < name.end for name in names)
        if word.start() < begin or in_a_name or folded[place] in STOP_WORDS:
            continue
        before = folded[max(0, place - _ADVERBS_BETWEEN) : place]
        following = folded[place + 1] if place + 1 < len(folded) else ""
        term, beside = verb_term(word[0]), _name_of(words, names, place)
        if term is None or beside is None or folded[place] in _PREPOSITIONS:
            continue
        passive = _is_done(folded[place], before) or following == "by"
        negated = not _NOT.isdisjoint(before) or any(one.endswith("n't") for one in before)
        yield Verb(term, passive, negated, beside, name_follows=beside.start > word.start())


def _done(words: Sequence[re.Match[str]], begin: int) -> str | None:
    """Return the stem of a passive that ends a question, or None."""
    *before, last = [fold(word[0]) for word in words if word.start() >= begin] or [""]
    denied = not _NOT.isdisjoint(before)
    return None if denied or not _is_done(last, before[-_ADVERBS_BETWEEN:]) else verb_term(last)


def _is_done(word: str, before: Sequence[str]) -> bool:
    return not _BE.isdisjoint(before) and not word.endswith("ing")


def _name_of(words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], place: int) -> NamedSeeds | None:
    """Return a verb's subject if that is a name, else a name soon after it."""
    verb = words[place].start()
    for name in reversed(names):
        if name.end <= verb and not _follows_preposition(words, name):
            return name
    after = next((name for name in names if name.start > verb), None)
    if after is None:
        return None
    between = sum(verb < word.start() < after.start for word in words)
    return after if between <= _MOST_BETWEEN else None


def _follows_preposition(words: Sequence[re.Match[str]], name: NamedSeeds) -> bool:
    """Tell whether a name follows a preposition, so that it is no subject: "tables of X"."""
    before = [fold(word[0]) for word in words if word.end() <= name.start]
    return next((one in _PREPOSITIONS for one in reversed(before) if one != "the"), False)
