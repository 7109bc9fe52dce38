"""What a listing question asks for: a kind of thing, a verb, and the name at its other end.

"Which tables were replaced by MATDOC?" asks for tables, of a verb in the passive, with MATDOC after
it. Read from the words alone, by where the names stand in them: no parser is needed for questions
of this form, and on any other nothing is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from graphrag_tasks.language.bm25 import STOP_WORDS, fold, terms
from graphrag_tasks.retrieval.question.seeds import NamedSeeds

_WORD = re.compile(r"[^\W_]+(?:['’./_-][^\W_]+)*")
_PREPOSITION_WORDS = "about at by for from in into of on onto over through to under via with"
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_LEAD = re.compile(
    r"(?:^\W*|(?<=[.:;?!]) |(?<= - ))(?:please )?"
    rf"(?:(?:{_PREPOSITION_WORDS.replace(' ', '|')}) )?"
    r"(?:which|what|list|name|show|enumerate|give)\b(?: me| are(?= (?:all|the|my|our)\b))?"
    r"(?: (?:all|every|each|the|my|our|of|a|list|other|different|kinds?|types?)\b)*",
    re.IGNORECASE,
)
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"))
_NOT = frozenset(("not", "never", "cannot", "without"))
_BEING_THERE = frozenset(("exist", "exists", "available", "known", "all"))
_RELATIVE = frozenset(("that", "which", "who"))
_SINGULAR_WORDS = "was is has does this thus access process class as its us"
_SINGULAR = frozenset(_SINGULAR_WORDS.split())
"""Words in s that are no plural of what is asked for."""
_MOST_KIND_WORDS = 4
_MOST_BETWEEN = 4
_ADVERBS_BETWEEN = 3
_IRREGULAR_FORMS = """
begun:begin bought:buy brought:bring built:build came:come caught:catch chosen:choose done:do
drawn:draw driven:drive drove:drive fell:fall found:find gave:give given:give gone:go grew:grow
grown:grow held:hold hidden:hide kept:keep knew:know known:know laid:lay led:lead left:leave
lost:lose made:make meant:mean met:meet overwritten:overwrite paid:pay ran:run rebuilt:rebuild
rewritten:rewrite said:say sang:sing seen:see sent:send shown:show sold:sell spent:spend
stood:stand sung:sing taken:take taught:teach threw:throw thrown:throw told:tell took:take
understood:understand went:go withdrawn:withdraw won:win written:write wrote:write
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_FORMS.split())


@dataclass(frozen=True)
class Verb:
    """A verb of a question, and the name it is about.

    Attributes:
        term: Its stem, as in `lexical.terms`.
        passive: Whether it is in the passive.
        negated: Whether it is denied.
        name: The name that it has beside what is asked for.
        name_follows: Whether that name stands after it.
    """

    term: str
    passive: bool
    negated: bool
    name: NamedSeeds
    name_follows: bool

    @property
    def asks_for_patient(self) -> bool:
        """Whether it asks what something is done to: "replaced by X", and "X replaced"."""
        return self.passive == self.name_follows


@dataclass(frozen=True)
class Asked:
    """A listing question, taken apart.

    Attributes:
        kind: Stem of the noun that names the kind of thing asked for; None where there is none.
        verbs: Its verbs that have a name beside them, in order.
        done: What it says was done to the kind where it names nothing: the stem of "replaced" in
            "which tables were replaced"; None where it says no such thing.
        names: The names it holds, without those in the words for the kind.
        kind_names: The names in the words for the kind that are the kind itself.
        is_bare: Whether it asks for the kind and says no more: "list all tables".
    """

    kind: str | None
    verbs: tuple[Verb, ...]
    done: str | None
    names: tuple[NamedSeeds, ...]
    kind_names: tuple[NamedSeeds, ...]
    is_bare: bool


def verb_term(words: str) -> str | None:
    """Return the stem of the first word that is none of grammar; None where there is none."""
    for word in _WORD.findall(words):
        if found := terms(_IRREGULAR.get(fold(word), word)):
            return found[0]
    return None


