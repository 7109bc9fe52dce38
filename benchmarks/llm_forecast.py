"""How far a forecast from a sample is from the bill, at an endpoint with faults.

For each seed, requests of many lengths are asked of a scripted endpoint that answers at many lengths, counts tokens
otherwise than the client, and fails a share of the attempts. The forecast learns from a sample, the rest is asked, and
what it cost is compared: as the record has it, where attempts that were cut off count in full, and as an endpoint would
bill that bills none of these.

    python -m benchmarks.llm_forecast --requests 400 --probe 64 --faults .15 --seeds 20
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client, Request
from graphrag_tasks.llm.tokens import count
from tests.llm.endpoint import Body, scripted

KINDS = ("error", "cut", "page", "prose")
"""Faults that cost something or nothing, but no time: half of them count in full."""
_PROMPT_PRICE, _ANSWER_PRICE = 1, 4
_FACTOR = 1.08  # Tokens as the endpoint counts them, for each as the client does.


class Form(BaseModel):
    """What is asked for."""

    title: str
    tags: list[str]


@dataclass(frozen=True)
class Figures:
    """What one seed showed.

    Attributes:
        expected: USD that the rest was expected to cost.
        low: From.
        high: To.
        recorded: USD that it cost, attempts of unknown fate in full.
        billed: USD that it cost where nothing is billed for these.
    """

    expected: float
    low: float
    high: float
    recorded: float
    billed: float

    @property
    def off(self) -> float:
        """Share that the record is off."""
        return abs(self.expected / self.recorded - 1)

    @property
    def is_inside(self) -> bool:
        """Whether both bills are in the range."""
        return all(self.low <= one <= self.high for one in (self.recorded, self.billed))


def requests(number: int, seed: int) -> list[Request]:
    """Return what is asked: texts of many lengths."""
    draw = random.Random(seed)  # noqa: S311 - lengths, no secret
    return [
        Request(
            "extract", "Find the facts. " * 20,
            f"{place} " + "the report reads the table. " * draw.randint(5, 60), Form, 600,
        )
        for place in range(number)
    ]  # fmt: skip


def measure(seed: int, number: int, probe: int, faults: float, kinds: Sequence[str]) -> Figures:
    """Ask for a sample, forecast the rest, ask for it, and compare."""
    asked = requests(number, seed)
    sample = asked[:: max(1, number // probe)][:probe]
    with (
        tempfile.TemporaryDirectory() as store,
        scripted(faults=faults, kinds=kinds, seed=seed, answer=_answer(seed), count=_count) as endpoint,
    ):
        config = LlmConfig.model_validate(
            {
                "base_url": endpoint.url, "provider": "scripted", "model": "m",
                "budget": {"usd": 100}, "concurrency": 4,
                "prices": {"m": {"input": _PROMPT_PRICE, "output": _ANSWER_PRICE}},
            }
        )  # fmt: skip
        client = Client(config, store, "run")
        client.ask(sample)
        told = client.forecast(lambda: asked, client.rates(asked))
        if told.usd is None:
            raise RuntimeError("the price is known")
        spent, paid = client.spent.usd or Decimal(0), _paid(endpoint)
        client.ask(asked)
        recorded = (client.spent.usd or Decimal(0)) - spent
        low, expected, high = map(float, told.usd)
        return Figures(expected, low, high, float(recorded), _paid(endpoint) - paid)


def _paid(endpoint: object) -> float:
    prompt, answers = (getattr(endpoint, f"{name}_tokens") for name in ("prompt", "completion"))
    return float(_PROMPT_PRICE * prompt + _ANSWER_PRICE * answers) / 1e6


def _count(text: str) -> int:
    return round(_FACTOR * count(text))


def _answer(seed: int) -> Callable[[Body], str]:
    def answer(body: Body) -> str:
        text = body["messages"][-1]["content"].split("\n\nYour last answer")[0]
        draw = random.Random(f"{seed} {text}")  # noqa: S311 - lengths, no secret
        words = round(len(text.split()) * draw.lognormvariate(-0.4, 0.6))
        return json.dumps({"title": " ".join(["word"] * min(words, 500)), "tags": ["one"]})

    return answer


def main() -> None:
    """Print the figures of each seed, and how many forecasts hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--probe", type=int, default=64)
    parser.add_argument("--faults", type=float, default=0.15)
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="as JSON alone")
    options = parser.parse_args()
    logging.getLogger("graphrag_tasks").setLevel(logging.ERROR)
    found = []
    for seed in range(options.seeds):
        found.append(measure(seed, options.requests, options.probe, options.faults, options.kinds))
        if not options.json:
            print(f"seed {seed}: {asdict(found[-1])}, {found[-1].off:.1%} off", flush=True)
    off = sorted(one.off for one in found)
    summary = {
        "seeds": len(found), "inside": sum(one.is_inside for one in found),
        "off_median": round(off[len(off) // 2], 3), "off_most": round(off[-1], 3),
        "high_over_expected": round(max(one.high / one.expected for one in found), 2),
    }  # fmt: skip
    print(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()
