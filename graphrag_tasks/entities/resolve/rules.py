"""Rules by which a corpus ties names, and the resulting pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

CODE_RULE: Final = "bracketed_code"
SHORT_RULE: Final = "bracketed_short"
ACRONYM_RULE: Final = "acronym"
INITIALS_RULE: Final = "initials"
ROW_RULE: Final = "table_row"
VENDOR_RULE: Final = "vendor"
RENAMED_RULE: Final = "renamed"

Tie: TypeAlias = tuple[str, str, str]
"""Keys of two names, and the rule that ties them."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs of names that a corpus ties.

    Attributes:
        short_forms: Short forms or codes with their long forms; ambiguous where a short form has
            several.
        names: Two names of the same thing.
    """

    short_forms: list[Tie]
    names: list[Tie]

    @property
    def keys(self) -> Iterator[str]:
        """The keys of all tied names."""
        return (key for *pair, _ in chain(self.short_forms, self.names) for key in pair)
