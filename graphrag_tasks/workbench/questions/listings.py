"""Listing questions: the items of a list, or the objects of one relation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphrag_tasks.workbench.questions import wording
from graphrag_tasks.workbench.questions.candidates import (
    LISTING,
    LONGEST_QUESTION,
    Candidate,
    Stretch,
    content_words,
    is_plain,
    is_said,
)
from graphrag_tasks.workbench.questions.clauses import Clause, Clauses
from graphrag_tasks.workbench.questions.corpus import Corpus, Sentence
from graphrag_tasks.workbench.questions.single import LEAST_ITEMS, object_asked
from graphrag_tasks.workbench.questions.words import words

_MOST_ITEMS = 12  # Most items of a list; longer ones are reference material. Chosen.
_MOST_ITEM, _MOST_TERM, _LEAST_CHARACTERS = 30, 6, 2
"""Words of an item, words of an explained term, and fewest characters of both."""
_COUNTED = re.compile(
    r"^(?:(?:the|these) )?(?P<number>following|two|three|four|five|six|seven|eight|nine|ten|\d+|"
    r"several|some|various|many|different)"
    r"(?: (?:following|different|basic|main|possible|other))* (?P<what>.+)$",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"^(?P<told>.+?) (?P<preposition>in|by|for|from|into) "
    r"(?P<counted>(?:the following|two|three|four|five|six|seven|eight|\d+|several|various|many|"
    r"different) [^,;:]+?)(?: available)?:$"
)
"""An introduction that ends with the kind of items: "You can access the tool in several ways:"."""
_THERE = re.compile(
    r"^There (?P<be>are|exist) (?:(?:also|basically|currently) )?(?P<told>[^,;:]+?)"
    r"(?: available)?:$"
)
_NUMBERS: Mapping[str, int] = {
    word: number for number, word in
    enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}  # fmt: skip
_HOW = words("list_nouns_without_kind")  # Nouns too vague to name the items.
_VAGUE = words("list_nouns_alone")  # Nouns that do not say by themselves what a list contains.


def listings(corpus: Corpus, clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions whose answer is a list."""
    frames: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    lists = list(_lists(corpus))
    leads = {lead.sentence_id for lead, _ in lists}
    for frame in corpus.frames():
        if frame["sentence_id"] in leads:
            frames[frame["sentence_id"]].append(frame)
    for lead, items in lists:
        parts = _parts(items)
        question = _question(corpus, lead, frames[lead.sentence_id], len(parts))
        names = [_name(name) for name, _, _ in parts]
        if question is None or not all(names) or not is_plain(question):
            continue
        answer = "; ".join(names)
        if is_said(answer, question) or len(set(names)) < len(names):
            continue
        gold = tuple((Stretch(lead.document_id, start, end),) for _, start, end in parts)
        yield Candidate(LISTING, question, answer, gold, "list", question.casefold(), lead.text)
    yield from _of_one_relation(clauses)


def _lists(corpus: Corpus) -> Iterator[tuple[Sentence, Sequence[Mapping[str, Any]]]]:
    """Yield each sentence that introduces a list, with the list's items."""
    columns = ["document_id", "ordinal", "kind", "level", "text", "char_start", "char_end"]
    blocks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for block in corpus.rows("blocks", columns):
        blocks[block["document_id"]].append(block)
    for document in sorted(blocks, key=lambda one: corpus.uris.get(one, "")):
        if document not in corpus.uris or corpus.is_legal(document):
            continue
        rows = sorted(blocks[document], key=lambda row: int(row["ordinal"]))
        leads = {sentence.char_end: sentence for sentence in corpus.sentences_of.get(document, ())}
        for at, row in enumerate(rows):
            lead = leads.get(row["char_end"])
            if row["kind"] != "paragraph" or lead is None or not _leads(lead.text):
                continue
            items = []
            for row in rows[at + 1 :]:
                if row["kind"] != "list_item":
                    break
                items.append(row)
            if LEAST_ITEMS <= len(items) <= _MOST_ITEMS and not corpus.is_passed_over(lead):
                yield lead, items


def _leads(text: str) -> bool:
    return text.endswith(":") and len(text) <= LONGEST_QUESTION


def _parts(items: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, int]]:
    """Return each item's words and span; alternating terms and definitions form one item each."""
    terms, told = items[::2], items[1::2]
    if (
        len(terms) == len(told)
        and all(len(term["text"].split()) <= _MOST_TERM and term["text"][-1:] not in ".:" for term in terms)
        and all(row["text"].rstrip().endswith((".", ":")) for row in told)
    ):
        pairs = zip(terms, told, strict=True)
        return [(row["text"], row["char_start"], other["char_end"]) for row, other in pairs]
    return [(item["text"], item["char_start"], item["char_end"]) for item in items]


