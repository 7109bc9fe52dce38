"""Thirty answers with the verdicts that a scripted judge gives on them: the same to both packages.

Nothing is imported but the standard library: the other package has an environment of its own.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import cycle

CASES = 30
GUESSES = 3
_DIMENSION = 8
_NAMED = re.compile(r"(passage|statement|answer) (\d+)\.(\d+)")


@dataclass(frozen=True)
class Case:
    """An answer, and whether each of its passages is relevant and each statement supported."""

    number: int
    relevant: tuple[bool, ...]
    supported: tuple[bool, ...]
    evasive: tuple[bool, ...]

    @property
    def question(self) -> str:
        return f"What is said in case {self.number}?"

    @property
    def reference(self) -> str:
        return f"The right answer of case {self.number}"

    @property
    def answer(self) -> str:
        return f"This is answer {self.number}.0"

    @property
    def passages(self) -> list[str]:
        return [f"This is passage {self.number}.{place}" for place in range(len(self.relevant))]

    @property
    def statements(self) -> list[str]:
        return [f"This is statement {self.number}.{place}" for place in range(len(self.supported))]

    @property
    def guesses(self) -> list[str]:
        return [f"What is guess {self.number}.{place}?" for place in range(GUESSES)]


def cases() -> list[Case]:
    draw = random.Random(0)
    found = []
    for number in range(CASES):
        relevant = tuple(draw.random() < 0.5 for _ in range(draw.randint(1, 8)))
        supported = tuple(draw.random() < 0.7 for _ in range(draw.randint(1, 6)))
        evasive = (number % 10 == 9,) * GUESSES if number % 3 else (True, False, False)
        found.append(Case(number, relevant, supported, evasive))
    return found


def named(text: str, kind: str) -> tuple[int, int]:
    """Return the case and the place of what a prompt names last of a kind."""
    places = [(int(case), int(place)) for one, case, place in _NAMED.findall(text) if one == kind]
    return places[-1]


def vector(text: str) -> list[float]:
    """Return a vector that follows from a text alone."""
    draw = random.Random(text)
    return [draw.gauss(0.5, 1) for _ in range(_DIMENSION)]


class Guesses:
    """Gives each answer's guesses in turn, however often somebody asks."""

    def __init__(self) -> None:
        self._turns = {one.number: cycle(zip(one.guesses, one.evasive, strict=True)) for one in cases()}

    def next(self, prompt: str) -> tuple[str, bool]:
        return next(self._turns[named(prompt, "answer")[0]])