def read(question: str, named: Sequence[NamedSeeds]) -> Asked:
    """Take a listing question apart.

    Args:
        question: As it was typed.
        named: The names in it, in their order.
    """
    words = list(_WORD.finditer(question))
    lead = _LEAD.search(question)
    kind = _kind(words, lead.end() if lead else 0, asks=lead is not None)
    begin = kind.end() if kind else lead.end() if lead else 0
    names = tuple(one for one in named if one.start >= begin)
    return Asked(
        kind=verb_term(kind[0]) if kind else None,
        verbs=tuple(_verbs(words, names, begin)) if lead or kind else (),
        done=None if any(one.as_name for one in names) else _done(words, begin),
        names=names,
        kind_names=tuple(one for one in named if kind and one.start == kind.start()),
        is_bare=not any(_says_more(word[0]) for word in words if word.start() >= begin),
    )


def _says_more(word: str) -> bool:
    return fold(word) not in STOP_WORDS and fold(word) not in _BEING_THERE


def _kind(words: Sequence[re.Match[str]], begin: int, *, asks: bool) -> re.Match[str] | None:
    """Return the first plural after the words that ask, or before "that" where none do."""
    near = [word for word in words if word.start() >= begin][: _MOST_KIND_WORDS + 1]
    for word, following in zip_longest(near, near[1:]):
        folded = fold(word[0])
        if folded in STOP_WORDS:
            return None
        if folded.endswith("s") and folded not in _SINGULAR:
            relative = following is not None and fold(following[0]) in _RELATIVE
            return word if asks or relative else None
    return None


def _verbs(
    words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], begin: int
) -> Iterator[Verb]:
    folded = [fold(word[0]) for word in words]
    for place, word in enumerate(words):
        in_a_name = any(one.start <= word.start() < one.end for one in names)
        if word.start() < begin or in_a_name or folded[place] in STOP_WORDS:
            continue
        before = folded[max(0, place - _ADVERBS_BETWEEN) : place]
        following = folded[place + 1] if place + 1 < len(folded) else ""
        term, beside = verb_term(word[0]), _name_of(words, names, place)
        if term is None or beside is None or folded[place] in _PREPOSITIONS:
            continue
        is_done = _is_done(folded[place], before)
        yield Verb(
            term=term,
            passive=is_done or following == "by",
            negated=not _NOT.isdisjoint(before) or any(one.endswith("n't") for one in before),
            name=beside,
            name_follows=beside.start > word.start(),
        )


def _done(words: Sequence[re.Match[str]], begin: int) -> str | None:
    """Return the stem of the passive that ends a question; None where another word does."""
    *before, last = [fold(word[0]) for word in words if word.start() >= begin] or [""]
    denied = not _NOT.isdisjoint(before)
    return None if denied or not _is_done(last, before[-_ADVERBS_BETWEEN:]) else verb_term(last)


def _is_done(word: str, before: Sequence[str]) -> bool:
    return not _BE.isdisjoint(before) and not word.endswith("ing")


def _name_of(
    words: Sequence[re.Match[str]], names: Sequence[NamedSeeds], place: int
) -> NamedSeeds | None:
    """Return the verb's subject if it is a name; else the first name after it, if that is near."""
    verb = words[place].start()
    for name in reversed(names):
        if name.end <= verb and not _hangs_on_another(words, name):
            return name
    after = next((name for name in names if name.start > verb), None)
    if after is None:
        return None
    between = sum(verb < word.start() < after.start for word in words)
    return after if between <= _MOST_BETWEEN else None


def _hangs_on_another(words: Sequence[re.Match[str]], name: NamedSeeds) -> bool:
    """Tell whether a preposition stands before a name: "tables of X", and no subject."""
    before = [fold(word[0]) for word in words if word.end() <= name.start]
    return next((one in _PREPOSITIONS for one in reversed(before) if one != "the"), False)
