"""Signatures and attribution lines ("… wrote:") of a message."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.sources.encodings import decode

_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał)\b"
    r"[^:]{0,80}:$"
)
_OPENS = re.compile(r"(?:On|Am|Le|El|Il|Em|Op|Den|Dnia)\s")
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\d:\d\d|\S@\S")
_DIVIDER = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|mensaje original|"
    r"weitergeleitete nachricht|message d'origine|messaggio originale)\s*-{2,}"
    r"|begin forwarded message:",
    re.IGNORECASE,
)
_SIGNATURE = "--"
_LONGEST_SIGNATURE = 20
"""Limit in lines. RFC 3676 has none, netiquette (RFC 1855) says four; longer ones may be text below a rule. Chosen."""
_LONGEST_LINE = 500


def in_utf8(data: bytes) -> bytes:
    """Return a message as UTF-8; mail programs may have saved it as UTF-16."""
    is_wide = data.startswith(_WIDE) or b"\x00" in data[:2]
    return decode(data).text.encode("utf-8") if is_wide else data


def without_furniture(blocks: Sequence[Block]) -> tuple[list[Block], int]:
    """Return the blocks without signatures and attribution lines, and the number of those."""
    lines = [
        (number, line.lstrip("> ").rstrip(), line.lstrip().startswith(">"))
        for number, block in enumerate(blocks)
        for line in (block.text.split("\n") if block.kind == "paragraph" else [""])
    ]
    dropped = _attributions(lines) | _signature(lines, blocks)
    kept: list[Block] = []
    at = 0
    for block in blocks:
        own = block.text.split("\n") if block.kind == "paragraph" else [block.text]
        rest = [line for number, line in enumerate(own, start=at) if number not in dropped]
        at += len(own)
        if len(rest) == len(own):
            kept.append(block)
        elif text := "\n".join(rest).strip():
            kept.append(replace(block, text=text, has_link=False))
    return kept, sum(any(map(str.isalnum, lines[number][1])) for number in dropped)


_Line = tuple[int, str, bool]  # Index of the line's block, its text without quote marks, and whether it is quoted.


def _attributions(lines: Sequence[_Line]) -> set[int]:
    found = set()
    for at, (_, line, _) in enumerate(lines):
        if _DIVIDER.fullmatch(line):
            found.add(at)
        if len(line) > _LONGEST_LINE or not _WROTE.search(line):
            continue
        is_wrapped = at > 0 and not _OPENS.match(line) and _OPENS.match(lines[at - 1][1])
        whole = f"{lines[at - 1][1]} {line}" if is_wrapped else line
        if _DATED.search(whole) or (at + 1 < len(lines) and lines[at + 1][2]):
            found |= {at - 1, at} if is_wrapped else {at}
    return found


def _signature(lines: Sequence[_Line], blocks: Sequence[Block]) -> set[int]:
    """Return the lines of signatures: from their mark to the next quote or the end."""
    found: set[int] = set()
    for start, (_, line, is_quote) in enumerate(lines):
        if line != _SIGNATURE or is_quote:
            continue
        end = start + 1
        while end < len(lines) and not _ends_signature(lines, end, blocks):
            end += 1
        if end - start <= _LONGEST_SIGNATURE:
            found.update(range(start, end))
    return found


def _ends_signature(lines: Sequence[_Line], at: int, blocks: Sequence[Block]) -> bool:
    number, line, is_quote = lines[at]
    return (
        is_quote
        or blocks[number].kind != "paragraph"
        or (len(line) <= _LONGEST_LINE and _WROTE.search(line) is not None)
        or _DIVIDER.fullmatch(line) is not None
    )
