"""Tell what type of answer a question asks for, and whether a sentence has one.

"How many jobs …?" asks for a number, "In what year …?" for a date: a sentence without one does not answer, however near
it is to the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million"
    "|once|twice|half|none|zero|pair|unlimited|any number|no limit|every|each|always|never|hourly"
    "|daily|weekly|monthly|yearly|seconds?|minutes?|hours?|days?|weeks?|months?|years?"
)
_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|century"
    "|spring|summer|autumn|winter"
)


@dataclass(frozen=True)
class AskedType:
    """A type of answers: its name, how it is asked for, and what a sentence with one has."""

    name: str
    asks: re.Pattern[str]
    has: re.Pattern[str]

    def is_in(self, text: str, question: str) -> bool:
        """Tell whether a text has an answer of this type that the question does not have."""
        asked = {word.casefold() for word in _WORD.findall(question)}
        new = _WORD.sub(lambda one: "…" if one[0].casefold() in asked else one[0], text)
        return self.has.search(new) is not None


_WORD = re.compile(r"[\w.]*\w")
_TYPES = (
    AskedType(
        "name",
        re.compile(
            r"\bwho\s+(?:first\s+|has\s+|had\s+)?(?:created?|wrote|written|made|invented|founded|discovered"
            r"|developed|designed|built|introduced|published|said)\b|\bby\s+whom\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b[A-Z]\w+ (?:[A-Z][.]? )?[A-Z]\w+|\bby (?:the )?[A-Z]\w+"),
    ),
    AskedType(
        "date",
        re.compile(
            r"\b(?:in|since|from|until)\s+(?:what|which)\s+(?:year|century|month)\b"
            r"|\b(?:what|which)\s+(?:year|date)\b|\bwhen\s+(?:was|were|did)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"\b\d{{3,4}}\b|\b(?:{_MONTHS})\b", re.IGNORECASE),
    ),
    AskedType(
        "number",
        re.compile(
            r"\bhow\s+(?:many|much|long|old|often|far|large|big|deep|high|tall|fast|heavy|wide)\b"
            r"|\b(?:what|which)\s+(?:is\s+the\s+)?(?:(?:maximum|minimum|default|largest|smallest|highest"
            r"|lowest)\s+)*(?:number|percentage|size|age|price|port|cost|rate|limit|distance|height"
            r"|length|temperature)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE),
    ),
)


def asked_type(question: str) -> AskedType | None:
    """Return the type of answer that a question asks for, if it is one that can be seen."""
    return next((one for one in _TYPES if one.asks.search(question)), None)
