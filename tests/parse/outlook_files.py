"""Outlook's messages (.msg) made by hand: properties in a file of sectors (MS-OXMSG, MS-CFB)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

TEXT, TEXT_8, BYTES, NUMBER, TIME = 0x1F, 0x1E, 0x102, 0x03, 0x40  # Types of properties.

_FREE, _END, _TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Properties = Mapping[tuple[int, int], Any]  # Values by number and type of the property.


def outlook_message(
    properties: Properties, receivers: Sequence[Properties] = (), files: Sequence[Properties] = ()
) -> bytes:
    """Return a message with these properties, receivers and attachments, each of some kB."""
    tree = _storage(properties, 32)
    tree |= {f"__recip_version1.0_#{at:08X}": _storage(one, 8) for at, one in enumerate(receivers)}
    tree |= {f"__attach_version1.0_#{at:08X}": _storage(one, 8) for at, one in enumerate(files)}
    return ole_file(tree)


def _storage(properties: Properties, header: int) -> dict[str, Any]:
    rows, streams = bytes(header), dict[str, Any]()
    for (number, kind), value in properties.items():
        if kind not in (NUMBER, TIME):
            data = value.encode("utf-16-le") if kind == TEXT else value
            streams[f"__substg1.0_{number:04X}{kind:04X}"] = data
            value = len(data)
        rows += struct.pack("<HHIQ", kind, number, 6, value)
    return streams | {"__properties_version1.0": rows}


def ole_file(tree: Mapping[str, Any]) -> bytes:
    """Return a file of streams (bytes, below 4 kB) and of storages (mappings) inside each other."""
    entries: list[list[Any]] = [["Root Entry", 5, _FREE, _FREE, 0, 0]]
    small, chains = b"", list[int]()  # in sectors of 64 bytes

    def add(parent: int, inside: Mapping[str, Any]) -> None:
        nonlocal small
        column, before = 3, parent
        for name, value in inside.items():
            entries[before][column] = before = len(entries)
            column = 2
            if isinstance(value, bytes):
                entries.append([name, 2, _FREE, _FREE, len(chains) if value else _END, len(value)])
                small += _padded(value, 64)
                chains.extend(_chain(len(chains), len(small) // 64))
            else:
                entries.append([name, 1, _FREE, _FREE, 0, 0])
                add(before, value)

    add(0, tree)
    chained = _padded(_numbers(chains), 512)
    folders = 1 + -(-len(entries) // 4)  # of 128 bytes; the first sector has the table
    start = folders + len(chained) // 512
    end = start + len(_padded(small, 512)) // 512
    entries[0][4:] = [start, len(small)]
    table = [_TABLE, *_chain(1, folders), *_chain(folders, start), *_chain(start, end)]
    assert len(table) <= 128
    head = struct.pack("<QQQHHHHH6x", 0xE11AB1A1E011CFD0, 0, 0, 0x3E, 3, 0xFFFE, 9, 6)
    head += _numbers([0, 1, 1, 0, 4096, folders, start - folders, _END, 0, 0])
    listed = b"".join(map(_entry, entries))
    sectors = (head, _numbers(table), listed, chained, small)
    return b"".join(_padded(one, 512) for one in sectors)


def _entry(entry: Sequence[Any]) -> bytes:
    name, kind, right, child, start, size = entry
    wide = name.encode("utf-16-le")
    links = (_FREE, right, child)
    return struct.pack("<64sHBB3I36xIQ", wide, len(wide) + 2, kind, 1, *links, start, size)


def _chain(start: int, end: int) -> list[int]:
    return [*range(start + 1, end), _END] if end > start else []


def _numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _padded(data: bytes, size: int) -> bytes:
    return data + b"\xff" * (-len(data) % size)
