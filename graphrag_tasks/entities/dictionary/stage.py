"""Entity dictionary stage: which names the corpus itself declares, and where.

Titles and the headings above a chunk name its topic, so they are names even where no sentence mentions them. Headings
that say what a section is for ("Prerequisites") are excluded by a short list, and by being repeated from document to
document. Table keys and terms of definition lists count where they are written like names (`names`). Abbreviations come
with the triples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult, scan, stage, table
from graphrag_tasks.entities.words import words
from graphrag_tasks.language.names import entity_key, plain_heading
from graphrag_tasks.storage.sql import Connection, Rows, sql_over, statements

FULL, BASE, FIRST, ACRONYM = "full", "base", "first", "acronym"
"""Forms of a title: whole, without its brackets, up to its first comma, and the abbreviation in its brackets."""

GENERIC_HEADINGS = words("generic_headings")  # Headings that only say what a section is for ("Prerequisites").

_WHAT_IS = re.compile(
    r"wh(?:at|o)(?:’s|'s| is| are| was| were)\s(?:an?\s|the\s)?(?P<name>[^?]{2,60}?)\s?\??", re.IGNORECASE
)
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9/&-]*[A-Z0-9s]")
_ENUMERATES = re.compile(r",|\b(?:and|or|using|with|for|to)\b")


def heading_key(surface: str) -> str:
    """Return the key under which equal headings meet."""
    return entity_key(plain_heading(surface))


def name_forms(surface: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a title or heading, each with its form.

    "Paris, Texas (film)" is also "Paris, Texas" and "Paris"; "Test Cockpit (TC)" is "Test Cockpit" and "TC", whose
    letters are its initials. "What is AML?" names AML, other questions nothing.
    """
    full = plain_heading(surface)
    if asked := _WHAT_IS.fullmatch(full):
        full = asked["name"]
    elif full.endswith("?"):
        return
    inside = _BRACKETS.findall(full)
    base = without_brackets(full)
    if len(inside) == 1 and _ACRONYM.fullmatch(inside[0]) and _abbreviates(inside[0], base):
        yield base, BASE
        yield inside[0], ACRONYM
    else:
        yield full, FULL
        if inside and base:
            yield base, BASE
    first, comma, rest = base.partition(", ")
    if comma and first and not _ENUMERATES.search(rest):
        yield first, FIRST


def without_brackets(text: str) -> str:
    """Return a text without its bracketed parts."""
    return " ".join(_BRACKETS.sub(" ", text).split())


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of a short form are, in order, initials of the long form."""
    letters = [letter for letter in short.removesuffix("s").casefold() if letter.isalnum()]
    initials = iter([word[0] for word in re.findall(r"[^\W_]+", long.casefold())])
    return len(letters) > 1 and all(letter in initials for letter in letters)


_FEWEST_WORDS, _MOST_WORDS = 2, 4
_LONGEST, _LONGEST_WITH_BRACKETS = 60, 200
"""Characters of a name without and with brackets; longer texts are prose. Chosen."""

_IDENTIFIER = re.compile(
    r"(?=[^_]*[A-Za-z]{2})(?:/\w+/)?[A-Za-z](?:\w*(?:_|[a-z][A-Z]|[A-Z]\d)\w*)(?:[-.~]\w+)*(?:\(\))?"
)
"""A word with an underscore, a capital inside or a number behind a capital; also as a call."""
_WORD = re.compile(r"[^\W_][\w/&.+#'’-]*[\w+#](?:\(\))?|[^\W\d_]|\d+")
_LINKS = frozenset({"by", "for", "from", "in", "of", "on", "per", "to", "via", "with"})
"""Small words inside names in capitals."""
_OTHER_WORDS = words("words_of_prose")  # Words that occur in prose but in no name.
_DEFINES = re.compile(
    r"(?:an?|any|the|is|are|(?:[a-z]+ly )?(?:contains?|converts?|consists?|defines?|denotes?|"
    r"describes?|determines?|handles?|holds?|identifies|identify|means|provides?|refers?|"
    r"represents?|returns?|specifies|specify|stands?|stores?))\b",
    re.IGNORECASE,
)


def term_forms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a table key or term: without brackets, and its abbreviation."""
    base = without_brackets(text)
    yield base, FULL if base == text else BASE
    yield from ((name, form) for name, form in name_forms(text) if form == ACRONYM)


def is_key(text: str) -> bool:
    """Return whether a cell of a table's first column is written like a name."""
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    return all(word in _LINKS or not word[0].islower() for word in words)


def is_entry(text: str) -> bool:
    """Return whether a glossary entry is written like a name; one word is enough."""
    return len(_words(text)) > 0


def is_term(text: str, explanation: str) -> bool:
    """Return whether the text before a colon or dash is a name that the text after it defines.

    "Late numbering: The key is assigned when it is saved" defines late numbering; "For event handlers: SET HANDLER …"
    and "Secure the cloud: …" define nothing.
    """
    words = _words(text)
    if len(words) < _FEWEST_WORDS:
        return _is_identifier(*words)
    if words[0].casefold() in _LINKS:
        return False
    again = " ".join(words).casefold() in explanation.casefold()
    return again or _DEFINES.match(explanation) is not None


