"""The words of a question about table rows: what they compare, deny, measure and leave free."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import dropwhile, takewhile
from typing import NamedTuple

from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.context.views import MONEY, NUMBER, YES

COUNTS = re.compile(r"(?i)\b(?:how many|number of|count (?:of|the|all))\b")
SUMS = re.compile(r"(?i)\b(?:total|sum|altogether|together|combined)\b")
AVERAGE = re.compile(r"(?i)\baverage\b")
_ASKS = (COUNTS, SUMS, AVERAGE, re.compile(r"(?i)^\W*which\b|\b(?:most|least|fewest|m(?:ax|in)imum|[a-z]{2,}est)\b"))
_STARTS = re.compile(
    r"(?i)(?:\bhow many|\bnumber of|\bcount(?: of)?|\bwhich|\bwhat|^\W*(?:list|show|name|give me|find))\b"
)
_OTHER = re.compile(
    r"(?i)\b(?:if|when|where|who|whom|whose|why|should|must|might|may(?! \d)|would|could|such|so|how(?! many| much))\b"
    r"|\b(?:which|what|how many)\b.+\b(?:which|what|how many)\b"
)  # What no row tells, and several questions in one.
_MONTH = rf"(?:{'|'.join(month_name[1:])})"
_TOKEN = re.compile(
    rf"(?i)(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}"
    rf"|{_MONTH} (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?\d{{4}}|\d{{3}}0s\b)|(?P<number>{NUMBER})(?=[^\W\d]{{1,3}}\b|\W|$)"
    r"|[^\W_]+(?:['’./_\-:~+&#]+[^\W_]+)*|[€$£%]"
)
THAN = re.compile(r"(?i)\b(more|less)?\s*\b(\w+) than\s+(?:an?\s+|the\s+)?[€$£]?\s*$")
AFTER_BOUND = re.compile(r"\W*(?:\w+ )?or (?:(more|higher|later|longer|above|over)|less|fewer|lower|earlier|below)\b")
BETWEEN = re.compile(r"(?i)\b(?:between|from)\s+$")
STOCK = re.compile(r"(?i)\b(?:(out of)|in) stock\b")
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS, 2)}
_MORE, _LESS = "more|greater|larger|higher|bigger|later", "less|fewer|smaller|lower|earlier"
SIGNS: dict[str, tuple[Callable[[float, float, float], bool], re.Pattern[str]]] = {
    sign: (compare, re.compile(rf"(?i)\b(?:{said})\s+(?:an?\s+|the\s+|their\s+|its\s+)?[€$£]?\s*$"))
    for sign, compare, said in (
        ("≥", lambda number, low, _: number >= low, f"at least|no(?:t)? (?:{_LESS}) than|since|minimum of"),
        ("≤", lambda number, _, high: number <= high, f"at most|no(?:t)? (?:{_MORE}) than|up to|until|maximum of"),
        (">", lambda number, _, high: number > high, f"(?:{_MORE}) than|over|above|exceed(?:s|ing)?|after|beyond"),
        ("<", lambda number, low, _: number < low, f"(?:{_LESS}) than|under|below|before"),
        ("=", lambda number, low, high: low <= number <= high,
         "exactly|equal to|of|in|from|on|at|with|is|are|was|were|has|have|had|during"),
    )
}  # fmt: skip
"""Of a number and the ends of a bound, and what stands before the bound."""
MEASURES = tuple(
    (frozenset(dimensions.split()), frozenset(terms(said)), frozenset(up.split()), frozenset(down.split()))
    for dimensions, said, up, down in (
        (" ".join(MONEY), "price cost costs value fee rent amount worth preis", "expensive costly dear", "cheap"),
        ("mass", "weight weigh mass gewicht", "heavy", "light"),
        ("length time", "length duration last", "long", "short"),
        ("", "height elevation", "tall high", "short low"),
        ("", "noise", "loud noisy", "quiet"),
        ("", "speed", "fast quick", "slow"),
        ("", "size area capacity population", "large big", "small"),
        ("", "age", "old", "young"),
        ("date", "date year built founded opened", "new late recent young last", "old early first"),
        ("", "temperature", "hot warm", "cold cool"),
        ("", "depth", "deep", "shallow"),
        ("", "width", "wide", "narrow"),
    )
)
"""What adjectives measure: dimensions, words of headers and verbs, and adjectives for more and for less."""
DEGREES = dict.fromkeys(("most", "highest", "largest", "biggest", "greatest", "maximum"), 1)
DEGREES |= dict.fromkeys(("least", "fewest", "lowest", "smallest", "minimum"), -1)
ENDS = ("last", "first")  # Said of a column that is named.
NOT = ("not", "never", "no", "without", "except")
MISSING = ("missing", "empty", "blank", "lack", "lacks")
NONE = ("no", "without", *MISSING)
FREE = frozenset(
    terms("many much number count list show give find name tell please table row all every both total sum altogether")
    + terms(
        "together combined average mean come go get take make made belong carry hold contain include need require base"
        " locate listed"
    )
)  # Words with no condition of their own.
_GRAMMAR = frozenset(
    terms(" ".join(("out", "between", *DEGREES, *NOT, *NONE, *YES, *(before.pattern for _, before in SIGNS.values()))))
).union(*(words for _, said, up, down in MEASURES for words in (said, terms(" ".join(up | down)))))  # Of conditions.
_BESIDE = 3  # Most words after a number that belong to its bound.
SHORT = 3  # Letters: lower-case words of so few are no values, and as parts of a header they are abbreviations.


def asks_for_rows(question: str) -> bool:
    """Tell whether a question may filter, count or sum rows, before looking at tables."""
    is_asked = any(pattern.search(question) for pattern in _ASKS) or asks_for_list(question)
    return is_asked and not _OTHER.search(question)


class Token(NamedTuple):
    """A word, number or date of a question."""

    text: str
    start: int
    end: int
    terms: tuple[str, ...]
    is_number: bool
    days: tuple[float, float] | None  # First and last, of a date, month, year or decade.


def tokens_of(question: str) -> list[Token]:
    """Return the words, numbers and dates of a question; number words as digits."""
    found = []
    for match in _TOKEN.finditer(question):
        text = _WORDS.get(match[0].lower(), match[0])
        is_number = bool(match["number"]) or text != match[0]
        found.append(Token(text, *match.span(), tuple(terms(text)), is_number, _days(text)))
    return found


def needed_words(tokens: list[Token]) -> Iterator[int]:
    """Yield the places of the words that only a view's names and values can use: not grammar, nor of a bound."""
    numbers = [at for at, token in enumerate(tokens) if token.is_number or token.days]
    numbers += [at - 1 for at, token in enumerate(tokens) if token.text.lower() == "than"]  # "heavier than".
    for place, (text, _, _, stems, _, _) in enumerate(tokens):
        is_compared = any(adjective_of(text.lower(), ending) for ending in ("er", "est"))
        is_grammar = is_compared or {*stems} <= FREE | _GRAMMAR
        is_short = any(len(stem) < SHORT for stem in stems)
        is_bound = any(at <= place <= at + _BESIDE for at in numbers)
        if not is_grammar and not is_short and not is_bound:
            yield place


