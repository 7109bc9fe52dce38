"""What is no person: "it", "they", and definite mentions such as "the report", by rules.

GAP says nothing of these, so no weights are learned for them. Two kinds of evidence are taken:
the subject goes on being the subject (centering, Grosz et al. 1995), and a bare noun repeats the
head of a longer name. Confidences are those of the rules, from reading what they gave.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_tasks.extract.coref.parses import SUBJECTS, Parse
from graphrag_tasks.extract.coref.phrases import Phrase, find_phrases
from graphrag_tasks.extract.coref.protocol import Coreference, Kind, Passage, Source, Topic
from graphrag_tasks.extract.coref.roles import Role, role_of

SAME_SUBJECT = "same_subject"
"""The pronoun and its antecedent are subjects, of clauses that follow each other."""
ONLY_CANDIDATE = "only_candidate"
"""No other phrase of that number stands before the pronoun, in its sentence and the last."""
HEAD_MATCH = "head_match"
"""A bare definite noun, and the one compound in the passage that it is the head of."""
TYPE_AND_NAME = "type_and_name"
"""A bare definite noun, and a code that it stands before: "transaction SE38"."""
HEADING_MATCH = "heading_match"
"""A bare definite noun that is the head of a heading's, or the title's, first phrase."""

ROW_KEY = "row_key"
"""In a cell: the key of its row, for a pronoun without antecedent, and for what the key's column,
or its own last word, calls it: "this field" below "Field name"."""

CONFIDENCES = {
    SAME_SUBJECT: 0.9,
    ONLY_CANDIDATE: 0.5,
    HEAD_MATCH: 0.8,
    TYPE_AND_NAME: 0.8,
    HEADING_MATCH: 0.7,
    ROW_KEY: 0.7,
}
_SINGULAR, _PLURAL = frozenset({"it", "its"}), frozenset({"they", "them", "their"})
_CLAUSAL = frozenset({"ccomp", "xcomp", "csubj", "advcl", "relcl", "acl"})
_IMPERSONAL = frozenset({"seem", "appear", "happen", "follow", "turn", "take", "make", "depend"})
_HEADING_END = re.compile(
    r"\s+(?:for|of|in|with|to|from|on|by|at|and|or|using|as|via|between|into|without)\s|[:(–,]",
    re.IGNORECASE,
)
_LEADING = frozenset({"a", "an", "the", "how", "about"})


def resolve_things(passage: Passage) -> list[Coreference]:
    """Resolve impersonal pronouns and bare definite nouns, in the order of the text."""
    phrases = [find_phrases(parse, number) for number, parse in enumerate(passage.parses)]
    found = [*_pronouns(passage, phrases), *_definites(passage, phrases)]
    return sorted(found, key=lambda one: (one.sentence, one.start))


def _pronouns(passage: Passage, phrases: Sequence[Sequence[Phrase]]) -> Iterator[Coreference]:
    named: dict[tuple[int, int], Phrase] = {}
    for number, parse in enumerate(passage.parses):
        for token, word in enumerate(parse.words):
            lower = word.lower()
            if lower not in _SINGULAR | _PLURAL or is_pleonastic(parse, token):
                continue
            near = [*(phrases[number - 1] if number else ()), *phrases[number]]
            fitting = [
                one
                for one in near
                if one.plural == (lower in _PLURAL)
                and (one.sentence < number or _may_refer_back(parse, token, one))
            ]
            chosen = _choose(passage, (number, token), fitting, named)
            if chosen:
                phrase, rule = chosen
                named[number, token] = phrase
                yield _resolved(passage, number, (token, token + 1), phrase, Kind.PRONOUN, rule)
            elif passage.topic and not fitting and lower in _SINGULAR:
                yield _outside(parse, number, (token, token + 1), passage.topic.name, Kind.PRONOUN)


def is_pleonastic(parse: Parse, token: int) -> bool:
    """Return whether an "it" stands for nothing: "it is possible to", "it is recommended that"."""
    if parse.words[token].lower() != "it":
        return False
    verb = parse.heads[token]
    labels = {parse.deps[child] for child in parse.children(verb)}
    clause = bool(labels & _CLAUSAL)
    impersonal = parse.lemmas[verb].lower() in _IMPERSONAL or "auxpass" in labels
    ascribes = bool(labels & {"acomp", "attr", "oprd"}) and parse.lemmas[verb] == "be"
    small_clause = parse.deps[verb] == "ccomp" and "acomp" in labels
    return parse.deps[token] == "expl" or (clause and (impersonal or ascribes)) or small_clause


def _may_refer_back(parse: Parse, token: int, one: Phrase) -> bool:
    """Return whether a phrase of the pronoun's own sentence may be what it stands for."""
    above = parse.ancestors(token)
    same_verb = parse.heads[one.head] == parse.heads[token]
    return one.head < token and one.head not in above and not same_verb


def _choose(
    passage: Passage,
    place: tuple[int, int],
    fitting: Sequence[Phrase],
    named: dict[tuple[int, int], Phrase],
) -> tuple[Phrase, str] | None:
    number, token = place
    parse = passage.parses[number]
    if role_of(parse, token) in (Role.SUBJECT, Role.POSSESSOR):
        subject = _last_subject(passage, place, fitting, named)
        if subject:
            return subject, SAME_SUBJECT
    texts = {_text(passage, one).casefold() for one in fitting}
    return (fitting[-1], ONLY_CANDIDATE) if len(texts) == 1 else None


