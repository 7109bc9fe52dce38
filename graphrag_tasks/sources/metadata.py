"""Metadata that people keep beside documents: a file for one document, or a table for a folder.

    report.pdf.meta.yaml        department: finance
                                date: 2024-03-01
    metadata.csv                path,department,date
                                reports/*.pdf,finance,2024-03-01

`metadata.csv` counts for its folder and those below it. It is read with any delimiter and encoding (`sep=` too); it is
never a document. What is nearer to a document wins: the file beside it over tables, and an inner folder's table over an
outer one. What cannot be read is a problem.
"""

from __future__ import annotations

import csv
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import yaml

from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.globs import compiled, nfc
from graphrag_tasks.core.visible import visible
from graphrag_tasks.sources.encodings import decode
from graphrag_tasks.sources.roots import printable

DELIMITERS = (",", ";", "\t", "|")
DECLARED = re.compile(r"sep=(.)(?:\r?\n|\Z)", re.IGNORECASE)  # The line by which Excel is told the delimiter.


def headed_records(text: str, needed: Collection[str]) -> tuple[list[str], Iterator[tuple[int, list[str] | None]]]:
    """Return a table's header in lower case, and its rows with their numbers, from 2.

    The delimiter is the first by which the header has the `needed` names; if none has them, the header lacks some. A
    row whose quotes are wrong is None.
    """
    if declared := DECLARED.match(text):
        text = text[declared.end() :]
    for delimiter in DELIMITERS:
        rows = records(text, delimiter)
        header = [" ".join(name.split()).casefold() for name in next(rows, (None, ""))[0] or ()]
        if set(header) >= set(needed):
            break
    return header, enumerate((record for record, _ in rows), start=3 if declared else 2)


def records(text: str, delimiter: str) -> Iterator[tuple[list[str] | None, str]]:
    """Yield each record's fields; None and the line if its quotes are wrong.

    Reading continues on the next line, as a stray quote would take in the rest.
    """
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        rest = (f"{lines[number]}\n" for number in range(start, len(lines)))
        reader = csv.reader(rest, delimiter=delimiter, skipinitialspace=True, strict=True)
        read = 0
        try:
            for record in reader:
                read = reader.line_num
                yield record, ""
            return
        except csv.Error:
            start += read + 1
            yield None, lines[start - 1]


SUFFIX, TABLE = ".meta.yaml", "metadata.csv"  # Ending of a file for one document, and name of a table.
_PATH = "path"
_MOST_KEYS, _MOST_VALUES, _LONGEST = 100, 1_000, 1_000
"""Keys and values of a file, or of a row, and characters of a value or a pattern. Chosen."""
_MOST_PATTERNS, _MOST_WILDCARDS = 2_000, 10
"""Patterns of a table, and stars of each; paths without may be as many as there are documents."""
_NAMED, _SHOWN = 20, 100  # Rows named of a table that names no document, and characters of a path. Chosen.
_LARGEST_TABLE, _LARGEST = 10_000_000, 50_000
"""Bytes of a table and of a file for one document; larger ones are not read. Chosen."""
_BAD_PATTERN = "too many patterns, more than ten stars, or ** within a name"
_WITHIN_A_NAME = re.compile(r"[^/]\*\*/")
_NULL = ("", "~", "null")
_FAILURES = (OSError, ValueError, TypeError, yaml.YAMLError, RecursionError, GraphragError)

Values = Mapping[str, tuple[str, ...]]


