"""Names grouped into entities, and "it", "they" and definite noun phrases resolved to them by rules.

GAP has no examples of these, so no weights are learned. Two kinds of evidence count: subjects tend to continue
(centering, Grosz et al. 1995), and a bare noun repeats the head of a longer name. Each rule has a fixed confidence, set
by reading its results.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.extract.coref.protocol import (
    OBJECTS,
    SUBJECTS,
    Coreference,
    CorefText,
    Kind,
    Parse,
    Role,
    Source,
    Span,
    Topic,
)
from graphrag_tasks.language.dictionary import TITLES, first_name_gender
from graphrag_tasks.language.names import plain_heading, unaccented

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


SAME_SUBJECT, ONLY_CANDIDATE = "same_subject", "only_candidate"
HEAD_MATCH, TYPE_AND_NAME = "head_match", "type_and_name"
HEADING_MATCH, ROW_KEY = "heading_match", "row_key"
CONFIDENCES = {
    # The pronoun and its antecedent are subjects of clauses that follow each other.
    SAME_SUBJECT: 0.9,
    # No other phrase of that number stands before the pronoun, in its sentence and the last.
    ONLY_CANDIDATE: 0.5,
    # A bare definite noun, and the one compound in the passage that it is the head of.
    HEAD_MATCH: 0.8,
    # A bare definite noun, and a code that it stands before: "transaction SE38".
    TYPE_AND_NAME: 0.8,
    # A bare definite noun that is the head of the first phrase of a heading or the title.
    HEADING_MATCH: 0.7,
    # In a cell, the key of its row: for a pronoun without antecedent, and for the name of the key's column or the key's
    # own last word: "this field" below "Field name".
    ROW_KEY: 0.7,
}
"""Set by hand."""
_SINGULAR, _PLURAL = frozenset({"it", "its"}), frozenset({"they", "them", "their"})
_CLAUSAL = frozenset({"ccomp", "xcomp", "csubj", "advcl", "relcl", "acl"})
_IMPERSONAL = frozenset({"seem", "appear", "happen", "follow", "turn", "take", "make", "depend"})
_HEADING_END = re.compile(
    r"\s+(?:for|of|in|with|to|from|on|by|at|and|or|using|as|via|between|into|without)\s|[:(–,]", re.IGNORECASE
)
_DEFINITE = frozenset({"the", "this", "these"})
_LEADING = frozenset({"a", "an", "the", "how", "about"})

_CORE = frozenset({"compound", "amod", "nummod", "nmod"})
_HEADS = frozenset({"NOUN", "PROPN"})
_NOUNS = _HEADS | {"NUM"}
_DETERMINED = frozenset({"the", "this", "that", "these", "those"})
_OUTSIDE = frozenset({"det", "punct", "case", "cc", "conj"})  # Labels of children that do not specify a noun.
_NO_THINGS = frozenset({"PERSON", "DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"})
_NO_NODES = frozenset({
    "one", "way", "case", "time", "part", "example", "number", "lot", "kind", "type", "following",
    "note", "step", "thing",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The core of a noun phrase, from after the determiner to its head: "migration report".

    `noun` is the lower-case lemma of the head. `definite` means "the", "this" ... and nothing else, with no following
    noun that a wrong parse may have split off. `compound` means a noun before the head; adjectives such as "current" do
    not count.
    """

    sentence: int
    start: int
    head: int
    text: str
    noun: str
    plural: bool
    definite: bool
    compound: bool

    @property
    def span(self) -> Span:
        return self.sentence, self.start, self.head + 1


def resolve_things(passage: CorefText) -> list[Coreference]:
    """Resolve impersonal pronouns and bare definite nouns, in text order."""
    phrases = [_phrases(parse, number) for number, parse in enumerate(passage.parses)]
    found = [*_pronouns(passage, phrases), *_definites(passage, phrases)]
    return sorted(found, key=lambda coreference: (coreference.sentence, coreference.start))


