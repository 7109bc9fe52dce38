"""Answer how two things differ by the sentence that tells both, and by one of each."""

from __future__ import annotations

import re
from dataclasses import replace

from graphrag_tasks.answering.definitions import named_alone
from graphrag_tasks.answering.quotes import quotation
from graphrag_tasks.answering.reply import AnswerSentence
from graphrag_tasks.answering.sentences import Candidate, Reading, read
from graphrag_tasks.retrieval import Context, Index

_MOST_WORDS = 8
"""Words of one side; chosen."""
_ENDS = r"(?:,?\s+(?:in|for|when|if)\s.*)?\W*$"
_ONE, _OTHER = r"(?P<one>.+?)", r"(?P<other>.+?)"
_COMPARES = tuple(
    re.compile(pattern + _ENDS, re.IGNORECASE)
    for pattern in (
        rf"\b(?:diff?er[ea]nces?|distinction|comparison)\s+between\s+{_ONE}\s+and\s+{_OTHER}",
        rf"\bhow\s+(?:is|are|was|were)\s+{_ONE}\s+different\s+from\s+{_OTHER}",
        rf"\bhow\s+(?:does|do|did)\s+{_ONE}\s+differ\s+from\s+{_OTHER}",
        rf"\bhow\s+do\s+{_ONE}\s+and\s+{_OTHER}\s+differ",
        rf"\bwhat\s+(?:distinguishes|sets)\s+{_ONE}\s+(?:apart\s+)?from\s+{_OTHER}",
        rf"\bcompare\s+{_ONE}\s+(?:with|to|and|against)\s+{_OTHER}",
        rf"^\W*{_ONE}\s+(?:vs[.]?|versus|compared\s+(?:to|with))\s+{_OTHER}",
        rf"^\W*(?:which|who|what)\b[^,:?]*[,:]\s+{_ONE}\s+or\s+{_OTHER}",
        rf"^\W*{_ONE}\s+or\s+{_OTHER}\s*(?:[,:]|\s[-–—])\s.*"
        r"\b(?:for|against|advantages?|pros|better|trade-?offs?|which)\b.*",
        rf"\bpros\s+and\s+cons\s+of\s+{_ONE}\s+(?:as\s+)?(?:against|over|versus)\s+{_OTHER}",
        rf"^\W*{_ONE}\s+against\s+{_OTHER},\s+which\b.*",
        rf"^\W*(?:is|are)\s+{_ONE}\s+or\s+{_OTHER}\s+(?:the\s+)?(?:better|best|easier|faster|safer)\b.*",
        rf"\bput\s+(?:.*,\s+)?{_ONE}\s+and\s+{_OTHER},?\s+side\s+by\s+side",
    )
)
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)


def sides(question: str) -> tuple[str, str] | None:
    """Return the two things whose difference a question asks for, or None."""
    for pattern in _COMPARES if isinstance(question, str) else ():  # `search` refuses others
        if found := pattern.search(" ".join(question.split())):
            two = (found["one"], found["other"])
            both = tuple(_ARTICLE.sub("", one) for one in two)
            if all(named_alone(one) and one.count(" ") < _MOST_WORDS for one in both):
                return both[0], both[1]
    return None


def asked_of_each(two: tuple[str, str] | None) -> tuple[str, ...]:
    """Return a question for each of two things, if there are."""
    return tuple(f"What is {one}?" for one in two or ())


def told_apart(
    index: Index, context: Context, reading: Reading, two: tuple[str, str]
) -> tuple[AnswerSentence, ...]:
    """Return the best sentence that names both things, if any, and the best one on each.

    Each has a number of its own; empty unless something is said of both.
    """
    names = [named_alone(one) for one in two]
    both = _best(reading, names[0] | names[1])
    each = [
        _best(read(index, replace(context, question=question)), named, other - named)
        for question, named, other in zip(asked_of_each(two), names, names[::-1], strict=True)
    ]
    if both is None and None in each:
        return ()
    found = {one.sentence.sentence_id: one for one in (both, *each) if one}
    return tuple(quotation(one, number) for number, one in enumerate(found.values(), 1))


def _best(
    reading: Reading, named: frozenset[str], other: frozenset[str] = frozenset()
) -> Candidate | None:
    """Return the best sentence with all terms of a name that defines it, or is not on the other."""
    for one in map(reading.candidates.__getitem__, reading.best_first()):
        if named <= one.terms and (not other or not other <= one.terms or one.defines(named)):
            return one
    return None
