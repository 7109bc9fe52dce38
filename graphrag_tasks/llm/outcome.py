"""What comes of one attempt to ask an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.llm.answers import Kind, Usage


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt.

    Attributes:
        kind: See `Kind`.
        text: What the model said; of `UNSUPPORTED`, the part of the request that was refused.
        usage: Tokens, where the endpoint told them; zeros where nothing was done that is billed.
        model: The model as the endpoint names it.
        why: In words, where it is no answer.
        wait: Seconds that the endpoint asks to wait; None where it does not.
        headers: Of the response.
        vectors: Of the texts that were to be embedded, shape (texts, dimension).
    """

    kind: Kind
    text: str = ""
    usage: Usage | None = None
    model: str = ""
    why: str = ""
    wait: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    vectors: NDArray[np.float32] | None = None
