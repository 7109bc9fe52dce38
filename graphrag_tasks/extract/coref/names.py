"""Mentions of proper names, grouped into entities by name variants.

Syntax excludes some names as antecedents of a pronoun in the same sentence: Chomsky's binding principles B and C, read
off the dependency tree. Only clear cases are excluded, as parses are wrong more often than writers break these rules.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphrag_tasks.extract.coref.parses import OBJECTS, SUBJECTS, Parse, Role
from graphrag_tasks.language.dictionary import TITLES, first_name_gender
from graphrag_tasks.language.forms import unaccented

_ARGUMENTS = (Role.SUBJECT, Role.OBJECT)
_OPENERS = frozenset({"``", '"', "“", ":", "(", "-", "--"})
_WORD = re.compile(r"[\w.'-]+")
_BRACKETS = re.compile(r"\(.*")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a name: tokens from `start` to before `end` of a sentence.

    `head` is its head token, and `role_head` carries its role (`Parse.role_head`). `offset` counts the section's tokens
    before the head; `label` is the model's entity label or "". `chained` means that another noun carries its role:
    "Mary" in "actress Mary".
    """

    sentence: int
    start: int
    end: int
    head: int
    role_head: int
    offset: int
    label: str
    key: tuple[str, ...]
    """`name_key` of its words."""
    coordinated: bool
    chained: bool


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """Mentions of one name in all variants, in text order."""

    mentions: tuple[Mention, ...]

    @property
    def longest(self) -> Mention:
        """The first of the mentions with the most words."""
        return max(self.mentions, key=lambda mention: len(mention.key))


def folded(word: str) -> str:
    """Return the word without case, accents, and punctuation at its edges."""
    return unaccented(word.casefold()).strip(".'’\"`")


