"""A batch in the journal: its requests and its state."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

from graphrag_tasks.llm.journal import UNSURE, Attempt

INTENT, SUBMITTED, TAKEN, DONE = "intent", "submitted", "taken", "done"


class Asked(NamedTuple):
    """A request of a batch, with its reserved tokens and price."""

    key: str
    document_id: str | None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: str | None = "0"


@dataclass(frozen=True)
class Batch:
    """A batch in the journal.

    Attributes:
        status: `intent`, `submitted`, `taken`, or `done`.
        url: The endpoint's address.
        run: The run that created it and pays for it.
        purpose: Purpose of its requests.
        model: Model asked.
        tokens: Approximate number of prompt tokens.
        requests: Its requests; of a `done` batch, those without an answer, which are not batched again.
        batch_id: Its id at the endpoint.
        files: Its file ids at the endpoint.
        is_part: Whether other requests did not fit, and wait for the next batch, however few.
    """

    status: str
    url: str
    run: str
    purpose: str
    model: str
    tokens: int
    requests: tuple[Asked, ...]
    batch_id: str = ""
    files: tuple[str, ...] = ()
    is_part: bool = False

    def set_aside(self, asked: Asked) -> Attempt:
        """Return the record of a request whose result is unknown."""
        return Attempt(
            key=asked.key,
            run=self.run,
            purpose=self.purpose,
            model=self.model,
            document_id=asked.document_id,
            fate=UNSURE,
            kind="",
            prompt_tokens=asked.prompt_tokens,
            completion_tokens=asked.completion_tokens,
            usd=asked.usd,
        )

    @classmethod
    def of_text(cls, text: str) -> Batch:
        """Return the batch that `to_text` wrote."""
        value = json.loads(text)
        value["requests"] = tuple(Asked(*asked) for asked in value["requests"])
        return cls(**{**value, "files": tuple(value["files"])})

    def to_text(self) -> str:
        """Return the stored text."""
        return json.dumps(asdict(self))
