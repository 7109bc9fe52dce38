"""Parts of speech and lemmas by look-up, and the ends of sentences.

spaCy's English models derive both from tagger and parser results: the attribute ruler has patterns over word, tag and
label, the lemmatizer rules over word, part of speech and features. So both run once for each distinct (word, tag,
label), on a one-token doc, and the result is cached. The few patterns over two tokens ("gon" + "na") run on pairs that
can match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from graphrag_tasks.language.dictionary import TITLES, noun_gender

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token


COMPONENTS = ("attribute_ruler", "lemmatizer")
MAX_FORMS = 20_000  # Cached forms, about 10 MB; half of them are the most recent. Computing one takes .1 ms.

_KEY_ATTRIBUTES = frozenset({"ORTH", "TEXT", "LOWER", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"})


class Form(NamedTuple):
    """Attributes that follow from a token's word, tag and label.

    White space has its own tag and label. `opens` and `closes` are keys of the two-token patterns that it begins or
    ends.
    """

    text: str
    lower: str
    tag: str
    pos: str
    dep: str
    lemma: str
    is_punct: bool
    is_space: bool
    opens: frozenset[int]
    closes: frozenset[int]


class Morphology:
    """Looks up token forms by a pipeline's attribute ruler and lemmatizer."""

    def __init__(self, pipeline: Language) -> None:
        self._vocab = pipeline.vocab
        self._components = [pipeline.get_pipe(name) for name in COMPONENTS]
        self._matchers = _pair_matchers(pipeline)
        self._forms: dict[tuple[int, int, int], Form] = {}
        self._older: dict[tuple[int, int, int], Form] = {}

    @staticmethod
    def covers(pipeline: Language) -> bool:
        """Tell whether a pipeline's results follow from word, tag and label alone.

        Not if a component is absent, uses other input, or is of another kind.
        """
        from spacy.pipeline import AttributeRuler, Lemmatizer

        if not set(COMPONENTS) <= set(pipeline.pipe_names):
            return False
        ruler, lemmatizer = (pipeline.get_pipe(name) for name in COMPONENTS)
        if not isinstance(ruler, AttributeRuler) or not isinstance(lemmatizer, Lemmatizer):
            return False
        patterns = _patterns(ruler)
        return all(len(pattern) <= 2 for pattern in patterns) and all(
            set(token) <= _KEY_ATTRIBUTES for pattern in patterns for token in pattern
        )

    def forms(self, keys: Sequence[tuple[int, int, int]]) -> list[Form]:
        """Return the form of each token, given the hashes of its word, tag and label."""
        known = self._forms
        if not known.keys() >= set(keys):
            known = self._learn(keys)
        forms = [known[key] for key in keys]
        for i in _pairs(forms):
            forms[i : i + 2] = self._run(keys[i : i + 2])
        return forms

    def learn(self, docs: Sequence[Doc]) -> None:
        """Compute the forms of all docs at once, which is faster than one doc after the other."""
        from spacy.attrs import DEP, ORTH, TAG

        columns = [doc.to_array([ORTH, TAG, DEP]).tolist() for doc in docs]
        self._learn([(word, tag, dep) for rows in columns for word, tag, dep in rows])

    def _learn(self, keys: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int, int], Form]:
        """Recall forms from the older half, or compute them, and return the newer half.

        A full newer half becomes the older.

        A form is that of a word alone, though new ones are computed in one doc: where two neighbours match a pattern,
        each is computed again.
        """
        if len(self._forms) >= MAX_FORMS // 2:
            self._forms, self._older = {}, self._forms
        known = self._forms
        known |= {key: self._older[key] for key in keys if key in self._older}
        new = list(dict.fromkeys(key for key in keys if key not in known))
        forms = self._run(new)
        known |= zip(new, forms, strict=True)
        for i in _pairs(forms):
            known |= {key: self._run([key])[0] for key in new[i : i + 2]}
        return known

    def _run(self, keys: Sequence[tuple[int, int, int]]) -> list[Form]:
        """Run both components on a doc of only these tokens."""
        from spacy.tokens import Doc

        words, tags, deps = ([self._vocab.strings[key[part]] for key in keys] for part in range(3))
        doc = Doc(self._vocab, words=words, tags=tags, deps=deps, heads=list(range(len(keys))))
        opens, closes = (self._found(matcher, doc) for matcher in self._matchers)
        for component in self._components:
            component(doc)
        return list(map(_form, doc, opens, closes))

    @staticmethod
    def _found(matcher: Any, doc: Doc) -> list[frozenset[int]]:  # noqa: ANN401
        """Return the keys of the one-token patterns that each token matches."""
        found: list[set[int]] = [set() for _ in range(len(doc))]
        for key, start, _ in matcher(doc):
            found[start].add(key)
        return list(map(frozenset, found))


