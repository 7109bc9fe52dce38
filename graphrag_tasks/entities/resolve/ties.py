"""Find names that the corpus ties: in texts, in tables, and by a vendor's name that many share."""

from __future__ import annotations

from collections.abc import Callable

from graphrag_tasks.entities.resolve.acronyms import by_initials, introduced
from graphrag_tasks.entities.resolve.rows import coded_rows
from graphrag_tasks.entities.resolve.rules import (
    ACRONYM_RULE,
    INITIALS_RULE,
    RENAMED_RULE,
    ROW_RULE,
    VENDOR_RULE,
    Ties,
)
from graphrag_tasks.entities.resolve.vendors import find_vendors, without_vendor
from graphrag_tasks.entities.resolve.written import in_brackets, renamed
from graphrag_tasks.storage.sql import Connection


def find_ties(connection: Connection, is_known: Callable[[str], bool]) -> Ties:
    """Return the ties in the tables that `connection` knows; `is_known` tells dictionary words.

    Initials count only where nothing introduces the short form.
    """
    find_vendors(connection)
    short_forms = [
        *((*pair, ACRONYM_RULE) for pair in introduced(connection)),
        *((*pair, ROW_RULE) for pair in coded_rows(connection, is_known)),
        *in_brackets(connection),
    ]
    told = {short for short, _, _ in short_forms}
    short_forms += (
        (*pair, INITIALS_RULE) for pair in by_initials(connection) if pair[0] not in told
    )
    names = [
        *((*pair, VENDOR_RULE) for pair in without_vendor(connection)),
        *((*pair, RENAMED_RULE) for pair in renamed(connection)),
    ]
    return Ties(short_forms, names)
