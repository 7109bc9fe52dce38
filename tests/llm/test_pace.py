"""How fast requests leave, when an account refuses what is too fast: simulated, without waiting."""

import heapq
import itertools
import math
import random
from dataclasses import dataclass, field

import pytest

from graphrag_tasks.llm.budget import Limiter

LATENCY = 0.3
THREADS = 8


@dataclass
class Account:
    """A token bucket: so many requests a second in the long run, so many at once.

    Attributes:
        retry_after: What a refusal says; None: nothing, so that a client waits as it likes.
        tells: Whether answers say what is left.
    """

    rate: float
    burst: float
    retry_after: float | None = 2.0
    tells: bool = False
    left: float = field(init=False)
    at: float = 0.0

    def __post_init__(self) -> None:
        self.left = self.burst

    def serves(self, now: float) -> bool:
        self.left = min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        served = self.left >= 1
        self.left -= served
        return served

    def headers(self) -> dict[str, str]:
        if not self.tells:
            return {}
        reset = (self.burst - self.left) / self.rate
        return {
            "x-ratelimit-limit-requests": str(int(self.burst)),
            "x-ratelimit-remaining-requests": str(int(self.left)),
            "x-ratelimit-reset-requests": f"{reset:.3f}s",
        }


@dataclass
class Run:
    seconds: float = 0.0
    served_at: list[float] = field(default_factory=list)
    refused_at: list[float] = field(default_factory=list)

    def waited(self, seconds: float) -> float:
        """Return how long all waited, where each refusal asks for some seconds."""
        pairs = itertools.pairwise([*self.refused_at, math.inf])
        return sum(min(seconds, after - before) for before, after in pairs)

    def refused_share(self, after: float = 60.0) -> float:
        refused = sum(one > after for one in self.refused_at)
        served = sum(one > after for one in self.served_at)
        return refused / max(refused + served, 1)


def asked(account: Account, requests: int, seed: int, threads: int = THREADS) -> Run:
    """Let threads ask an account as the client does."""
    run, draw = Run(), random.Random(seed)
    limiter = Limiter(clock=lambda: run.seconds, draw=random.Random(seed))
    events = [(0.0, thread, 0.0, "") for thread in range(threads)]
    while events:
        run.seconds, thread, left_at, state = heapq.heappop(events)
        if state == "":
            if requests and limiter.wait > 0:
                again = run.seconds + max(limiter.wait, 1e-6)  # less is lost in rounding
                heapq.heappush(events, (again, thread, 0.0, ""))
            elif requests:
                requests -= 1
                arrives = run.seconds + LATENCY * draw.uniform(0.3, 0.5)
                heapq.heappush(events, (arrives, thread, limiter.take(1), "sent"))
        elif state == "sent":
            said = "served" if account.serves(run.seconds) else "refused"
            back = run.seconds + LATENCY * draw.uniform(0.3, 1.1)
            heapq.heappush(events, (back, thread, left_at, said))
        else:
            limiter.told(account.headers())
            if state == "served":
                limiter.answered()
                run.served_at.append(run.seconds)
            else:
                wait = account.retry_after
                limiter.refused(left_at, 0.5 * draw.uniform(0.5, 1.5) if wait is None else wait)
                run.refused_at.append(run.seconds)
                requests += 1
            heapq.heappush(events, (run.seconds, thread, 0.0, ""))
    return run


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("account", "requests", "threads"),
    [
        ((1, 8, 2.0), 1000, 8), ((1, 1, 2.0), 1000, 8), ((1, 60, 2.0), 1000, 8), ((1, 8, 20.0), 300, 8),
        ((1, 8, None), 300, 8), ((10, 20, 1.0), 3000, 8), ((50, 100, 1.0), 10_000, 32),
    ],
)  # fmt: skip
def test_refusals_stay_rare_and_work_goes_on(
    account: tuple[float, float, float | None], requests: int, threads: int, seed: int
) -> None:
    rate, burst, retry_after = account
    run = asked(Account(rate, burst, retry_after), requests, seed, threads)
    assert len(run.served_at) == requests
    assert run.refused_share() <= 0.012
    assert run.seconds <= 1.6 * requests / rate


def test_what_an_account_tells_is_followed_before_it_refuses() -> None:
    run = asked(Account(rate=8.33, burst=500, tells=True), 3000, seed=0)
    assert not run.refused_at
    assert run.seconds <= 1.1 * 2500 / 8.33
