"""Names that the corpus ties: in texts, in table rows, and by a vendor's name that many share.

"SAP Fiori launchpad" and "Fiori launchpad" are one thing in a corpus on SAP. A word is such a vendor where it begins
many names, a share of which also occur without it; where it is itself a name with a capital; and where it stands in
most documents. The last tells "SAP" from "ABAP", which begins as many names of the same documents: "SQL statement" is
more general than "ABAP SQL statement".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

from graphrag_tasks.entities.resolve.acronyms import by_initials, in_brackets, introduced
from graphrag_tasks.storage.sql import Connection, statements

SHORT_RULE: Final = "bracketed_short"
ACRONYM_RULE: Final = "acronym"
INITIALS_RULE: Final = "initials"
ROW_RULE: Final = "table_row"
VENDOR_RULE: Final = "vendor"

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

_SQL = statements(
    __package__, "ties.sql", proper=", ".join(f"'{one}'" for one in sorted(PROPER)), no_names="|".join(_NO_NAMES)
)

Tie: TypeAlias = tuple[str, str, str]  # Keys of two names, and the rule that ties them.


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

    Codes in rows that are dictionary words (`is_known`) name nothing. Initials count only where nothing introduces the
    short form.
    """
    connection.execute(_SQL["begun"])
    connection.execute(_SQL["bare"])
    connection.execute(_SQL["vendors"], _LEAST_OF_VENDOR)
    rows = connection.execute(_SQL["rows"], _LEAST_OF_COLUMN).fetchall()
    short_forms = [
        *((*pair, ACRONYM_RULE) for pair in introduced(connection)),
        *((code, name, ROW_RULE) for code, name in rows if not is_known(code)),
        *((*pair, SHORT_RULE) for pair in in_brackets(connection)),
    ]
    told = {short for short, _, _ in short_forms}
    short_forms += ((*pair, INITIALS_RULE) for pair in by_initials(connection) if pair[0] not in told)
    pairs = connection.sql(_SQL["without_vendor"]).fetchall()
    return Ties(short_forms, [(*pair, VENDOR_RULE) for pair in pairs])
