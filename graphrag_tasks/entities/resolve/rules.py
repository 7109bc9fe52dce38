"""Rules that join names: acronyms and their long forms, and names that texts and table rows tie."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

from graphrag_tasks.core.schemas import WORDS
from graphrag_tasks.language.names import entity_key, singular_noun
from graphrag_tasks.storage.sql import Connection, statements

ALIAS_RULE = "alias"  # Relation of the triples (long form, "be known as", short form) from extraction.
_MOST_LONG_FORMS = 100  # Most long forms of a short form that are compared with each other; with more it is ambiguous.

_BRACKETED = re.compile(r"(.+) \([\"'`“‘]?([A-Za-z][A-Za-z0-9&/-]{1,9}\+?)[\"'`”’]?\)")
_FEWEST_CAPITALS = 2  # of a short form in brackets

SHORT_RULE: Final = "bracketed_short"
ACRONYM_RULE: Final = "acronym"
INITIALS_RULE: Final = "initials"
PERSON_RULE: Final = "person"
ROW_RULE: Final = "table_row"
VENDOR_RULE: Final = "vendor"

_TITLES = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Lady|Lord|Judge|Captain|Colonel)\.?"

_SQL = statements(
    __package__, "short_forms.sql", alias_rule=ALIAS_RULE, initials=INITIALS_RULE, person=PERSON_RULE, titles=_TITLES,
    words=WORDS,
)  # fmt: skip

Tie: TypeAlias = tuple[str, str, str]  # Keys of two names, and the rule that ties them.


def introduced(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that a text or a title introduces."""
    return connection.sql(_SQL["acronyms"]).fetchall()


def in_brackets(connection: Connection) -> list[tuple[str, str]]:
    """Return the keys of short forms in brackets and of the words before them.

    Extraction finds those that initials spell; here others are found, with small letters, "+" or letters from inside
    words: "background processing framework (bgPF)". The long form is the longest run that the short form abbreviates,
    with a word more than it has letters at most. The connection knows `sentences` and `cells`.
    """
    texts = connection.sql(_SQL["bracketed"]).fetchall()
    return sorted({pair for (text,) in texts if (pair := _short_and_long(text))})


def _short_and_long(text: str) -> tuple[str, str] | None:
    match = _BRACKETED.fullmatch(text)
    if not match or sum(map(str.isupper, match[2])) < _FEWEST_CAPITALS:
        return None
    words, short = match[1].casefold().split(" "), match[2].casefold()
    for start in range(max(0, len(words) - len(short) - 1), len(words) - 1):
        long = " ".join(words[start:])
        if words[start][0] == short[0] and abbreviates(short, long):
            # Two letters are initials: "identity transformation (ID)" is another thing.
            fits = len(short) > 2 or words[-1][0] == short[1]
            return (entity_key(short), entity_key(long)) if fits else None
    return None


def in_same_documents(connection: Connection) -> list[Tie]:
    """Return the keys of short and long forms that stand in the same documents, and their rule.

    By initials: the short form is three to six capitals, the long form as many capitalised words with these initials
    (without "of" and the like), in at least a third of the short form's documents; a vendor before either is ignored.
    Or a person's first name, or surname with its title, that begins or ends one full name of the corpus whose words
    tell a person, and stands beside it in a document. The connection knows `vendors`.
    """
    return connection.sql(_SQL["in_same_documents"]).fetchall()


def stood_for(short: str, longs: Collection[str], canonical: Callable[[str], str]) -> set[str]:
    """Return the long forms of a short form; empty where these are different things.

    Where some long forms have the short form's first letter and then its others in order, only these count: "processing
    framework (bgPF)" lacks a word. A long form with words before another one ("programmatic ABAP Test Cockpit check")
    only contains it. Of the rest those count whose letters the short form has: texts also write "Code Inspector (ATC)".
    A long form that continues one of these ("ABAP development tools for Eclipse") is the same thing.
    """
    if len(longs) > _MOST_LONG_FORMS:
        return set()
    longs = [long for long in longs if long[0] == short[0] and abbreviates(short, long)] or longs
    parts = [long for long in longs if not any(is_within(other, long) for other in longs)]
    meant = [part for part in parts if abbreviates(short, part)] or parts
    if len({canonical(_with_singular_words(one)) for one in meant}) > 1:
        return set()
    return {long for long in longs if any(f"{long} ".startswith(f"{other} ") for other in meant)}