class MetadataFiles:
    """The metadata files of a source, by the paths of its files; `read` returns a file's bytes."""

    def __init__(self, files: Collection[str], read: Callable[[str], bytes]) -> None:
        self._read = read
        self._beside = {file for file in files if file.endswith(SUFFIX)}
        self._used: set[str] = set()
        self._tables: dict[str, _Table] = {}
        self._wrong: dict[str, str] = {}
        for file in sorted(files, key=lambda one: (one.count("/"), one)):
            if posixpath.basename(file).casefold() == TABLE:
                self._tables[file] = _Table([], ())
                try:
                    self._tables[file] = self._table(file)
                except _FAILURES as error:
                    self._wrong[file] = f"not read: {' '.join(str(error).split())}"

    def has(self, file: str) -> bool:
        """Tell whether a file holds metadata, and is no document."""
        return file in self._beside or file in self._tables

    def of(self, file: str) -> list[dict[str, str]]:
        """Return a document's metadata as rows of key and value, sorted."""
        found: dict[str, tuple[str, ...]] = {}
        for place, table in self._tables.items():
            folder = f"{posixpath.dirname(place)}/"
            if file.startswith(folder):
                found.update(table.of(file.removeprefix(folder)))
        if (beside := f"{file}{SUFFIX}") in self._beside:
            self._used.add(beside)
            try:
                found.update(self._file(beside))
            except _FAILURES as error:
                self._wrong[beside] = f"not read: {' '.join(str(error).split())}"
        return [{"key": key, "value": value} for key in sorted(found) for value in found[key]]

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield files, and what is wrong with each: it is not read, or names no document."""
        yield from self._wrong.items()
        for file in sorted(self._beside - self._used):
            name = posixpath.basename(file.removesuffix(SUFFIX))
            yield file, f"no such document: {printable(name)}"
        for file, table in self._tables.items():
            lost = [f"row {row} ({printable(path)[:_SHOWN]})" for path, row in table.unused.items()]
            told = [f"no such document: {_first(lost)}"] if lost else []
            told += [f"rows that are not read: {_first(table.wrong)}"] if table.wrong else []
            if told:
                yield file, "; ".join(told)

    def _text(self, file: str, largest: int) -> str:
        data = self._read(file)
        if len(data) > largest:
            raise ValueError(f"it has more than {largest:,} bytes")
        return decode(data).text

    def _table(self, file: str) -> _Table:
        header, rows = headed_records(self._text(file, _LARGEST_TABLE), (_PATH,))
        if _PATH not in header:
            raise ValueError(f"it has no column '{_PATH}'; if it is a document, rename it")
        if len(header) > _MOST_KEYS:
            raise ValueError(f"it has more than {_MOST_KEYS} columns")
        return _Table(header, rows)

    def _file(self, file: str) -> Values:
        text = self._text(file, _LARGEST)
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts of everything
        if not isinstance(found, dict):
            raise ValueError("it is no mapping of keys to values")
        values = {_text(str(key)).casefold(): tuple(_values(found[key])) for key in found}
        if len(values) > _MOST_KEYS or sum(map(len, values.values())) > _MOST_VALUES:
            raise ValueError(f"it has more than {_MOST_KEYS} keys, or {_MOST_VALUES:,} values")
        return values


class _Table:
    """The rows of a table: values by pattern, and by path, which wins over patterns."""

    def __init__(self, header: Sequence[str], rows: Iterable[tuple[int, Sequence[str] | None]]) -> None:
        self._exact: dict[str, Values] = {}
        self._patterns: list[tuple[str, re.Pattern[str], Values]] = []
        self.unused: dict[str, int] = {}  # rows by path or pattern, the header is the first
        self.wrong: list[str] = []
        for number, cells in rows:
            row = dict(zip(header, cells or (), strict=False))
            path = nfc(row.pop(_PATH, "").strip())
            values = {_text(key): (_text(value),) for key, value in row.items() if key and value.strip()}
            if path and self._add(path, values):
                self.unused[path] = number
            elif path:
                self.wrong.append(f"row {number} ({_BAD_PATTERN})")
            elif cells is None or values:
                self.wrong.append(f"row {number} (its quotes are wrong, or it has no path)")

    def _add(self, path: str, values: Values) -> bool:
        if not set("*?") & set(path):
            self._exact[path] = values
            return True
        is_one = path.count("*") <= _MOST_WILDCARDS and not _WITHIN_A_NAME.search(path)
        if not is_one or len(self._patterns) == _MOST_PATTERNS:
            return False
        self._patterns.append((path, compiled(path), values))
        return True

    def of(self, path: str) -> Values:
        """Return what the table says of a path below its folder; later rows win."""
        found: dict[str, tuple[str, ...]] = {}
        path = nfc(path)
        for pattern, regex, values in self._patterns:
            if regex.fullmatch(path):
                self.unused.pop(pattern, None)
                found.update(values)
        self.unused.pop(path, None)
        return {**found, **self._exact.get(path, {})}


def _first(told: Sequence[str]) -> str:
    more = f" and {len(told) - _NAMED:,} more" if len(told) > _NAMED else ""
    return f"{', '.join(told[:_NAMED])}{more}"


def _text(value: str) -> str:
    return " ".join(visible(value).split())[:_LONGEST]


def _values(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and one not in _NULL:
            yield _text(one)
