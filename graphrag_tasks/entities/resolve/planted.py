"""Control pairs with known answers, mixed into the questions to check whoever confirms.

A model that answers yes to everything would merge all pairs unnoticed. So fifteen pairs that are
the same thing and fifteen that are not are mixed in: from the corpus where the rules are sure, else
from the list below, which belongs to no corpus. Too many wrong answers, and none is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.entities.resolve.candidates import Name

Keys = tuple[str, str]
"""The keys of two names."""

OF_EACH = 15
"""Control pairs that are the same thing, and as many that are not: of 20 answers, a coin gets 18
right in 1 of 5,000 cases."""
_MARK = "planted: "
"""Prefix of keys of names from the fixed list, as the corpus may contain the same name."""
_LEAST_DECIDED = 20
_LEAST_RIGHT = 0.9
"""Fewest control pairs decided, and least share answered right; `OF_EACH` says how rare chance
is."""

_SAME = (
    ("central processing unit", "CPU", "The central processing unit (CPU) runs programs"),
    ("random access memory", "RAM", "Random access memory, RAM for short, is lost without power"),
    ("World Wide Web", "WWW", "The World Wide Web is abbreviated WWW"),
    ("value added tax", "VAT", "Value added tax (VAT) is levied on each sale"),
    ("e-mail address", "email address", "An email address has an at sign"),
    ("log file", "logfile", "Events are written to the logfile"),
    ("user interface", "UI", "The user interface (UI) has three windows"),
    ("purchase orders", "purchase order", "A purchase order lists goods"),
    ("colour profile", "color profile", "A color profile describes a screen"),
    ("back-up copy", "backup copy", "A backup copy is kept elsewhere"),
    ("operating systems", "operating system", "An operating system starts programs"),
    ("Portable Document Format", "PDF", "The Portable Document Format (PDF) fixes a layout"),
    ("data base server", "database server", "The database server answers queries"),
    ("frequently asked questions", "FAQ", "Frequently asked questions are collected in the FAQ"),
    ("check box", "checkbox", "A checkbox is ticked or empty"),
)  # fmt: skip
_DIFFERENT = (
    ("version 2.1", "version 2.7", "Version 2.7 follows version 2.1"),
    ("sender", "recipient", "The sender writes to the recipient"),
    ("first quarter", "third quarter", "The third quarter begins in July"),
    ("north gate", "south gate", "The south gate is closed, the north gate open"),
    ("purchase price", "sales price", "The sales price is above the purchase price"),
    ("primary key", "foreign key", "A foreign key refers to another table's primary key"),
    ("input file", "output file", "The output file is made from the input file"),
    ("table A100", "table A101", "Table A101 replaces table A100"),
    ("left margin", "right margin", "The right margin is wider than the left margin"),
    ("upper limit", "lower limit", "The lower limit is below the upper limit"),
    ("source system", "target system", "The source system sends data to the target system"),
    ("test server", "production server", "The test server is apart from the production server"),
    ("analysis before the change", "analysis after the change", "Both analyses are compared"),
    ("debit account", "credit account", "The credit account balances the debit account"),
    ("opening date", "closing date", "The closing date is a year after the opening date"),
)  # fmt: skip


@dataclass(frozen=True)
class Planted:
    """Control pairs with known answers.

    Attributes:
        same: Whether each pair of names, by their keys, is the same thing.
        names: The names from the fixed list.
        statements: Statements about those names.
    """

    same: Mapping[Keys, bool]
    names: Mapping[str, Name]
    statements: Mapping[str, Sequence[str]]

    @classmethod
    def among(cls, sure_same: Iterable[Keys], sure_different: Iterable[Keys]) -> Planted:
        """Take pairs of the corpus of which the rules are sure, and fill up from the fixed list."""
        same: dict[Keys, bool] = {}
        names: dict[str, Name] = {}
        statements: dict[str, Sequence[str]] = {}
        for is_same, sure, known in ((True, sure_same, _SAME), (False, sure_different, _DIFFERENT)):
            chosen = sorted(sure, key=_digest)[:OF_EACH]
            same |= dict.fromkeys(chosen, is_same)
            for left, right, statement in known[: OF_EACH - len(chosen)]:
                keys = f"{_MARK}{left.lower()}", f"{_MARK}{right.lower()}"
                same[keys] = is_same
                for key, name in zip(keys, (left, right), strict=True):
                    names[key] = Name(key, name, None, 1)
                    statements[key] = [statement]
        return cls(same, names, statements)

    def trust(self, answers: Mapping[Keys, bool | None]) -> Trust:
        """Return how reliable the answers are, by those on the control pairs."""
        decided = {pair: said for pair, said in answers.items() if said is not None}
        right = sum(said == self.same[pair] for pair, said in decided.items())
        return Trust(len(self.same), len(decided), right)


@dataclass(frozen=True)
class Trust:
    """Numbers of control pairs asked, decided, and answered right."""

    asked: int
    decided: int
    right: int

    @property
    def holds(self) -> bool:
        """Whether answers are used: most control pairs are decided, nine in ten of them right."""
        return self.decided >= _LEAST_DECIDED and self.right >= _LEAST_RIGHT * self.decided


def order_of(pair: Keys) -> Keys:
    """Return the sort key of a pair in the questions: its names, wherever they come from."""
    left, right = (key.removeprefix(_MARK) for key in pair)
    return left, right


def _digest(pair: Keys) -> str:
    """Return a hash that orders pairs at random, so a new pair replaces at most one."""
    return hashlib.sha256("\n".join(pair).encode()).hexdigest()
