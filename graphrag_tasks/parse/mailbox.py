"""Read mailboxes (mbox): each message as `mail` reads it, below a heading of its own.

Lines that quote an earlier message of the same file are counted and left out.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.mail import read_mail
from graphrag_tasks.parse.mail_lines import in_utf8
from graphrag_tasks.parse.packages import broken

_FIRST = re.compile(rb"\s*From [^\n]*\n")
_NEXT = re.compile(rb"(?<=\n)From [^\n]*\d:\d\d[^\n]*\n(?=[!-9;-~]+:)")
"""Separator lines between messages; body text that begins with "From" has no time, or no header below it."""

_ESCAPED = re.compile(rb"(?m)^>(?=>*From )")
_QUOTED = re.compile(r"\s*((?:>\s?)+)")
_WORD = re.compile(r"\w+")
_WINDOW = 5  # Words in a row that identify a quotation; mail programs re-break quoted lines.


def read_mbox(data: bytes) -> ParsedDocument:
    """Read the messages of a mailbox, in file order.

    A message that cannot be read is counted, unless none can.
    """
    blocks: list[Block] = []
    left_out: Counter[str] = Counter()
    encoding = None
    errors: list[DocumentError] = []
    quotes = _Quotes()
    for number, message in enumerate(_messages(data), start=1):
        try:
            parsed = read_mail(message)
        except DocumentError as error:
            errors.append(error)
            continue
        left_out.update(parsed.left_out)
        encoding = encoding or parsed.encoding
        blocks += _below_heading(parsed, number, quotes.without_repeated(parsed.blocks, left_out))
    if errors and not blocks:
        raise errors[0]
    left_out[LeftOut.MESSAGE] += len(errors)
    return ParsedDocument(blocks, left_out=left_out, encoding=encoding)


def _messages(data: bytes) -> Iterator[bytes]:
    data = in_utf8(data).removeprefix(codecs.BOM_UTF8)
    first = _FIRST.match(data)
    if first is None:
        raise broken("mbox", "it does not begin with a line `From …`")
    start = first.end()
    for line in _NEXT.finditer(data, start):
        yield _ESCAPED.sub(b"", data[start : line.start()])
        start = line.end()
    yield _ESCAPED.sub(b"", data[start:])


def _below_heading(parsed: ParsedDocument, number: int, blocks: Sequence[Block]) -> list[Block]:
    title = parsed.title.text if parsed.title else f"Message {number}"
    has_heading = bool(blocks) and blocks[0].kind == "heading" and blocks[0].text == title
    if has_heading or not (blocks or parsed.title):
        return list(blocks)
    return [Block("heading", title, level=1), *blocks]


class _Quotes:
    """Words of the messages read so far, to recognize quotations."""

    def __init__(self) -> None:
        self._windows: set[int] = set()
        self._lines: set[int] = set()

    def without_repeated(self, blocks: Sequence[Block], left_out: Counter[str]) -> list[Block]:
        """Remove and count quoted lines of earlier messages, and remember this message's words."""
        kept: list[Block] = []
        for block in blocks:
            if block.kind != "paragraph" or block.has_link or ">" not in block.text:
                kept.append(block)
                continue
            lines = list(self._kept(block.text.split("\n"), left_out))
            if text := "\n".join(lines).strip():
                kept.append(replace(block, text=text))
        for block in blocks:
            self._learn(block.text)
        return kept

    def _learn(self, text: str) -> None:
        self._lines.update(hash(tuple(_WORD.findall(line))) for line in text.split("\n"))
        for _, lines in groupby(text.split("\n"), _depth):
            words = [word for line in lines for word in _WORD.findall(line)]
            self._windows.update(_windows(words))

    def _kept(self, lines: Sequence[str], left_out: Counter[str]) -> Iterator[str]:
        for depth, group in groupby(lines, _depth):
            quoted = list(group)
            repeated = self._repeated(quoted) if depth else [False] * len(quoted)
            left_out[LeftOut.QUOTE] += sum(
                is_repeated and _WORD.search(line) is not None
                for line, is_repeated in zip(quoted, repeated, strict=True)
            )
            yield from (line for line, gone in zip(quoted, repeated, strict=True) if not gone)

    def _repeated(self, lines: Sequence[str]) -> list[bool]:
        """Tell for each quoted line whether an earlier message has it."""
        words = [_WORD.findall(line) for line in lines]
        found = [False] * sum(map(len, words))
        for at, window in enumerate(_windows([word for line in words for word in line])):
            if window in self._windows:
                found[at : at + _WINDOW] = [True] * _WINDOW
        repeated: list[bool] = []
        start = 0
        for line in words:
            known = found[start : start + len(line)]
            start += len(line)
            if line:
                repeated.append(all(known) or hash(tuple(line)) in self._lines)
            else:
                repeated.append(bool(repeated) and repeated[-1])
        return repeated


def _depth(line: str) -> int:
    marks = _QUOTED.match(line)
    return marks[1].count(">") if marks else 0


def _windows(words: Sequence[str]) -> Iterator[int]:
    return (hash(tuple(words[at : at + _WINDOW])) for at in range(len(words) - _WINDOW + 1))
