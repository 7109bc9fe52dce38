"""Report of judged answers in several modes: tables for people, rows for programs.

Every figure is in percent with its 95 % interval: Wilson's for shares, and if all values are equal; else the bootstrap
over questions. Undecided and invalid verdicts are counted separately; they are neither a number nor 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pyarrow as pa

from graphrag_tasks.workbench.evaluation.gold import Difference, paired_bootstrap, share_interval
from graphrag_tasks.workbench.evaluation.report import parquet
from graphrag_tasks.workbench.evaluation.unaided import FIGURES, REFUSED, Refusal, UnaidedVerdict
from graphrag_tasks.workbench.judges.verdicts import (
    ONE,
    OTHER,
    TIE,
    UNDECIDED,
    Answered,
    JudgeCheck,
    Preferred,
    Verdicts,
    outcomes,
)

ANSWERS_FILE, TABLES_FILE = "answers.parquet", "answers.md"
ROWS = pa.schema(
    [
        ("mode", pa.string()), ("id", pa.string()), ("question", pa.string()),
        ("answer", pa.string()), ("measure", pa.string()), ("vote", pa.int64()),
        ("value", pa.float64()),
    ]
)  # fmt: skip
"""Columns of `ANSWERS_FILE`: a row for each vote; null if undecided or invalid."""

PERCENT = 100


@dataclass(frozen=True)
class JudgedMode:
    """The answers of a mode, and their verdicts.

    Attributes:
        by_measure: A model's verdicts on each answer, in order; empty without a model.
        unaided: Verdicts without a model; empty if the questions have no gold.
        withheld: Ids of the questions that the model was not shown: without reference answer, or about excluded
            documents.
        refusals: Outcomes of the questions that the corpus does not answer.
    """

    mode: str
    answers: tuple[Answered, ...]
    by_measure: Mapping[str, Sequence[Verdicts]]
    unaided: tuple[UnaidedVerdict, ...] = ()
    withheld: frozenset[str] = frozenset()
    refusals: tuple[Refusal, ...] = ()

    def values(self) -> dict[str, list[float | None]]:
        """Return the value of each answer by each measure."""
        found: dict[str, list[float | None]] = {}
        for name in FIGURES:
            values = [getattr(unaided_verdict, name) for unaided_verdict in self.unaided]
            if any(value is not None for value in values):
                found[name] = values
        if self.refusals:
            found[REFUSED] = [refusal.refused for refusal in self.refusals]
        return found | {name: [verdict.value for verdict in verdicts] for name, verdicts in self.by_measure.items()}


@dataclass(frozen=True)
class AnswersReport:
    """Report on modes that answered the same questions.

    Attributes:
        model: The judge; None: no model.
        preferences: For each other mode, preferences against the mode `against`; `one` is the other mode.
        counts: Requests for verdicts by outcome.
        usd: Their cost; None if the price is unknown.
    """

    model: str | None
    snapshot_id: str
    modes: tuple[JudgedMode, ...]
    against: str | None = None
    preferences: Mapping[str, Sequence[Preferred]] = field(default_factory=dict)
    check: JudgeCheck | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    usd: float | None = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "model": self.model,
            "snapshot_id": self.snapshot_id,
            "faults": self.check.faults if self.check else [],
            "check": [vars(finding) for finding in self.check.findings] if self.check else [],
            "modes": {judged.mode: dict(_figures(judged)) for judged in self.modes},
            "against": self.against,
            "differences": {
                mode: {name: vars(difference) for name, difference in found.items()}
                for mode, found in self._differences()
            },
            "preferences": {mode: outcomes(pairs) for mode, pairs in self.preferences.items()},
            "counts": dict(self.counts),
            "usd": self.usd,
        }

    def to_markdown(self) -> str:
        """Return the report; its first line says whether the judge is reliable."""
        lines = [self._trust(), ""]
        if self.check:
            lines += [*_check_table(self.check), ""]
        lines += ["| mode | measure | answers | figure, % | 95 % | no verdict | votes differ |",
                  "|---|---|---|---|---|---|---|"]  # fmt: skip
        lines += [line for judged in self.modes for line in _lines(judged)]
        for mode, found in self._differences():
            lines += ["", f"`{mode}` less `{self.against}`, paired bootstrap over questions", "",
                      "| measure | points | 95 % | p |", "|---|---|---|---|"]  # fmt: skip
            for name, gap in found.items():
                p = "–" if gap.p is None else f"{gap.p:.3f}"
                lines.append(f"| {name} | {gap.mean:+.2f} | {gap.low:+.2f} to {gap.high:+.2f} | {p} |")
        lines += [line for mode, pairs in self.preferences.items() for line in
                  ("", self._preference(mode, pairs))]  # fmt: skip
        if withheld := sum(len(judged.withheld) for judged in self.modes):
            lines += ["", f"{withheld} answers were not judged by the model: their question has no "
                      "answer to judge by, or is about what is never sent."]  # fmt: skip
        if self.model:
            counted = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))
            cost = "at an unknown price" if self.usd is None else f"for {self.usd:.4f} USD"
            lines += ["", f"Verdicts asked for: {counted or 'none'}, {cost}."]
        return "\n".join(lines) + "\n"

    def files(self) -> dict[str, bytes]:
        """Return `ANSWERS_FILE`, a row for each vote, and `TABLES_FILE`, for people."""
        rows = [row for mode in self.modes for row in _rows(mode)]
        table = pa.Table.from_pylist(rows, schema=ROWS)
        return {ANSWERS_FILE: parquet(table), TABLES_FILE: self.to_markdown().encode("utf-8")}

    def _trust(self) -> str:
        if self.model is None:
            return "Judged without a model, by gold, places and words."
        if self.check is None:
            return f"Judge `{self.model}`, not checked."
        if faults := self.check.faults:
            what = "; it ".join(faults)
            return f"Judge `{self.model}` **failed its own check**: it {what}. Do not rely on it."
        return f"Judge `{self.model}` passed its own check."

    def _differences(self) -> Iterator[tuple[str, dict[str, Difference]]]:
        """Yield each mode's differences, over the questions with values in both modes."""
        base = next((judged for judged in self.modes if judged.mode == self.against), None)
        others = base.values() if base else {}
        for mode in self.modes:
            if base is None or mode is base:
                continue
            found = {}
            for name, values in mode.values().items():
                pairs = [
                    (one * PERCENT, other * PERCENT)
                    for one, other in zip(values, others.get(name, ()), strict=False)
                    if one is not None and other is not None
                ]
                if pairs:
                    found[name] = paired_bootstrap(*zip(*pairs, strict=True))
            yield mode.mode, found

    def _preference(self, mode: str, pairs: Sequence[Preferred]) -> str:
        found = outcomes(pairs)
        words = {
            judged.mode: fmean([len(answer.text.split()) for answer in judged.answers] or [0]) for judged in self.modes
        }
        against = self.against or ""
        return (
            f"Preferred in both orders: `{mode}` {found[ONE]}, `{against}` {found[OTHER]}, "
            f"neither {found[TIE]}, undecided {found[UNDECIDED]} of {len(pairs)}. Mean length: "
            f"{words[mode]:.0f} and {words[against]:.0f} words."
        )


