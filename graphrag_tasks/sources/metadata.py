"""Metadata that people keep beside documents: a file for one document, or a table for a folder.

    report.pdf.meta.yaml        department: finance
                                date: 2024-03-01
    metadata.csv                path,department,date
                                reports/*.pdf,finance,2024-03-01

`metadata.csv` counts for its folder and those below it if its first column is `path`; another one
is a document. What is nearer to a document wins: the file beside it over tables, and an inner
folder's table over an outer one. Unreadable files say so in the log and give nothing.
"""

from __future__ import annotations

import csv
import io
import logging
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date

import yaml

from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.core.globs import fits
from graphrag_tasks.sources.roots import printable

SUFFIX, TABLE = ".meta.yaml", "metadata.csv"
"""Ending of a file for one document, and name of a table."""
_PATH = "path"
_MOST_KEYS, _LONGEST = 100, 1_000
"""Keys of a document, and characters of a value; more are no metadata. Chosen."""
_NAMED = 20
"""Rows named of a table that names no document. Chosen."""
_LARGEST = 20_000_000
"""Bytes of one file; larger ones are not read."""

log = logging.getLogger(__name__)

Values = Mapping[str, tuple[str, ...]]


class MetadataFiles:
    """The metadata files of a source, by the paths of its files; `read` returns a file's bytes."""

    def __init__(self, files: Collection[str], read: Callable[[str], bytes]) -> None:
        self._read = read
        self._beside = {file for file in files if file.endswith(SUFFIX)}
        self._used: set[str] = set()
        self._tables: dict[str, _Table] = {}
        for file in sorted(files, key=lambda one: (one.count("/"), one)):
            if posixpath.basename(file) == TABLE and (table := self._table(file)) is not None:
                self._tables[file] = table

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
            found.update(self._file(beside))
        if len(found) > _MOST_KEYS:
            log.warning("%s has %d keys of metadata: the first %d are kept",
                        printable(file), len(found), _MOST_KEYS)  # fmt: skip
        return [
            {"key": key, "value": value}
            for key in sorted(found)[:_MOST_KEYS]
            for value in found[key]
        ]

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the files that name documents that nobody asked for, and what is wrong."""
        for file in sorted(self._beside - self._used):
            name = posixpath.basename(file.removesuffix(SUFFIX))
            yield file, f"no such document: {printable(name)}"
        for file, table in self._tables.items():
            lost = [f"row {row} ({printable(path)})" for path, row in table.unused.items()]
            if lost:
                more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
                yield file, f"no such document: {', '.join(lost[:_NAMED])}{more}"

    def _text(self, file: str) -> str:
        data = self._read(file)
        if len(data) > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST:,} bytes")
        return data.decode("utf-8-sig")

    def _table(self, file: str) -> _Table | None:
        """Return a table; None if the file is no table of metadata."""
        try:
            rows = csv.reader(io.StringIO(self._text(file)))
            first, *keys = [_key(cell) for cell in next(rows, [])] or [""]
            return _Table(keys, rows) if first == _PATH else None
        except (OSError, ValueError, csv.Error, GraphragError):
            return None  # a document, whose reader says what is wrong

    def _file(self, file: str) -> Values:
        try:
            found = yaml.safe_load(self._text(file))
            if not isinstance(found, dict):
                raise ValueError("it is no mapping of keys to values")
        except (OSError, ValueError, yaml.YAMLError, RecursionError, GraphragError) as error:
            reason = " ".join(str(error).split())
            log.warning("the metadata of %s are not read: %s", printable(file), reason)
            return {}
        return {_key(str(key)): tuple(_values(value)) for key, value in found.items()}


class _Table:
    """The rows of a table: values by pattern, and by path, which wins over patterns."""

    def __init__(self, keys: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self._exact: dict[str, Values] = {}
        self._patterns: list[tuple[str, Values]] = []
        self.unused: dict[str, int] = {}  # rows by path or pattern, the header is the first
        for number, (path, *cells) in ((at, row) for at, row in enumerate(rows, 2) if any(row)):
            self.unused[path.strip()] = number
            values = {
                key: (_value(cell),)
                for key, cell in zip(keys, cells, strict=False)
                if key and cell.strip()
            }
            if set("*?") & set(path):
                self._patterns.append((path.strip(), values))
            else:
                self._exact[path.strip()] = values

    def of(self, path: str) -> Values:
        """Return what the table says of a path below its folder; later rows win."""
        found: dict[str, tuple[str, ...]] = {}
        for pattern, values in self._patterns:
            if fits(path, pattern):
                self.unused.pop(pattern, None)
                found.update(values)
        self.unused.pop(path, None)
        return {**found, **self._exact.get(path, {})}


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()[:_LONGEST]


def _value(value: object) -> str:
    text = value.isoformat() if isinstance(value, date) else str(value)
    return " ".join(text.split())[:_LONGEST]


def _values(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if one is not None and not isinstance(one, dict | list):
            yield _value(one)
