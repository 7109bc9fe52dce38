"""Make the list of first names with the gender they speak for.

    pip install -r benchmarks/training/requirements.txt
    python -m benchmarks.training.first_names graphrag_tasks/language/first_names.json

Sources: the frequencies of first names in the US census of 1990 (public domain, as packaged by `names`, MIT), and the
first names of all locales of Faker (MIT). A name's number is log2 of how much more often it is a woman's, cut to -4 ...
4; names under half a bit either way are left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import pkgutil
from collections import defaultdict
from importlib import resources
from pathlib import Path

import faker.providers.person

from graphrag_tasks.extract.coref.things import folded

LOCALE_SHARE = 0.01  # Per cent of the bearers that a name of one of Faker's locales counts as.
PRIOR = 0.0005  # Per cent that every name has on both sides.
LEAST, MOST = 0.5, 4.0


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    output: Path = parser.parse_args().output
    feminine, masculine = _census("female"), _census("male")
    for module in pkgutil.iter_modules(faker.providers.person.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        women = {folded(name) for name in getattr(provider, "first_names_female", ())}
        men = {folded(name) for name in getattr(provider, "first_names_male", ())}
        if women != men:
            _count(feminine, women, men)
            _count(masculine, men, women)
    names = {name for name in {**feminine, **masculine} if name.isascii() and name.isalpha()}
    scores = {name: _score(feminine.get(name, 0.0), masculine.get(name, 0.0)) for name in names if len(name) > 1}
    kept = {name: score for name, score in scores.items() if abs(score) >= LEAST}
    output.write_text(json.dumps(kept, sort_keys=True, separators=(",", ":")) + "\n", "utf-8")


def _census(gender: str) -> dict[str, float]:
    """Return each name's per cent of all bearers of that gender."""
    lines = (resources.files("names") / f"dist.{gender}.first").read_text("utf-8").splitlines()
    counts: dict[str, float] = defaultdict(float)
    for name, share, *_ in map(str.split, lines):
        counts[folded(name)] += float(share)
    return counts


def _count(counts: dict[str, float], own: set[str], others: set[str]) -> None:
    for name in own:
        counts[name] += LOCALE_SHARE / (2 if name in others else 1)


def _score(feminine: float, masculine: float) -> float:
    bits = math.log2((feminine + PRIOR) / (masculine + PRIOR))
    return round(max(-MOST, min(MOST, bits)), 1)


if __name__ == "__main__":
    main()