def _last_subject(
    passage: Passage,
    place: tuple[int, int],
    fitting: Sequence[Phrase],
    named: dict[tuple[int, int], Phrase],
) -> Phrase | None:
    """Return what the last subject before the pronoun names, if it fits.

    A subject that is a pronoun itself hands on what it stands for.
    """
    number, token = place
    by_head = {(one.sentence, one.head): one for one in fitting}
    for sentence in (number, number - 1) if number else (number,):
        parse = passage.parses[sentence]
        stop = token if sentence == number else len(parse)
        subjects = [i for i in range(stop) if parse.deps[i] in SUBJECTS]
        if sentence != number:
            subjects = [i for i in subjects if parse.is_root(parse.heads[i])]
        if subjects:
            last = subjects[-1]
            return by_head.get((sentence, last)) or named.get((sentence, last))
    return None


@dataclass(slots=True)
class _Named:
    """Phrases before a place that a bare noun may repeat.

    Attributes:
        texts: Their wordings, without case.
        last: The last of them.
    """

    texts: set[str] = field(default_factory=set)
    last: Phrase | None = None

    def add(self, phrase: Phrase, text: str) -> None:
        self.texts.add(text.casefold())
        self.last = phrase


_Earlier = Mapping[tuple[str, str, bool], _Named]
"""By rule, noun and whether it is plural, which counts for heads only."""


def _definites(passage: Passage, phrases: Sequence[Sequence[Phrase]]) -> Iterator[Coreference]:
    earlier: dict[tuple[str, str, bool], _Named] = defaultdict(_Named)
    for number, parse in enumerate(passage.parses):
        for one in phrases[number]:
            if one.determiner and one.bare:
                yield from _definite(passage, parse, one, earlier)
            text = _text(passage, one)
            if one.compound:
                noun = parse.lemmas[one.head].lower()
                earlier[HEAD_MATCH, noun, one.plural].add(one, text)
            if _is_type_and_name(parse, one):
                noun = parse.lemmas[one.start].lower()
                earlier[TYPE_AND_NAME, noun, False].add(one, text)


def _definite(
    passage: Passage, parse: Parse, one: Phrase, earlier: _Earlier
) -> Iterator[Coreference]:
    noun = parse.lemmas[one.head].lower()
    start = next(i for i in parse.children(one.head) if parse.deps[i] == "det")
    span = (start, one.end)
    keys = ((HEAD_MATCH, noun, one.plural), (TYPE_AND_NAME, noun, False))
    matches = {key[0]: earlier[key] for key in keys if key in earlier}
    for rule, found in matches.items():
        if found.last and len(found.texts) == 1:
            yield _resolved(passage, one.sentence, span, found.last, Kind.DEFINITE, rule)
            return
    if matches or one.plural:
        return
    if passage.topic and noun in _called(passage.topic):
        yield _outside(parse, one.sentence, (start, one.head + 1), passage.topic.name)
        return
    places = [(Source.HEADING, heading) for heading in reversed(passage.headings)]
    for source, text in [*places, (Source.TITLE, passage.title)]:
        name = _first_phrase(text)
        if len(name) > 1 and name[-1].lower() == noun:
            yield _outside(
                parse, one.sentence, (start, one.head + 1), " ".join(name),
                rule=HEADING_MATCH, source=source,
            )  # fmt: skip
            return


def _called(topic: Topic) -> set[str]:
    """Return the nouns that the key of a row is called by."""
    return {word.lower() for word in [*topic.kind.split(), *_first_phrase(topic.name)[-1:]]}


def _outside(
    parse: Parse,
    number: int,
    span: tuple[int, int],
    name: str,
    kind: Kind = Kind.DEFINITE,
    *,
    rule: str = ROW_KEY,
    source: Source = Source.KEY,
) -> Coreference:
    """Return the coreference of a mention with a name that no sentence of the passage has."""
    return Coreference(
        sentence=number,
        start=parse.starts[span[0]],
        end=parse.end(span[1] - 1),
        surface=parse.surface(*span),
        antecedent=name,
        kind=kind,
        rule=rule,
        confidence=CONFIDENCES[rule],
        source=source,
    )


def _is_type_and_name(parse: Parse, one: Phrase) -> bool:
    """Return whether a phrase is a noun and a code: "transaction SE38"."""
    code = any(not character.isalpha() for character in parse.words[one.head])
    return one.end - one.start == 2 and code


def _first_phrase(heading: str) -> list[str]:
    """Return the words of a heading's first noun phrase, as far as its words alone show it."""
    words = _HEADING_END.split(heading.strip(), maxsplit=1)[0].split()
    while words and (words[0].lower() in _LEADING or words[0].lower().endswith("ing")):
        words = words[1:]
    return words


def _text(passage: Passage, one: Phrase) -> str:
    return passage.parses[one.sentence].surface(one.start, one.end)


def _resolved(
    passage: Passage, number: int, span: tuple[int, int], to: Phrase, kind: Kind, rule: str
) -> Coreference:
    parse, other = passage.parses[number], passage.parses[to.sentence]
    return Coreference(
        sentence=number,
        start=parse.starts[span[0]],
        end=parse.end(span[1] - 1),
        surface=parse.surface(*span),
        antecedent=_text(passage, to),
        kind=kind,
        rule=rule,
        confidence=CONFIDENCES[rule],
        antecedent_sentence=to.sentence,
        antecedent_start=other.starts[to.start],
        antecedent_end=other.end(to.head),
    )
