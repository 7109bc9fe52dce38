"""Lengths of prompts and answers, to reserve for a batch once some answers are known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from graphrag_tasks.llm import tokens
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.ledger import Billed
from graphrag_tasks.llm.request import Request

_FEW = 8  # Fewest answers from which lengths are learned.
_MOST = 1000  # Most answers used.
_MARGIN = 0.1  # Added to the ratio of a sample, besides the sampling error; chosen.
_DEVIATIONS_OF_BATCH, _DEVIATIONS_OF_SAMPLE = 3.0, 2.0
"""Standard deviations allowed for the sum of a batch, and for the ratio of the sample."""

_Pair = tuple[int, int]
"""Tokens as the endpoint reports them, and the tokens counted here to which they are proportional."""


class Lengths:
    """Learns the expected tokens of requests from answers.

    Args:
        together: Fewest requests in a batch.
    """

    def __init__(self, together: int) -> None:
        self._together = together
        self._prompts: list[_Pair] = []
        self._answers: list[_Pair] = []
        self._ratios: tuple[float, float] | None = None

    def add(self, request: Request, record: Billed, usage: Usage) -> None:
        """Add an answer's lengths."""
        if usage.total:
            self._prompts.append((usage.prompt_tokens, record.tokens))
            self._answers.append((usage.completion_tokens, tokens.count(request.user)))
            self._ratios = None

    @property
    def is_enough(self) -> bool:
        """Whether enough answers have been added."""
        return len(self._answers) == _MOST

    def of(self, request: Request, record: Billed, most: Usage) -> Usage:
        """Return the tokens to reserve, so that a batch hardly exceeds their sum.

        A single request may use more, up to `most`, which is returned while few answers are known.
        """
        if len(self._answers) < _FEW:
            return most
        if self._ratios is None:
            self._ratios = self._ratio(self._prompts), self._ratio(self._answers)
        prompt, answer = self._ratios
        return Usage(
            min(math.ceil(prompt * record.tokens), most.prompt_tokens),
            min(math.ceil(answer * tokens.count(request.user)), most.completion_tokens),
        )

    def _ratio(self, pairs: Sequence[_Pair]) -> float:
        """Return the ratio of two sums, with a margin for a batch and for the sample."""
        told, counted = (sum(one) for one in zip(*pairs, strict=True))
        rest = [one - told / counted * other for one, other in pairs]
        spread = statistics.pstdev(rest) * len(rest) / max(told, 1)
        margin = _DEVIATIONS_OF_BATCH / math.sqrt(self._together)
        margin += _DEVIATIONS_OF_SAMPLE / math.sqrt(len(rest))
        return float(told / counted * (1 + _MARGIN + spread * margin))
