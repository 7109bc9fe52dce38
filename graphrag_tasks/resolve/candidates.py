"""Block and score: pairs of names that may be one thing, each with the rules that say so.

No two names are compared that share nothing: a name meets the others of its canonical form
(`forms`), and the names that one of the pair rules below makes of it. So the work grows with the
number of names, not with its square.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_tasks import forms
from graphrag_tasks.resolve.slips import find_slips


@dataclass(frozen=True, slots=True)
class Name:
    """A normalised name, as `schemas.NAMES` has it.

    Attributes:
        key: What mentions of it share.
        name: Its most frequent surface.
        type: Its most frequent entity label.
        mentions: How often it occurs.
    """

    key: str
    name: str
    type: str | None
    mentions: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two names that may be one thing; `left` is the one that would give its name.

    Attributes:
        left: Key of the more frequent name.
        right: Key of the other.
        rules: Rules that tie them.
        score: Probability that they are one thing, by the rules alone.
    """

    left: str
    right: str
    rules: tuple[str, ...]
    score: float


SCORES: Final[Mapping[str, float]] = {
    "brackets": 0.97,
    "accents": 0.97,
    "spelling": 0.98,
    "slip": 0.92,
    "number": 0.98,
    "spacing": 0.97,
    "acronym": 0.95,
    "ambiguous": 0.6,  # a short form of several long ones
    "kind": 0.95,
    "honorific": 0.93,
    "company_form": 0.93,
}
"""Share of right pairs of each rule, as seen on the labelled pairs; a few rules multiply."""

_KINDS = (
    "bapi|badi|business object|cds view|class|data element|domain|field|function module|idoc|"
    "interface|method|package|program|report|role|service|structure|table|tables|transaction|"
    "transaction code|type|view"
)
_KIND = re.compile(rf"(?:(?:abap|database|ddic|global|local|sap|transparent) )*(?:{_KINDS}) (\S+)")
_CODE_SHAPE = re.compile(r"[A-Z0-9/_]*(?:[A-Z]{2}|[A-Z][0-9]|[0-9][A-Z])[A-Z0-9/_]*")
_HONORIFIC = re.compile(
    r"(?:mr|mrs|ms|dr|prof|professor|sir|dame|lord|lady|president|king|queen|prince|princess|"
    r"pope|saint|senator|general|captain)\.? (\S+ .+)"
)
_COMPANY_FORM = re.compile(
    r"(.+?),? (?:inc|corp|corporation|ltd|limited|gmbh|ag|se|llc|plc|co|company)\.?"
)


def candidates(
    names: Mapping[str, Name],
    acronyms: Iterable[tuple[str, str]],
    is_known: Callable[[str], bool],
) -> list[Candidate]:
    """Return every pair of names that some rule ties, sorted by their keys.

    Args:
        names: All names by their keys.
        acronyms: Pairs of keys that a text introduces as short and long form.
        is_known: Whether a word is one of the language.
    """
    found: dict[tuple[str, str], Candidate] = {}
    steps = _steps(find_slips(_word_counts(names.values()), is_known))
    pairs = [*_by_form(names, steps), *_by_rule(names), *_introduced(names, acronyms, steps)]
    for left, right, rules in pairs:
        score = 1.0
        for rule in rules:
            score *= SCORES[rule]
        known = found.get((left, right))
        if known is None or known.score < score:
            found[left, right] = Candidate(left, right, rules, score)
    return [found[pair] for pair in sorted(found)]


_Steps = Sequence[tuple[str, Callable[[str], str]]]
_Pair = tuple[str, str, tuple[str, ...]]


def _steps(slips: Mapping[str, str]) -> _Steps:
    return (
        ("brackets", forms.unbracketed),
        ("accents", forms.unaccented),
        ("spelling", forms.american),
        ("slip", forms.corrected(slips)),
        ("number", forms.singular),
        ("spacing", forms.joined),
    )


def _word_counts(names: Iterable[Name]) -> Counter[str]:
    """Count words; one that is written with a capital is a name, and no slip of a common word."""
    counts: Counter[str] = Counter()
    for name in names:
        for word in forms.WORD.findall(name.name):
            if word.islower() or not name.name.startswith(word):
                counts[word.lower()] += name.mentions
    return counts


def _by_form(names: Mapping[str, Name], steps: _Steps) -> Iterator[_Pair]:
    groups: dict[str, list[str]] = defaultdict(list)
    for key in names:
        groups[_form(key, steps)].append(key)
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda key: _rank(names[key]))
            yield from ((first, other, _needed(first, other, steps)) for other in others)


def _form(key: str, steps: _Steps) -> str:
    for _, step in steps:
        key = step(key)
    return key


def _needed(left: str, right: str, steps: _Steps) -> tuple[str, ...]:
    """Return the rules without which the two forms would differ."""
    needed = []
    for rule, _ in steps:
        one, two = left, right
        for other, step in steps:
            if other != rule:
                one, two = step(one), step(two)
        if one != two:
            needed.append(rule)
    return tuple(needed)


def _by_rule(names: Mapping[str, Name]) -> Iterator[_Pair]:
    """Yield pairs of a name and the same name without its kind, title or company form."""
    for key, name in names.items():
        kind = _KIND.fullmatch(key)
        if kind and not name.name.isupper() and _CODE_SHAPE.fullmatch(name.name.split(" ")[-1]):
            yield from _pair(names, key, kind[1], "kind")
        if name.type == "PERSON" and (honorific := _HONORIFIC.fullmatch(key)):
            yield from _pair(names, key, honorific[1], "honorific")
        if name.type == "ORG" and (company := _COMPANY_FORM.fullmatch(key)):
            short = names.get(company[1])
            if short and short.type == "ORG":
                yield from _pair(names, key, short.key, "company_form")


def _introduced(
    names: Mapping[str, Name], acronyms: Iterable[tuple[str, str]], steps: _Steps
) -> Iterator[_Pair]:
    """Yield short and long forms; where a short form has several, which are not one, it is open."""
    longs: dict[str, set[str]] = defaultdict(set)
    for short, long in acronyms:
        if short in names and long in names:
            longs[short].add(long)
    for short in sorted(longs):
        several = len({_form(long, steps) for long in longs[short]}) > 1
        rules = ("acronym", "ambiguous") if several else ("acronym",)
        for long in sorted(longs[short]):
            yield from _pair(names, long, short, *rules)


def _pair(names: Mapping[str, Name], one: str, other: str, *rules: str) -> Iterator[_Pair]:
    if one in names and other in names and one != other:
        left, right = sorted((one, other), key=lambda key: _rank(names[key]))
        yield left, right, rules


def _rank(name: Name) -> tuple[int, str]:
    return -name.mentions, name.key
