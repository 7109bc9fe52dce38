"""Normalize a model's relation to the canonical form of the rules.

"is replaced by" becomes (tail, replace, head); "are stored in" becomes "be stored in"; "does not read" becomes "read",
negated. A word's lemma is the sentence's, or follows from its ending.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.extract.inflection import past_participle
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.names import base_of_third_person
from graphrag_tasks.language.tokens import Token

MOST_WORDS = 6  # Most words of a relation; a longer one says more than how two things are related. Chosen.

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_CONTRACTED = re.compile(r"n['’]t\b")
_BE = frozenset({"be", "is", "are", "was", "were", "been", "being", "am"})
_HAVE = frozenset({"have", "has", "had", "having"})
_DROPPED = words("beside_relations")
_FUNCTION_WORDS = words("function_words")
_NOT = frozenset({"not", "no", "never", "cannot", "neither", "nor"})
_INCLUDE = dict.fromkeys(("includes", "including"), "include")
IMPLIED = frozenset({"be", "have", "include"})  # Relations that a sentence may express without a verb.
PREPOSITIONS = frozenset({"ADP", "SCONJ", "PART"})


@dataclass(frozen=True)
class Relation:
    """A relation in canonical form.

    Attributes:
        text: The canonical form.
        turned: Whether head and tail are exchanged.
        negated: Whether it is negated.
        implied: Whether no word of the sentence states it.
        start: Start of its main word in the sentence, or None.
        end: End of its main word.
        preposition: Its last word, if that is a preposition.
    """

    text: str
    turned: bool
    negated: bool
    implied: bool
    start: int | None
    end: int | None
    preposition: str | None

    @property
    def passive(self) -> bool:
        """Whether it was told in the passive."""
        return self.turned or self.text.startswith("be ")


class Sentence:
    """The words of a parsed sentence from which relations are made."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._by_text: dict[str, Token] = {}
        self._by_lemma: dict[str, Token] = {}
        for token in tokens:
            self._by_text.setdefault(token.lower_, token)
            if not token.is_punct:
                self._by_lemma.setdefault(token.lemma_.lower(), token)

    def relation(self, told: str) -> Relation | None:
        """Return a told relation in canonical form; None if the sentence does not state it.

        The sentence states it if it contains a form of its main word, or if it is "is", "has" or "includes", which may
        be implied.
        """
        words, negated = _words(told)
        if not 0 < len(words) <= MOST_WORDS or not all(map(self._is_said, words[1:])):
            return None
        first = self._find(words[0])
        if first is not None and first.pos_ in ("ADP", "SCONJ") and self._is_verb(words[-1]):
            words = [*words[1:], words[0]]  # "With this app, you can display"
        is_passive, words = self._without_auxiliaries(words)
        main, rest = words[0], words[1:]
        token = self._find(main)
        lemma = self._lemma(main, token)
        if main == "be" and rest and self._is_property(rest[0]):
            token = self._find(rest[0])
        implied = token is None or lemma in _BE | _HAVE
        if token is None and lemma not in IMPLIED:
            return None
        turned = is_passive and rest[:1] == ["by"]
        if turned:
            rest = rest[1:]
        elif is_passive:
            lemma = f"be {past_participle(lemma)}"
        last = self._find(rest[-1]) if rest else token
        is_preposition = last is not None and last.pos_ in PREPOSITIONS and bool(rest)
        return Relation(
            text=" ".join([lemma, *rest]), turned=turned, negated=negated, implied=implied,
            start=None if token is None else token.idx,
            end=None if token is None else token.idx + len(token),
            preposition=rest[-1] if is_preposition else None,
        )  # fmt: skip

    def _is_said(self, word: str) -> bool:
        return word in _FUNCTION_WORDS or self._find(word) is not None

    def _find(self, word: str) -> Token | None:
        """Return the token of which a word is a form."""
        if word in self._by_text:
            return self._by_text[word]
        bases = [word, base_of_third_person(word), *_stems(word)]
        return next((self._by_lemma[base] for base in bases if base in self._by_lemma), None)

    def _lemma(self, word: str, token: Token | None) -> str:
        if word in ("be", "have"):
            return word
        if token is not None and token.pos_ in ("VERB", "AUX"):
            return token.lemma_.lower()
        return word

    def _is_property(self, word: str) -> bool:
        """Tell whether a word after "is" is not a preposition: "is compatible with"."""
        token = self._find(word)
        return token is not None and token.pos_ not in PREPOSITIONS

    def _without_auxiliaries(self, words: list[str]) -> tuple[bool, list[str]]:
        """Tell whether a relation is passive, and return its words from the main verb on."""
        if (
            words[0] in _HAVE
            and len(words) > 1
            and (words[1] in _BE or self._is_participle(words[1]) or self._is_verb(words[1]))
        ):
            words = words[1:]  # the perfect
        if words[0] not in _BE:
            is_passive = self._is_participle(words[0]) and (words[1:2] == ["by"] or self._is_passive_here(words[0]))
            return is_passive, ["have" if words[0] in _HAVE else words[0], *words[1:]]
        while len(words) > 1 and words[1] in _BE:
            words = words[1:]
        if len(words) > 1 and self._is_participle(words[1]):
            return True, words[1:]
        if len(words) > 1 and words[1].endswith("ing") and self._is_verb(words[1]):
            return False, words[1:]
        return False, ["be", *words[1:]]

    def _is_participle(self, word: str) -> bool:
        """Tell whether a word is the participle of a verb, not an adjective."""
        token = self._find(word)
        if token is None or token.pos_ not in ("VERB", "AUX") or word in _HAVE:
            return False
        lemma = token.lemma_.lower()
        return word != lemma and word == past_participle(lemma)

    def _is_passive_here(self, word: str) -> bool:
        """Tell whether a participle is used without "is": "tables stored in"."""
        token = self._by_text.get(word)
        return token is not None and token.tag_ == "VBN" and not _is_perfect(token)

    def _is_verb(self, word: str) -> bool:
        token = self._find(word)
        return token is not None and token.pos_ == "VERB"


def _words(told: str) -> tuple[list[str], bool]:
    """Return the content words of a relation, and whether it is negated."""
    found = _WORD.findall(_CONTRACTED.sub(" not", told.casefold().replace("_", " ")))
    said = [_INCLUDE.get(word, word) for word in found if word not in _NOT]
    words = [word for word in said if word not in _DROPPED] or said[-1:]
    return words, len(said) < len(found)


def _stems(word: str) -> list[str]:
    found = []
    for ending, instead in (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")):
        if word.endswith(ending):
            stem = word.removesuffix(ending) + instead
            found.append(stem)
            if stem[-1:] == stem[-2:-1]:
                found.append(stem[:-1])
    return found


def _is_perfect(token: Token) -> bool:
    """Tell whether a participle belongs to an active perfect with "have"."""
    helpers: Mapping[str, str] = {one.lemma_: one.dep_ for one in token.children}
    return helpers.get("have") == "aux" and "be" not in helpers
