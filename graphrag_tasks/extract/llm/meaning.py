"""Find a model's fact in its sentence: its ends, its relation, and whether the sentence's frames say it.

A name is found by its words in order, with few others between them. A relation gets the canonical form of the rules:
"is replaced by" becomes (tail, replace, head), "does not read" becomes "read", negated; a word's lemma is the
sentence's, or follows from its ending.

A fact holds if a frame with its relation has both ends in fitting roles, and the same denial; it does not if frames
have them only in other roles, or with the other denial. A fact that no frame is about holds if head, relation and tail
follow each other without another verb between, or if brackets or a list tie ends of "is", "has" or "includes".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from graphrag_tasks.extract.frames import Argument, Frame, Role
from graphrag_tasks.extract.words import past_participle, words
from graphrag_tasks.language.names import base_of_third_person, singular_noun
from graphrag_tasks.language.tokens import Doc, Token

MOST_BETWEEN = 4  # Most words inside a name's occurrence: "posting run" in "posting and payment run".

_WORD = re.compile(r"\w+(?:['’]s\b)?")
_POSSESSIVE = re.compile(r"['’]s$")
_DETERMINERS = words("determiners")


class Place(NamedTuple):
    """Position of a name, and its text there."""

    start: int
    end: int
    text: str


class Words:
    """The words of a text, normalized for comparison with names."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_WORD.finditer(text))
        self._spans = [match.span() for match in found]
        self._forms = [form_of(match[0]) for match in found]

    def places(self, name: str) -> list[Place]:
        """Return the occurrences of a name, in order; none if the name has no word."""
        wanted = name_forms(name)
        return [place for start in range(len(self._forms)) if (place := self._at(start, wanted))]

    def _at(self, start: int, wanted: Sequence[str]) -> Place | None:
        """Return the occurrence of a name that begins with this word, or None."""
        if not wanted or self._forms[start] != wanted[0]:
            return None
        taken, at = [start], start
        for form in wanted[1:]:
            last = taken[0] + len(wanted) + MOST_BETWEEN
            following = range(at + 1, min(len(self._forms), last))
            at = next((index for index in following if self._forms[index] == form), -1)
            if at < 0:
                return None
            taken.append(at)
        return Place(self._spans[taken[0]][0], self._spans[taken[-1]][1], self._surface(taken))

    def _surface(self, taken: Sequence[int]) -> str:
        return " ".join(self.text[start:end] for start, end in self._runs(taken))

    def _runs(self, taken: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the character spans of runs of adjacent words."""
        first = before = taken[0]
        for index in taken[1:]:
            if index != before + 1:
                yield self._spans[first][0], self._spans[before][1]
                first = index
            before = index
        yield self._spans[first][0], self._spans[before][1]


def name_forms(name: str) -> list[str]:
    """Return the normalized words of a name, without determiners."""
    forms = [form_of(one) for one in _WORD.findall(name)]
    return [form for form in forms if form not in _DETERMINERS] or forms


def form_of(word: str) -> str:
    """Return a word without case, possessive and plural ending; codes keep their last letter."""
    word = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word))
    return word.casefold() if word.isupper() else singular_noun(word.casefold())


MOST_WORDS = 6  # Most words of a relation; a longer one says more than how two things are related. Chosen.

_PART = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_CONTRACTED = re.compile(r"n['’]t\b")
_BE = frozenset({"be", "is", "are", "was", "were", "been", "being", "am"})
_HAVE = frozenset({"have", "has", "had", "having"})
_DROPPED = words("beside_relations")
_FUNCTION_WORDS = words("function_words")
_DENIALS = frozenset({"not", "no", "never", "cannot", "neither", "nor"})
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
    found = _PART.findall(_CONTRACTED.sub(" not", told.casefold().replace("_", " ")))
    said = [_INCLUDE.get(word, word) for word in found if word not in _DENIALS]
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


class Fault(StrEnum):
    """How a sentence contradicts a fact."""

    DIRECTION = "direction"  # its head is what the relation is done to
    NEGATION = "negation"  # it denies what is told, or the other way round
    OTHER_FACT = "other_fact"  # the relation is of other words of the sentence


_VERBS = frozenset({"VERB", "AUX"})
_FUNCTION = PREPOSITIONS | {"CCONJ", "DET", "AUX"}  # Parts of speech that name nothing.
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "INTJ"})
"""Parts of speech that end names; the small model tags odd codes as interjections and others."""
_RELATIVE = frozenset({"WDT", "WP", "WP$"})
_OWNING = {"have": frozenset({"of", "with", "in", "within", "for", "on"}), "include": {"of"}}
"""Prepositions by which one noun has, or includes, another."""
_LINKS = _VERBS | {"ADP", "SCONJ"}
_BREAKS = frozenset({";", ":", "–", "—"})
_EXAMPLES = re.compile(r"\b(?:such as|includ\w+|e\.g\.|for example|like|namely|i\.e\.)")
_BESIDE = re.compile(r"[\s\"'“”‘’`*_]*(?:[(:–—=/|,\[-]|\bor\b|\baka\b|\bas\b)?[\s\"'“”‘’`*_]*")
_NOT = r"(?:\b(?:not|never|no|nor|neither|cannot|without)|n['’]t)\b(?! (?:only|just|merely)\b)"
_DENIES = re.compile(_NOT, re.IGNORECASE)
_DENIES_NEXT = re.compile(rf"{_NOT} (?:\w+ ){{0,2}}$", re.IGNORECASE)
_CONTRASTS_NEXT = re.compile(
    r"\b(?:instead of|rather than|(?:contrast|opposed|contrary) to|unlike) (?:\w+ ){0,3}$", re.IGNORECASE
)


def fault(sentence: Doc, frames: Sequence[Frame], relation: Relation, head: Place, tail: Place) -> Fault | None:
    """Return how a sentence contradicts a fact, or None; `frames` are those of the sentence.

    `head` and `tail` are the told ends, before the ends of a passive are exchanged.
    """
    main = next((token for token in sentence if token.idx == relation.start), None)
    faults = [
        one
        for frame in frames
        for first in frame.arguments
        for second in frame.arguments
        if first is not second and _overlap(first, head) and _overlap(second, tail)
        if _says(frame, second, relation, main)
        for one in _faults_of(frame, first, second, relation, main)
    ]
    if None in faults:
        return None
    if faults:
        return next((one for one in faults if one is not Fault.OTHER_FACT), Fault.OTHER_FACT)
    return _fault_beside_frames(sentence, frames, relation, (head, tail), main)


def _overlap(argument: Argument, place: Place) -> bool:
    return argument.start < place.end and place.start < argument.end


def _says(frame: Frame, second: Argument, relation: Relation, main: Token | None) -> bool:
    """Tell whether a frame with this argument has the main word of a relation."""
    lemma, preposition = frame.predicate_lemma.split(), (second.preposition or "").split()
    words = {*lemma, *frame.predicate.lower().split(), *preposition}
    first, *rest = relation.text.split()
    if not relation.implied or first not in IMPLIED:
        return main is not None and bool(words & {main.lemma_.lower(), main.lower_})
    if first == "be":
        return lemma[0] == "be" and (words.issuperset(rest) if rest else not preposition)
    is_owning = lemma == ["be"] and not _OWNING[first].isdisjoint(preposition)
    return lemma[0] == first or is_owning


def _faults_of(
    frame: Frame, first: Argument, second: Argument, relation: Relation, main: Token | None
) -> Iterator[Fault | None]:
    """Yield how a frame contradicts a fact, or None if it states it; nothing if that is open."""
    stated = None if frame.negated == relation.negated else Fault.NEGATION
    is_verb = relation.implied or main is None or main.pos_ in _VERBS
    said = (second.preposition or "").split()
    match first.role == Role.SUBJECT, second.role == Role.SUBJECT:
        case True, False if relation.implied or not is_verb:
            yield stated
        case True, False if relation.preposition and not relation.turned:
            if relation.preposition in (*said, *frame.predicate_lemma.split()):
                yield stated
        case True, False if second.role == Role.OBLIQUE and not relation.turned:
            yield Fault.OTHER_FACT  # "runs in 2020"
        case True, False:
            is_turned = frame.passive != relation.passive and not _is_copula(frame)
            yield Fault.DIRECTION if is_turned else stated
        case False, True if is_verb and (frame.passive == relation.passive or relation.implied):
            yield Fault.DIRECTION
        case False, True if is_verb:
            if first.role == (Role.AGENT if frame.passive else Role.OBJECT):
                yield stated
        case False, False if first.role != Role.OBLIQUE and relation.preposition in said:
            yield stated  # "integrate A with B"


def _is_copula(frame: Frame) -> bool:
    return frame.predicate_lemma.split()[0] == "be"


def _fault_beside_frames(
    sentence: Doc, frames: Sequence[Frame], relation: Relation, ends: tuple[Place, Place], main: Token | None
) -> Fault | None:
    """Return how a sentence contradicts a fact that no frame is about, or None."""
    first, second = (_root(sentence, place) for place in ends)
    if first is None or second is None:
        return None
    if any(one.text.islower() and one.pos_ in _FUNCTION for one in (first, second)):
        return Fault.OTHER_FACT
    if any(_CONTRASTS_NEXT.search(sentence.text[: place.start]) for place in ends):
        return Fault.OTHER_FACT
    is_implied = relation.implied and relation.text.split()[0] in IMPLIED
    if is_implied and not (_is_name(first) and (_is_name(second) or relation.text == "be")):
        return Fault.OTHER_FACT
    low, high = sorted(ends)
    denied = bool(
        _DENIES.search(sentence.text[low.end : high.start]) or _DENIES_NEXT.search(sentence.text[: low.start])
    )
    is_part = relation.text == "be" and second.dep_ == "compound" and second.head is first
    if is_implied and not denied and (is_part or _are_tied(sentence, low, high)):
        return Fault.NEGATION if relation.negated else None
    if main is None or relation.turned:
        return Fault.OTHER_FACT
    words = set(relation.text.split())
    said = {main, *(one for one in sentence if words & {one.lower_, one.lemma_.lower()})}
    for verb in sentence:
        is_main = verb.lower_ == main.lower_ or (verb.lemma_, verb.pos_) == (main.lemma_, main.pos_)
        if not is_main or _has_other_subject(frames, verb, ends):
            continue
        if _reads_straight(sentence, (first, verb, second), said):
            return None if relation.negated == denied else Fault.NEGATION
    return Fault.OTHER_FACT


def _is_name(word: Token) -> bool:
    """Tell whether a word can end a name, even if the parser takes a code for a verb."""
    is_written_as_one = not word.text.islower() and (word.i > 0 or not word.text.istitle())
    return word.pos_ in _NOMINAL or word.tag_ == "VBG" or is_written_as_one


def _are_tied(sentence: Doc, first: Place, second: Place) -> bool:
    """Tell whether brackets, a colon or words of a list stand between two ends."""
    between = [token for token in sentence if first.end <= token.idx < second.start]
    said = " ".join(token.text for token in between)
    if _EXAMPLES.search(said) or (said and _BESIDE.fullmatch(said)):
        return True
    return ":" in said and not any(token.pos_ in _VERBS for token in between)


def _reads_straight(sentence: Doc, places: tuple[Token, Token, Token], said: Collection[Token]) -> bool:
    """Tell whether head, main word and tail follow each other without another verb between.

    So a fact can hold even if a long or odd sentence is parsed wrongly. The head may be what its verb does: "use A to
    read B", where another of the `said` words stands between.
    """
    head, verb, tail = places
    between = sentence[head.i + 1 : tail.i]
    above = tail.head
    if above.pos_ == "ADP" and above.head is verb and verb.pos_ in _VERBS and above not in said:
        return False  # "runs in 2020"
    if verb.i < head.i:
        is_done_to = head.dep_ == "dobj" and head.head is verb
        if not is_done_to or not any(one in said and one.pos_ in _LINKS for one in between):
            return False
        if above in between and above in said and above.pos_ == "ADP":
            return True  # "convert a file that is in A to B"
    elif verb not in between:
        return False
    is_label = all(one.is_punct or one.dep_ == "advmod" for one in sentence[head.i + 1 : verb.i])
    return not any(
        one.pos_ == "VERB" or one.tag_ in _RELATIVE
        or (one.text in _BREAKS and not (one.text == ":" and is_label))
        for one in between if one not in said
    )  # fmt: skip


def _has_other_subject(frames: Sequence[Frame], verb: Token, ends: tuple[Place, Place]) -> bool:
    """Tell whether a verb does to the tail what another subject, behind the head, does."""
    head, tail = ends
    return any(
        any(_overlap(one, tail) for one in frame.arguments if one.role != Role.SUBJECT)
        and any(head.end <= one.head_start < verb.idx for one in frame.having(Role.SUBJECT))
        for frame in frames
        if frame.start == verb.idx
    )


def _root(sentence: Doc, place: Place) -> Token | None:
    """Return the head token of an end; None if it covers no token."""
    own = [one for one in sentence if place.start <= one.idx < place.end and not one.is_punct]
    tops = [one for one in own if one.head is one or one.head not in own]
    if tops and all(top.pos_ in _FUNCTION for top in tops):  # of "It's", "it"
        tops = [one for one in own if one.pos_ in _NOMINAL] or tops
    return next(reversed([top for top in tops if top.pos_ in _NOMINAL] or tops), None)