def _pairs(forms: Sequence[Form]) -> list[int]:
    """Return the places whose token and the next may match a two-token pattern."""
    return [i for i in range(len(forms) - 1)
            if forms[i].opens and not forms[i].opens.isdisjoint(forms[i + 1].closes)]  # fmt: skip


def _pair_matchers(pipeline: Language) -> tuple[Any, Any]:
    """Return matchers for the first and for the second tokens of two-token patterns."""
    from spacy.matcher import Matcher

    first, second = Matcher(pipeline.vocab), Matcher(pipeline.vocab)
    pairs = [pattern for pattern in _patterns(pipeline.get_pipe(COMPONENTS[0])) if len(pattern) == 2]
    for number, pair in enumerate(pairs):
        for matcher, token in zip((first, second), pair, strict=True):
            matcher.add(str(number), [[token]])
    return first, second


def _patterns(ruler: Any) -> list[list[dict[str, Any]]]:  # noqa: ANN401 - a spaCy component
    return [pattern for rule in ruler.patterns for pattern in rule["patterns"]]


def _form(token: Token, opens: frozenset[int], closes: frozenset[int]) -> Form:
    text, lower, lemma = token.text, token.lower_, token.lemma_
    return Form(
        text, text if lower == text else lower,
        intern(token.tag_), intern(token.pos_), intern(token.dep_),
        text if lemma == text else lemma,
        token.is_punct, token.is_space, opens, closes,
    )  # fmt: skip


# Sentence boundaries: corrects the sentence recogniser at full stops.

_SCALED = "[nµmk][AFJNSVW]"  # Unit symbols whose full stop the tokenizer does not part: "kW.".
_LETTER = re.compile(rf"(?:[A-Za-z]|{_SCALED})\.")
_UNIT = re.compile(rf"(?:[ACFJKNVWghlmst]|{_SCALED})\.")
"""These, and one-letter unit symbols (SI brochure, 9th edition), litres and degrees."""
_PERSON = re.compile(r"\w+(?:ist|ian|eer)|author|editor|director|inventor|colleagues?")
_BEFORE_NUMBER = re.compile(r"\b(?:[Ff]igs?|[Tt]ab|[Ss]ecs?|[Ee]qs?|Nos?|Nr|[Vv]ols?|[Cc]hs?|pp?|ca|approx)\.\Z")
"""Abbreviations before a number, which rarely end a sentence."""
_MARKED_NAME = re.compile(r"\b[A-Z]\w+!\Z")  # A name with a mark of its own, such as "Yahoo!".
_SEEN = 100  # Tokens examined around a letter; bounds the time of a long sentence.
_OPENING = ("PRP", "DT", "EX", "IN", "WDT", "WP", "WRB", "MD", "RB", "CC")
"""Tags (Penn Treebank) of function words and adverbs, which are not surnames."""
_VERB = ("VB", "MD")


def sentence_spans(document: Doc) -> Iterator[Span]:
    """Yield the sentences of a tagged text with preliminary sentence starts."""
    start = 0
    for sentence in document.sents:
        end = sentence.end
        if end < len(document) and _goes_on(document[end - 2 : end].text, document[end].text):
            continue
        for at in range(start + 2, end):
            if not _LETTER.fullmatch(document[at - 1].text):
                continue
            first, last = max(start, at - _SEEN), min(end, at + _SEEN)
            if _ends(document[first:at], document[at:last]):
                yield document[start:at]
                start = at
        yield document[start:end]
        start = end


def _goes_on(last: str, following: str) -> bool:
    is_number = following[:1].isdigit() and _BEFORE_NUMBER.search(last) is not None
    is_name = following[:1].islower() and _MARKED_NAME.search(last) is not None
    return is_number or is_name or following == "."


def _ends(before: Span, after: Span) -> bool:
    """Tell whether a sentence ends at a letter with a full stop, which may be an initial."""
    letter, first = before[-1], after[0]
    if not first.text[0].isupper() or len(before) < 2:
        return False
    named = before[-2]
    is_label = named.is_lower and named.is_alpha and not named.tag_.startswith(_OPENING)
    is_label = is_label and len(named) > 1 and not _is_person(named.text)
    if is_label and first.lower in {token.lower for token in before}:
        return True
    if not _has_verb(before):
        return False
    if first.tag_.startswith(_OPENING) and not _LETTER.fullmatch(first.text):
        return named.lower_.rstrip(".") not in TITLES
    is_unit = named.like_num and _UNIT.fullmatch(letter.text) is not None
    return (is_unit or is_label) and _has_verb(after)


def _is_person(word: str) -> bool:
    return word in TITLES or noun_gender([word]) != 0 or _PERSON.fullmatch(word) is not None


def _has_verb(tokens: Span) -> bool:
    return any(token.tag_.startswith(_VERB) for token in tokens)
