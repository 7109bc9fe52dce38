"""What a client of a language model loses to faults, kills and a stop by the budget.

For each seed a process asks a scripted endpoint that answers with faults; it is stopped by its budget once and killed
several times, and started again until all is answered. Counted are answers that were kept and asked for again, requests
that a kill made repeat, and what was billed over a cap.

    python -m benchmarks.llm_client --requests 200 --faults .15 --kills 3 --budget-stop --seeds 20
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import BudgetError, TransientError
from graphrag_tasks.llm import Answer, Client, Request
from tests.llm.endpoint import ScriptedEndpoint, scripted
from tests.llm.test_client import journal_of, kept

_CONCURRENCY = 8
_STOPPED, _AWAY, _INCOMPLETE = 3, 4, 5
_NUMBER = re.compile(r"text (\d+) ")


class Form(BaseModel):
    """What is asked for."""

    title: str
    tags: list[str]


@dataclass
class Figures:
    """What one seed showed.

    Attributes:
        attempts: Requests that the endpoint received.
        starts: How often the process was started.
        asked_again: Answers that were kept and asked for again.
        repeated_by_kills: Requests answered in full that a kill kept from being kept.
        most_repeats_of_a_kill: The most of one kill; at most as many as are under way at a time.
        over_cap_usd: What was billed over the cap, unsure requests in full.
        unused_requests: What the budget left, in worst-case requests.
        bad_answers: Answers in the journal that are not valid.
        second_run: Requests of another run with nothing changed.
    """

    attempts: int = 0
    starts: int = 0
    asked_again: int = 0
    repeated_by_kills: int = 0
    most_repeats_of_a_kill: int = 0
    over_cap_usd: float = 0.0
    unused_requests: float = 0.0
    bad_answers: int = 0
    second_run: int = 0


def settings(url: str, usd: float) -> LlmConfig:
    """Return the settings of the client."""
    return LlmConfig.model_validate(
        {
            "base_url": url, "model": "m",
            "concurrency": _CONCURRENCY,
            "prices": {"m": {"input": 1, "output": 2}}, "budget": {"usd": usd},
        }
    )  # fmt: skip


def requests(count: int) -> list[Request]:
    """Return what is asked."""
    return [Request("summarize", "Do it.", f"text {place} " * 20, Form, 100) for place in range(count)]


def ask(url: str, store: str, count: int, usd: float) -> None:
    """Ask all that is missing: the work of the process that is killed."""
    try:
        found = Client(settings(url, usd), store, "run").ask(requests(count))
        sys.exit(0 if all(isinstance(one, Answer) for one in found) else _INCOMPLETE)
    except BudgetError:
        sys.exit(_STOPPED)
    except TransientError:
        sys.exit(_AWAY)


def main() -> None:
    """Print the figures of each seed, and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--faults", type=float, default=0.15)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--budget-stop", action="store_true")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="as JSON alone")
    parser.add_argument("--ask", nargs=4, metavar=("URL", "STORE", "COUNT", "USD"))
    options = parser.parse_args()
    if options.ask:
        url, store, count, usd = options.ask
        ask(url, store, int(count), float(usd))
        return
    found = []
    for seed in range(options.seeds):
        found.append(measure(options, seed))
        if not options.json:
            print(f"seed {seed}: {asdict(found[-1])}", flush=True)
    worst = {name: max(asdict(one)[name] for one in found) for name in asdict(found[0])}
    print(json.dumps({"seeds": len(found), "worst": worst}, indent=2))


def measure(options: argparse.Namespace, seed: int) -> Figures:
    """Ask through faults, kills and a stop, and count."""
    draw = random.Random(seed)  # noqa: S311 - chooses moments, no secret
    figures = Figures()
    with tempfile.TemporaryDirectory() as store, scripted(faults=options.faults, seed=seed, delay=0.03) as endpoint:
        trial = _Trial(endpoint, store, options.requests, figures)
        if options.budget_stop:
            trial.stop_by_budget()
        for _ in range(options.kills):
            trial.run(kill_after=draw.randrange(5, max(6, options.requests // 4)))
        while trial.run():
            pass
        figures.attempts = endpoint.requests
        before = endpoint.requests
        trial.run()
        figures.second_run = endpoint.requests - before
        figures.bad_answers = trial.bad_answers()
    return figures


@dataclass
class _Trial:
    endpoint: ScriptedEndpoint
    store: str
    count: int
    figures: Figures

    def run(self, usd: float = 100.0, kill_after: int = 0) -> int:
        """Start the process; return its exit status, or the signal that killed it."""
        kept, delivered = self._kept(), self._delivered()
        received = self.endpoint.requests
        self.figures.starts += 1
        line = [sys.executable, "-m", "benchmarks.llm_client", "--ask", self.endpoint.url]
        process = subprocess.Popen([*line, self.store, str(self.count), str(usd)])
        while kill_after and process.poll() is None:
            if self.endpoint.requests - received >= kill_after:
                process.kill()
            time.sleep(0.002)
        status = process.wait()
        time.sleep(0.1)  # what was under way reaches the endpoint's counts
        asked = Counter(map(self._number, self.endpoint.bodies[received:]))
        self.figures.asked_again += sum(asked[place] for place in kept)
        repeats = sum(1 for place in delivered - kept if asked[place])
        self.figures.repeated_by_kills += repeats
        most = self.figures.most_repeats_of_a_kill
        self.figures.most_repeats_of_a_kill = max(most, repeats)
        return status

    def stop_by_budget(self) -> None:
        """Run with a cap that is too small, and compare it with what was billed."""
        form = len(requests(1)[0].form)
        worst = (len("Do it.") + 20 * len("text 100 ") + form + 16 + 2 * 100) / 1e6
        cap = round(worst * self.count / 8, 6)
        if self.run(usd=cap) != _STOPPED:
            raise RuntimeError("the budget did not stop the run")
        spent = journal_of(self.store).spent("run")
        billed = (self.endpoint.prompt_tokens + 2 * self.endpoint.completion_tokens) / 1e6
        self.figures.over_cap_usd = max(billed, float(spent.usd or 0)) - cap
        self.figures.unused_requests = (cap - float(spent.usd or 0)) / worst

    def bad_answers(self) -> int:
        """Return how many answers in the journal are not valid."""
        client = Client(settings(self.endpoint.url, 100.0), self.store, "run")
        found = client.ask(requests(self.count))
        valid = [one for one in found if isinstance(one, Answer) and one.parsed(Form)]
        return len(kept(Path(self.store))) - len(valid)

    def _kept(self) -> set[int]:
        journal, identity = journal_of(self.store), self._client.identity("summarize")
        asked = requests(self.count)
        keys = [one.key(identity) for one in asked]
        known = journal.known(keys)
        return {place for place, key in enumerate(keys) if key in known}

    @property
    def _client(self) -> Client:
        return Client(settings(self.endpoint.url, 100.0))

    def _delivered(self) -> set[int]:
        return {self._number(body) for body in self.endpoint.bodies if self.endpoint.was_delivered(body)}

    @staticmethod
    def _number(body: dict[str, object]) -> int:
        found = _NUMBER.search(json.dumps(body))
        return int(found[1]) if found else -1


if __name__ == "__main__":
    main()