def _phrases(parse: Parse, sentence: int) -> list[_Phrase]:
    return [
        _phrase(parse, sentence, token)
        for token in range(len(parse))
        if parse.pos[token] in _HEADS
        and parse.name_head(token) == token
        and parse.lemmas[token].lower() not in _NO_NODES
        and any(character.isalpha() for character in parse.words[token])
        and not any(e.start <= token < e.end and e.label in _NO_THINGS for e in parse.entities)
    ]


def _phrase(parse: Parse, sentence: int, head: int) -> _Phrase:
    start = head
    while start > 0 and _is_core(parse, start - 1, head):
        start -= 1
    while parse.tags[start] in ("JJR", "JJS", "PDT") and start < head:
        start += 1
    children = parse.children(head)
    determiners = {parse.words[i].lower() for i in children if parse.deps[i] == "det"}
    bare = all(parse.deps[i] in _OUTSIDE for i in children)
    noun_follows = head + 1 < len(parse) and parse.pos[head + 1] in _NOUNS
    return _Phrase(
        sentence=sentence,
        start=start,
        head=head,
        text=parse.surface(start, head + 1),
        noun=parse.lemmas[head].lower(),
        plural=parse.tags[head] in ("NNS", "NNPS"),
        definite=bare and not noun_follows and not determiners.isdisjoint(_DETERMINED),
        compound=any(parse.pos[i] in _NOUNS for i in range(start, head)),
    )


def _is_core(parse: Parse, token: int, head: int) -> bool:
    """Tell whether a token before the head belongs to its name."""
    if parse.words[token] in ("-", "/"):
        return parse.heads[token] <= head
    path = [token, *parse.ancestors(token)]
    inside = path[: path.index(head)] if head in path else []
    return bool(inside) and all(parse.deps[i] in _CORE for i in inside)


_Named = dict[tuple[int, int], _Phrase]  # Antecedents of pronouns, by sentence and token.


def _pronouns(passage: CorefText, phrases: Sequence[Sequence[_Phrase]]) -> Iterator[Coreference]:
    named: _Named = {}
    for number, parse in enumerate(passage.parses):
        for token, word in enumerate(parse.words):
            lower = word.lower()
            if lower not in _SINGULAR | _PLURAL or is_pleonastic(parse, token):
                continue
            near = [*(phrases[number - 1] if number else ()), *phrases[number]]
            fitting = [
                phrase
                for phrase in near
                if phrase.plural == (lower in _PLURAL)
                and (phrase.sentence < number or _may_refer_back(parse, token, phrase))
            ]
            mention = (number, token, token + 1)
            chosen, rule = _last_subject(passage, mention, fitting, named), SAME_SUBJECT
            if not chosen and len({phrase.text.casefold() for phrase in fitting}) == 1:
                chosen, rule = fitting[-1], ONLY_CANDIDATE
            if chosen:
                named[number, token] = chosen
                yield _resolved(passage, mention, chosen, Kind.PRONOUN, rule)
            elif passage.topic and not fitting and lower in _SINGULAR:
                name = passage.topic.name
                yield _outside(passage, mention, name, Kind.PRONOUN, ROW_KEY, Source.KEY)


def is_pleonastic(parse: Parse, token: int) -> bool:
    """Tell whether an "it" is pleonastic: "it is possible to", "it is recommended that"."""
    if parse.words[token].lower() != "it":
        return False
    verb = parse.heads[token]
    labels = {parse.deps[child] for child in parse.children(verb)}
    clause = bool(labels & _CLAUSAL)
    impersonal = parse.lemmas[verb].lower() in _IMPERSONAL or "auxpass" in labels
    ascribes = bool(labels & {"acomp", "attr", "oprd"}) and parse.lemmas[verb] == "be"
    small_clause = parse.deps[verb] == "ccomp" and "acomp" in labels
    return parse.deps[token] == "expl" or (clause and (impersonal or ascribes)) or small_clause


def _may_refer_back(parse: Parse, token: int, one: _Phrase) -> bool:
    above = parse.ancestors(token)
    same_verb = parse.heads[one.head] == parse.heads[token]
    return one.head < token and one.head not in above and not same_verb