def _figures(mode: JudgedMode) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and figures of each measure.

    Alignment is (0.5 P_0.5 + P_1) × 100 of Min et al., section 4.2.1: the mean of the classes.
    """
    for name, values in mode.values().items():
        known = [value for value in values if value is not None]
        found: dict[str, Any] = {"answers": len(values), "without": len(values) - len(known)}
        if known:
            low, high = _interval(known)
            found |= {"mean": fmean(known) * PERCENT, "low": low * PERCENT, "high": high * PERCENT}
        if name in mode.by_measure:
            spreads = [verdicts.spread for verdicts in mode.by_measure[name]]
            found["differ"] = sum(spread > 0 for spread in spreads)
        yield name, found


def _interval(values: Sequence[float]) -> tuple[float, float]:
    if set(values) <= {0.0, 1.0} or (len(set(values)) == 1 and 0 <= values[0] <= 1):
        return share_interval(sum(values), len(values))
    found = paired_bootstrap(values, [0.0] * len(values))
    return found.low, found.high


def _lines(mode: JudgedMode) -> Iterator[str]:
    for name, one in _figures(mode):
        figure = "– | –"
        if "mean" in one:
            figure = f"{one['mean']:.2f} | {one['low']:.2f} to {one['high']:.2f}"
        ends = f"{one['without']} | {one.get('differ', '–')}"
        yield f"| {mode.mode} | {name} | {one['answers']} | {figure} | {ends} |"


def _check_table(check: JudgeCheck) -> Iterator[str]:
    yield "| check of the judge | answers | share | 95 % | wanted | |"
    yield "|---|---|---|---|---|---|"
    for finding in check.findings:
        figure = "– | –"
        if finding.measured is not None:
            figure = f"{finding.measured:.2f} | {finding.low:.2f} to {finding.high:.2f}"
        said = "passed" if finding.passed else "**failed**"
        yield f"| {finding.name} | {finding.answers} | {figure} | {finding.wanted} | {said} |"


def _rows(mode: JudgedMode) -> Iterator[dict[str, Any]]:
    for refusal in mode.refusals:
        yield {
            "mode": mode.mode, "id": refusal.id, "question": refusal.question,
            "answer": refusal.text, "measure": REFUSED, "vote": 0, "value": refusal.refused,
        }  # fmt: skip
    for place, answer in enumerate(mode.answers):
        about = {"mode": mode.mode, "id": answer.id, "question": answer.question,
                 "answer": answer.text}  # fmt: skip
        for name in FIGURES if mode.unaided else ():
            value = getattr(mode.unaided[place], name)
            yield {**about, "measure": name, "vote": 0, "value": value}
        for name, verdicts in mode.by_measure.items():
            for vote, value in enumerate(verdicts[place].votes):
                yield {**about, "measure": name, "vote": vote, "value": value}
