"""What a store has of batches: what each asks, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

from graphrag_tasks.llm.records import UNSURE, Attempt, Record
from graphrag_tasks.storage.files import Files

BATCHES = "batches"
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
    """A batch as the store has it.

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

    def set_aside(self, asked: Asked) -> Record:
        """Return the record of a request whose fate is not known."""
        attempt = Attempt(
            self.run, self.purpose, self.model, asked.document_id, UNSURE, "",
            asked.prompt_tokens, asked.completion_tokens, asked.usd,
        )  # fmt: skip
        return Record(asked.key, attempt)


class BatchFiles:
    """The batches in a store's folder of answers."""

    def __init__(self, answers: Files) -> None:
        self.folder = answers / BATCHES

    def names(self) -> set[str]:
        """Return the keys of batches."""
        return {name.removesuffix(".json") for name in self.folder.names()}

    def all(self) -> Iterator[tuple[str, Batch]]:
        """Yield the batches with their keys."""
        for name in self.folder.names():
            value = self.folder.read_json(name)
            requests = tuple(Asked(*one) for one in value.pop("requests"))
            batch = Batch(requests=requests, **{**value, "files": tuple(value["files"])})
            yield name.removesuffix(".json"), batch

    def write(self, key: str, batch: Batch) -> None:
        """Write how far a batch is; it is on the disk then."""
        self.folder.write_json(f"{key}.json", asdict(batch), durable=True)

    def delete(self, key: str) -> None:
        """Drop a batch."""
        self.folder.delete(f"{key}.json")
