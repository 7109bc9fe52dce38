"""Readable relation phrases, beside the canonical relation.

"replace" is the canonical form; a reader wants "was replaced by", "no longer fills", "must be within": voice, tense,
number, modality and negation as in the sentence. The sentence's own words are used if they fit; if a triple is turned
(the object of an active verb becomes a passive subject), the form is generated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphrag_tasks.extract.frames import PRONOUN, Argument, Frame, Role, Rule
from graphrag_tasks.extract.words import any_of, past_participle, past_tense, words
from graphrag_tasks.language.names import TAILS_PLACE, is_plural, third_person

_PERSON = "PERSON"
_ITEM = re.compile(r"[\s\"”]{0,2},\s[\"“]?(?:an?\s|the\s)?")
_BARE_ITEM = re.compile(r"[\s\"”]{0,2},\s[\"“]?(?!an?\s|the\s)")
_LAST_ITEM = re.compile(r"[^.;:]{0,80}?,\s(?:and|or|an?|the)\b")
_APART = re.compile(r"[;|)]|:(?!\w)|\be\.g\.")  # Characters that separate two different things.
_SET_OFF_AGAIN = re.compile(r"[^,.;:()]{0,60},")
_FRONTED = re.compile(
    r"(?:^|[,;:.]\s)(?:to|if|when|while|for|in|on|at|by|with|after|before|since|as|from|until)\b[^,;:.]*$",
    re.IGNORECASE,
)
"""Start of an introductory phrase that ends with a comma: "In the dialog, the user"."""
_NAMES_AT_END = re.compile(r"\s*(?:,[^()]{2,90})?\)[\s.§]*")
"""What may follow the first name in a list of credited people."""
_CAPITALIZED = r"(?![a-z\d_])\w[\w.'’-]*"
_FULL_NAME = re.compile(rf"{_CAPITALIZED}(?: {_CAPITALIZED}){{1,3}}")
_ALL_NAMES = re.compile(rf"\s?\({_FULL_NAME.pattern}(?:, {_FULL_NAME.pattern})+\)")
_OPEN_LIST = re.compile(r"[^()]*(?:\.\.\.|…|\betc\b)")
_SET_OFF = re.compile(r"[,(\[:;–—-]")


def is_no_apposition(row: Mapping[str, Any], text: str) -> bool:
    """Tell whether an apposition is no other name of the noun before it.

    In brackets it may be a remark ("(Optional)"), an abbreviation of something else, an author ("(Tom Lane)") or a
    function's arguments ("rank ( args )"). After a comma it is the next item of an enumeration, if it has no article or
    a last item with "and" follows.
    """
    between, tail = text[row["head_end"] : row["tail_start"]], row["tail"]
    after = text[row["tail_end"] :]
    if between.rstrip().endswith("(") and row["head_type"] != _PERSON:
        ends = _NAMES_AT_END.fullmatch(after) is not None and row["head"].islower()
        if row["tail_type"] == _PERSON or (ends and _FULL_NAME.fullmatch(tail)):
            return True
        if _OPEN_LIST.match(after):
            return True
    if between.endswith("( "):
        return True
    if between.endswith("("):
        is_word = tail.isalpha() and (tail[1:].islower() or tail.isupper())
        return after.startswith(")") and is_word and not tail.islower()
    if _APART.search(between) or _ALL_NAMES.match(text, row["head_end"]):
        return True
    if _ITEM.match(between):
        is_bare, ends = _BARE_ITEM.match(between), _SET_OFF_AGAIN.match(after)
        if _ITEM.fullmatch(between) is None or is_bare or _LAST_ITEM.match(after):
            return True
        return ends is None and _FRONTED.search(text[: row["head_start"]]) is not None
    return not _SET_OFF.search(between)


_MODALS = ("can", "could", "may", "might", "must", "ought", "shall", "should", "will", "would")
_PRESENT_BE, _PAST_BE = ("is", "are", "am", "'s", "'re"), ("was", "were")
_PERFECT = ("has", "have", "had", "'ve")
_FINITE = frozenset((*_MODALS, *_PRESENT_BE, *_PAST_BE, *_PERFECT, "do", "does", "did"))
_NOT = re.compile(r"n['’]t\b")
_CONDITIONS = frozenset({"if", "unless", "whether"})
_JOINT = re.compile(
    r"\b(?:balance|blend|combination|comparison|difference|interaction|mix|mixture|pair|ratio|"
    r"relation|relationship|sum|union)s?$"
)
"""Nouns of two things: "a mix of science and art" is no mix of art."""
_MOST_BEHIND = 12  # Most words that are told behind a tail. Chosen.
_CAN, _MAY, _TO = "can", "may", "to"
_POSSIBLE = frozenset({"can", "could", "may", "might"})
_OF_NOUNS = frozenset({Rule.RELATIVE, Rule.ACL})
_FINITE_BE = re.compile(r"(?:is|are|was|were)\s")
_UNTENSED = frozenset({Rule.INHERITED, Rule.ACL, Rule.RELATIVE})
"""Rules whose infinitives tell a purpose: "a query to extract data"."""
_GENERAL = re.compile(r"(?:an?|any|each|every|all|those|such)\b", re.IGNORECASE)
_PART = re.compile(r"(?:half|double|twice|triple|both|none of|not all)\s(?:the\s|an?\s)?", re.IGNORECASE)
_OWN_SUBJECT = frozenset({Rule.SVO, Rule.VERB_PREP, Rule.CLAUSAL, Rule.RELATIVE})
_NOT_TOLD_AGAIN = re.compile(
    r"(?:the|an?|this|that|these|those|no|nowhere|never|hardly|rarely|seldom)\b"
    rf"|{any_of('linking_adverbs')}(?:\s|$)",
    re.IGNORECASE,
)
"""What begins a measure that stands alone ("the day before"), what a denial has said, and what only links sentences
("thus")."""
_DENIALS = ("no longer", "never", "not", "rarely", "seldom", "hardly", "scarcely", "barely")
_EMPTY_NAMES = words("empty_names")
_MODALS_MEANT = {
    "have to": "must", "need to": "must", "ought to": "should", "appear to": "may",
    "seem to": "may", "tend to": "may", "able to": "can",
}  # fmt: skip
"""What words of two verbs mean: "you have to snake the hose" is "the hose must be snaked"."""
_READERS_ACT = frozenset({Rule.IMPERATIVE.value, Rule.QUALIFIER.value})
_BE = "be"


def is_conditional(frame: Frame) -> bool:
    """Tell whether a frame is in a condition or open question, and so asserts nothing.

    It does not either of all things of a kind, where a clause says of which: "patients who take insulin must check
    their sugar".
    """
    if frame.condition or frame.modality in _CONDITIONS:
        return True
    return any(
        subject.is_restricted and (is_plural(subject.core_text.lower()) or _GENERAL.match(subject.text))
        for subject in frame.having(Role.SUBJECT)
    )


def phrase_of(frame: Frame, head: Argument, relation: str, tail: Argument) -> str:
    """Return the words between head and tail of a triple that a frame gives.

    Included are parts of the tail that its name lacks, "receive half the" (adult dose), a verb's object before its
    preposition: "uses the index for" (sorting), the words behind the head that say which things are meant: "who take
    insulin must check", and the other end of "between". What the sentence says behind the tail stands behind "…", the
    tail's place: "will bring … to a boil".
    """
    if frame.predicate.endswith(":"):  # the words of a column
        return frame.predicate
    part = _PART.match(tail.text) if tail.text != tail.core_text else None
    said = _phrase(frame, head, relation, is_doubtful=_is_open(frame, head, tail))
    if frame.rule in _OF_NOUNS and head.is_restricted:
        said = _restricting(frame, said)
    others = _others(frame, head, tail)
    middle = _words_of([other for other in others if frame.end <= other.start < tail.start], _MOST_BEHIND)
    if middle and frame.rule != Rule.QUALIFIER:
        verb = said.removesuffix(f" {tail.preposition}") if tail.preposition else said
        said = " ".join(filter(None, [verb, *middle, tail.preposition]))
    ends = [
        other.core_text
        for other in frame.arguments
        if other.role == tail.role and other.slot == tail.slot and other is not tail
    ]
    is_joint = tail.preposition == "between" or _JOINT.search(head.core_text) is not None
    between = f"{' and '.join(ends)} and" if ends and is_joint else ""
    condition = f"{frame.condition[0].lower()}{frame.condition[1:]}," if frame.condition else ""
    pieces = [head.behind, condition, said, between, part and part[0].strip()]
    if rest := _behind_tail(frame, head, tail, others):
        pieces += [TAILS_PLACE, rest]
    return " ".join(filter(None, pieces))


def _behind_tail(frame: Frame, head: Argument, tail: Argument, others: list[Argument]) -> str:
    """Return what is told behind a tail: more words of its phrase, other arguments, who acts."""
    behind = [other for other in others if other.start > tail.start]
    behind += [other for other in others if other.start < frame.start]
    told = [other for other in behind if other.text not in tail.behind]
    words_told = [tail.behind, *_words_of(told, _MOST_BEHIND - len(tail.behind.split()))]
    if head.role == Role.OBJECT and not frame.passive:
        words_told += [f"by {actor.core_text}" for actor in _named_actors(frame)]
    return " ".join(filter(None, words_told))


def _others(frame: Frame, head: Argument, tail: Argument) -> list[Argument]:
    """Return what else a frame says, in the order of the sentence."""
    kept = [
        other
        for other in frame.arguments
        if other.role not in (Role.SUBJECT, Role.AGENT)
        and (other.role, other.slot) not in ((head.role, head.slot), (tail.role, tail.slot))
        and not (other.role == Role.ADVERBIAL and _NOT_TOLD_AGAIN.match(other.text))
        and other.text.lower() not in frame.predicate.lower()
        and not (other.preposition and other.text.lower() in _EMPTY_NAMES)
    ]
    return sorted(kept, key=lambda other: other.start)


def _named_actors(frame: Frame) -> list[Argument]:
    """Return the subject of a verb that is told in the passive, if a name says it."""
    subjects = frame.having(Role.SUBJECT)[:1]
    return [one for one in subjects if one.core_text and one.entity_type != PRONOUN]


def _words_of(arguments: Sequence[Argument], most: int) -> list[str]:
    """Return arguments in words, as long as they have no more than `most` words together."""
    found = []
    for one in arguments:
        name = one.core_text if one.role == Role.OBJECT and one.core_text else one.text
        text = " ".join(filter(None, [one.preposition, name]))
        most -= len(text.split())
        if most < 0:
            break
        found.append(text)
    return list(dict.fromkeys(found))


def _is_open(frame: Frame, head: Argument, tail: Argument) -> bool:
    """Tell whether a sentence does not say for sure that a fact holds of these two.

    "The value must be a string or a number", "some believe that the drug cures". What is denied is denied of each.
    """
    if frame.modality in _POSSIBLE or frame.negated:
        return False
    return frame.is_believed or head.is_alternative or tail.is_alternative


def _phrase(frame: Frame, head: Argument, relation: str, *, is_doubtful: bool) -> str:
    if frame.rule == Rule.QUALIFIER and relation.startswith("be "):
        return relation.removeprefix("be ")  # "authentication for requests"
    verb = _Verb.of(frame, is_plural=is_plural(head.core_text))
    if is_doubtful:
        verb = replace(verb, modal=_MAY, is_finite=False)
    elif frame.rule == Rule.IMPERATIVE:
        verb = replace(verb, modal=verb.modal or _TO)
    elif frame.rule in _UNTENSED and frame.predicate.lower().startswith("to "):
        verb = replace(verb, modal=_CAN if frame.modality == _CAN else _TO, is_finite=False)
    passive = _passive_form(frame.predicate_lemma)
    if relation.startswith(passive) and relation != frame.predicate_lemma:
        rest = relation.removeprefix(passive)
        if frame.passive and verb.is_finite:
            return _joined(frame.predicate, rest)
        return verb.be(relation.removeprefix(_BE))
    if frame.passive:  # turned round: the agent is the head
        return verb.active(relation)
    rest = relation.removeprefix(frame.predicate_lemma)
    if verb.is_finite and rest != relation and frame.rule != Rule.IMPERATIVE:
        return _joined(frame.predicate, rest)
    if frame.rule in _READERS_ACT and rest != relation:  # the object stands for the subject
        return verb.be(_passive_form(relation).removeprefix(_BE))
    return verb.active(relation)


def _restricting(frame: Frame, said: str) -> str:
    """Return the words of a clause that says which things are meant: "that store", "stored in"."""
    if said.startswith(f"{_TO} "):
        return said
    return f"that {said}" if frame.rule == Rule.RELATIVE else _FINITE_BE.sub("", said)


def _passive_form(lemma: str) -> str:
    verb, _, rest = lemma.partition(" ")
    return " ".join(filter(None, [_BE, past_participle(verb), rest]))


def _joined(predicate: str, rest: str) -> str:
    said = _NOT.sub(" not", f"{predicate}{rest}").lower()
    return re.sub(r"\bcan? not\b", "cannot", said)


@dataclass(frozen=True)
class _Verb:
    """Modality, negation and tense of a predicate, used to generate other forms."""

    modal: str = ""
    denial: str = ""
    is_past: bool = False
    is_perfect: bool = False
    is_plural: bool = False
    is_finite: bool = False

    @classmethod
    def of(cls, frame: Frame, *, is_plural: bool) -> _Verb:
        text = _NOT.sub(" not", frame.predicate.lower())
        words = text.replace("cannot", "can not").replace("ca not", "can not").split()
        lemma = frame.predicate_lemma.partition(" ")[0]
        first = next((word for word in words if not word.endswith("ly")), "")
        past, third = past_tense(lemma), third_person(lemma)
        is_past = bool({"did", "had", *_PAST_BE} & set(words)) or (
            past in words and past != lemma and not frame.passive and not _aided(words, past)
        )
        said = next((one for one in _DENIALS if one in text), "")
        meant = _MODALS_MEANT.get(frame.modality or "", "")
        modal = next((word for word in words if word in _MODALS), meant)
        is_base = first == lemma and frame.rule in _OWN_SUBJECT
        return cls(
            modal=modal,
            denial=(said or "not") if frame.negated else "",
            is_past=is_past,
            is_perfect=not modal and lemma != "have" and bool(set(_PERFECT) & set(words)),
            is_plural=is_plural,
            is_finite=bool(said or not frame.negated)
            and (
                first in _FINITE
                or first in ("no", "never")
                or (first in (third, past) and first != lemma and not frame.passive)
                or is_base
            ),
        )

    @property
    def _denied_modal(self) -> str:
        if self.modal == _TO:
            return f"{self.denial} {self.modal}".strip()
        return f"{self.modal} {self.denial}".strip().replace("can not", "cannot")

    def be(self, rest: str) -> str:
        """Return a form of "be" before `rest`: "is", "cannot be", "has not been"."""
        if self.modal == _TO:
            auxiliaries = ["are" if self.is_plural else "is", self._denied_modal, "be"]
        elif self.modal:
            auxiliaries = [self._denied_modal, "be"]
        elif self.is_perfect:
            auxiliaries = ["have" if self.is_plural else "has", self.denial, "been"]
        elif self.is_past:
            auxiliaries = ["were" if self.is_plural else "was", self.denial]
        else:
            auxiliaries = ["are" if self.is_plural else "is", self.denial]
        return " ".join(filter(None, [*auxiliaries, rest.strip()]))

    def active(self, relation: str) -> str:
        """Return the finite form of a relation that begins with its verb."""
        verb, _, rest = relation.partition(" ")
        if verb == _BE:
            return self.be(rest)
        if self.modal:
            words = [self._denied_modal, verb]
        elif self.denial == "not":
            auxiliary = "did" if self.is_past else "do" if self.is_plural else "does"
            words = [auxiliary, "not", verb]
        elif self.is_perfect:
            words = ["have" if self.is_plural else "has", self.denial, past_participle(verb)]
        elif self.is_past:
            words = [self.denial, past_tense(verb)]
        else:
            words = [self.denial, verb if self.is_plural else third_person(verb)]
        return " ".join(filter(None, [*words, rest]))


def _aided(words: list[str], form: str) -> bool:
    """Tell whether an auxiliary makes a form a perfect: "has replaced"."""
    return bool(set(_PERFECT) & set(words[: words.index(form)]))
