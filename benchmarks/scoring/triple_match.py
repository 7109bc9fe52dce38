"""When an extracted triple states a labelled fact: a lenient match of words.

* Heads, and tails, match when twice their common words are at least half of all their words
  (Dice's coefficient ≥ .5), after case, articles and plural endings are taken off.
* Relations match when they share a content word in any inflection. Where the labelled relation has
  none ("is", "of"), they share a function word; where it is only implied, the extracted one is
  among the words of its type (`IMPLIED`).
* "Such as", "like" and "including" are one relation, "include".
* Head and tail may be exchanged where one relation is the passive of the other ("is replaced by",
  "replace"), and for aliases, which have no direction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchmarks.scoring.triple_gold import Fact
from graphrag_tasks.extract.words import past_participle

MIN_OVERLAP = 0.5

IMPLIED: dict[str, frozenset[str]] = {
    "alias": frozenset({"be", "alias", "abbreviate", "call", "know", "stand"}),
    "is": frozenset({"be", "include", "name", "call"}),
    "value": frozenset({"be", "have", "value"}),
    "label": frozenset({"be", "have", "include", "mean"}),
    "member": frozenset({"be", "have", "include", "contain", "comprise", "member"}),
}
"""Relations that may stand for one that no word of the sentence names, by its type."""

_WORD = re.compile(r"[\w%@#<>*+-]*\w[+#]*")
_CONTRACTED = re.compile(r"\b(is|are|was|were|do|does|did|has|have|can|could|will|must)n['’]?t\b|(can)'t")
_ARTICLES = frozenset({"a", "an", "the", "this", "that", "these", "those", "its", "their", "your"})
_EXAMPLES = frozenset({"such as", "like", "including", "be such as", "be like"})
_BE = frozenset({"be", "is", "are", "was", "were", "been", "being", "become", "becomes"})
_HAVE = frozenset({"have", "has", "had", "having"})
_DO = frozenset({"do", "does", "did", "done", "doing"})
_AUXILIARIES = frozenset(
    {"not", "no", "can", "could", "may", "might", "must", "shall", "should", "will", "would", "do"}
    | {"cannot", "only", "also", "yet"}
)
_FUNCTION_WORDS = frozenset(
    {"be", "have", "to", "of", "in", "on", "at", "by", "for", "from"}
    | {"with", "as", "into", "onto", "over", "under", "than", "via", "per", "about", "up", "out"}
    | {"used", "using", "when", "if", "after", "all", "and", "or", "it"}
    | _ARTICLES
    | _AUXILIARIES
)


@dataclass(frozen=True)
class Found:
    """An extracted triple in words, with the rule that found it and its confidence."""

    head: str
    relation: str
    tail: str
    rule: str = field(default="", compare=False)
    confidence: float = field(default=1.0, compare=False)


def matches(found: Found, fact: Fact) -> bool:
    """Return whether an extracted triple states a labelled fact."""
    if not _same_relation(found.relation, fact):
        return False
    if _any_overlap(found.head, fact.heads) and _any_overlap(found.tail, fact.tails):
        return True
    exchanged = fact.type == "alias" or _is_by(found.relation) != _is_by(fact.relation)
    return exchanged and _any_overlap(found.tail, fact.heads) and _any_overlap(found.head, fact.tails)


def overlap(first: str, second: str) -> float:
    """Return Dice's coefficient of two names' words; names without words must be equal."""
    a, b = _name_words(first), _name_words(second)
    if not a or not b:
        return float(first.strip() == second.strip())
    return 2 * len(a & b) / (len(a) + len(b))


def _any_overlap(name: str, wanted: tuple[str, ...]) -> bool:
    return any(overlap(name, one) >= MIN_OVERLAP for one in wanted)


def _name_words(name: str) -> set[str]:
    words = (_singular(word) for word in _WORD.findall(name))
    return {word for word in words if word not in _ARTICLES}


def _singular(word: str) -> str:
    """Return a word without case and plural ending; codes ("VBBS") keep their last letter."""
    if word.isupper() or not word.endswith("s") or word.endswith("ss"):
        return word.casefold()
    return word.casefold().removesuffix("s")


def _same_relation(found: str, fact: Fact) -> bool:
    words = _relation_words(found)
    if fact.type is not None:
        return any(_is_form(word, one) for word in words for one in IMPLIED[fact.type])
    wanted = _relation_words(fact.relation)
    content = wanted - _FUNCTION_WORDS
    if content:
        return any(_is_form(a, b) for a in content for b in words - _FUNCTION_WORDS)
    wanted = wanted - _AUXILIARIES or wanted
    return bool((wanted - {"be", "have"} or wanted) & words)


def _is_by(relation: str) -> bool:
    return "by" in _words(relation)


def _words(text: str) -> list[str]:
    return _WORD.findall(_CONTRACTED.sub(r"\1\2 not", text.casefold()))


def _relation_words(relation: str) -> set[str]:
    if relation.strip().casefold() in _EXAMPLES:
        return {"include"}
    return {_function_form(word) for word in _words(relation)}


def _function_form(word: str) -> str:
    if word in _BE:
        return "be"
    if word in _DO:
        return "do"
    return "have" if word in _HAVE else word


def _is_form(first: str, second: str) -> bool:
    """Return whether two words are inflections of one verb or noun."""
    if _stem(first) == _stem(second):
        return True
    return past_participle(first) == second or past_participle(second) == first


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ing", ""), ("ied", "y"), ("ed", ""), ("es", ""),
                            ("s", "")):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word.removesuffix(ending) + instead
            break
    if len(word) > 3 and word[-1] == word[-2]:
        return word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word
