"""Unanswerable questions: a name in a question is replaced by one that no document has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import cycle

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.workbench.questions.candidates import UNANSWERABLE, Candidate
from graphrag_tasks.workbench.questions.clauses import Clause, Clauses
from graphrag_tasks.workbench.questions.corpus import Corpus

_STEM = 5  # First letters that two forms of a word share.
_TRIES = 20  # Names tried for one question.
_MOST_ASKED = 1000  # Questions changed, evenly spread in a large corpus, as each name is looked up.


def unanswerable(clauses: Clauses, asked: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield questions with a name that the corpus does not contain.

    A code gets other digits; a two-word name gets the first word of another name.
    """
    corpus = clauses.corpus
    names = {clause.name.casefold(): clause for clause in clauses.found}
    heads = {clause.head for clause in clauses.found}
    firsts = sorted(
        first for first in {_first(clause) for clause in clauses.found}
        if first and (first in heads or not corpus.is_common(first))
    )  # fmt: skip
    for candidate in asked[:: max(1, -(-len(asked) // _MOST_ASKED))]:
        name = _name_in(candidate, names)
        if name is None:
            continue
        other = _another(corpus, name, firsts)
        if other is not None:
            question = re.sub(rf"\ban? {re.escape(name)}", f"the {other}", candidate.question)
            question = question.replace(name, other)
            yield Candidate(UNANSWERABLE, question, "", (), "exchange", other.split(" ")[-1].casefold())


def _first(clause: Clause) -> str:
    words = clause.name.split(" ")
    if len(words) != 2 or not all(word.isalpha() for word in words):
        return ""
    return words[0]


def _name_in(one: Candidate, names: dict[str, Clause]) -> str | None:
    """Return the name in a question, as written there."""
    if one.rule in ("object", "definition", "purpose"):
        clause = names.get(one.subject)
        if clause is None:
            return None
        found = re.search(rf"(?<!\w){re.escape(clause.name)}(?!\w)", one.question, re.IGNORECASE)
        return found[0] if found else None
    if one.rule == "cell":
        key = one.sentence.split(" | ")[0]
        return key if key in one.question else None
    return None


def _another(corpus: Corpus, name: str, firsts: Sequence[str]) -> str | None:
    """Return a name of the same shape that no sentence contains.

    "Table MATDOC" is not changed: "system MATDOC" would still name an existing thing.
    """
    words = name.split(" ")
    if len(words) == 1 and re.search(r"\d", name) and re.search(r"[A-Za-z]", name):
        made = (_renumbered(name, at) for at in range(_TRIES))
    elif len(words) == 2 and all(map(str.isalpha, words)) and firsts and not words[1].isupper():
        start = int(content_id("exchange", name)[:8], 16)
        some = (firsts[(start + at) % len(firsts)] for at in range(_TRIES))
        made = (f"{one} {words[1]}" for one in some if one[0].isupper() == words[0][0].isupper())
    else:
        return None
    return next((one for one in made if not _is_known(corpus, one)), None)


def _is_known(corpus: Corpus, name: str) -> bool:
    """Tell whether a sentence has a name, or nearly: "account period" as "accounting period"."""
    first, space, head = name.casefold().partition(" ")
    if not space:
        return first in corpus.text
    pattern = rf"\b{re.escape(first[:_STEM])}\w* {re.escape(head)}"
    return re.search(pattern, corpus.text) is not None


def _renumbered(name: str, attempt: int) -> str:
    digits = cycle(str(int(content_id("digits", name, attempt), 16)))
    return re.sub(r"\d", lambda _: next(digits), name)