def _days(text: str) -> tuple[float, float] | None:
    """Return the first and last day of a date, month, year or decade; None if there is no such day."""
    if re.fullmatch(r"[12]\d{3}s?", text):
        year = int(text[:4])
        return date(year, 1, 1).toordinal(), date(year + 9 * text.endswith("s"), 12, 31).toordinal()
    said = re.sub(r"(?<=\d)(?:st|nd|rd|th)|,", "", text)
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d %Y", "%B %Y"):
        with suppress(ValueError):
            day = datetime.strptime(said, form).date()
            last = (day + timedelta(31)).replace(day=1) - timedelta(1) if form == "%B %Y" else day
            return day.toordinal(), last.toordinal()
    return None


def adjective_of(word: str, ending: str) -> str:
    """Return the adjective of a superlative or comparative, if it is one that measures something."""
    if word in ENDS:
        return word if ending == "est" else ""
    base = word.removesuffix(ending)
    known = {one for _, _, up, down in MEASURES for one in up | down if word.endswith(ending)}
    return next((one for one in (base, f"{base}e", f"{base[:-1]}y", base[:-1]) if one in known), "")


def is_same(term: str, stem: str, is_part: bool) -> bool:
    """Tell whether a word is a part of a column's name: also "supply" for supplier, "minimum" for min."""
    if term == stem or (len(term) > SHORT and stem.startswith(term) and len(stem) - len(term) <= 2):
        return True
    is_short = SHORT <= len(stem) <= SHORT + 1 and not stem.isdigit()
    return is_short and term.startswith(stem) and (is_part or not re.search("[aeiou]", stem))


def noun_phrase(question: str, tokens: list[Token]) -> list[int]:
    """Return the places of the words after "how many", "which" or "list", up to a word without content."""
    start = _STARTS.search(question)
    after = (at for at, token in enumerate(tokens) if start and token.start >= start.end())
    from_first = dropwhile(lambda at: {*tokens[at].terms} <= FREE, after)
    return list(takewhile(lambda at: not {*tokens[at].terms} <= FREE, from_first))[:4]
