"""Answer questions that filter, count or sum table rows: "how many of the reports failed?".

A question is read against one view of tables. Every word with content must be used by a condition, or no row answers:
leaving a word out would answer another question. A counted noun that no table has is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from graphrag_tasks.answering.draft import Asked, Draft
from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.answering.table_questions import (
    AFTER_BOUND,
    AVERAGE,
    BETWEEN,
    COUNTS,
    DEGREES,
    ENDS,
    FREE,
    MEASURES,
    MISSING,
    NONE,
    NOT,
    SHORT,
    SIGNS,
    STOCK,
    SUMS,
    THAN,
    Token,
    adjective_of,
    asks_for_rows,
    is_same,
    needed_words,
    noun_phrase,
    tokens_of,
)
from graphrag_tasks.core.visible import counted
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.names import singular_noun
from graphrag_tasks.retrieval.context.views import MONEY, UNCLEAR, YES, Column, View, number_of, unit_of

_ABOUT = re.compile(r"\b(?:of|in|for|from|by|with|at)\b")

_BASIC = {"mass": " g", "length": " m", "time": " s", "volume": " l"}
_PLURAL = re.compile(r"\w{2,}[^su\W]s")
_MOST_TOKENS = 40  # Of a question; a longer one tells more than rows.
_MOST_WORDS = 8  # Most words of a value in a question; bounds the work. Chosen.
MOST_SHOWN = 20  # Most rows quoted; all are counted.


class RowsFound(NamedTuple):
    """The rows of a view that a question asks for, and what was counted, over how many and without which."""

    view: View
    rows: tuple[int, ...]
    summary: str


def by_rows(asked: Asked) -> Draft | None:
    """Return the first rows that a question asks for, or the refusal of a noun that no table and no passage has."""
    if "heading" in (asked.filters or ()) or not asks_for_rows(asked.question):  # the tables are not read for others
        return None
    found = find_rows(asked.question, asked.index.views(asked.filters))
    if not isinstance(found, RowsFound):
        if not found or any(set(terms(found)) <= set(terms(chunk.text)) for chunk in asked.context.chunks):
            return None
        return Draft(summary=f"No table holds “{found}”: nothing was counted.", looked_up=False)
    documents = list(dict.fromkeys(found.view.rows[row].document_id for row in found.rows))
    quoted = []
    for document, _, start, end in (found.view.rows[row] for row in found.rows[:MOST_SHOWN]):
        if start is not None and end is not None:
            sources = asked.index.sentences_between(document, start, end)
            cited = tuple(Citation(number=documents.index(document) + 1, source=source) for source in sources)
            if cited:
                quoted.append(AnswerSentence(text=" ".join(source.text for source in sources), citations=cited))
    return Draft(sentences=tuple(quoted), form="rows", summary=found.summary, looked_up=True)


def find_rows(question: str, views: Iterable[View]) -> RowsFound | str | None:
    """Return the rows that a question asks for, or the noun that no table has.

    None if a word of the question stays unused in every view, or if two views fit equally.
    """
    tokens = tokens_of(question)
    if not asks_for_rows(question) or len(tokens) > _MOST_TOKENS:
        return None
    phrase = noun_phrase(question, tokens)
    plural = next((at for at in phrase if _PLURAL.fullmatch(tokens[at].text)), phrase[-1] if phrase else None)
    noun = plural if COUNTS.search(question) else None
    needed = [
        View.beginnings_of(" ".join((tokens[at].text, *tokens[at].terms))) for at in needed_words(tokens) if at != noun
    ]
    views = tuple(views)
    begun = (view for view in views if not any(map(view.beginnings.isdisjoint, needed)))
    read = [_Reading(question, tokens, phrase, view) for view in begun]
    whole = [one for one in read if not one.unused and one.is_enough]
    best = [one for one in whole if one.fit == max(one.fit for one in whole)]
    if best:
        return best[0].found() if len(best) == 1 else None
    if noun is None or not any(one.conditions and one.unused == (noun,) for one in read):
        return None
    if any(_Reading(question, tokens, phrase, view).knows(noun) for view in views):
        return None
    return tokens[noun].text


_is_number = attrgetter("measure.numbers")


@dataclass
class _Condition:
    said: str
    rows: Set[int]
    column: Column | None  # None: it is in the tables' names.
    place: int  # Its token in the question.
    is_value: bool = False


class _Reading:
    """A question read against a view: its conditions, and the places of the words that they leave unused."""

    def __init__(self, question: str, tokens: list[Token], phrase: list[int], view: View) -> None:
        self.question, self.tokens, self.phrase, self.view = question, tokens, phrase, view
        self.texts = [*(token.text.lower() for token in tokens), "", ""]  # Each has one after it.
        self.used: set[int] = set()
        self.conditions: list[_Condition] = []
        self.extremes: list[tuple[int, Column]] = []
        self.key = view.columns[0]
        self.naming = {
            column: {at: stem for at, token in enumerate(tokens) for stem in column.terms
                     if any(is_same(term, stem, len(column.terms) > 1) for term in token.terms)}
            for column in view.columns
        }  # fmt: skip
        self.named = {at for places in self.naming.values() for at in places}
        self.telling = {at for column in view.columns[1:] for at in self.naming[column]}
        prefixes = "|".join({re.escape(token.text[:SHORT]) for token in tokens}) or "$"
        asked = re.compile(rf"(?i)\b(?:{prefixes})")
        self.values = {column: column.values(asked) for column in view.columns}
        titles = " ".join(_ABOUT.split(name.replace("_", " "))[0] for names in view.tables for name in names)
        plurals = filter(_PLURAL.fullmatch, re.findall(r"[^\W\d]+", titles))  # "Orders of March" are orders.
        said = (word for word in plurals if {word.lower(), singular_noun(word.lower())} & {*self.texts})
        self.nouns = {*self.key.terms, *terms(" ".join(said))}
        named = (at for at in phrase if {*tokens[at].terms} & self.nouns or at in self.named)
        self.noun = next(named, next(filter(self.knows, phrase), None))
        self.is_rows = self.noun is not None and bool({*tokens[self.noun].terms} & self.nouns)
        for way in (self._two_columns, self._bounds, self._values, self._stock, self._nothing, self._yes, self._tables):
            way()
        self.figure = self._figure()
        self._best()
        self.is_clear = self._deny() and len(self.extremes) < 2
        computed = [column for _, column in (*self.extremes, *([self.figure] if self.figure else []))]
        self.columns = [*filter(None, (one.column for one in self.conditions)), *computed]
        rows = view.live.intersection(*(condition.rows for condition in self.conditions))
        for direction, column in self.extremes:
            numbers = {row: number * direction for row, number in column.measure.numbers.items() if row in rows}
            most = max(numbers.values(), default=0.0)
            rows = frozenset(row for row, number in numbers.items() if number == most)
        self.rows = sorted(rows)

    def knows(self, place: int) -> bool:
        """Tell whether a word occurs in the view's names, columns or values."""
        names = [*self.view.table_terms, *(value for values in self.values.values() for value in values)]
        return place in self.named or not all({*self.tokens[place].terms}.isdisjoint(name) for name in names)

    def _column(self, place: int, fits: Callable[[Column], object], far: float = _MOST_TOKENS) -> Column | None:
        """Return the fitting column that the nearest words name; None if none or several do."""
        scores = []
        for column, named in self.naming.items():
            near = min((abs(at - place) + (at > place) / 2 for at in named), default=far + 1)
            own = {*column.terms} - {*terms(column.unit)} or {*column.terms}
            said = {*named.values()} & own
            if near <= far and fits(column):
                scores.append(((near, -len(said) / len(own), -len(said)), column))
        least = min((score for score, _ in scores), default=None)
        return _only([column for score, column in scores if score == least])

    def _measured(self, word: str, place: int, fits: Callable[[Column], object]) -> tuple[int, Column] | None:
        """Return the column that an adjective or verb measures, and whether it says more or less."""
        for dimensions, said, up, down in MEASURES:
            if word in up | down or {*terms(word)} & said:
                fitting = [one for one in self.view.columns if fits(one) and one.measures(dimensions, said)]
                meant = [one for one in fitting if said & {*one.terms}] or fitting
                column = self._column(place, fitting.__contains__) or (_only(meant) if word not in ENDS else None)
                if column:
                    return (-1 if word in down else 1), column
        return None

    def _by_verb(self, place: int, fits: Callable[[Column], object]) -> Column | None:
        measured = (self._measured(word, place, fits) for word in self.texts)
        return next((column for _, column in filter(None, measured)), None)

    def _sign(self, place: int) -> tuple[str, int]:
        """Return the comparison that stands before a word, and where it begins."""
        before = self.question[: self.tokens[place].start]
        matches = ((sign, pattern.search(before)) for sign, (_, pattern) in SIGNS.items())
        return next(((sign, match.start()) for sign, match in matches if match), ("", len(before)))

    def _from(self, start: int, place: int) -> set[int]:
        return {at for at, token in enumerate(self.tokens) if token.start >= start and at <= place}

    def _add(self, said: str, rows: Set[int], column: Column | None, place: int, used: Iterable[int] = ()) -> None:
        self.conditions.append(_Condition(said, rows, column, place))
        self.used |= {place, *used}

    def _two_columns(self) -> None:
        """Read "below their minimum stock": two columns of a row are compared."""
        for place in sorted(self.named):
            sign, start = self._sign(place)
            other = self._column(place, _is_number, 0 if place + 1 not in self.named else 1.5)
            if sign in ("", "=") or other is None or place not in self.naming[other]:
                continue
            alike = [one for one in self.view.columns if one is not other and one.measure[1:] == other.measure[1:]]
            before = [one for one in alike if any(at < min(self._from(start, place)) for at in self.naming[one])]
            if column := _only(before or [one for one in alike if {*one.terms} & {*other.terms}]):
                limits = other.measure.numbers
                rows = {row for row, number in column.measure.numbers.items()
                        if row in limits and SIGNS[sign][0](number, limits[row], limits[row])}  # fmt: skip
                used = {*self.naming[other]} | self._from(start, place)
                self._add(f"{column.name} {sign} {other.name}", rows, column, place, used)

    def _bounds(self) -> None:
        """Read numbers and dates with a comparison, and with the column that they bound."""
        for place, token in enumerate(self.tokens):
            if place in self.used | self.named or not (token.is_number or token.days):
                continue
            (sign, start), before = self._sign(place), self.question[: token.start]
            fits, is_plain = partial(self._bound, place), sign in ("", "=") and not BETWEEN.search(before)
            column = self._column(place, fits, 2.5 if is_plain and not token.days else _MOST_TOKENS)
            if (than := THAN.search(before)) and not sign:
                direction, column = self._measured(adjective_of(than[2], "er") or than[2], place, fits) or (1, None)
                sign, start = "><"[(direction < 0) != (than[1] == "less")], than.start()
            is_plain = sign in ("", "=") and not BETWEEN.search(before)
            if column := column or self._meant(place, bool(sign), None if is_plain else fits):
                self._bounded(place, column, sign or "=", start)

    def _bounded(self, place: int, column: Column, sign: str, start: int) -> None:
        low, high, end = self._bound(place, column) or (0.0, 0.0, place)
        token, said = self.tokens[place], sign
        between = BETWEEN.search(self.question[: token.start]) if self.texts[end + 1] in ("and", "to") else None
        if between and end + 2 < len(self.tokens) and (last := self._bound(end + 2, column)):
            sign, said, start, (_, high, end) = "=", "between", between.start(), last
        elif not between and (after := AFTER_BOUND.match(self.question[self.tokens[end].end :])):
            sign = said = "≥" if after[1] else "≤"
            end += len(after[0].split())
        rows = {row for row, number in column.measure.numbers.items() if SIGNS[sign][0](number, low, high)}
        said = f"{column.name} {said} {self.question[token.start : self.tokens[end].end]}"
        self._add(said, rows, column, place, self._from(start, end))

    def _meant(self, place: int, is_said: bool, fits: Callable[[Column], object] | None) -> Column | None:
        """Return the column of a bound that a verb means, or the only one of its unit, or of dates for a date."""
        fitting = [
            one for one in self.view.columns
            if (bound := self._bound(place, one))
            and (bound[2] > place or (is_said and self.tokens[place].days and one.measure.dimension == "date"))
        ]  # fmt: skip
        return self._by_verb(place, fits or fitting.__contains__) or _only(fitting)

    def _bound(self, place: int, column: Column) -> tuple[float, float, int] | None:
        """Return the ends of a number or date in a column's unit, and its last word; None if they do not compare."""
        token, (numbers, dimension, factor) = self.tokens[place], column.measure
        if dimension == "date":
            return (*token.days, place) if token.days else None
        if not numbers or not token.is_number or (UNCLEAR.fullmatch(token.text) and not column.comma):
            return None
        value = number_of(token.text, comma=column.comma and "," not in token.text)
        before = self.texts[place - 1] if place else ""
        following = self.texts[place + 1]
        unit = (column.measure[1:] if following and following == column.unit.lower() else None) or unit_of(following)
        if unit or before in MONEY:
            end, (said, times) = (place + 1, unit) if unit else (place, (before, 1.0))
            return (value * times, value * times, end) if said == dimension else None
        return (value * factor, value * factor, place) if factor else None

    def _values(self) -> None:
        """Read the values that the question names, longest first; parts of a name only in the first column."""
        for length in range(min(len(self.tokens), _MOST_WORDS), 0, -1):
            for start in range(len(self.tokens) - length + 1):
                places, first, last = range(start, start + length), self.tokens[start], self.tokens[start + length - 1]
                is_key = start in self.phrase and not self.nouns.isdisjoint(first.terms)  # "vehicles and machines"
                is_noun = length == 1 and self.is_rows and (start == self.noun or is_key)
                is_name = length > 1 or len(first.text) > SHORT or first.text[0].isupper()
                if first.terms and last.terms and is_name and not is_noun and not self.used & {*places}:
                    self._value(tuple(term for at in places for term in self.tokens[at].terms), places)

    def _value(self, said: tuple[str, ...], places: range) -> None:
        holding = [column for column in self.view.columns if said in self.values[column]]
        named = [column for column in holding if {*self.naming[column]} - {*places}]
        column, word = _only(named if len(holding) > 1 else holding), self.texts[places[0]]
        headed = any(word in one.name.lower().split() for one in self.view.columns)
        if column and len(places) == 1 and headed and column.texts[min(self.values[column][said])].lower() != word:
            return  # "parking" is the column, not the value Park.
        if not column and (holding or len(places) > 1 or places[0] in self.named or {*said} <= FREE):
            return
        parts_of = (key for key in self.values[self.key] if said[0] in key)
        having = (self.values[column][said],) if column else (self.values[self.key][key] for key in parts_of)
        rows = self.view.live.intersection(chain.from_iterable(having))
        text = f"{self.key.name} has “{self.tokens[places[0]].text}”"
        if column and rows:
            whole, last = column.texts[min(rows)], self.tokens[places[-1]].end
            part = f"has “{self.question[self.tokens[places[0]].start : last]}”"
            text = f"{column.name} {f'is {whole}' if tuple(terms(whole)) == said else part}"
        same = next((one for one in self.conditions if one.is_value and one.column is column), None)
        parts = [one.place for one in self.conditions if one.column is self.key and not one.is_value]
        if same and rows:
            same.said, same.rows = f"{same.said} or {text}", same.rows | rows
            self.used |= {*places, *(at for at in range(same.place, places[0]) if self.texts[at] == "or")}
        elif rows and (column or not parts or places[0] - 1 in parts):
            self._add(text, rows, column or self.key, places[0], places)
            self.conditions[-1].is_value = column is not None

    def _stock(self) -> None:
        """Read "in stock" and "out of stock"."""
        match = STOCK.search(self.question)
        if match and not SUMS.search(self.question):
            place = next(at for at, token in enumerate(self.tokens) if token.end == match.end())
            column = self._column(place, _is_number, 0)
            if column and place not in self.used:
                rows = {row for row, number in column.measure.numbers.items() if (number <= 0) == bool(match[1])}
                said = f"{column.name} {'=' if match[1] else '>'} 0"
                self._add(said, rows, column, place, self._from(match.start(), place))

    def _nothing(self) -> None:
        """Read "no supplier" and "the supplier is missing": empty cells, and numbers that are 0."""
        taken = [one.column for one in self.conditions]
        for place, text in enumerate(self.texts):
            if place in self.used or text not in NONE:
                continue
            column = self._column(place, lambda one: one not in taken and not one.yes, 3)
            if column and (text in MISSING or any(at > place for at in self.naming[column])):
                zero = {row for row, number in column.measure.numbers.items() if number == 0}
                rows = self.view.live - {*column.filled} | zero
                self._add(f"{column.name} is empty{' or 0' * bool(zero)}", {*rows}, column, place)

    def _yes(self) -> None:
        """Read the columns that say yes or no, by their names."""
        scored = []
        for column in self.view.columns:
            places = {at for at in self.naming[column] if at not in self.used and at != self.noun}
            if column.yes and places:
                scored.append((len({self.naming[column][at] for at in places}) / len(column.terms), column, places))
        for score, column, places in scored:
            if not any(one is not column and rival >= score and places & at for rival, one, at in scored):
                last = max(places)
                said = [at for at, text in enumerate(self.texts) if text in YES and last < at < last + 3]
                is_yes = not said or YES[self.texts[said[0]]]
                rows = {row for row, value in column.yes.items() if value == is_yes}
                self._add(f"{column.name} is {'yes' if is_yes else 'no'}", rows, column, min(places), {*places, *said})

    def _tables(self) -> None:
        """Read the words that are in the names of only some tables."""
        for place, token in enumerate(self.tokens):
            tables = {at for at, names in enumerate(self.view.table_terms) if {*token.terms} & names}
            if place not in self.used and 0 < len(tables) < len(self.view.tables):
                rows = {row for row, one in enumerate(self.view.rows) if one.table in tables}
                named = " or ".join(self.view.tables[table][0] for table in sorted(tables))
                self._add(f"the table is {named}", rows, None, place)

    def _figure(self) -> tuple[str, Column] | None:
        """Return what is computed over a column: sum, average, the number of different values, or one number."""
        taken = [one.column for one in self.conditions]
        is_other = self.noun is not None and not self.is_rows and self.noun not in self.used
        if match := AVERAGE.search(self.question) or SUMS.search(self.question):
            place = (
                self.noun if is_other else next(at for at, one in enumerate(self.tokens) if one.end >= match.end())
            ) or 0
            fits = [one for one in self.view.columns if one.is_summed and one not in taken].__contains__
            if column := self._column(place, fits) or self._by_verb(place, fits):
                return ("average" if AVERAGE.search(self.question) else "sum"), column
        if self.noun is None or not is_other or not COUNTS.search(self.question):
            return None
        column = self._column(self.noun, lambda one: one is not self.key and one not in taken, 0)
        return ("number" if _is_number(column) else "different values", column) if column else None

    def _best(self) -> None:
        """Read a superlative, or a comparative beside two named rows."""
        is_pair = "or" in self.texts and "than" not in self.texts
        for place, word in enumerate(self.texts[:-2]):
            following = self.texts[place + 1]
            if place in self.used or (word in ENDS and adjective_of(following, "er")):
                continue  # "last longer" is a verb.
            found, base = None, adjective_of(word, "er" if is_pair else "est")
            if word in ("most", "least", "more", "less") and adjective_of(following, ""):
                if found := self._measured(following, place, _is_number):
                    found = (-found[0] if word in ("least", "less") else found[0]), found[1]
                    self.used.add(place + 1)
            elif word in DEGREES and (column := self._column(place, attrgetter("is_summed"))):
                found = DEGREES[word], column
            if found := found or (self._measured(base, place, _is_number) if base else None):
                self.used.add(place)
                if word not in ENDS or all(one.column is not found[1] for one in self.conditions):
                    self.extremes.append(found)  # But "last surveyed before 2025" is none.

    def _deny(self) -> bool:
        """Turn the condition after "not" round; tell whether it is clear which."""
        for place, text in enumerate(self.texts):
            if place in self.used or text not in NOT:
                continue
            after = sorted((one for one in self.conditions if one.place > place), key=lambda one: one.place)
            joined = self.texts[after[0].place : after[1].place] if len(after) > 1 else ["and"]
            if not after or not {"and", "but", "with"} & {*joined} or (column := after[0].column) is None:
                return False
            after[0].rows = {*(column.yes or column.filled)} - after[0].rows
            after[0].said = f"not ({after[0].said})"
            self.used.add(place)
        return True

    @property
    def unused(self) -> tuple[int, ...]:
        """The places of the words that nothing uses."""
        noun = {self.noun} & {*self.named, *([self.noun] if self.is_rows else [])}
        used = self.used.union(noun, *(self.naming[column] for column in self.columns))
        is_of_rows = self.is_rows or self.noun is None  # "hotels opened" is no date of an incident in one
        columns = [one for one in self.columns if is_of_rows or one.measure.dimension != "date"]
        verbs = {verb for one in columns for of, said, _, _ in MEASURES if one.measures(of, said) for verb in said}
        titled = frozenset[str]().union(*self.view.table_terms)
        return tuple(
            at for at, token in enumerate(self.tokens)
            if at not in used and {*token.terms} - FREE - self.nouns and {*token.terms}.isdisjoint(verbs)
            and (at in self.telling or {*token.terms}.isdisjoint(titled))
        )  # fmt: skip

    @property
    def is_enough(self) -> bool:
        """Whether the question says what rows or what figure it asks for."""
        counts = bool(COUNTS.search(self.question)) and self.is_rows
        if self.noun is None and not any(one.is_value for one in self.conditions):
            return False
        if self.noun is not None and not self.is_rows and self.noun not in self.named | self.used:
            return False  # It stands in a title, which may be about anything.
        given = [one for one in self.conditions if one.is_value and one.column is self.key and len(one.rows) == 1]
        if given and len(self.conditions) > 1 and self.noun not in self.telling:
            return False  # "Which table replaces KONV" does not ask for the row of KONV.
        if self.figure and (self.extremes or counts or (self.figure[0] == "number" and len(self.rows) != 1)):
            return False  # "How many items are in stock altogether": kinds, or pieces?
        asked = [one for one in self.view.columns if one is not self.key and self.noun in self.naming[one]]
        for _, column in self.extremes if not self.is_rows else []:
            told = [one for one in asked if one is not column]
            if any(len({*one.texts.values()}) < len(one.texts) for one in told):
                return False  # "Which supplier has the highest stock": of one row, or of all its rows?
            if any(one.is_summed and _PLURAL.fullmatch(one.name) for one in told):
                return False  # "Which bin is the cheapest": Bins are counted, not told.
        if self.figure and (found := self.figure[1].measure.numbers) and found.keys().isdisjoint(self.rows):
            return False  # There is nothing to sum.
        if any(text == "or" and at not in self.used for at, text in enumerate(self.texts)):
            return False
        is_list = self.fit > 1 and asks_for_list(self.question)  # "List all suppliers."
        is_asked = self.conditions or self.extremes or self.figure or is_list
        return self.is_clear and bool(counts or (self.rows and is_asked))

    @property
    def fit(self) -> int:
        """How well the noun names the rows: by the first column, by the heading or sheet, or by the title."""
        said = {*self.tokens[self.noun].terms} if self.noun is not None else set()
        lasts = terms(" ".join(names[-1] for names in self.view.tables))
        return 2 * bool(said & {*self.key.terms}) + bool(said & {*lasts})

    def found(self) -> RowsFound:
        """Return the rows, with a summary of what was counted or computed, and what was left out."""
        names = list(dict.fromkeys(name for table in self.view.tables for name in table))
        tables = f"{counted(len(self.view.tables), 'tables')} ({', '.join(names[:3])}{'…' * (len(names) > 3)})"
        said = [one.said for one in self.conditions]
        said += [f"{column.name} is the {'highest' if more > 0 else 'lowest'}" for more, column in self.extremes]
        text = f"{self._computed()}{len(self.rows):,} of {len(self.view.live):,} rows of {tables}"
        text += f" where {' and '.join(said)}." if said else "."
        for column in dict.fromkeys(self.columns):
            if empty := len(self.view.live - {*column.filled}):
                text += f" {column.name} is empty in {counted(empty, 'rows')}."
        if self.view.totals:
            text += f" {counted(len(self.view.totals), 'rows of totals')} left out."
        if self.view.outdated:
            text += f" {counted(len(self.view.outdated), 'documents')} of older releases left out."
        text += f" The first {MOST_SHOWN} are shown." * (len(self.rows) > MOST_SHOWN)
        return RowsFound(self.view, tuple(self.rows), text)

    def _computed(self) -> str:
        if self.figure is None:
            return ""
        kind, column = self.figure
        if kind == "different values":
            values = {column.filled[row].casefold() for row in self.rows if row in column.filled}
            return f"{len(values):,} different values of {column.name} in "
        found, dimension, factor = column.measure
        numbers = [found[row] for row in self.rows if row in found]
        figure = sum(numbers) / (len(numbers) if kind == "average" else 1) / (factor or 1)
        text = f"{round(figure, 2):{',' * (abs(figure) >= 10_000)}.2f}".rstrip("0").rstrip(".")  # From five digits.
        said = column.name if kind == "number" else f"{kind} of {column.name}"
        return f"{said}: {text}{_BASIC.get(dimension or '', '') * (not factor)} in "


def _only(columns: Sequence[Column]) -> Column | None:
    return columns[0] if len(columns) == 1 else None
