"""What is on record of a request that was sent."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.budget import NOTHING, Cost

SURE, UNSURE = "sure", "unsure"

Line = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """A request that was sent.

    Attributes:
        run: The run that sent it.
        purpose: What it was for.
        model: Who was asked.
        document_id: The document that it was about; None: several.
        fate: `sure`, or `unsure` where no answer came that says what it cost.
        kind: What came of it; empty where that is not known.
        prompt_tokens: Of the prompt; the most it may have been where the fate is unsure.
        completion_tokens: Likewise of the answer.
        usd: Likewise its price, as decimal digits; None where it is not known.
    """

    run: str
    purpose: str
    model: str
    document_id: str | None
    fate: str
    kind: str
    prompt_tokens: int
    completion_tokens: int
    usd: str | None

    @property
    def cost(self) -> Cost:
        """What counts against the budget."""
        usd = None if self.usd is None else Decimal(self.usd)
        return Cost(usd, self.prompt_tokens + self.completion_tokens)


class Record(NamedTuple):
    """An attempt, with the key of its request."""

    key: str
    attempt: Attempt


@dataclass
class Lines:
    """What the lines of a log say.

    A record is taken back by counting it once less, so that counts of several logs may be summed
    up in any order.

    Attributes:
        answers: Answers, and reasons why there is none, by the keys of requests.
        attempts: How often each record counts; -1 where it stands in an older log.
        batches: Keys of batches whose costs are among the attempts.
        spent: What each run spent on the attempts.
    """

    answers: dict[str, Answer | Failure] = field(default_factory=dict)
    attempts: Counter[Record] = field(default_factory=Counter)
    batches: set[str] = field(default_factory=set)
    spent: dict[str, Cost] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether they say anything."""
        return bool(self.answers or self.attempts or self.batches)

    def add(self, line: Line) -> None:
        """Take what a line says.

        Raises:
            KeyError, TypeError, ValueError: It is no line of a log.
        """
        if "answer" in line:
            value = line["answer"]
            usage = Usage(**value["usage"])
            key = value["key"]
            self.keep(Answer(key, value["text"], usage, value["model"]))
        elif "failure" in line:
            value = line["failure"]
            self.keep(Failure(value["key"], Kind(value["kind"]), value["why"]))
        else:
            if "batch" in line:
                self.batches.add(line["batch"])
            self._count_all(line["sent"], 1)
            self._count_all(line.get("instead_of", ()), -1)

    def keep(self, result: Answer | Failure) -> None:
        """Keep an answer, or why there is none: the first answer stays."""
        if not isinstance(self.answers.get(result.key), Answer):
            self.answers[result.key] = result

    def _count_all(self, records: list[Any], change: int) -> None:
        for key, value in records:
            self.count(Record(key, Attempt(**value)), change)

    def count(self, record: Record, change: int) -> None:
        """Count a record more often, or less."""
        self.attempts[record] += change
        if not self.attempts[record]:
            del self.attempts[record]
        cost, run = record.attempt.cost, record.attempt.run
        usd = None if cost.usd is None else cost.usd * change
        self.spent[run] = self.spent.get(run, NOTHING) + Cost(usd, cost.tokens * change)


def line_of(result: Answer | Failure) -> Line:
    """Return the line that keeps an answer, or why there is none."""
    if isinstance(result, Answer):
        return {"answer": asdict(result)}
    return {"failure": {"key": result.key, "kind": str(result.kind), "why": result.why}}


def line_of_records(sent: list[Record], instead_of: list[Record], batch: str = "") -> Line:
    """Return the line that counts records in place of others."""
    line: Line = {"sent": [(key, asdict(attempt)) for key, attempt in sent]}
    if instead_of:
        line["instead_of"] = [(key, asdict(attempt)) for key, attempt in instead_of]
    return {**line, "batch": batch} if batch else line
