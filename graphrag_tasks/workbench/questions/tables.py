"""Questions from tables: a cell by row key and column header, and rows by a value."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphrag_tasks.language.names import is_plural
from graphrag_tasks.workbench.questions.candidates import (
    LISTING,
    LONGEST_NAME,
    SINGLE,
    UNANSWERABLE,
    Candidate,
    Stretch,
    is_plain,
    is_said,
)
from graphrag_tasks.workbench.questions.corpus import Corpus
from graphrag_tasks.workbench.questions.wording import plural_of
from graphrag_tasks.workbench.questions.words import words

_LEAST_ROWS = 2  # Fewest rows of a table: a single row needs no key.
_MOST_KEY, _MOST_HEADER, _MOST_CELL, _MOST_VALUE = 8, 5, 30, 5
"""Most words of a key, a header, an answer cell, and a value that selects rows."""
_LEAST_ITEMS, _MOST_ITEMS = 3, 15  # Rows of a listing: fewer are no list, more are too many to read.
_MOST_SHARE = 0.6  # Largest share of a table's rows: a value that nearly all have is not distinctive.
_ATTRIBUTES = words("attributes")  # Head nouns of headers that name an attribute of the row.
_NO_VALUE = re.compile(r"(?:n/?a|none|not applicable|-+|–|—|\?|yes|no|x|✓|unknown|see .*)\.?", re.I)
_NAMELESS = words("nameless_headers")  # Key headers that do not say what a row is.
_AMOUNT = re.compile(r"[$€£¥]\s?\d|^[\d.,%*+=/ -]+$")


@dataclass(frozen=True)
class _Row:
    key: str
    cells: Mapping[str, str]  # by header
    stretch: Stretch
    text: str


@dataclass(frozen=True)
class _Table:
    key_header: str
    headers: tuple[str, ...]
    rows: tuple[_Row, ...]


class Tables:
    """The tables of a corpus whose rows have keys."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._attributes: dict[str, bool] = {}
        self._found = list(_tables(corpus))
        self._known: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._holders: Counter[tuple[str, str, str]] = Counter()
        self._keys: Counter[str] = Counter()
        self._rows: dict[str, list[tuple[_Table, _Row]]] = defaultdict(list)
        for table in self._found:
            self._keys.update({row.key.casefold() for row in table.rows})
            values = set()
            for row in table.rows:
                self._rows[row.key.casefold()].append((table, row))
                for header, text in row.cells.items():
                    self._known[row.key.casefold(), header.casefold()].add(text)
                    values.add((table.key_header.casefold(), header.casefold(), text.casefold()))
            self._holders.update(values)

    def singles(self) -> Iterator[Candidate]:
        """Yield "What is the successor of transaction FD32?", answered by a row."""
        for table in self._found:
            for row in table.rows:
                for header in table.headers:
                    made = self._single(table, row, header)
                    if made is not None:
                        yield made

    def described(self) -> Iterator[tuple[Candidate, str]]:
        """Yield the cells that hold a name, with a description: "the successor of FD32"."""
        for table in self._found:
            for row in table.rows:
                for header in table.headers:
                    made = self._single(table, row, header)
                    if made is not None and _is_key(made.answer) and " is the " in made.question:
                        yield made, made.question.removeprefix("What is ").rstrip("?")

    def singles_of(self, key: str, words: str) -> Iterator[Candidate]:
        """Yield questions for a row's cells, with a description in place of its key."""
        for table, row in self._rows.get(key, ()):
            for header in table.headers:
                made = self._single(table, row, header)
                if made is not None:
                    asked = self._lowered(header)
                    yield replace(made, question=f"What {_be(asked)} the {asked} of {words}?")

    def gaps(self) -> Iterator[Candidate]:
        """Yield questions for empty cells whose column is filled in other rows."""
        for table in self._found:
            for row in table.rows:
                for header in table.headers:
                    known = self._known[row.key.casefold(), header.casefold()]
                    filled = sum(header in one.cells for one in table.rows)
                    if known or filled < _LEAST_ITEMS or self._keys[row.key.casefold()] > 1:
                        continue
                    question = self._question(table, row.key, header)
                    if question is not None:
                        yield Candidate(UNANSWERABLE, question, "", (), "gap", row.key.casefold())

    def listings(self) -> Iterator[Candidate]:
        """Yield "Which transactions have the successor BP?", answered by all such rows."""
        for table in self._found:
            if table.key_header.casefold() in _NAMELESS or is_plural(table.key_header.lower()):
                continue
            for header in table.headers:
                yield from self._listed(table, header)

    def _single(self, table: _Table, row: _Row, header: str) -> Candidate | None:
        answer = row.cells.get(header, "")
        if not answer or len(answer.split()) > _MOST_CELL or _NO_VALUE.fullmatch(answer):
            return None
        if _AMOUNT.search(answer) or len(self._known[row.key.casefold(), header.casefold()]) > 1:
            return None
        question = self._question(table, row.key, header)
        if question is None or is_said(answer, question):
            return None
        if answer.casefold() not in row.text.casefold():
            return None
        column = f"{table.key_header} {header} {row.stretch.document_id}"
        return Candidate(SINGLE, question, answer, ((row.stretch,),), "cell", column, row.text)

    def _question(self, table: _Table, key: str, header: str) -> str | None:
        if not self._is_attribute(header) or self._keys[key.casefold()] > 1:
            return None
        asked = self._lowered(header)
        question = f"What {_be(asked)} the {asked} of {self._named(table.key_header, key)}?"
        return question if is_plain(question) else None

    def _named(self, header: str, key: str) -> str:
        shown = key if key[:1].isupper() and " " not in key else f"“{key}”"
        kind = self._lowered(header).removesuffix(" name")
        if kind.casefold() in _NAMELESS or not re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)*", kind):
            return shown
        if key.casefold().startswith(kind.casefold()):
            return key
        return f"{kind} {shown}" if shown == key and key.isupper() else f"the {kind} {shown}"

    def _lowered(self, header: str) -> str:
        words = header.replace("_", " ").split()
        return " ".join(
            word.lower() if word[1:].islower() else word  # codes and "SAP" stay
            for word in words
        )

    def _is_attribute(self, header: str) -> bool:
        if header not in self._attributes:
            self._attributes[header] = self._names_attribute(header)
        return self._attributes[header]

    def _names_attribute(self, header: str) -> bool:
        words = header.replace("_", " ").lower()
        if len(words.split()) > _MOST_HEADER or not re.fullmatch(r"[^\W\d_]+(?: [\w/]+)*", words):
            return False
        head = re.split(r" (?:of|in|for|by|to|from|with|on) ", words)[0].split(" ")[-1]
        if head in _ATTRIBUTES or head.removesuffix("s") in _ATTRIBUTES:
            return True
        noun = rf"\b(?:the|an?) {re.escape(words)}(?: (?:of|is|are|for|that)\b|[.,])"
        return re.search(noun, self._corpus.text) is not None

    def _listed(self, table: _Table, header: str) -> Iterator[Candidate]:
        if not self._is_attribute(header):
            return
        by_value: dict[str, list[_Row]] = defaultdict(list)
        for row in table.rows:
            if header in row.cells:
                by_value[row.cells[header]].append(row)
        for value, rows in by_value.items():
            share = len(rows) / len(table.rows)
            if not _LEAST_ITEMS <= len(rows) <= _MOST_ITEMS or share > _MOST_SHARE:
                continue
            place = (table.key_header.casefold(), header.casefold(), value.casefold())
            if _NO_VALUE.fullmatch(value) or _AMOUNT.search(value) or self._holders[place] > 1:
                continue
            if len(value.split()) > _MOST_VALUE:
                continue
            asked = self._lowered(header)
            kind = self._lowered(table.key_header).removesuffix(" name")
            shown = value if value.isupper() else f"“{value}”"
            question = f"Which {plural_of(kind)} have the {asked} {shown}?"
            if is_plain(question):
                yield Candidate(LISTING, question, ", ".join(one.key for one in rows),
                                tuple((one.stretch,) for one in rows), "column",
                                value.casefold(), rows[0].text)  # fmt: skip