def _words(text: str) -> list[str]:
    """Return the words of a text without brackets; empty where the text cannot be a name."""
    if len(text) > _LONGEST_WITH_BRACKETS:
        return []
    base = without_brackets(text)
    words = base.split(" ")
    proper = (
        len(base) <= _LONGEST
        and len(words) <= _MOST_WORDS
        and all(_WORD.fullmatch(word) or _is_identifier(word) for word in words)
        and words[0][0].isalpha()
        and not words[-1].endswith("ly")
        and not (len(words) > 1 and all(map(_is_identifier, words)))
        and _OTHER_WORDS.isdisjoint(map(str.casefold, words))
        and entity_key(base) not in GENERIC_HEADINGS
    )
    return words if proper else []


def _is_identifier(word: str = "") -> bool:
    return _IDENTIFIER.fullmatch(word) is not None


TITLE, HEADING, KEY, TERM = "title", "heading", "key", "term"
"""Where a name stands: document title, heading, first column of a table, or term of a definition list."""

GENERIC, REPEATED, FILE_NAME = "generic", "repeated", "file_name"  # Why a title or heading is not used as a name.

_FILE_NAME_SIGNS = re.compile(r"[\d_]|\.(?:csv|jsonl)$")

_SQL = statements(
    __package__,
    "stage.sql",
    key=KEY,
    term=TERM,
    heading=HEADING,
    title=TITLE,
    defines=r"(?s)^([^:\n]{2,60}?)(?: ?:| [-–—])\s+((?:\S+\s+){2,}\S.*)",
    is_glossary=r"(?i)\b(?:glossary|terminology|definitions|acronyms|abbreviations)\b",
    is_column=r"(?i)^(?:term|acronym|abbreviation|expression|concept|keyword)s?$",
)

_REPEATED_DOCUMENTS = 5  # Documents from which on a heading that they share names nothing; chosen by reading.


@stage(
    per="corpus",
    reads=(table("documents", "document_id", "title", "title_source"), scan("blocks"), scan("cells"), scan("chunks")),
    makes=("entity_dictionary",),
    libraries=("duckdb",),
)
def entity_dictionary(documents: pa.Table, blocks: Rows, cells: Rows, chunks: Rows) -> StageResult:
    """List the names per chunk from titles, headings, table keys and definitions."""
    documents = documents.select(["document_id", "title", "title_source"])
    tables = {"documents": documents, "blocks": blocks, "cells": cells, "chunks": chunks}
    with sql_over(tables) as connection:
        _define(connection)
        connection.execute(_SQL["places"])
        connection.register("judged", _judged(connection.sql(_SQL["distinct"]).to_arrow_table()))
        found = connection.sql(_SQL["entity_dictionary"]).to_arrow_table()
        named = connection.sql("SELECT DISTINCT name, source, problem FROM judged").fetchall()
    problems = Counter(problem for _, problem in {(name, problem) for name, _, problem in named})
    stats: dict[str, int | float] = {"entity_dictionary_names": problems[None]}
    stats |= {f"entity_dictionary_{one}": problems[one] for one in (GENERIC, REPEATED, FILE_NAME)}
    sources = Counter(source for _, source, _ in named)
    stats |= {f"entity_dictionary_{one}s": sources[one] for one in (KEY, TERM)}
    return StageResult({"entity_dictionary": found.cast(schemas.ENTITY_DICTIONARY)}, stats)


def _define(connection: Connection) -> None:
    """Create the table of keys and terms that are names, with their places."""
    connection.execute(_SQL["keys"])
    connection.execute(_SQL["terms"])
    keys = [key for (key,) in connection.sql("SELECT DISTINCT text FROM keys").fetchall()]
    terms = connection.sql("SELECT DISTINCT text, explanation FROM terms").fetchall()
    connection.register("named_keys", _columns(["text"], [(key,) for key in keys if is_key(key)]))
    connection.register("named_terms", _columns(["text", "explanation"], [term for term in terms if is_term(*term)]))
    connection.execute(_SQL["glossary"])
    entries = connection.sql("SELECT DISTINCT text FROM glossary").fetchall()
    connection.register("glossary_terms", _columns(["text"], [entry for entry in entries if is_entry(*entry)]))
    connection.execute(_SQL["defined"])


def _columns(names: list[str], rows: list[tuple[str, ...]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=names)


def _judged(found: pa.Table) -> pa.Table:
    """Return name, form and problem of each distinct title and heading."""
    rows = found.to_pylist()
    documents: dict[str, set[str]] = {}
    for row in rows:
        if row["source"] == HEADING:
            documents.setdefault(heading_key(row["surface"]), set()).update(row["documents"])
    judged = []
    for row in rows:
        forms, problem = term_forms(row["surface"]), None
        if row["source"] in (TITLE, HEADING):
            forms = name_forms(row["surface"])
            problem = _problem(row, documents)
        for name, form in forms:
            judged.append(
                {key: row[key] for key in ("surface", "source", "title_source")}
                | {"name": name, "form": form, "problem": problem}
            )
    columns = ("surface", "source", "title_source", "name", "form", "problem")
    return pa.Table.from_pylist(judged, schema=pa.schema([pa.field(name, pa.string()) for name in columns]))


def _problem(row: dict[str, str], documents: dict[str, set[str]]) -> str | None:
    """Return why a title or heading is no name."""
    key = heading_key(row["surface"])
    if key in GENERIC_HEADINGS:
        return GENERIC
    if row["source"] == TITLE:
        is_file = row["title_source"] == FILE_NAME and _FILE_NAME_SIGNS.search(row["surface"])
        return FILE_NAME if is_file else None
    return REPEATED if len(documents[key]) >= _REPEATED_DOCUMENTS else None
