"""Learn the weights of `extract.certainty`, confidence and worth, from judged facts, and show precision by both.

The judged facts (`benchmarks/gold/judged_facts.jsonl`) were drawn from corpora of different fields
(`benchmarks/strangers.sh`, the folder `seen`) and read beside their sentences. Figures are of leaving one corpus out;
the weights that are written are learned on all of them. The packaged ones are learned on 600 more (`--gold`), of
sentences of GUM, DocOIE, Wikinews and WiRe57, and 240 of four corpora, which are not in this repository. Worth is
learned on `judged_worth.jsonl` (and those 240), where two readers also said whether they are glad to have a fact.

    pip install -r benchmarks/training/requirements.txt
    python -m benchmarks.training.facts
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.extract import certainty
from graphrag_tasks.extract.certainty import ODDS, certainty_features, log_odds, worth_features
from graphrag_tasks.extract.tables import RULE as TABLE_ROW

_FOLDER = Path(__file__).parents[1] / "gold"
GOLD = [_FOLDER / "judged_facts.jsonl", _FOLDER / "judged_worth.jsonl"]
STRENGTHS = (0.03, 0.1, 0.3, 1.0)  # Inverse strengths of the L2 penalty that are tried.
WORTH_STRENGTH = 0.1  # Of .03, .1 and .3 the best where a corpus is left out.
LEAST = 6  # Facts that a feature must apply to.
STEPS = 10

Floats = NDArray[np.float64]


def table_of(facts: list[dict[str, Any]]) -> tuple[list[str], Floats]:
    """Return the names of features, and their values: a row for each fact."""
    found = [frozenset(certainty_features(one["triple"], one["text"], one["arguments"])) for one in facts]
    names = sorted(frozenset().union(*found))
    table = np.array([[name in one for name in names] for one in found], float)
    kept = table.sum(axis=0) >= LEAST
    odds = np.array([[log_odds(one["triple"]["confidence"])] for one in facts])
    return [ODDS, *np.array(names)[kept].tolist()], np.hstack([odds, table[:, kept]])


def worth_table(facts: list[dict[str, Any]]) -> tuple[list[str], Floats]:
    """Return the names of the features of worth, and their values: a row for each fact."""
    found = [worth_features(one["triple"]) for one in facts]
    names = sorted({name for one in found for name in one})
    return names, np.array([[one.get(name, 0.0) for name in names] for one in found])


def fit(table: Floats, right: NDArray[np.bool_], strength: float) -> tuple[float, Floats]:
    """Return the intercept and the weights of a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, max_iter=2000).fit(table, right)
    return float(model.intercept_[0]), np.asarray(model.coef_[0], np.float64)


def left_out(table: Floats, right: NDArray[np.bool_], corpora: NDArray[np.str_], strength: float) -> Floats:
    """Return the probability of each fact by weights learned without its corpus."""
    guessed = np.zeros(len(right))
    for corpus in np.unique(corpora):
        here = corpora == corpus
        intercept, weights = fit(table[~here], right[~here], strength)
        guessed[here] = 1 / (1 + np.exp(-intercept - table[here] @ weights))
    return guessed


def curve(guessed: Floats, right: NDArray[np.bool_]) -> list[dict[str, float]]:
    """Return the share right among the surest facts, for each tenth of them that is kept."""
    order = np.argsort(-guessed, kind="stable")
    steps = [round(len(order) * tenth / STEPS) for tenth in range(1, STEPS + 1)]
    return [
        {
            "kept": round(count / len(order), 2),
            "from": round(float(guessed[order[count - 1]]), 3),
            "right": round(float(right[order[:count]].mean()), 3),
        }
        for count in steps
    ]


def main() -> None:
    """Learn, write the weights, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gold", type=Path, nargs="+", default=GOLD, help="files of judged facts")
    options = parser.parse_args()
    lines = [json.loads(line) for gold in options.gold for line in gold.read_text("utf-8").splitlines()]
    judged = [one | reader for one in lines for reader in one.get("readers", [{}])]
    facts = [one for one in judged if one["triple"]["rule"] != TABLE_ROW]  # no sentence says them
    names, table = table_of(facts)
    right = np.array([one["judgement"] == "right" for one in facts])
    corpora = np.array([one["corpus"] for one in facts])
    frames = np.array([one["triple"]["confidence"] for one in facts])
    losses = {}
    for strength in STRENGTHS:
        guessed = np.clip(left_out(table, right, corpora, strength), 1e-6, 1 - 1e-6)
        losses[strength] = float(-np.log(np.where(right, guessed, 1 - guessed)).mean())
    best = min(losses, key=lambda one: losses[one])
    guessed = left_out(table, right, corpora, best)
    intercept, weights = fit(table, right, best)
    _write(certainty.WEIGHTS_FILE, {"": intercept, **dict(zip(names, weights.tolist(), strict=True))})
    of_worth = [one for one in judged if "useful" in one]
    names, table = worth_table(of_worth)
    useful, read = (np.array([one[name] for one in of_worth]) for name in ("useful", "corpus"))
    intercept, weights = fit(table, useful, WORTH_STRENGTH)
    _write(certainty.WORTH_FILE, {"": intercept, **dict(zip(names, weights.tolist(), strict=True))})
    print(
        json.dumps(
            {
                "facts": len(facts),
                "right": round(float(right.mean()), 3),
                "loss by strength": losses,
                "by the frame's confidence": curve(frames, right),
                "one corpus left out": curve(guessed, right),
                "worth, one corpus left out": curve(left_out(table, useful, read, WORTH_STRENGTH), useful),
            },
            indent=1,
        )
    )


def _write(name: str, weights: Mapping[str, float]) -> None:
    path = Path(certainty.__file__).with_name(name)
    rounded = {name: round(float(weight), 3) for name, weight in weights.items()}
    path.write_text(json.dumps(rounded, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