def _tables(corpus: Corpus) -> Iterator[_Table]:
    columns = ["document_id", "ordinal", "row", "column", "row_span", "col_span", "is_header",
               "header", "text", "char_start", "char_end"]  # fmt: skip
    cells: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in corpus.rows("cells", columns):
        if row["document_id"] in corpus.uris and not corpus.is_legal(row["document_id"]):
            cells[row["document_id"], row["ordinal"]].append(row)
    for (document, _), some in sorted(cells.items(), key=lambda one: (corpus.uris[one[0][0]], one[0])):
        made = _table(document, some)
        if made is not None:
            yield made


def _table(document: str, cells: Sequence[Mapping[str, Any]]) -> _Table | None:
    headers = {cell["column"]: cell["text"] for cell in cells if cell["is_header"]}
    first = [cell["row"] for cell in cells if cell["is_header"]]
    if 0 not in headers or len(headers) < 2 or max(first) > 0 or len(set(headers.values())) < len(headers):
        return None
    rows: dict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for cell in cells:
        if not cell["is_header"] and cell["row_span"] == 1 and cell["col_span"] == 1:
            rows[cell["row"]][cell["column"]] = cell
    keys = Counter(found[0]["text"].casefold() for found in rows.values() if 0 in found)
    made = []
    for _, found in sorted(rows.items()):
        if 0 not in found or any(row["char_start"] is None for row in found.values()):
            continue
        key = found[0]["text"]
        if keys[key.casefold()] > 1 or not _is_key(key):
            continue
        stretch, text = _row(document, found.values())
        values = {headers[at]: row["text"] for at, row in found.items() if at and at in headers}
        made.append(_Row(key, values, stretch, text))
    if len(made) < _LEAST_ROWS:
        return None
    others = tuple(text for at, text in sorted(headers.items()) if at)
    return _Table(headers[0], others, tuple(made))


def _row(document: str, cells: Iterable[Mapping[str, Any]]) -> tuple[Stretch, str]:
    some = sorted(cells, key=lambda row: int(row["char_start"]))
    start, end = some[0]["char_start"], max(row["char_end"] for row in some)
    return Stretch(document, start, end), " | ".join(row["text"] for row in some)


def _is_key(text: str) -> bool:
    return (
        len(text.split()) <= _MOST_KEY and len(text) <= LONGEST_NAME and is_plain(text)
        and re.search(r"[^\W\d_]", text) is not None and "“" not in text
    )  # fmt: skip


def _be(noun: str) -> str:
    return "are" if is_plural(re.split(r" (?:in|on|for|to|by|from|with) ", noun)[0]) else "is"
