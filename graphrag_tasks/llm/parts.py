"""Parts: Parquet files of answers and of what was sent, each written once.

    FOLDER/<day>T<time>-<log>.parquet    the answers of a log, by key, and its records

The first row group has the answers, the second the records; the footer has the sums of what each
run spent, and names the logs that are kept here. Of a part only the first bytes of each key stay in
memory, 24 bytes with its place. A part may stand instead of others: those count no more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.answers import Answer, Failure, Kind, Usage
from graphrag_tasks.llm.budget import NOTHING, Cost
from graphrag_tasks.llm.records import Attempt, Lines, Record
from graphrag_tasks.storage.files import Files

_SUFFIX = ".parquet"
_TIME = "%Y-%m-%dT%H%M%S.%f"
_KEY_BYTES, _HEAD_BYTES = 32, 8
"""Of a sha256, and of what of it is kept in memory: of a million keys, two begin alike by a chance
of 3 in 100 million, and then both rows are read."""
_READ_AT_ONCE = 8
"""Parts; waiting for S3 takes longer than reading."""

_ANSWERS, _RECORDS = 0, 1
"""Numbers of the row groups of a part."""
_SCHEMA = pa.schema(
    [
        ("key", pa.binary(_KEY_BYTES)),
        ("kind", pa.string()),
        ("model", pa.string()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("cached_tokens", pa.int64()),
        ("text", pa.string()),
        ("run", pa.string()),
        ("purpose", pa.string()),
        ("document_id", pa.string()),
        ("fate", pa.string()),
        ("usd", pa.string()),
        ("count", pa.int64()),
    ]
)
_OF_ANSWERS = _SCHEMA.names[:7]
_OF_RECORDS = [*_SCHEMA.names[:5], *_SCHEMA.names[7:]]
"""Columns of either row group."""


@dataclass(frozen=True)
class Part:
    """What is known of a part without its texts.

    Attributes:
        heads: First bytes of the keys of its answers, in order.
        logs: What was begun with the logs that it keeps.
        spent: What each run spent by its records.
        batches: Batches whose costs are among its records.
        instead_of: Names of parts that it replaces.
    """

    heads: NDArray[np.uint64]
    logs: tuple[str, ...]
    spent: Mapping[str, Cost]
    batches: tuple[str, ...]
    instead_of: tuple[str, ...]


class Parts:
    """The parts of a store; to be used by one thread at a time."""

    def __init__(self, folder: Files) -> None:
        self.folder = folder
        self._all: dict[str, Part] = {}
        self.names: list[str] = []
        self._heads = np.empty(0, np.uint64)
        self._rows = np.empty(0, np.int64)
        self._starts = np.zeros(1, np.int64)

    def refresh(self) -> None:
        """See which parts there are now.

        Raises:
            ArtifactError: One cannot be read.
        """
        present = [one for one in self.folder.names() if one.endswith(_SUFFIX)]
        new = [one for one in present if one not in self._all]
        if not new and len(present) == len(self._all):
            return
        with ThreadPoolExecutor(_READ_AT_ONCE) as pool:
            self._all |= zip(new, pool.map(self._part, new), strict=True)
        self._all = {name: self._all[name] for name in present}
        replaced = self.replaced
        self.names = [one for one in present if one not in replaced]
        heads = [part.heads for part in self.active]
        self._starts = np.cumsum([0, *map(len, heads)])
        together = np.concatenate([np.empty(0, np.uint64), *heads])
        self._rows = np.argsort(together, kind="stable")
        self._heads = together[self._rows]

    @property
    def active(self) -> list[Part]:
        """The parts that count, oldest first."""
        return [self._all[name] for name in self.names]

    @property
    def replaced(self) -> set[str]:
        """Names of parts that others stand instead of."""
        return {name for part in self._all.values() for name in part.instead_of}

    def part(self, name: str) -> Part:
        """Return what is known of a part."""
        return self._all[name]

    @property
    def logs(self) -> set[str]:
        """What was begun with the logs that are kept here."""
        return {log for part in self._all.values() for log in part.logs}

    def spent(self, run: str | None, since: datetime | None = None) -> Cost:
        """Return what a run spent, or all runs did, by parts written since a time."""
        return sum(
            (
                spent_by(run, part.spent)
                for name, part in zip(self.names, self.active, strict=True)
                if since is None or time_of(name) >= since
            ),
            NOTHING,
        )

    def find(self, keys: Collection[str]) -> dict[str, tuple[Answer | Failure, str]]:
        """Return answers, and reasons why there is none, each with the name of its part.

        Raises:
            ArtifactError: A part cannot be read.
        """
        asked = heads_of(keys)
        first = np.searchsorted(self._heads, asked, "left")
        last = np.searchsorted(self._heads, asked, "right")
        places = [place for a, b in zip(first, last, strict=True) for place in range(a, b)]
        rows = np.sort(self._rows[places])
        wanted, found = set(keys), dict[str, tuple[Answer | Failure, str]]()
        for at, name in enumerate(self.names):
            start, end = np.searchsorted(rows, self._starts[at : at + 2])
            if start == end:
                continue
            for answer in self.answers(name, rows[start:end] - self._starts[at]):
                before = found.get(answer.key)
                if answer.key in wanted and not (before and isinstance(before[0], Answer)):
                    found[answer.key] = answer, name
        return found

    def answers(
        self, name: str, rows: NDArray[np.int64] | None = None
    ) -> Iterator[Answer | Failure]:
        """Yield answers of a part, all or those in some rows.

        Raises:
            ArtifactError: It cannot be read.
        """
        table = self._table(name, _ANSWERS, _OF_ANSWERS)
        for row in (table if rows is None else table.take(pa.array(rows))).to_pylist():
            key = row["key"].hex()
            if row["kind"] == Kind.ANSWERED:
                counted = row["prompt_tokens"], row["completion_tokens"], row["cached_tokens"]
                yield Answer(key, row["text"], Usage(*counted), row["model"])
            else:
                yield Failure(key, Kind(row["kind"]), row["text"])

    def records(self, name: str) -> Iterator[tuple[Record, int]]:
        """Yield the records of a part, and how often each counts.

        Raises:
            ArtifactError: It cannot be read.
        """
        for row in self._table(name, _RECORDS, _OF_RECORDS).to_pylist():
            count, key = row.pop("count"), row.pop("key").hex()
            yield Record(key, Attempt(**row)), count

    def records_of(self, run: str, keys: Collection[str]) -> Iterator[tuple[Record, int]]:
        """Yield the records of a run for some requests, and how often each counts."""
        wanted = pa.array([bytes.fromhex(one) for one in sorted(keys)], pa.binary(_KEY_BYTES))
        for name, part in zip(self.names, self.active, strict=True):
            if run in part.spent:
                table = self._table(name, _RECORDS, _OF_RECORDS)
                table = table.filter(pa.compute.is_in(table["key"], value_set=wanted))
                for row in table.to_pylist():
                    count, key = row.pop("count"), row.pop("key").hex()
                    if row["run"] == run:
                        yield Record(key, Attempt(**row)), count

    def write(
        self, lines: Lines, logs: Sequence[str], *, time: str = "", instead_of: Sequence[str] = ()
    ) -> str:
        """Write a part; return its name. It is on the disk then.

        Args:
            lines: What it keeps.
            logs: What was begun with the logs that it keeps.
            time: By `time_text`; by default that of the last part that it replaces, or now.
            instead_of: Parts that it replaces.

        Raises:
            TransientError: The storage refuses.
        """
        footer = {
            "logs": list(logs),
            "spent": {run: _of_cost(cost) for run, cost in lines.spent.items()},
            "batches": sorted(lines.batches),
            "instead_of": list(instead_of),
        }
        if instead_of:
            time = time_text(time_of(instead_of[-1]))
            name = f"{time}-{fingerprint({'instead_of': list(instead_of)})}{_SUFFIX}"
        else:
            name = f"{time or time_text(datetime.now(UTC))}-{logs[-1]}{_SUFFIX}"
        schema = _SCHEMA.with_metadata({"part": json.dumps(footer)})
        data = BytesIO()
        with pq.ParquetWriter(data, schema, compression="zstd") as writer:
            for rows in (_rows_of_answers(lines.answers), _rows_of_records(lines.attempts)):
                writer.write_table(pa.Table.from_pylist(rows, schema))
        self.folder.write_bytes(name, data.getvalue(), durable=True)
        return name

    def _table(self, name: str, group: int, columns: list[str]) -> pa.Table:
        with self._opened(name) as file:
            return file.read_row_group(group, columns)

    def _part(self, name: str) -> Part:
        with self._opened(name) as file:
            try:
                footer = json.loads(file.schema_arrow.metadata[b"part"])
                return Part(
                    _heads(file.read_row_group(_ANSWERS, ["key"])),
                    tuple(footer["logs"]),
                    {run: _cost(value) for run, value in footer["spent"].items()},
                    tuple(footer["batches"]),
                    tuple(footer["instead_of"]),
                )
            except (KeyError, TypeError, ValueError, OSError) as error:
                raise self._unreadable(name, error) from error

    def _opened(self, name: str) -> pq.ParquetFile:
        try:
            if self.folder.is_local:
                return pq.ParquetFile(self.folder.path(name))
            return pq.ParquetFile(pa.BufferReader(self.folder.read_bytes(name)))
        except FileNotFoundError as error:
            raise self._unreadable(name, error) from error
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable(name, error) from error

    def _unreadable(self, name: str, error: Exception) -> ArtifactError:
        what = str(error).partition("\n")[0]
        hint = "Delete it to ask again for the answers in it; what they cost is then not counted"
        return ArtifactError(f"is no part of answers: {what}", f"{self.folder.uri}/{name}", hint)


def time_text(time: datetime) -> str:
    """Return a time as names of parts have it: they are in order then."""
    return time.strftime(_TIME)


def spent_by(run: str | None, spent: Mapping[str, Cost]) -> Cost:
    """Return what a run spent, or all of them together."""
    return sum(spent.values(), NOTHING) if run is None else spent.get(run, NOTHING)


def time_of(name: str) -> datetime:
    """Return when a part was written, by its name."""
    return datetime.strptime(name.rpartition("-")[0], _TIME).replace(tzinfo=UTC)


def heads_of(keys: Iterable[str]) -> NDArray[np.uint64]:
    """Return what of keys is kept in memory."""
    return np.fromiter((int(key[: 2 * _HEAD_BYTES], 16) for key in keys), np.uint64)


def _heads(table: pa.Table) -> NDArray[np.uint64]:
    keys = table["key"].combine_chunks().cast(pa.binary(_KEY_BYTES))
    if not len(keys):
        return np.empty(0, np.uint64)
    data = np.frombuffer(keys.buffers()[1], np.uint8)
    whole = data[keys.offset * _KEY_BYTES :][: len(keys) * _KEY_BYTES].reshape(-1, _KEY_BYTES)
    return np.ascontiguousarray(whole[:, :_HEAD_BYTES]).view(">u8").ravel().astype(np.uint64)


def _rows_of_answers(answers: Mapping[str, Answer | Failure]) -> list[dict[str, Any]]:
    rows = []
    for key in sorted(answers):
        one = answers[key]
        row: dict[str, Any] = {"key": bytes.fromhex(key)}
        if isinstance(one, Answer):
            row |= {"kind": str(Kind.ANSWERED), "text": one.text, "model": one.model}
            row |= {
                "prompt_tokens": one.usage.prompt_tokens,
                "completion_tokens": one.usage.completion_tokens,
                "cached_tokens": one.usage.cached_tokens,
            }
        else:
            row |= {"kind": str(one.kind), "text": one.why}
        rows.append(row)
    return rows


def _rows_of_records(attempts: Counter[Record]) -> list[dict[str, Any]]:
    ordered = sorted(attempts.items(), key=lambda one: (one[0].key, repr(one[0].attempt)))
    return [
        {"key": bytes.fromhex(key), **vars(attempt), "count": count}
        for (key, attempt), count in ordered
    ]


def _of_cost(cost: Cost) -> list[Any]:
    return [None if cost.usd is None else f"{cost.usd:f}", cost.tokens]


def _cost(value: Iterable[Any]) -> Cost:
    usd, tokens = value
    return Cost(None if usd is None else Decimal(usd), tokens)
