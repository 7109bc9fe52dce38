"""Single-fact questions from clauses: which subject, what it is, does, or is used for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from graphrag_tasks.workbench.questions import wording
from graphrag_tasks.workbench.questions.candidates import (
    LISTING,
    SINGLE,
    Candidate,
    Type,
    content_words,
    is_plain,
    is_said,
)
from graphrag_tasks.workbench.questions.clauses import ARTICLES, Clause, Clauses
from graphrag_tasks.workbench.questions.corpus import WORD
from graphrag_tasks.workbench.questions.words import words

LEAST_ITEMS = 3  # Fewest items of a list: two things are often just one sentence.
_LEAST_TOLD, _LEAST_DEFINED = 4, 3  # Fewest distinctive words in a question, and in a definition.
_MOST_ANSWER = 26  # Most words of an answer.
_STEM = 5  # First letters that show that subject and verb are the same word: "indenting indents".
GENERIC_HEADS = words("generic_heads")  # Head nouns that name nothing by themselves.
_LOOSE_PREPOSITIONS = words("loose_prepositions")
"""Prepositions that cannot naturally end a question, or that express time or manner."""
_STORING = words("storing_verbs")  # Verbs whose "in" gives a place.
_PLACED = frozenset({"in", "on", "under", "at"})
_LABELLED = frozenset({"label", "user"})  # Type sources that distinguish people from things.

_USED_TO = re.compile(r"(?P<verbs>(?:is|are|can be|may be|could be) used) (?P<told>to .+)")
_ENABLES = re.compile(r"(?P<auxiliary>(?:can|will|may) )?(?P<verb>allow|let|enable|help)s? you (?:to )?(?P<told>.+)")
_UNTOLD = re.compile(
    r"(?:you|your|us|one|an?) to\b|you\b|(?:one|some) of\b|"
    r"(?:several|many|some|few|a few|a number|a lot|more|all|much|most)\b"
)
"""Uninformative beginnings of answers."""
_OPEN_END = re.compile(r"\b(?:to|of|the|an?|in|for|that|and|or|by|with|is|are)$")
_PRAISE = re.compile(
    r"(?:an? (?:important|good|great|common|useful|special|big|major|very)|"
    r"one of the (?:most|main)|the (?:most|best|main|same|only|one))\b"
)
"""Beginnings of statements that define nothing."""
_DEFINES = re.compile(r"(?:an?|the|one of the|any|tools?|sets?)\s")
_AMOUNT = re.compile(r"[$€£¥]\s?\d")  # Money, as in examples.
_BROKEN = re.compile(r"\b(?:can|will|may|must|should|could|would) \w+ed\b")
"""A grammatical error of the source: "can used"."""
_OF_SUBJECT = re.compile(r"\b(?:its|itself|themselves)\b")


def singles(clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions that a single sentence answers."""
    for clause in clauses.found:
        for asked in (subject_asked, purpose_asked, object_asked):
            made = asked(clauses, clause)
            if made is not None:
                yield made
    yield from _definitions(clauses)


def subject_asked(clauses: Clauses, clause: Clause) -> Candidate | None:
    """Ask for the subject: "What states the balance of …?"."""
    told = re.sub(r"\s*\([^()]*\)$", "", clause.rest)
    if not _is_eventless(clause) or not _is_askable(clause) or clauses.is_common(clause.entity):
        return None
    if len(content_words(told)) < _LEAST_TOLD or wording.points_elsewhere(told):
        return None
    if _OF_SUBJECT.search(told) or clauses.has_other_heads(clause):
        return None
    opening = which(clause)
    if opening is None:
        return None
    return _checked(f"{opening} {told}?", answer_of(clause.subject), clauses, clause, "subject")


def which(clause: Clause) -> str | None:
    """Return the question word with the kind of the subject, if it agrees with the verb."""
    kind = clause.kind
    if kind and kind.lower() == clause.head.lower():
        agrees = wording.agrees(clause.head, clause.verbs, clause.lemma)
        return f"Which {kind}" if agrees else None
    if wording.is_plural_noun(clause.head) or not wording.agrees("x", clause.verbs, clause.lemma):
        return None
    if kind:
        return f"Which {kind}"
    is_person = clause.entity.type == "PERSON" and clause.entity.type_source in _LABELLED
    return "Who" if is_person else "What"


def purpose_asked(clauses: Clauses, clause: Clause) -> Candidate | None:
    """Ask for the purpose: "What is the Move Tool used for?"."""
    if not _is_askable(clause) or clauses.is_common(clause.entity):
        return None
    if not wording.agrees(clause.head, clause.verbs, clause.lemma):
        return None
    used, enables = _USED_TO.fullmatch(clause.rest), _ENABLES.fullmatch(clause.rest)
    if used:
        first, _, verbs = used["verbs"].partition(" ")
        question, told = f"What {first} {clause.subject} {verbs} for?", used["told"]
    elif enables:
        plural = wording.is_plural_noun(clause.head)
        auxiliary = (enables["auxiliary"] or ("do" if plural else "does")).strip()
        to = "to " if enables["verb"] in ("allow", "enable") else ""
        question = f"What {auxiliary} {clause.subject} {enables['verb']} you {to}do?"
        told = enables["told"]
    else:
        return None
    if wording.points_elsewhere(told) or len(told.split()) > _MOST_ANSWER:
        return None
    return _checked(question, answer_of(told), clauses, clause, "purpose")