def _question(corpus: Corpus, lead: Sentence, frames: Sequence[Mapping[str, Any]], items: int) -> str | None:
    there = _THERE.match(lead.text)
    if there:
        counted = _COUNTED.match(there["told"])
        what = (counted["what"] if counted else there["told"]).strip()
        if not _has_number(counted, items):
            return None
        return f"Which {what} are there?" if _is_kind(what) and _tells(what) else None
    for frame in frames:
        first, *others = frame["arguments"] or [None]
        if not others or first["role"] != "subject" or first["start"] != 0 or frame["negated"]:
            continue
        last = others[0]
        counted = _COUNTED.match(last["text"])
        if counted is None or last["role"] != "object" or last["end"] != len(lead.text) - 1:
            continue
        what, surface = counted["what"], lead.text[: first["end"]]
        if not _has_number(counted, items):
            continue
        if not _is_kind(what) or first["entity_type"] == "PRON" or wording.points_elsewhere(surface):
            continue
        verbs = " ".join(lead.text[first["end"] : frame["end"]].split())
        subject = corpus.decapitalised(surface)
        asked = wording.inverted(subject, verbs, frame["predicate_lemma"])
        if asked is not None and len(content_words(surface)) > 0:
            return f"Which {what} {asked}?"
    return _by_ending(corpus, lead, frames, items)


def _by_ending(corpus: Corpus, lead: Sentence, frames: Sequence[Mapping[str, Any]], items: int) -> str | None:
    ending = _ENDING.match(lead.text)
    counted = _COUNTED.match(ending["counted"]) if ending else None
    if ending is None or counted is None or not _has_number(counted, items):
        return None
    what, opening = counted["what"], f"{ending['preposition'].capitalize()} which"
    you = re.match(r"You (?P<auxiliary>can|may|must) (?P<told>.+)$", ending["told"])
    if not _is_kind(what) or wording.points_elsewhere(ending["told"]):
        return None
    if you and len(content_words(you["told"])) > 1:
        told = re.sub(r"\byour\b", "my", you["told"])
        return f"{opening} {what} {you['auxiliary']} I {told}?"
    for frame in frames:
        first = (frame["arguments"] or [None])[0]
        if first is None or first["role"] != "subject" or first["start"] != 0 or frame["negated"]:
            continue
        surface = lead.text[: first["end"]]
        if first["entity_type"] == "PRON" or len(ending["told"]) < frame["end"]:
            continue
        verbs = " ".join(lead.text[first["end"] : frame["end"]].split())
        asked = wording.inverted(corpus.decapitalised(surface), verbs, frame["predicate_lemma"])
        if asked is not None:
            return f"{opening} {what} {asked}{ending['told'][frame['end'] :]}?"
    return None


def _has_number(counted: re.Match[str] | None, items: int) -> bool:
    """Tell whether a list has as many items as its introduction says, if it does."""
    said = counted["number"].lower() if counted else ""
    number = int(said) if said.isdecimal() else _NUMBERS.get(said)
    return number is None or number == items


def _is_kind(what: str) -> bool:
    """Tell whether words name several things of a kind, without references elsewhere."""
    head = re.split(r" (?:of|for|to|in|that|which|with|on) ", what)[0].split(" ")[-1]
    return (
        head not in _HOW and re.search(r"[,;:()]", what) is None
        and not wording.points_elsewhere(what) and wording.is_plural_noun(head)
    )  # fmt: skip


def _tells(what: str) -> bool:
    return len(content_words(what) - _VAGUE) >= 2


def _name(item: str) -> str:
    """Return an item's name: its first words up to punctuation; "" if too long."""
    line = " ".join(item.split())
    name = re.split(r": | - | – | — |\. |; | \(", f"{line} ")[0].strip(" .,;:")
    fits = len(name.split()) <= _MOST_ITEM and len(name) >= _LEAST_CHARACTERS
    return name if fits and is_plain(name) else ""


def _of_one_relation(clauses: Clauses) -> Iterator[Candidate]:
    """Yield questions for the objects of one subject and verb over several sentences."""
    told: dict[tuple[str, str, str], list[Clause]] = defaultdict(list)
    for clause in clauses.found:
        told[clause.entity.entity_id, clause.verbs, clause.lemma].append(clause)
    for some in told.values():
        made = [candidate for clause in some if (candidate := _alone(clauses, clause)) is not None]
        by_answer = {one.answer.casefold(): one for one in made}
        questions = {one.question.casefold() for one in made}
        if not LEAST_ITEMS <= len(by_answer) <= _MOST_ITEMS or len(questions) > 1:
            continue
        found = list(by_answer.values())
        yield replace(found[0], type=LISTING, answer="; ".join(one.answer for one in found),
                      gold=tuple(one.gold[0] for one in found), rule="relation",
                      sentence="\n".join(one.sentence for one in found))  # fmt: skip


def _alone(clauses: Clauses, clause: Clause) -> Candidate | None:
    return object_asked(clauses, clause, alone=False)
