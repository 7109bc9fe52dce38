"""Parts of speech and lemmas, looked up instead of computed for every token.

spaCy's English models derive both from what the tagger and the parser found: the attribute ruler
has patterns over a token's word, tag and label, and the lemmatizer has rules over word, part of
speech and features. So the two run once for each distinct (word, tag, label), on a doc of that
one token, and the answer is kept. The few patterns over two neighbours ("gon" + "na") are looked
for at the pairs that can match them, on a doc of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

COMPONENTS = ("attribute_ruler", "lemmatizer")
MAX_FORMS = 20_000
"""Forms kept, about 10 MB: half of them are those met last. Learning one takes .1 ms."""

_KEY_ATTRIBUTES = frozenset({"ORTH", "TEXT", "LOWER", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"})


class Form(NamedTuple):
    """What follows from a token's word, tag and label; white space has its own tag and label.

    `opens` and `closes` are keys of the patterns of two tokens that it begins or ends.
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
    """Looks up the forms of tokens by a pipeline's attribute ruler and lemmatizer."""

    def __init__(self, pipeline: Language) -> None:
        self._vocab = pipeline.vocab
        self._components = [pipeline.get_pipe(name) for name in COMPONENTS]
        self._matchers = _pair_matchers(pipeline)
        self._forms: dict[tuple[int, int, int], Form] = {}
        self._older: dict[tuple[int, int, int], Form] = {}

    @staticmethod
    def covers(pipeline: Language) -> bool:
        """Return whether a pipeline's answers follow from word, tag and label alone.

        They do not when a component is absent, looks at anything else, or has been replaced by
        another kind.
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
        try:
            forms = [known[key] for key in keys]
        except KeyError:
            forms = [known.get(key) or self._recall(key) for key in keys]
        for i in range(len(forms) - 1):
            if forms[i].opens and not forms[i].opens.isdisjoint(forms[i + 1].closes):
                forms[i : i + 2] = self._run(keys[i : i + 2], forms[i : i + 2])
        return forms

    def _recall(self, key: tuple[int, int, int]) -> Form:
        """Return a form of the older half, or learn it; a newer half that is full grows old."""
        form = self._forms.get(key) or self._older.get(key) or self._run([key], [None])[0]
        if len(self._forms) >= MAX_FORMS // 2:
            self._forms, self._older = {}, self._forms
        self._forms[key] = form
        return form

    def _run(
        self, keys: Sequence[tuple[int, int, int]], before: Sequence[Form | None]
    ) -> list[Form]:
        """Run the two components on a doc of these tokens alone."""
        from spacy.tokens import Doc

        words, tags, deps = ([self._vocab.strings[key[part]] for key in keys] for part in range(3))
        doc = Doc(self._vocab, words=words, tags=tags, deps=deps, heads=list(range(len(keys))))
        matches = [self._matches(token) if old is None else (old.opens, old.closes)
                   for token, old in zip(doc, before, strict=True)]  # fmt: skip
        for component in self._components:
            component(doc)
        return [_form(token, *found) for token, found in zip(doc, matches, strict=True)]

    def _matches(self, token: Token) -> tuple[frozenset[int], frozenset[int]]:
        opens, closes = (
            frozenset(key for key, _, _ in matcher(token.doc)) for matcher in self._matchers
        )
        return opens, closes


def _pair_matchers(pipeline: Language) -> tuple[Any, Any]:
    """Return matchers of the first, and of the second token of each pattern of two tokens."""
    from spacy.matcher import Matcher

    first, second = Matcher(pipeline.vocab), Matcher(pipeline.vocab)
    pairs = [
        pattern for pattern in _patterns(pipeline.get_pipe(COMPONENTS[0])) if len(pattern) == 2
    ]
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
