"""Answer questions that filter or count table rows: "how many of the reports failed?".

A question is matched to a view by names only: its noun by table names, a column or a value; conditions by values in the
question, and by numbers beside a column's name. Rows are filtered and counted, never guessed: a noun that no table has
is refused by name, and negated questions are left to quotations.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from graphrag_tasks.answering.draft import Asked, Draft
from graphrag_tasks.answering.lists import asks_for_list
from graphrag_tasks.answering.reply import AnswerSentence, Citation
from graphrag_tasks.language.bm25 import STOP_WORDS, terms, words
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.context.context import content_words
from graphrag_tasks.retrieval.context.views import Term, View
from graphrag_tasks.retrieval.question.router import question_parts

_COUNTS = re.compile(r"\b(?:how many|number of|count (?:of|the|all))\b", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:\bhow many|\bnumber of|\bcount(?: of)?|\bwhich|\bwhat|^\W*(?:list|show|name|give me|find))"
    r"\s+(?:(?:all|every|of|the|our|my|me|are|is|were)\s+)*((?:[\w/-]+\s*){1,4})",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|no|without|except|but)\b|n['’]t\b", re.IGNORECASE)
_UNITS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = rf"(\d[\d,]*(?:\.\d+)?(?: (?:{'|'.join(_UNITS)}))?)"
_BETWEEN = re.compile(rf"\b(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_NUMBER}", re.IGNORECASE)
_MORE = "more|greater|larger|higher|longer|heavier|older|later|bigger"
_LESS = "less|fewer|smaller|lower|shorter|lighter|younger|earlier"
_Compare = Callable[[float, float], bool]
_BOUNDS: tuple[tuple[str, _Compare, str], ...] = (
    ("≥", operator.ge, "at least|no (?:less|fewer) than|since|minimum of"),
    ("≤", operator.le, "at most|no more than|up to|until|maximum of"),
    (">", operator.gt, f"(?:{_MORE}) than|over|above|exceed(?:s|ing)?|after"),
    ("<", operator.lt, f"(?:{_LESS}) than|under|below|before"),
    ("=", operator.eq, "exactly|equal to|of|in|from|with|has|have|had|is|are|was"),
)
_COMPARED = tuple(
    (sign, compare, re.compile(rf"\b(?:{said})\s+(?:an?\s+|the\s+)?{_NUMBER}", re.IGNORECASE))
    for sign, compare, said in _BOUNDS
)
_HIGHEST = re.compile(
    r"\b(?:highest|largest|biggest|most|greatest|longest|heaviest|latest|tallest|maximum|newest)\b", re.IGNORECASE
)
_LOWEST = re.compile(r"\b(?:lowest|smallest|fewest|least|shortest|lightest|earliest|minimum|oldest)\b", re.IGNORECASE)
_EXTREME = re.compile(f"{_HIGHEST.pattern}|{_LOWEST.pattern}", re.IGNORECASE)
_COMPARES = re.compile(
    rf"{_EXTREME.pattern}|\b(?:{_MORE}|{_LESS}|than|over|above|exceed(?:s|ing)?|after|under|below|before"
    r"|since|until|exactly|equal|between|up|more|less)\b",
    re.IGNORECASE,
)
"""Words of numeric comparisons."""

_ASKING = frozenset(
    {"many", "number", "count", "list", "show", "name", "give", "find", "table", "tables", "row"}
    | {"rows", "entries", "total", "all", "listed", "recorded", "has", "have", "had"}
)
"""Question words that carry no condition."""

_YEARS = re.compile(r"^(?:year|date|founded|built|since|from|born|start|begin)", re.IGNORECASE)
_YEAR = range(1000, 2101)  # Numbers that may be years; chosen.
_PLURAL = re.compile(r"\w{2,}[^su\W]s")
_NEAR = 5  # Words around a number in which its column's name is searched.
_SHORTEST_PREFIX = 3  # Letters: shorter lower-case words are no values, and shorter prefixes no columns.
MOST_SHOWN = 20  # Most rows quoted; all are counted.
_MOST_WORDS = 8  # Most words of a value in a question; bounds the work. Chosen.


@dataclass(frozen=True)
class Condition:
    """A row condition in words, and the rows that meet it; `column` is set for values."""

    said: str
    rows: frozenset[int]
    column: int | None = None


@dataclass(frozen=True)
class RowsFound:
    """The rows of a view that a question asks for.

    Attributes:
        counts: Whether the question asks for their number.
        conditions: In words.
        rows: Row indexes in the view.
    """

    view: View
    counts: bool
    conditions: tuple[str, ...]
    rows: tuple[int, ...]

    @property
    def summary(self) -> str:
        """What was counted, over how many tables and rows, and how many are shown."""
        tables = f"{len(self.view.tables)} table{'s' * (len(self.view.tables) != 1)}"
        named = ", ".join(self.view.names[:3]) + ("…" if len(self.view.names) > 3 else "")
        where = f"{len(self.view.rows):,} rows of {tables} ({named})"
        by = f" where {' and '.join(self.conditions)}" if self.conditions else ""
        rest = f" The first {MOST_SHOWN} are shown." if len(self.rows) > MOST_SHOWN else ""
        return f"{len(self.rows):,} of {where}{by}.{rest}"


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


def by_rows(asked: Asked) -> Draft | None:
    """Return the rows that a question asks for, or the refusal of a noun that no table and no passage has."""
    if asked.filters or not asks_for_rows(asked.question):  # the tables are not read for others
        return None
    found = find_rows(asked.question, asked.index.views)
    if isinstance(found, RowsFound):
        return Draft(sentences=quoted_rows(asked.index, found), form="rows", summary=found.summary, looked_up=True)
    if found and not any(set(terms(found.noun)) <= set(terms(chunk.text)) for chunk in asked.context.chunks):
        return Draft(summary=found.summary, looked_up=False)
    return None


def asks_for_rows(question: str) -> bool:
    """Tell whether a question may filter or count rows, before looking at tables."""
    if _DENIES.search(question) or question_parts(question):
        return False
    wanted = _COUNTS.search(question) or _EXTREME.search(question)
    return bool(wanted) or asks_for_list(question)


def find_rows(question: str, views: Sequence[View]) -> RowsFound | UnknownNoun | None:
    """Return the rows that a question asks for, or the noun that no table has.

    None if no table's names, columns and values can answer, or if a word of the question matches nothing: ignoring it
    would answer another question. A noun is refused only if the question counts, and a table matches all its other
    words or conditions.
    """
    noun = _noun(question)
    if noun is None or not asks_for_rows(question):
        return None
    counts = bool(_COUNTS.search(question))
    matched = [_matched(question, noun, view) for view in views]
    known = [match for match in matched if match.knows_noun]
    if known:
        best = max(known, key=lambda match: match.weight)
        enough = best.conditions or (counts and best.noun_names_view and not best.unused)
        if not enough or best.unused:
            return None
        found = best.found(counts=counts)
        return found if found.rows or counts else None
    head = _head(noun)
    said = (match.conditions or (match.covered and match.unused == (head,)) for match in matched)
    return UnknownNoun(head) if counts and any(said) else None


@dataclass(frozen=True)
class _Match:
    view: View
    conditions: tuple[Condition, ...]
    knows_noun: bool
    noun_names_view: bool
    noun_names_column: bool
    covered: int
    unused: tuple[str, ...]

    @property
    def weight(self) -> tuple[bool, int, int, int]:
        named = self.noun_names_view or self.noun_names_column
        return (named, self.covered, len(self.conditions), len(self.view.rows))

    def found(self, *, counts: bool) -> RowsFound:
        """Return the rows that meet all conditions; values of one column are alternatives."""
        rows = frozenset(range(len(self.view.rows)))
        said: list[str] = []
        by_column: dict[int | None, list[Condition]] = {}
        for condition in self.conditions:
            by_column.setdefault(condition.column, []).append(condition)
        for column, conditions in by_column.items():
            if column is None:
                said += [condition.said for condition in conditions]
                for condition in conditions:
                    rows &= condition.rows
            else:
                said.append(" or ".join(condition.said for condition in conditions))
                rows &= frozenset().union(*(condition.rows for condition in conditions))
        return RowsFound(self.view, counts, tuple(said), tuple(sorted(rows)))


def _noun(question: str) -> str | None:
    """Return the noun phrase asked for, up to a verb or preposition."""
    found = _NOUN.search(question)
    if not found:
        return None
    kept: list[str] = []
    for word in words(found[1]):
        if word.lower() in STOP_WORDS and kept:
            break
        if word.lower() not in STOP_WORDS:
            kept.append(word)
    return " ".join(kept) or None


def _head(noun: str) -> str:
    """Return the head of a noun phrase: its first plural, or its last word."""
    spelled = words(noun)
    plural = (one for one in spelled if one.islower() and _PLURAL.fullmatch(one))
    return next(plural, spelled[-1])


def _matched(question: str, noun: str, view: View) -> _Match:
    asked = list(dict.fromkeys(terms(question)))
    head = terms(_head(noun))
    names_view = any(term in view.name_terms for term in head)
    by_value = [*_value_conditions(question, view, _head(noun) if names_view else ""), *_table_conditions(asked, view)]
    by_number = list(_number_conditions(question, view))
    conditions = tuple(one for one, _ in (*by_value, *by_number))
    used = frozenset().union(*(used for _, used in (*by_value, *by_number)))
    in_columns = any(_names_column(term, column) for term in head for column in view.column_terms)
    in_values = any(term in view.value_terms for term in head)
    best = _extreme(question, view)
    if best is not None:
        conditions = (*conditions, best)

    def is_used(term: str) -> bool:
        if term in view.name_terms or term in used:
            return True
        return any(_names_column(term, column) for column in view.column_terms)

    said = " ".join(condition.said for condition in conditions)
    unused = tuple(
        word
        for place, word in enumerate(words(question))
        if (own := content_words([word]) and terms(word))
        and not any(map(is_used, own)) and word not in said and not _COMPARES.fullmatch(word)
        and word.lower() not in _ASKING and (place or word.islower())
    )  # fmt: skip
    known = names_view or in_columns or in_values
    covered = sum(map(is_used, asked))
    return _Match(view, conditions, known, names_view, in_columns, covered, unused)


def _table_conditions(asked: Sequence[str], view: View) -> Iterator[tuple[Condition, frozenset[str]]]:
    """Yield a condition for each word that is in the names of only some tables."""
    for term in asked:
        tables = {table for table, names in enumerate(view.table_terms) if term in names}
        if 0 < len(tables) < len(view.tables):
            rows = frozenset(row for row, view_row in enumerate(view.rows) if view_row.table in tables)
            named = " or ".join(view.tables[table][0] for table in sorted(tables))
            yield Condition(f"the table is {named}", rows), frozenset([term])


def _value_conditions(question: str, view: View, noun: str) -> Iterator[tuple[Condition, frozenset[str]]]:
    """Yield a condition for each value in the question, longest values first.

    The noun that names the rows is excluded: "municipalities" may be a value, too.
    """
    spelled = words(question)
    stems = [tuple(terms(word)) for word in spelled]
    taken = {place for place, word in enumerate(spelled) if word == noun}
    for length in range(min(len(spelled), _MOST_WORDS), 0, -1):
        for start in range(len(spelled) - length + 1):
            places = range(start, start + length)
            key: Term = tuple(term for place in places for term in stems[place])
            columns = view.values.get(key, {})
            if not columns or taken & set(places) or not _may_name(spelled[start : start + length]):
                continue
            taken.update(places)
            column = max(columns, key=lambda one: len(columns[one]))
            rows = frozenset(columns[column])
            value = view.rows[min(rows)].cells[column].text
            said = f"{view.header[column]} is {value}"
            yield Condition(said, rows, column), frozenset(key)


def _may_name(spelled: Sequence[str]) -> bool:
    """Tell whether words may name a value: not a short lower-case word, such as "in" for IN."""
    return len(spelled) > 1 or len(spelled[0]) > _SHORTEST_PREFIX or spelled[0][0].isupper()


def _number_conditions(question: str, view: View) -> Iterator[tuple[Condition, frozenset[str]]]:
    taken: list[range] = []
    used_in_names = {term for column in view.column_terms for term in column if term.isdigit()}
    for found in _BETWEEN.finditer(question):
        low, high = sorted(_value(group) for group in found.groups())
        column = _column_of(question, found, low, view)
        if column is not None:
            taken.append(range(*found.span()))
            rows = {row for row, number in view.numbers(column).items() if low <= number <= high}
            said = f"{view.header[column]} is between {low:g} and {high:g}"
            yield Condition(said, frozenset(rows)), frozenset(view.column_terms[column])
    for sign, compare, pattern in _COMPARED:
        for found in pattern.finditer(question):
            if any(found.start() in span or found.end() - 1 in span for span in taken):
                continue
            bound = _value(found[1])
            if f"{bound:g}" in used_in_names:
                continue
            column = _column_of(question, found, bound, view)
            if column is None:
                continue
            taken.append(range(*found.span()))
            numbers = view.numbers(column).items()
            rows = {row for row, number in numbers if compare(number, bound)}
            said = f"{view.header[column]} {sign} {bound:g}"
            yield Condition(said, frozenset(rows)), frozenset(view.column_terms[column])


def _value(text: str) -> float:
    number, _, unit = text.replace(",", "").partition(" ")
    return float(number) * _UNITS.get(unit.lower(), 1)


def _column_of(question: str, found: re.Match[str], number: float, view: View) -> int | None:
    """Return the numeric column whose name is nearest to a number in the question.

    A number that may be a year belongs to a column of years, if there is one.
    """
    if number in _YEAR and float(number).is_integer():
        for column in range(len(view.header)):
            if _YEARS.match(view.header[column]) and any(one in _YEAR for one in view.numbers(column).values()):
                return column
    after = words(question[found.end() :])[:_NEAR]
    before = words(question[: found.start()])[::-1][:_NEAR]
    near = [word for pair in zip_longest(after, before) for word in pair if word]
    numeric = [column for column in range(len(view.header)) if view.numbers(column)]
    asked = set(terms(question))
    for word in near:
        for term in terms(word):
            named = [one for one in numeric if _names_column(term, view.column_terms[one])]
            if named:
                return max(named, key=lambda one: len(asked.intersection(view.column_terms[one])))
    return None


def _extreme(question: str, view: View) -> Condition | None:
    """Return the condition for the highest or lowest number of a column."""
    for pattern, choose, said in ((_HIGHEST, max, "highest"), (_LOWEST, min, "lowest")):
        found = pattern.search(question)
        if not found:
            continue
        for word in words(question[found.end() :])[:_NEAR]:
            for term in terms(word):
                for column in range(len(view.header)):
                    numbers = view.numbers(column)
                    if numbers and _names_column(term, view.column_terms[column]):
                        best = choose(numbers.values())
                        rows = frozenset(row for row, one in numbers.items() if one == best)
                        return Condition(f"{view.header[column]} is the {said}, {best:g}", rows)
    return None


def _names_column(term: str, column: Term) -> bool:
    """Tell whether a word names a column, by stem or prefix, as "cyl" for cylinders."""
    return any(term == stem or (len(stem) >= _SHORTEST_PREFIX and term.startswith(stem)) for stem in column)
