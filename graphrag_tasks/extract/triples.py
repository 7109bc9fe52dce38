"""Derive binary triples from frames, each fact of a sentence once.

A frame gives a triple for each pair of nodes that it relates: "SAP stores credit data in table KNKK" becomes (SAP,
store, credit data), (SAP, store in, table KNKK) and (credit data, be stored in, table KNKK). The relation has no tense,
negation or modal; a passive with a "by" agent becomes active, so that both forms of a fact meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from graphrag_tasks.extract.dependency.syntax import ADDRESSEES, ENABLING_VERBS, TAKEN_NOUNS
from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule
from graphrag_tasks.extract.linear.patterns import ALIAS
from graphrag_tasks.extract.phrases import is_conditional, is_no_apposition, phrase_of
from graphrag_tasks.extract.words import any_of, past_participle, words

_NO_PASSIVE = frozenset({"be", "have", "help", "let"})
"""Verbs whose object is not acted on: ("title", "be had in", ...) would mean nothing."""

_LINKING_VERBS = words("linking_verbs")  # Verbs whose complement says what the subject is; not "shall hold harmless".
_NAMING = frozenset({"call", "entitle", "name", "title"})
_POINTING = frozenset({"continue", "go", "navigate", "proceed", "refer"})
"""Commands to look elsewhere, which say nothing about the target."""

_EMPTY_NAMES = words("empty_names")  # Nouns of connecting phrases: "for example", "by default".
_NO_HEADS = ADDRESSEES | words("no_nouns")  # Words wrongly taken for nouns, and references to nouns.
_NO_TAILS = _NO_HEADS | _EMPTY_NAMES
_PARSED = frozenset(rule.value for rule in Rule)
_IDIOMS = frozenset({"account", "consideration"})
_EXPLETIVE = re.compile(
    r"\b(it)(?:'s|’s| is)\s(?:(?!an?\s|the\s)\w+\s){0,2}?"
    rf"{any_of('clause_adjectives')}\b",
    re.IGNORECASE,
)
"""An "it" that stands for the following clause."""
_BROKEN = re.compile(r"\w[)\]]\w(?![^(]*\()|\w:\s|^[|→]|\s\|\s")
"""A bracket opened elsewhere, or a colon or bar between words: signs of a parse across boundaries."""

_VAGUE_HEADS = words("vague_heads")
_OF_NOUNS = frozenset({Rule.RELATIVE.value, Rule.ACL.value, Rule.QUALIFIER.value})
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?\b"
_AUTHORS = r"[A-ZÀ-Þ][\w-]+(?:(?:, | and | & )[A-ZÀ-Þ][\w-]+)*(?: et al\.)?"
_CITATION = re.compile(rf"\([^()]*{_YEAR}[^()]*\)|{_AUTHORS} \({_YEAR}[^()]*\)")
"""A work that is cited: "(Höhle, 2007)", "Höhle and Mazick (2010, Section 2)"."""
_LIGHT = re.compile(
    rf"be {any_of('telling_participles')} (?:in|on|at|by|under|through) (?:\w+ )?"
    rf"{any_of('places_in_texts')}(?: [\w.]+)?"
)
"""What a text says of itself: "is covered in more detail", "are described in chapter 5"."""

_Pair = tuple[Argument, str, Argument]
_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Triple:
    """A graph edge stated by a sentence: `sentence[head_start:head_end] == head`."""

    head: str  # the core of an argument
    relation: str  # lemmas, with the preposition and without "not"
    phrase: str  # as a person reads it: tense, voice, number, modality, negation
    tail: str
    head_start: int
    head_end: int
    tail_start: int
    tail_end: int
    head_type: str | None  # entity label, or `frames.PRONOUN`
    tail_type: str | None
    negated: bool
    conditional: bool  # whether it stands in a condition
    rule: str
    confidence: float


def derive_triples(frame: Frame) -> list[Triple]:
    """Return the distinct binary triples of a frame.

    Each subject is paired with each object, complement and oblique, a passive's agent with its subject, each object
    with each oblique and complement. A subject shared from another verb is not paired with obliques if there is an
    object: "SAP helps users to store data in KNKK".
    """
    pairs = _passive_pairs(frame) if frame.passive else _active_pairs(frame)
    triples = (
        _triple(frame, head, relation, tail)
        for head, relation, tail in pairs
        if head.core_text and tail.core_text and head.core_start != tail.core_start
    )
    return list(dict.fromkeys(triples))


def _active_pairs(frame: Frame) -> Iterator[_Pair]:
    lemma, objects = frame.predicate_lemma, _real_objects(frame)
    subjects, complements = frame.having(Role.SUBJECT), frame.having(Role.COMPLEMENT)
    if frame.rule == Rule.EXISTENTIAL:  # "there is X" is about X, not about "there"
        subjects, complements = complements, []
    yield from _pairs(subjects, lemma, [*objects, *frame.having(Role.INDIRECT_OBJECT)])
    is_linking = frame.rule == Rule.COPULA or lemma.partition(" ")[0] in _LINKING_VERBS
    if not objects and is_linking:
        yield from _pairs(subjects, lemma, complements)
    elif _acts_on_object(lemma):
        yield from _pairs(objects, _passive_form(lemma), complements)
    if frame.rule == Rule.IMPERATIVE and not objects and lemma not in _POINTING:
        yield from _goal_pairs(frame)
    lent = objects and (frame.rule == Rule.INHERITED or _enabled(lemma))
    for oblique in frame.having(Role.OBLIQUE, Role.AGENT):
        if not lent:
            yield from _pairs(subjects, _with(lemma, oblique), [oblique])
        yield from _pairs(objects, _object_relation(frame, oblique), [oblique])


def _real_objects(frame: Frame) -> list[Argument]:
    objects = frame.having(Role.OBJECT)
    if frame.predicate_lemma != "take":
        return objects
    return [argument for argument in objects if argument.text.casefold() not in TAKEN_NOUNS]


def _goal_pairs(frame: Frame) -> Iterator[_Pair]:
    """Yield the pairs of a command without an object: "In the list, search for X"."""
    obliques = frame.having(Role.OBLIQUE)
    slot = next((argument.slot for argument in obliques if argument.start > frame.end), None)
    goals = [argument for argument in obliques if argument.slot == slot and argument.start > frame.end]
    for oblique in obliques:
        if oblique.slot != slot:
            yield from _pairs(goals, _with(frame.predicate_lemma, oblique), [oblique])


def _passive_pairs(frame: Frame) -> Iterator[_Pair]:
    """Yield the pairs of a passive; in "is used to create X in Y", X is created in Y."""
    lemma = _passive_form(frame.predicate_lemma)
    patients, objects = frame.having(Role.SUBJECT), frame.having(Role.OBJECT)
    yield from _pairs(frame.having(Role.AGENT), frame.predicate_lemma, patients)
    others = frame.having(Role.OBJECT, Role.INDIRECT_OBJECT, Role.COMPLEMENT)
    yield from _pairs(patients, lemma, others)
    if frame.predicate_lemma in _NAMING and frame.having(Role.COMPLEMENT, Role.OBJECT):
        return  # "a database called mydb into a file": what follows the name is not about naming
    _, is_purpose, purpose = frame.predicate_lemma.partition(" to ")
    for oblique in frame.having(Role.OBLIQUE):
        if is_purpose and objects and objects[0].start < oblique.start:
            yield from _pairs(objects, _with(_passive_form(purpose), oblique), [oblique])
        else:
            yield from _pairs(patients, _with(lemma, oblique), [oblique])


def _object_relation(frame: Frame, oblique: Argument) -> str:
    """Return the relation of an object to an oblique; "" if the verb does not state one.

    In an imperative the object replaces the missing subject: "Use VBBE instead of VBBS" is (VBBE, use instead of,
    VBBS).
    """
    lemma = frame.predicate_lemma
    if frame.rule == Rule.IMPERATIVE:
        return _with(lemma, oblique)
    if enabled := _enabled(lemma):
        return _with(_passive_form(enabled), oblique)
    return _with(_passive_form(lemma), oblique) if _acts_on_object(lemma) else ""


def _enabled(lemma: str) -> str:
    """Return the enabled verb, or "": "connect" in "help to connect"."""
    verb, _, rest = lemma.partition(" ")
    enables = verb in ENABLING_VERBS and not rest.endswith("ing")
    return rest.removeprefix("to ") if enables else ""


def _acts_on_object(lemma: str) -> bool:
    verb, _, rest = lemma.partition(" ")
    return verb not in _NO_PASSIVE and not rest.startswith("to ") and not rest.endswith("ing")


def _passive_form(lemma: str) -> str:
    verb, _, rest = lemma.partition(" ")
    return " ".join(filter(None, ["be", past_participle(verb), rest]))


def _with(lemma: str, oblique: Argument) -> str:
    return " ".join(filter(None, [lemma, oblique.preposition]))


def _pairs(heads: Iterable[Argument], relation: str, tails: Iterable[Argument]) -> Iterator[_Pair]:
    if relation:
        yield from ((head, relation, tail) for head, tail in product(heads, tails))


def _triple(frame: Frame, head: Argument, relation: str, tail: Argument) -> Triple:
    return Triple(
        head=head.core_text, head_start=head.core_start, head_end=head.core_end,
        tail=tail.core_text, tail_start=tail.core_start, tail_end=tail.core_end,
        relation=relation, phrase=phrase_of(frame, head, relation, tail),
        head_type=head.entity_type, tail_type=tail.entity_type,
        negated=frame.negated, conditional=is_conditional(frame),
        rule=frame.rule, confidence=frame.confidence,
    )  # fmt: skip


def merged(triples: Iterable[_Row], text: str) -> list[_Row]:
    """Return the distinct triples of a sentence that relate names, in order.

    Of equal triples, the most confident stays. A name and its abbreviation are one fact, which replaces triples parsed
    from the bracket between them.
    """
    citations = [match.span() for match in _CITATION.finditer(text)]
    expletives = {match.start(1) for match in _EXPLETIVE.finditer(text)}
    best: dict[tuple[object, ...], _Row] = {}
    for row in triples:
        head, tail = row["head"].casefold(), row["tail"].casefold()
        if head in _NO_HEADS or tail in _NO_TAILS:
            continue
        if head == tail or any(map(_BROKEN.search, (head, row["relation"], tail))):
            continue
        if head == "it" and row["head_start"] in expletives:
            continue
        if row["rule"] in _OF_NOUNS and head.rpartition(" ")[2] in _VAGUE_HEADS:
            continue
        if _is_in_citation(row, citations):
            continue
        if (
            _LIGHT.fullmatch(f"{row['relation']} {tail}")
            or _is_announced(row, text)
            or _is_idiom(row)
            or _is_torn(row, text)
        ):
            continue
        if row["rule"] == Rule.APPOSITION and is_no_apposition(row, text):
            continue
        key = (head, row["relation"], tail, row["negated"])
        known = best.get(key)
        if known is None or row["confidence"] > known["confidence"]:
            best[key] = row
    rows = list(best.values())
    shorts = [(row["head_end"], row["tail_start"]) for row in rows if row["rule"] == ALIAS]
    return [row for row in rows if row["rule"] == ALIAS or not _restates(row, shorts)]


def _is_in_citation(row: _Row, citations: list[tuple[int, int]]) -> bool:
    """Tell whether an end is a cited work: "the package (Höhle, 2007), which provides"."""
    return any(
        start <= row[f"{end}_start"] and row[f"{end}_end"] <= stop
        for start, stop in citations
        for end in ("head", "tail")
    )


def _is_idiom(row: _Row) -> bool:
    """Tell whether verb and tail form an idiom, as in "is taken into account"."""
    return row["relation"].endswith((" taken into", "take into")) and row["tail"] in _IDIOMS


def _is_torn(row: _Row, text: str) -> bool:
    """Tell whether a parse joins cells of a row, or a function's result to its description."""
    if row["rule"] not in _PARSED:
        return False
    if text[: row["head_start"]].rstrip().endswith("→"):
        return True
    places = sorted([row["head_end"], row["tail_start"], row["head_start"], row["tail_end"]])
    return " | " in text[places[0] : places[-1]]


def _is_announced(row: _Row, text: str) -> bool:
    """Tell whether a tail only announces what follows: "covers the following topics:"."""
    before = text[: row["tail_start"]].rstrip().casefold()
    return text.rstrip().endswith(":") and before.endswith("following")


def _restates(row: _Row, shorts: list[tuple[int, int]]) -> bool:
    """Tell whether a triple equates a name with the abbreviation after it."""
    ends = sorted([(row["head_start"], row["head_end"]), (row["tail_start"], row["tail_end"])])
    return row["relation"] == "be" and (ends[0][1], ends[1][0]) in shorts