def abbreviates(short: str, long: str) -> bool:
    """Return whether a long form contains the letters of a short form in order.

    The first letter begins a word. Source: Schwartz and Hearst, "A simple algorithm for identifying abbreviation
    definitions in biomedical text" (2003).
    """
    letters = [letter for letter in short if letter.isalnum()]
    place = len(long)
    for number, letter in reversed(list(enumerate(letters))):
        place = long.rfind(letter, 0, place)
        while number == 0 and place > 0 and long[place - 1].isalnum():
            place = long.rfind(letter, 0, place)
        if place < 0:
            return False
    return bool(letters)


def is_within(part: str, whole: str) -> bool:
    """Return whether the words of one name are part of another name."""
    return part != whole and f" {part} " in f" {whole} "


def _with_singular_words(key: str) -> str:
    return " ".join(map(singular_noun, key.split(" ")))


# Names that the corpus ties: in texts, in table rows, and by a vendor's name that many share.

PROPER = frozenset({"PERSON", "GPE", "LOC", "NORP", "WORK_OF_ART", "EVENT"})  # Types of proper names.

_LEAST_OF_VENDOR = {"names": 3, "share": 0.05, "documents": 0.6, "capitals": 0.8}
"""Names that also occur without a vendor, and their share of the names that begin with it; the share of documents
that contain it, and of its occurrences that are capitalised. SAP has 33 names, .11 and .78 of the documents, GnuCash
6, .08 and .68; ABAP has .54."""

_LEAST_OF_COLUMN = {"codes": 0.7, "names": 0.6, "distinct": 0.9}
"""Shares of a column's cells that are codes, that are names, and that are distinct: with these, 58 of 60 pairs of
the SAP documents are right."""

_NO_NAMES = ("topic", "keyword", "tag", "title", "successor", "replace", "alternativ", "obsolete",
             "old", "new")  # fmt: skip
"""Word stems in headers of columns that do not name the code beside them."""

_TIES = statements(
    __package__, "ties.sql", proper=", ".join(f"'{one}'" for one in sorted(PROPER)), no_names="|".join(_NO_NAMES)
)


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs of names that a corpus ties.

    Attributes:
        short_forms: Short forms or codes with their long forms; ambiguous where a short form has several.
        names: Two names of the same thing.
    """

    short_forms: list[Tie]
    names: list[Tie]

    @property
    def keys(self) -> Iterator[str]:
        """The keys of all tied names."""
        return (key for *pair, _ in chain(self.short_forms, self.names) for key in pair)


def find_ties(connection: Connection, is_known: Callable[[str], bool]) -> Ties:
    """Return the ties in the tables that `connection` knows.

    Codes in rows that are dictionary words (`is_known`) name nothing. Initials and first names count only
    where nothing introduces the short form.
    """
    connection.execute(_TIES["begun"])
    connection.execute(_TIES["bare"])
    connection.execute(_TIES["vendors"], _LEAST_OF_VENDOR)
    rows = connection.execute(_TIES["rows"], _LEAST_OF_COLUMN).fetchall()
    short_forms = [
        *((*pair, ACRONYM_RULE) for pair in introduced(connection)),
        *((code, name, ROW_RULE) for code, name in rows if not is_known(code)),
        *((*pair, SHORT_RULE) for pair in in_brackets(connection)),
    ]
    told = {short for short, _, _ in short_forms}
    short_forms += (tie for tie in in_same_documents(connection) if tie[0] not in told)
    pairs = connection.sql(_TIES["without_vendor"]).fetchall()
    return Ties(short_forms, [(*pair, VENDOR_RULE) for pair in pairs])
