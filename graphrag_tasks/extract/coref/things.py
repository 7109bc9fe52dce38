"""Resolve "it", "they" and definite noun phrases such as "the report" by rules.

GAP has no examples of these, so no weights are learned. Two kinds of evidence count: subjects tend to continue
(centering, Grosz et al. 1995), and a bare noun repeats the head of a longer name. Each rule has a fixed confidence, set
by reading its results.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.extract.coref.parses import SUBJECTS, Parse, Role
from graphrag_tasks.extract.coref.protocol import Coreference, Kind, Passage, Source, Span, Topic
from graphrag_tasks.language.headings import plain_heading

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


def resolve_things(passage: Passage) -> list[Coreference]:
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


def _pronouns(passage: Passage, phrases: Sequence[Sequence[_Phrase]]) -> Iterator[Coreference]:
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


def _last_subject(passage: Passage, mention: Span, fitting: Sequence[_Phrase], named: _Named) -> _Phrase | None:
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


def _definites(passage: Passage, phrases: Sequence[Sequence[_Phrase]]) -> Iterator[Coreference]:
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


def _definite(passage: Passage, parse: Parse, one: _Phrase, earlier: _Earlier) -> Iterator[Coreference]:
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


def _resolved(passage: Passage, mention: Span, to: _Phrase, kind: Kind, rule: str) -> Coreference:
    return passage.resolved(mention, to.span, kind=kind, rule=rule, confidence=CONFIDENCES[rule])


def _outside(passage: Passage, mention: Span, name: str, kind: Kind, rule: str, source: Source) -> Coreference:
    """Return the coreference of a mention with a name outside the passage's sentences."""
    return Coreference(*passage.place(mention), name, kind, rule, CONFIDENCES[rule], source)
