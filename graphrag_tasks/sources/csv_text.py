"""Records of CSV text, and of the tables that people keep by hand: `facts.csv`, `metadata.csv`."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator

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
