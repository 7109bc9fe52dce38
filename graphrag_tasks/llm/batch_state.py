"""A batch as the journal keeps it: what it asks, and how far it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import NamedTuple

from graphrag_tasks.llm.journal import UNSURE, Attempt

INTENT, SUBMITTED, TAKEN, DONE = "intent", "submitted", "taken", "done"


class Asked(NamedTuple):
    """A request of a batch, with what is set aside for it."""

    key: str
    document_id: str | None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: str | None = "0"


@dataclass(frozen=True)
class Batch:
    """A batch as the journal has it.

    Attributes:
        status: `intent`, `submitted`, `taken`, or `done`.
        url: The endpoint's address.
        run: The run that made it and pays for it.
        purpose: What its requests are for.
        model: Who is asked.
        tokens: About how many its prompts are.
        requests: What it asks; of one that is done, the requests without an answer, which are asked
            in no batch again.
        batch_id: Its name at the endpoint.
        files: Its files there.
        is_part: Whether others did not fit, and wait for the next batch, however few they are.
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
        """Return the record of a request whose fate is not known."""
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
        """Return the batch of what `to_text` wrote."""
        value = json.loads(text)
        value["requests"] = tuple(Asked(*asked) for asked in value["requests"])
        return cls(**{**value, "files": tuple(value["files"])})

    def to_text(self) -> str:
        """Return what is kept."""
        return json.dumps(asdict(self))
