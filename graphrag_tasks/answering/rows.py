"""Answer questions that filter, count or sum table rows: "how many of the reports failed?".

A question is read against one view of tables: its noun, the values, comparisons, yes-or-no columns, empty cells and
superlatives that it names. Every word with content must be used by one of these, or no row answers: leaving a word out
would answer another question. A counted noun that no table has is refused by name.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.context.views import MONEY, NUMBER, YES, Column, View, number_of, unit_of

_COUNTS = re.compile(r"\b(?:how many|number of|count (?:of|the|all))\b", re.IGNORECASE)
_STARTS = re.compile(
    r"(?:\bhow many|\bnumber of|\bcount(?: of)?|\bwhich|\bwhat|^\W*(?:list|show|name|give me|find))\b", re.IGNORECASE
)
_SUMS = re.compile(r"\b(?:total|sum|altogether|together|combined|in all)\b", re.IGNORECASE)
_MEANS = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_EXTREME = re.compile(r"\b(?:most|least|fewest|last|first|m(?:ax|in)imum|[a-z]{2,}est)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:if|when|where|who|whom|whose|why|should|must|might|may|would|could|such|so|than any|how(?! many))\b"
    r"|\b(?:which|what|how many)\b.+\b(?:which|what|how many)\b", re.IGNORECASE
)  # fmt: skip
"""What no row tells, and several questions in one."""

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_DATE = (
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}"
    rf"|{_MONTH} (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?\d{{4}}|\d{{3}}0s\b"
)
_TOKEN = re.compile(
    rf"(?P<date>{_DATE})|(?P<number>{NUMBER})(?=[^\W\d]{{1,3}}\b|\W|$)"
    r"|[^\W_]+(?:['’./_\-:~+&#]+[^\W_]+)*|[€$£%]",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_WORDS = {word: str(number) for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)}

_Compare = Callable[[float, float, float], bool]  # Of a number, and the lower and upper end of a bound.
_SIGNS: dict[str, _Compare] = {
    "≥": lambda number, low, _: number >= low,
    "≤": lambda number, _, high: number <= high,
    ">": lambda number, _, high: number > high,
    "<": lambda number, low, _: number < low,
    "=": lambda number, low, high: low <= number <= high,
}
_MORE, _LESS = "more|greater|larger|higher|bigger|later", "less|fewer|smaller|lower|earlier"
_BEFORE_BOUND = tuple(
    (sign, re.compile(rf"\b(?:{said})\s+(?:an?\s+|the\s+|their\s+|its\s+)?[€$£]?\s*$", re.IGNORECASE))
    for sign, said in (
        ("≥", f"at least|no(?:t)? (?:{_LESS}) than|since|minimum of"),
        ("≤", f"at most|no(?:t)? (?:{_MORE}) than|up to|until|maximum of"),
        (">", f"(?:{_MORE}) than|over|above|exceed(?:s|ing)?|after|beyond"),
        ("<", f"(?:{_LESS}) than|under|below|before"),
        ("=", "exactly|equal to|of|in|from|on|at|with|is|are|was|were|has|have|had|during"),
    )
)
_THAN = re.compile(r"\b(more|less)?\s*\b(\w+) than\s+(?:an?\s+|the\s+)?[€$£]?\s*$", re.IGNORECASE)
_AFTER_BOUND = re.compile(r"\W*(?:\w+ )?or (?:(more|higher|later|longer|above|over)|(less|fewer|lower|earlier|below))\b")
_BETWEEN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)

_MEASURES = tuple(
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
        ("date", "date year built founded", "new late recent young last", "old early first"),
        ("", "temperature", "hot warm", "cold cool"),
        ("", "depth", "deep", "shallow"),
        ("", "width", "wide", "narrow"),
    )
)
"""What adjectives measure: dimensions, words of headers and verbs, and adjectives for more and for less."""

_DEGREES = {
    **dict.fromkeys("most highest largest biggest greatest maximum".split(), 1),
    **dict.fromkeys("least fewest lowest smallest minimum".split(), -1),
}
_NOT = re.compile(r"(?:not|never|no|without|except)$", re.IGNORECASE)
_NONE = re.compile(r"(?:no|without)$|(?:missing|empty|blank|lack(?:s|ing)?)$", re.IGNORECASE)
_FREE = frozenset(
    terms("many much number count list show give find name tell please table row all every both total sum altogether")
    + terms("together combined average mean come go get take make belong carry hold contain base locate listed")
)  # fmt: skip
"""Words with no condition of their own."""

_MOST_TOKENS = 40  # Of a question; a longer one tells more than rows.
_MOST_WORDS = 8  # Most words of a value in a question; bounds the work. Chosen.
_SHORT = 3  # Letters: lower-case words of so few are no values, and as parts of a header they are abbreviations.
MOST_SHOWN = 20  # Most rows quoted; all are counted.


@dataclass(frozen=True)
class RowsFound:
    """The rows of a view that a question asks for, and what was counted, over how many and without which."""

    view: View
    rows: tuple[int, ...]
    summary: str


@dataclass(frozen=True)
class UnknownNoun:
    """A noun of a question that no table has."""

    noun: str

    @property
    def summary(self) -> str:
        """The refusal in words."""
        return f"No table holds “{self.noun}”: nothing was counted."


def quoted_rows(index: Index, found: RowsFound) -> tuple[AnswerSentence, ...]:
    """Return the first rows found, each with its sentences in the document."""
    documents = list(dict.fromkeys(found.view.rows[row].document_id for row in found.rows))
    rows = []
    for row in (found.view.rows[place] for place in found.rows[:MOST_SHOWN]):
        if row.char_start is None or row.char_end is None:
            continue
        sources = index.sentences_between(row.document_id, row.char_start, row.char_end)
        number = documents.index(row.document_id) + 1
        cited = tuple(Citation(number=number, source=source) for source in sources)
        if cited:
            text = " ".join(source.text for source in sources)
            rows.append(AnswerSentence(text=text, citations=cited))
    return tuple(rows)


def asks_for_rows(question: str) -> bool:
    """Tell whether a question may filter, count or sum rows, before looking at tables."""
    if _OTHER.search(question):
        return False
    asked = (_COUNTS, _EXTREME, _SUMS, _MEANS, re.compile(r"^\W*which\b", re.IGNORECASE))
    return any(pattern.search(question) for pattern in asked) or asks_for_list(question)


def find_rows(question: str, views: Iterable[View]) -> RowsFound | UnknownNoun | None:
    """Return the rows that a question asks for, or the noun that no table has.

    None if a word of the question stays unused in every view, or if two views fit equally.
    """
    tokens = _tokens(question)
    if not asks_for_rows(question) or len(tokens) > _MOST_TOKENS:
        return None
    read = [_Reading(question, tokens, view) for view in views]
    whole = [one for one in read if one.noun is not None and not one.unused and one.is_enough]
    best = max((one.fit for one in whole), default=0)
    whole = [one for one in whole if one.fit == best]
    if whole:
        return whole[0].found() if len(whole) == 1 else None
    noun = _counted(question, tokens)
    if noun is None or any(one.knows(noun) for one in read):
        return None
    left_over = (one for one in read if one.conditions and {*one.unused} == {noun})
    return UnknownNoun(tokens[noun].text) if any(left_over) else None


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    terms: tuple[str, ...]
    is_number: bool
    days: tuple[float, float] | None
    """Its first and last day, of a date, month, year or decade."""


def _tokens(question: str) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(question):
        text = _WORDS.get(match[0].lower(), match[0])
        is_number = bool(match["number"]) or text != match[0]
        found.append(_Token(text, *match.span(), tuple(terms(text)), is_number, _days(text)))
    return found


def _days(text: str) -> tuple[float, float] | None:
    """Return the first and last day of a date, month, year or decade; None if there is no such day."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    year = next((number for number in numbers if 1000 <= number <= 2999), None)
    month = next((place for place, name in enumerate(_MONTHS, 1) if name in text.lower()), None)
    if year is None or not re.fullmatch(rf"{_DATE}|\d{{4}}", text, re.IGNORECASE):
        return None
    if re.fullmatch(r"\d{4}s?", text):
        return date(year, 1, 1).toordinal(), date(year + 9 * text.endswith("s"), 12, 31).toordinal()
    if month and len(numbers) == 1:
        return date(year, month, 1).toordinal(), date(year + month // 12, month % 12 + 1, 1).toordinal() - 1
    rest = [number for number in numbers if number != year]
    day, month = (rest[0], month) if month else rest if numbers[0] != year else rest[::-1]
    try:
        return (float(date(year, month, day).toordinal()),) * 2
    except ValueError:
        return None


class _Condition(NamedTuple):
    said: str
    rows: frozenset[int]
    column: Column | None
    place: int
    """Token in the question."""
    is_value: bool = False


class _Reading:
    """A question read against a view: its conditions, and the places of the words that they leave unused."""

    def __init__(self, question: str, tokens: list[_Token], view: View) -> None:
        self.question, self.tokens, self.view = question, tokens, view
        self.used: set[int] = set()
        self.conditions: list[_Condition] = []
        self.extremes: list[tuple[int, Column]] = []
        self.key = view.columns[0]
        self.naming = {column: self._named_by(column) for column in view.columns}
        self.nouns = {*self.key.terms, *(term for names in view.tables for name in names for term in _plurals(name))}
        self.noun = self._noun()
        for read in (self._two_columns, self._bounds, self._values, self._stock, self._nothing, self._yes, self._tables):
            read()
        self.figure = self._figure()
        self._best()
        self.extreme = self.extremes[0] if self.extremes else None
        self.is_clear = self._deny() and len(self.extremes) < 2

    def _named_by(self, column: Column) -> dict[int, str]:
        """Return the words that name a column, and the part of its name."""
        found = {}
        for place, token in enumerate(self.tokens):
            for stem in column.terms:
                if any(_is_same(term, stem, len(column.terms) > 1) for term in token.terms):
                    found[place] = stem
        return found

    def _noun(self) -> int | None:
        """Return the place of the word that says what is asked for."""
        named = [place for place in _phrase(self.question, self.tokens) if place not in self.used]
        for place in named:
            if {*self.tokens[place].terms} & self.nouns or any(place in places for places in self.naming.values()):
                return place
        return next((place for place in named if self.knows(place)), None)

    def knows(self, place: int) -> bool:
        """Tell whether a word occurs in the view's names, columns or values."""
        said = {*self.tokens[place].terms}
        return (
            any(said & names for names in self.view.table_terms)
            or any(place in places for places in self.naming.values())
            or any(said & {*key} for column in self.view.columns for key in column.values)
        )

    def _column(self, place: int, fits: Callable[[Column], bool], far: float = _MOST_TOKENS) -> Column | None:
        """Return the fitting column that the nearest words name; None if none or several do."""
        scores = []
        for column, named in self.naming.items():
            if named and fits(column):
                near = min(abs(at - place) + (at > place) / 2 for at in named)
                own = {*column.terms} - {*terms(column.unit)} or {*column.terms}
                said = {*named.values()} & own
                if near <= far:
                    scores.append(((near, -len(said) / len(own), -len(said)), column))
        return _only(scores)

    def _measuring(self, word: str, fits: Callable[[Column], bool]) -> tuple[int, Column] | None:
        """Return the direction of an adjective, and the column that it measures."""
        for dimensions, said, up, down in _MEASURES:
            if (is_up := word in up) or word in down:
                measured = partial(_measures, dimensions, said)
                place = self.tokens.index(next(token for token in self.tokens if word[:3] in token.text.lower()))
                column = self._column(place, lambda one, m=measured: fits(one) and m(one))
                named = [one for one in self.view.columns if fits(one) and said & {*one.terms} and one.numbers]
                others = [] if word in ("last", "first") else named or [one for one in self.view.columns if fits(one) and measured(one)]
                column = column or (others[0] if len(others) == 1 else None)
                if column:
                    return (1 if is_up else -1), column
        return None

    def _two_columns(self) -> None:
        """Read "below their minimum stock": two columns of a row are compared."""
        for place in range(len(self.tokens)):
            sign, start = self._sign(place)
            other = self._column(place, lambda column: bool(column.numbers), 1) if sign not in ("", "=") else None
            if other is None or place not in self.naming[other]:
                continue
            alike = [
                (({*self.naming[one]} <= {*self.naming[other]}, not {*one.terms} & {*other.terms}), one)
                for one in self.view.columns
                if one is not other and one.numbers and one.dimension == other.dimension
                and (self.naming[one] or {*one.terms} & {*other.terms})
            ]  # fmt: skip
            if column := _only(alike):
                rows = {row for row, number in column.numbers.items() if row in other.numbers
                        and _SIGNS[sign](number, other.numbers[row], other.numbers[row])}  # fmt: skip
                self._add(f"{column.name} {sign} {other.name}", rows, column, place)
                self.used |= {*self.naming[other], *self._from(start, place)}

    def _sign(self, place: int) -> tuple[str, int]:
        """Return the comparison that stands before a word, and where it begins."""
        before = self.question[: self.tokens[place].start]
        for sign, pattern in _BEFORE_BOUND:
            if match := pattern.search(before):
                return sign, match.start()
        return "", len(before)

    def _from(self, start: int, place: int) -> set[int]:
        return {at for at, token in enumerate(self.tokens) if token.start >= start and at <= place}

    def _bounds(self) -> None:
        """Read numbers and dates with a comparison, and with the column that they bound."""
        for place, token in enumerate(self.tokens):
            is_name = any(place in named for named in self.naming.values())
            if place in self.used or is_name or not (token.is_number or token.days):
                continue
            sign, start = self._sign(place)
            fits = partial(self._fits, place)
            column = self._column(place, fits, 2.5 if sign in ("", "=") and not token.days else _MOST_TOKENS)
            if (than := _THAN.search(self.question[: token.start])) and sign == "":
                measured = self._measuring(_adjective(than[2], "er") or than[2], fits)
                if measured:
                    sign, start = "<>"[(measured[0] > 0) == (than[1] != "less")], than.start()
                    column = measured[1]
            column = column or self._by_measure(place, sign, fits)
            if column is None:
                continue
            low, high, end = self._bound(place, column)
            if (between := _BETWEEN.search(self.question[: token.start])) and end + 2 < len(self.tokens):
                if self.tokens[end + 1].text in ("and", "to") and (last := self._bound(end + 2, column)):
                    sign, start, high, end = "=", between.start(), last[1], last[2]
            elif after := _AFTER_BOUND.match(self.question[self.tokens[end].end :]):
                sign, end = ("≥" if after[1] else "≤"), end + len(after[0].split())
            rows = {row for row, number in column.numbers.items() if _SIGNS[sign or "="](number, low, high)}
            said = self.question[token.start : self.tokens[min(end, len(self.tokens) - 1)].end]
            self._add(f"{column.name} {sign or '='} {said}", rows, column, place)
            self.used |= self._from(start, end)

    def _by_measure(self, place: int, sign: str, fits: Callable[[Column], bool]) -> Column | None:
        """Return the only column of a bound's dimension, or the only one of dates for a date."""
        bound = [self._bound(place, column) for column in self.view.columns]
        has_unit = any(found and found[2] > place for found in bound)
        is_time = bool(self.tokens[place].days) and sign != ""
        fitting = [one for one in self.view.columns if fits(one) and (has_unit or (is_time and one.dimension == "date"))]
        verbs = [said for _, said, _, _ in _MEASURES if any(said & {*token.terms} for token in self.tokens)]
        meant = [one for one in fitting for said in verbs if said & {*one.terms}]
        found = meant or fitting
        return found[0] if len(found) == 1 else None

    def _fits(self, place: int, column: Column) -> bool:
        return self._bound(place, column) is not None

    def _bound(self, place: int, column: Column) -> tuple[float, float, int] | None:
        """Return the ends of a number or date in a column's unit, and its last word; None if they do not compare."""
        token = self.tokens[place]
        if column.dimension == "date":
            return (*token.days, place) if token.days else None
        if not column.numbers or not token.is_number:
            return None
        value = number_of(token.text, comma=column.comma)
        following = [one.text for one in self.tokens[place + 1 : place + 2]]
        if following and following[0].lower() in _SCALES:
            value, place = value * _SCALES[following[0].lower()], place + 1
            following = [one.text for one in self.tokens[place + 1 : place + 2]]
        before = self.tokens[place - 1].text if place else ""
        said = unit_of(following[0]) if following else None
        if said is None and before in MONEY:
            return (value, value, place) if column.dimension == before else None
        if said is None and following and column.unit and following[0].lower() == column.unit.lower():
            said = (column.dimension or "", 1.0)
        if said is None:
            return (value * column.factor, value * column.factor, place) if column.factor else None
        return (value * said[1], value * said[1], place + 1) if said[0] == column.dimension else None

    def _values(self) -> None:
        """Read the values that the question names, longest first; parts of a name only in the first column."""
        for length in range(min(len(self.tokens), _MOST_WORDS), 0, -1):
            for start in range(len(self.tokens) - length + 1):
                places = range(start, start + length)
                said = tuple(term for place in places for term in self.tokens[place].terms)
                if said and not self.used & {*places} and self._may_name(places):
                    self._value(said, places)

    def _may_name(self, places: range) -> bool:
        first = self.tokens[places[0]]
        is_noun = places[0] == self.noun and len(places) == 1 and {*first.terms} & self.nouns
        is_edged = bool(first.terms and self.tokens[places[-1]].terms)
        return is_edged and not is_noun and (len(places) > 1 or len(first.text) > _SHORT or first.text[0].isupper())

    def _value(self, said: tuple[str, ...], places: range) -> None:
        holding = [column for column in self.view.columns if said in column.values]
        named = [column for column in holding if {*self.naming[column]} - {*places}]
        holding = named if len(holding) > 1 else holding
        if len(holding) == 1:
            rows, column = {*holding[0].values[said]}, holding[0]
            text = f"{column.name} is {column.texts[min(rows)]}"
        else:
            column = self.key
            if holding or len(places) > 1 or any(places[0] in named for named in self.naming.values()):
                return
            rows = {row for key, some in column.values.items() if said[0] in key for row in some}
            text = f"{column.name} has “{self.tokens[places[0]].text}”"
        if rows & self.view.live:
            self._add(text, rows, column, places[0], is_value=True)
            self.used |= {*places}

    def _stock(self) -> None:
        """Read "in stock" and "out of stock"."""
        match = re.search(r"\b(out of|in) stock\b", self.question, re.IGNORECASE)
        if match and not _SUMS.search(self.question):
            place = next(at for at, token in enumerate(self.tokens) if token.end == match.end())
            column = self._column(place, lambda one: bool(one.numbers), 0)
            if column and column not in [one.column for one in self.conditions]:
                is_out = match[1].lower() != "in"
                rows = {row for row, number in column.numbers.items() if (number <= 0) == is_out}
                self._add(f"{column.name} {'=' if is_out else '>'} 0", rows, column, place)
                self.used |= self._from(match.start(), place)

    def _nothing(self) -> None:
        """Read "no supplier" and "the supplier is missing": empty cells, and numbers that are 0."""
        taken = [one.column for one in self.conditions]
        for place, token in enumerate(self.tokens):
            if place in self.used or not (match := _NONE.match(token.text.lower())):
                continue
            column = self._column(place, lambda one: one not in taken and not one.yes, 3 if match[0] in ("no", "without") else 6)
            if column and (match[0] not in ("no", "without") or any(at > place for at in self.naming[column])):
                rows = {row for row in self.view.live if row not in column.filled or column.numbers.get(row) == 0}
                said = " or 0" if rows & {*column.filled} else ""
                self._add(f"{column.name} is empty{said}", rows, column, place)
                self.used.add(place)

    def _yes(self) -> None:
        """Read the columns that say yes or no, by their names."""
        scored = []
        for column in self.view.columns:
            places = {at for at in self.naming[column] if at not in self.used and at != self.noun}
            if column.yes and places:
                scored.append((len({self.naming[column][at] for at in places}) / len(column.terms), column, places))
        for score, column, places in scored:
            if any(one is not column and rival >= score and places & at for rival, one, at in scored):
                continue
            said = True
            for at in range(max(places) + 1, min(max(places) + 3, len(self.tokens))):
                if self.tokens[at].text.lower() in YES:
                    said = YES[self.tokens[at].text.lower()]
                    self.used.add(at)
            rows = {row for row, is_yes in column.yes.items() if is_yes == said}
            self._add(f"{column.name} is {'yes' if said else 'no'}", rows, column, min(places))
            self.used |= places

    def _tables(self) -> None:
        """Read the words that are in the names of only some tables."""
        for place, token in enumerate(self.tokens):
            tables = {at for at, names in enumerate(self.view.table_terms) if {*token.terms} & names}
            if place not in self.used and 0 < len(tables) < len(self.view.tables):
                rows = {row for row, one in enumerate(self.view.rows) if one.table in tables}
                named = " or ".join(self.view.tables[table][0] for table in sorted(tables))
                self.conditions.append(_Condition(f"the table is {named}", frozenset(rows), None, place))
                self.used.add(place)

    def _add(self, said: str, rows: set[int], column: Column, place: int, *, is_value: bool = False) -> None:
        """Add a condition; values of one column are alternatives."""
        for at, one in enumerate(self.conditions):
            if is_value and one.is_value and one.column is column:
                self.conditions[at] = one._replace(said=f"{one.said} or {said}", rows=one.rows | rows)
                return
        self.conditions.append(_Condition(said, frozenset(rows), column, place, is_value))

    def _figure(self) -> tuple[str, Column] | None:
        """Return what is computed over a column: sum, average, the number of different values, or one number."""
        match = _MEANS.search(self.question) or _SUMS.search(self.question)
        taken = [one.column for one in self.conditions]
        asked = self.noun is not None and not {*self.tokens[self.noun].terms} & self.nouns
        if match:
            place = next(at for at, token in enumerate(self.tokens) if token.end >= match.end())
            may = lambda one: bool(one.numbers) and one.dimension != "date" and one not in taken
            verbs = [at for at in _MEASURES if any(at[1] & {*token.terms} for token in self.tokens)]
            meant = [one for one in self.view.columns for at in verbs if may(one) and _measures(at[0], at[1], one)]
            column = self._column(self.noun if asked else place, may) or (meant[0] if len(meant) == 1 else None)
            if column:
                return ("average" if _MEANS.search(self.question) else "sum"), column
        if not _COUNTS.search(self.question) or not asked or self.noun in self.used:
            return None
        column = self._column(self.noun, lambda one: one is not self.key, 0)
        return ("number" if column.numbers else "different values", column) if column else None

    def _best(self) -> None:
        """Read a superlative, or a comparative beside two named rows."""
        is_pair = re.search(r"\bor\b", self.question) and not re.search(r"\bthan\b", self.question)
        for place, token in enumerate(self.tokens):
            word = token.text.lower()
            following = self.tokens[place + 1].text.lower() if place + 1 < len(self.tokens) else ""
            if place in self.used:
                continue
            found = None
            if any(following in up | down for _, _, up, down in _MEASURES) and word in ("most", "least", "more", "less"):
                if (found := self._measuring(following, _is_number)) and word in ("least", "less"):
                    found = (-found[0], found[1])
                self.used |= {place + 1} if found else set()
            elif word in _DEGREES:
                column = self._column(place, lambda one: _is_number(one) and one.dimension != "date")
                found = (_DEGREES[word], column) if column else None
            if not found and (base := _adjective(word, "er" if is_pair else "est")):
                found = self._measuring(base, _is_number)
            if found:
                self.extremes.append(found)
                self.used |= {place, *self.naming[found[1]]}

    def _deny(self) -> bool:
        """Turn the condition after "not" round; tell whether it is clear which."""
        for place, token in enumerate(self.tokens):
            if place in self.used or not _NOT.match(token.text.lower()):
                continue
            after = sorted(
                (one.place, at) for at, one in enumerate(self.conditions) if one.place > place and one.column
            )
            if not after or (len(after) > 1 and not any(
                self.tokens[at].text.lower() in ("and", "but", "with") for at in range(after[0][0], after[1][0])
            )):  # fmt: skip
                return False
            one = self.conditions[after[0][1]]
            has = one.column.yes or one.column.filled if one.column else {}
            said = f"not ({one.said})"
            self.conditions[after[0][1]] = one._replace(said=said, rows=frozenset(has) - one.rows)
        return True

    @property
    def unused(self) -> tuple[int, ...]:
        """The places of the words that nothing uses."""
        columns = {one.column for one in self.conditions} | {one[1] for one in (self.extreme, self.figure) if one}
        named = {at for column in columns if column for at in self._names(column)}
        of_others = {at for column in self.view.columns if column is not self.key for at in self.naming[column]}
        titled = frozenset().union(*self.view.table_terms)
        free = {self.noun} if self.noun not in self.used else set()
        return tuple(
            place
            for place, token in enumerate(self.tokens)
            if place not in self.used | named | free and {*token.terms} - _FREE
            and not {*token.terms} & self.nouns
            and not (place not in of_others and {*token.terms} & titled)
        )  # fmt: skip

    def _names(self, column: Column) -> Iterator[int]:
        """Yield the places of the words for a column: parts of its name, and verbs of what it measures."""
        yield from self.naming[column]
        for dimensions, said, _, _ in _MEASURES:
            if _measures(dimensions, said, column):
                yield from (at for at, token in enumerate(self.tokens) if said & {*token.terms})

    @property
    def is_enough(self) -> bool:
        """Whether the question says what rows it asks for."""
        counts = bool(_COUNTS.search(self.question))
        if self.figure and self.figure[0] == "number":
            return self.is_clear and len(self._rows()) == 1
        names_rows = self.noun is not None and {*self.tokens[self.noun].terms} & self.nouns
        if self.figure and (self.extreme or (counts and names_rows)):
            return False  # "how many items are in stock altogether": kinds, or pieces?
        return self.is_clear and bool(self.conditions or self.extreme or self.figure or (counts and names_rows)) and (
            counts or bool(self._rows())
        )

    @property
    def fit(self) -> int:
        """How well the noun names the rows: by the first column, by the heading or sheet, by the title."""
        said = {*self.tokens[self.noun].terms} if self.noun is not None else set()
        lasts = {term for names in self.view.tables for term in terms(names[-1])}
        return 2 * bool(said & {*self.key.terms}) + bool(said & lasts)

    def _rows(self) -> list[int]:
        rows = self.view.live
        for condition in self.conditions:
            rows = rows & condition.rows
        if self.extreme:
            direction, column = self.extreme
            numbers = {row: column.numbers[row] for row in rows if row in column.numbers}
            best = max((number * direction for number in numbers.values()), default=0.0)
            rows = frozenset(row for row, number in numbers.items() if number * direction == best)
        return sorted(rows)

    def found(self) -> RowsFound:
        """Return the rows, with a summary of what was counted or computed, and what was left out."""
        rows = self._rows()
        names = list(dict.fromkeys(name for table in self.view.tables for name in table))
        tables = len(self.view.tables)
        where = f"{len(self.view.live):,} rows of {tables} table{'s' * (tables != 1)} ({', '.join(names[:3])}{'…' * (len(names) > 3)})"
        said = [condition.said for condition in self.conditions]
        if self.extreme:
            said.append(f"{self.extreme[1].name} is the {'highest' if self.extreme[0] > 0 else 'lowest'}")
        by = f" where {' and '.join(said)}" if said else ""
        text = f"{len(rows):,} of {where}{by}."
        if self.figure:
            text = f"{self._computed(rows)} in {len(rows):,} of {where}{by}."
        columns = [one.column for one in self.conditions if one.column] + [one[1] for one in (self.extreme, self.figure) if one]
        for column in dict.fromkeys(columns):
            empty = len([row for row in self.view.live if row not in column.filled])
            text += f" {column.name} is empty in {empty:,} row{'s' * (empty != 1)}." * bool(empty)
        if totals := len(self.view.totals):
            text += f" {totals:,} total row{'s' * (totals != 1)} left out."
        text += f" The first {MOST_SHOWN} are shown." * (len(rows) > MOST_SHOWN)
        return RowsFound(self.view, tuple(rows), text)

    def _computed(self, rows: list[int]) -> str:
        kind, column = self.figure
        if kind == "different values":
            return f"{len({column.filled[row].casefold() for row in rows if row in column.filled}):,} different values of {column.name}"
        numbers = [column.numbers[row] for row in rows if row in column.numbers]
        total = sum(numbers) / (len(numbers) if kind == "average" else 1)
        unit = "" if column.factor else {"mass": " g", "length": " m", "time": " s", "volume": " l"}.get(column.dimension, "")
        number = total / (column.factor or 1)
        return f"{kind} of {column.name}: {_written(number)}{unit}"


def _is_number(column: Column) -> bool:
    return bool(column.numbers)


def _measures(dimensions: frozenset[str], said: frozenset[str], column: Column) -> bool:
    return bool(column.numbers) and (column.dimension in dimensions or bool(said & {*column.terms}))


def _written(number: float) -> str:
    """Return a number with separators from five digits."""
    text = f"{round(number, 2):,.2f}".rstrip("0").rstrip(".")
    return text.replace(",", "") if abs(number) < 10_000 else text


def _only(scored: list[tuple[tuple[float, ...], Column]]) -> Column | None:
    """Return the column of the least score; None if several have it."""
    best = min((score for score, _ in scored), default=None)
    found = [column for score, column in scored if score == best]
    return found[0] if len(found) == 1 else None


def _adjective(word: str, ending: str) -> str:
    """Return the adjective of a superlative or comparative, if it is one that measures something."""
    known = {one for _, _, up, down in _MEASURES for one in up | down}
    if word in ("last", "first"):
        return word if ending == "est" else ""
    if not word.endswith(ending):
        return ""
    base = word.removesuffix(ending)
    return next((one for one in (base, f"{base}e", f"{base[:-1]}y", base[:-1]) if one in known), "")


def _is_same(term: str, stem: str, is_part: bool) -> bool:
    """Tell whether a word is a part of a column's name: also "supply" for supplier, "minimum" for min."""
    if term == stem or (len(term) > _SHORT and stem.startswith(term) and len(stem) - len(term) <= 2):
        return True
    is_short = is_part and len(stem) in (_SHORT, _SHORT + 1)
    return term.startswith(stem) and not stem.isdigit() and (is_short or not re.search("[aeiouy]", stem[1:]) and len(stem) >= _SHORT)


def _plurals(name: str) -> Iterator[str]:
    """Yield the stems of the plurals that a title is about: "Orders of March"."""
    about = re.split(r"\b(?:of|in|for|from|by|with|at)\b", name.replace("_", " "))[0]
    for word in re.findall(r"[^\W\d]+", about):
        if re.fullmatch(r"\w{2,}[^su\W]s", word):
            yield from terms(word)


def _phrase(question: str, tokens: list[_Token]) -> list[int]:
    """Return the places of the words after "how many", "which" or "list", up to a word without content."""
    start = _STARTS.search(question)
    places: list[int] = []
    for place, token in enumerate(tokens):
        if start and token.start >= start.end():
            if {*token.terms} - _FREE:
                places.append(place)
            elif places:
                break
    return places[:4]


def _counted(question: str, tokens: list[_Token]) -> int | None:
    """Return the place of a counted noun: the first plural, or the last word."""
    phrase = _phrase(question, tokens) if _COUNTS.search(question) else []
    plural = (at for at in phrase if re.fullmatch(r"[a-z]{2,}[^su\W]s", tokens[at].text))
    return next(plural, phrase[-1] if phrase else None)