def _last_subject(passage: CorefText, mention: Span, fitting: Sequence[_Phrase], named: _Named) -> _Phrase | None:
    """Return the antecedent given by the last subject before a pronoun, if it fits.

    Only subject and possessive pronouns have one. A subject that is a pronoun passes on its own antecedent.
    """
    number, token, _ = mention
    if passage.parses[number].role(token) not in (Role.SUBJECT, Role.POSSESSOR):
        return None
    by_head = {(phrase.sentence, phrase.head): phrase for phrase in fitting}
    for sentence in (number, number - 1) if number else (number,):
        parse = passage.parses[sentence]
        stop = token if sentence == number else len(parse)
        subjects = [i for i in range(stop) if parse.deps[i] in SUBJECTS]
        if sentence != number:
            subjects = [i for i in subjects if parse.is_root(parse.heads[i])]
        if subjects:
            last = sentence, subjects[-1]
            return by_head.get(last) or named.get(last)
    return None


_Earlier = Mapping[tuple[str, str, bool], Mapping[str, _Phrase]]
"""Phrases before a position, the last of each wording: by rule, noun, and whether the head is plural."""


def _definites(passage: CorefText, phrases: Sequence[Sequence[_Phrase]]) -> Iterator[Coreference]:
    earlier: dict[tuple[str, str, bool], dict[str, _Phrase]] = defaultdict(dict)
    for number, parse in enumerate(passage.parses):
        for phrase in phrases[number]:
            if phrase.definite:
                yield from _definite(passage, parse, phrase, earlier)
            text = phrase.text.casefold()
            if phrase.compound:
                earlier[HEAD_MATCH, phrase.noun, phrase.plural][text] = phrase
            code = any(not character.isalpha() for character in parse.words[phrase.head])
            if code and phrase.start == phrase.head - 1:  # a noun and a code: "transaction SE38"
                noun = parse.lemmas[phrase.start].lower()
                earlier[TYPE_AND_NAME, noun, False][text] = phrase


def _definite(passage: CorefText, parse: Parse, one: _Phrase, earlier: _Earlier) -> Iterator[Coreference]:
    start = next(i for i in parse.children(one.head) if parse.deps[i] == "det")
    mention = (one.sentence, start, one.head + 1)
    keys = ((HEAD_MATCH, one.noun, one.plural), (TYPE_AND_NAME, one.noun, False))
    matches = {key[0]: list(earlier[key].values()) for key in keys if key in earlier}
    for rule, found in matches.items():
        if len(found) == 1:
            yield _resolved(passage, mention, found[0], Kind.DEFINITE, rule)
            return
    if matches or one.plural:
        return
    if passage.topic and one.noun in _called(passage.topic):
        name = passage.topic.name
        yield _outside(passage, mention, name, Kind.DEFINITE, ROW_KEY, Source.KEY)
        return
    places = [(Source.HEADING, heading) for heading in reversed(passage.headings)]
    for source, text in [*places, (Source.TITLE, passage.title)]:
        words = _first_phrase(text)
        if len(words) > 1 and words[-1].lower() == one.noun:
            name = " ".join(words)
            yield _outside(passage, mention, name, Kind.DEFINITE, HEADING_MATCH, source)
            return


def _called(topic: Topic) -> set[str]:
    return {word.lower() for word in [*topic.kind.split(), *_first_phrase(topic.name)[-1:]]}


def _first_phrase(heading: str) -> list[str]:
    """Return the words of a heading's first noun phrase, recognized without a parse.

    Empty for headings that themselves use a definite: "Activate the filter" names nothing.
    """
    found = _HEADING_END.split(plain_heading(heading), maxsplit=1)[0].split()
    while found and (found[0].lower() in _LEADING or found[0].lower().endswith("ing")):
        found = found[1:]
    return [] if _DEFINITE.intersection(map(str.lower, found)) else found


def _resolved(passage: CorefText, mention: Span, to: _Phrase, kind: Kind, rule: str) -> Coreference:
    return passage.resolved(mention, to.span, kind=kind, rule=rule, confidence=CONFIDENCES[rule])


def _outside(passage: CorefText, mention: Span, name: str, kind: Kind, rule: str, source: Source) -> Coreference:
    """Return the coreference of a mention with a name outside the passage's sentences."""
    return Coreference(*passage.place(mention), name, kind, rule, CONFIDENCES[rule], source)
