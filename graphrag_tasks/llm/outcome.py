"""The outcome of one attempt to ask an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.llm.answers import Kind, Usage


@dataclass(frozen=True)
class Outcome:
    """The outcome of one attempt.

    Attributes:
        kind: See `Kind`.
        text: The model's text; for `UNSUPPORTED`, the refused part of the request.
        usage: Tokens, where reported; zeros where nothing billable was done.
        model: The model's name as reported by the endpoint.
        why: Reason, where there is no answer.
        wait: Seconds that the endpoint asks to wait; None where it does not.
        headers: Headers of the response.
        vectors: Vectors of texts sent to be embedded, shape (texts, dimension).
    """

    kind: Kind
    text: str = ""
    usage: Usage | None = None
    model: str = ""
    why: str = ""
    wait: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    vectors: NDArray[np.float32] | None = None
