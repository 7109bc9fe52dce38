"""Damage: bytes flipped, cut and repeated, and values of JSON removed or of another type."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 7, 10**30, 1e308, float("nan"), "", "x", "\0", "../x", "\ud800", [], [[]],
    {}, {"x": {}}, ["x"], "9999-12-31T23:59:59+00:00", "0" * 24,
)  # fmt: skip


def damaged(data: bytes, random: Random) -> bytes:
    """Return the bytes with one kind of damage."""
    start = random.randrange(len(data)) if data else 0
    end = min(len(data), start + random.choice((1, 1, 2, 8, 64, 4096)))
    part = data[start:end]
    flipped = bytes(byte ^ (1 << random.randrange(8)) for byte in part[:1])
    choices = (
        data[:start] + flipped + data[start + 1 :],
        data[:start] + flipped + data[start + 1 :],
        data[:start] + random.randbytes(len(part)) + data[end:],
        data[:start] + bytes(len(part)) + data[end:],
        data[:start],
        data[start:],
        data[:start] + data[end:],
        data[:end] + part + data[end:],
        random.randbytes(len(part)),
    )
    return random.choice(choices)


def altered(values: Any, random: Random) -> bytes:
    """Return the JSON of a value of which a part is gone, renamed or of another type."""
    values = copy.deepcopy(values)
    holder, key = random.choice([*_places(values)])
    how = random.randrange(4)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, dict):
        holder[f"{key}_"] = holder.pop(key)
    elif how == 2 and isinstance(holder, dict):
        holder[random.choice(("", "x", "../x", "schema_version"))] = random.choice(WRONG)
    else:
        holder[key] = random.choice(WRONG)
    return json.dumps(values).encode()


def _places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place of a value, as its holder and its key there."""
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in items:
        yield values, key
        if isinstance(value, dict | list):
            yield from _places(value)