def name_key(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words by which name variants are compared: folded, without titles."""
    key = tuple(filter(None, map(folded, words)))
    return tuple(word for word in key if word not in TITLES) or key


def title_key(title: str) -> tuple[str, ...]:
    """Return the name key of a document title, without text in brackets."""
    return name_key(_WORD.findall(_BRACKETS.sub("", title)))


def find_names(parse: Parse, sentence: int, offset: int) -> list[Mention]:
    """Return the names of a sentence: persons found by the model, and runs of proper nouns."""
    labels = [""] * len(parse)
    persons: list[tuple[int, int]] = []
    for start, end, label in parse.entities:
        labels[start:end] = [label] * (end - start)
        if label == "PERSON":
            # "Howard's Steve Costigan" is two names.
            parts = _runs([tag != "POS" for tag in parse.tags[start:end]])
            persons += [(start + first, start + last) for first, last in parts]
    taken = {i for start, end in persons for i in range(start, end)}
    spans = persons + _runs([_is_name(parse, i) and i not in taken for i in range(len(parse))])
    return [
        _mention(parse, sentence, offset, start, end, labels[start])
        for start, end in sorted(spans)
        if (start, end) in persons or any(word[0].isupper() for word in parse.words[start:end])
    ]


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    edges = [i for i, flag in enumerate(flags) if flag != (i > 0 and flags[i - 1])]
    if len(edges) % 2:
        edges.append(len(flags))
    return list(zip(edges[::2], edges[1::2], strict=True))


def _is_name(parse: Parse, i: int) -> bool:
    """Tell whether a word is a name: tagged as one, or capitalized and name-like.

    Taggers take first names for adverbs and adjectives, and women's far more often: "Carly".
    """
    word = parse.words[i]
    if parse.pos[i] == "PROPN":
        return True
    if len(word) < 3 or not (word.isalpha() and word[0].isupper()) or word.isupper():
        return False
    if parse.tags[i] in ("RB", "JJ") and first_name_gender(folded(word)):
        return True
    if i == 0:
        return parse.deps[i] in SUBJECTS and parse.tags[i] in ("NN", "NNS")
    return parse.pos[i] in ("NOUN", "X") and parse.words[i - 1] not in _OPENERS


def _mention(parse: Parse, sentence: int, offset: int, start: int, end: int, label: str) -> Mention:
    tokens = range(start, end)
    outside = [i for i in tokens if parse.heads[i] not in tokens or parse.is_root(i)]
    head = outside[-1] if outside else end - 1
    role_head, uncoordinated = parse.role_head(head), parse.apposed(head)
    has_conjuncts = any(parse.deps[child] == "conj" for child in parse.children(role_head))
    has_conjuncts = has_conjuncts and parse.pos[role_head] in ("NOUN", "PROPN")
    return Mention(
        sentence, start, end, head, role_head, offset + head, label,
        key=name_key(parse.words[start:end]),
        coordinated=has_conjuncts or role_head != uncoordinated,
        chained=uncoordinated != head,
    )  # fmt: skip


def group_names(mentions: Sequence[Mention]) -> list[NamedEntity]:
    """Group mentions into entities, ordered by first mention.

    A variant has some words of a longer name. Longer names come first, so that "Smith" joins "John Smith". Of several
    matches, it joins the last one before it, else the first one after it.
    """
    groups: list[list[Mention]] = []
    with_word: dict[str, list[int]] = defaultdict(list)
    for mention in sorted(mentions, key=lambda one: (-len(one.key), one.offset)):
        near = [groups[number] for number in with_word[mention.key[0]]] if mention.key else groups
        fitting = [group for group in near if any(_is_variant(mention, one) for one in group)]
        if fitting:
            min(fitting, key=lambda group: _distance(mention, group)).append(mention)
            continue
        for word in set(mention.key):
            with_word[word].append(len(groups))
        groups.append([mention])
    entities = [NamedEntity(tuple(sorted(one, key=lambda m: m.offset))) for one in groups]
    return sorted(entities, key=lambda entity: entity.mentions[0].offset)


def _is_variant(mention: Mention, other: Mention) -> bool:
    return set(mention.key) <= set(other.key)


def _distance(mention: Mention, group: Sequence[Mention]) -> tuple[bool, int]:
    gaps = [mention.offset - one.offset for one in group if _is_variant(mention, one)]
    return min((gap < 0, abs(gap)) for gap in gaps)


def is_excluded(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Tell whether syntax forbids that a pronoun refers to a name of its sentence.

    `pronoun` is the token of a pronoun that is not reflexive.
    """
    return (
        mention.start <= pronoun < mention.end
        or _holds(parse, pronoun, mention)
        or (parse.deps[pronoun] == "poss" and _is_possessed(parse, pronoun, mention))
        or _is_coargument(parse, pronoun, mention)
        or _is_below_subject(parse, pronoun, mention)
    )


def _holds(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Tell whether the pronoun is inside the name's own phrase: "[his brother John]"."""
    top = parse.name_head(mention.head)
    above = parse.ancestors(pronoun)
    if top not in above or parse.pos[top] not in ("NOUN", "PROPN"):
        return False
    path = [pronoun, *above[: above.index(top)]]
    return len(path) == 1 or (len(path) == 2 and parse.deps[path[1]] in ("appos", "compound"))


def _is_possessed(parse: Parse, pronoun: int, mention: Mention) -> bool:
    owned, top = parse.heads[pronoun], parse.name_head(mention.head)
    apposed = (parse.deps[top] == "appos" and parse.heads[top] == owned) or (
        parse.deps[owned] == "appos" and parse.heads[owned] == top
    )
    return owned in (top, mention.head) or apposed


def _is_coargument(parse: Parse, pronoun: int, mention: Mention) -> bool:
    role, other = parse.role(pronoun), parse.role(mention.role_head)
    verb, governor = parse.heads[pronoun], parse.heads[mention.role_head]
    if role in _ARGUMENTS and other in _ARGUMENTS and governor == verb:
        return mention.role_head != pronoun
    if role in (Role.OBLIQUE, Role.AGENT) and governor == parse.heads[verb]:
        verbal = parse.pos[governor] in ("VERB", "AUX")
        before = mention.head < pronoun
        return other == Role.OBJECT or (other == Role.SUBJECT and before and verbal)
    if role == Role.OBJECT and parse.deps[verb] == "xcomp" and governor == parse.heads[verb]:
        controlled = any(parse.deps[child] in OBJECTS for child in parse.children(governor))
        return other == Role.OBJECT or (other == Role.SUBJECT and not controlled)
    return False


def _is_below_subject(parse: Parse, pronoun: int, mention: Mention) -> bool:
    """Tell whether the pronoun is a subject and the name follows below its verb."""
    if mention.head < pronoun or parse.deps[pronoun] not in SUBJECTS:
        return False
    verb = parse.heads[pronoun]
    return verb == mention.head or verb in parse.ancestors(mention.head)