def object_asked(clauses: Clauses, clause: Clause, *, alone: bool = True) -> Candidate | None:
    """Ask for the object: "What does the Balance Sheet state?".

    With `alone`, the verb must have no other objects for this subject.
    """
    if not _is_askable(clause) or not _is_eventless(clause) or clauses.is_common(clause.entity):
        return None
    if not wording.agrees(clause.head, clause.verbs, clause.lemma):
        return None
    if alone and clauses.has_other_tails(clause):
        return None
    if clause.lemma.split(" ")[0][:_STEM] in clause.subject.lower():
        return None
    found = _object(clause)
    asked = wording.inverted(clause.subject, clause.verbs, clause.lemma)
    if found is None or asked is None:
        return None
    word, after, answer = found
    slot = clause.arguments[0]["slot"]
    items = sum(argument["slot"] == slot for argument in clause.arguments)
    kind: Type = LISTING if items >= LEAST_ITEMS and "," in answer else SINGLE
    made = _checked(f"{word} {asked}{after}?", answer_of(answer), clauses, clause, "object")
    return replace(made, type=kind) if made else None


def _object(clause: Clause) -> tuple[str, str, str] | None:
    """Return the question word, the final preposition, and the answer."""
    if not clause.arguments or any(row["role"] in ("clause", "indirect_object") for row in clause.arguments):
        return None
    argument = clause.arguments[0]
    preposition = argument["preposition"]
    answer = " ".join(clause.rest[len(clause.verbs) :].split())
    if not 0 < len(answer.split()) <= _MOST_ANSWER or wording.points_elsewhere(answer):
        return None
    if argument["role"] == "object" and not preposition:
        begins = answer.startswith(argument["text"].split()[0]) and not clause.passive
        return ("What", "", answer) if begins else None
    if not preposition or not answer.lower().startswith(f"{preposition} "):
        return None
    where = _where(clause, argument, preposition)
    if where:
        return where, "", answer
    if preposition in _LOOSE_PREPOSITIONS or not clause.passive:
        return None
    return "What", f" {preposition}", answer[len(preposition) + 1 :]


def _where(clause: Clause, argument: Mapping[str, Any], preposition: str) -> str | None:
    if preposition in _PLACED and clause.passive and clause.lemma in _STORING:
        return "Where"
    if argument["entity_type"] == "DATE" and preposition in _PLACED:
        return "When"
    return None


def _definitions(clauses: Clauses) -> Iterator[Candidate]:
    """Yield "What is X?" for defined terms; any definition is gold."""
    by_name: dict[str, list[Clause]] = defaultdict(list)
    for clause in clauses.found:
        if _defined(clause):
            by_name[_folded(clause.name)].append(clause)
    for some in by_name.values():
        clause = some[0]
        if not _is_definable(clause):
            continue
        question = f"What {clause.verbs} {clause.subject}?"
        made = _checked(question, answer_of(_defined(clause)), clauses, clause, "definition")
        if made is not None:
            gold = tuple(dict.fromkeys(one.stretch for one in some))
            yield replace(made, gold=(gold,))


def _defined(clause: Clause) -> str:
    """Return the definition of a subject; "" if nothing is defined."""
    told = clause.rest[len(clause.verbs) :].strip()
    if clause.rule != "copula" or clause.verbs not in ("is", "are"):
        return ""
    if not _DEFINES.match(told) or _PRAISE.match(told) or wording.points_elsewhere(told):
        return ""
    return told if len(content_words(told)) >= _LEAST_DEFINED else ""


def _is_definable(clause: Clause) -> bool:
    """Tell whether "What is X?" asks for a unique thing of the corpus."""
    has_article = re.match(r"the\b", clause.subject) is not None
    if clause.head.lower() in GENERIC_HEADS and " " not in clause.name:
        return False
    if has_article and (" of " in clause.name or _defined(clause).startswith("the ")):
        return False
    if wording.is_plural_noun(clause.head) != (clause.verbs == "are"):
        return False
    return _is_askable(clause) or clause.entity.is_term


def _checked(question: str, answer: str, clauses: Clauses, clause: Clause, rule: str) -> Candidate | None:
    """Return a candidate whose answer is in its sentence and not in the question."""
    question = " ".join(question.split())
    text = " ".join(clause.sentence.text.split()).casefold()
    if _OPEN_END.search(answer) or _AMOUNT.search(question) or _UNTOLD.match(answer) or _BROKEN.search(question):
        return None
    if answer.casefold() not in text or is_said(answer, question) or not is_plain(question):
        return None
    if not content_words(answer) or not all(map(wording.is_balanced, (question, answer))):
        return None
    return Candidate(SINGLE, question, answer, (clauses.also_said(clause),), rule,
                     _folded(clause.name), clause.sentence.text)  # fmt: skip


def answer_of(text: str) -> str:
    """Return a text as an answer: on one line, without final punctuation."""
    return " ".join(text.split()).rstrip(" .,;:")


def _is_eventless(clause: Clause) -> bool:
    """Tell whether a verb states a fact, not an example's event, and no identity.

    A bare past tense is mostly a participle: "images compressed by it may be larger".
    """
    is_perfect = clause.verbs.startswith(("has ", "have ", "had "))
    is_past = clause.verbs.endswith("ed") and " " not in clause.verbs
    is_identity = clause.rule == "copula" or clause.rest.startswith(("is to ", "are to "))
    return not (is_perfect or is_past or is_identity or clause.lemma.startswith("be "))


def _is_askable(clause: Clause) -> bool:
    """Tell whether a subject names something that a question can be about."""
    head = clause.head.lower()
    if head in GENERIC_HEADS and " " not in clause.name:
        return False
    parts = WORD.findall(clause.name)
    if clause.entity.is_named or any(any(map(str.isupper, part[1:])) for part in parts):
        return True
    if any(part[:1].isupper() for part in parts[1:]):
        return True
    if len(parts) < 2:
        return False
    is_bare = head not in GENERIC_HEADS and not ARTICLES.match(clause.subject)
    return clause.entity.is_term or is_bare


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
