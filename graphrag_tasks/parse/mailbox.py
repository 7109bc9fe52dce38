"""Read mailboxes (mbox): each message as `mail` reads it, below a heading of its own."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence

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


def read_mbox(data: bytes) -> ParsedDocument:
    """Read the messages of a mailbox, in file order.

    A message that cannot be read is counted, unless none can.
    """
    blocks: list[Block] = []
    left_out: Counter[str] = Counter()
    encoding = None
    errors: list[DocumentError] = []
    for number, message in enumerate(_messages(data), start=1):
        try:
            parsed = read_mail(message)
        except DocumentError as error:
            errors.append(error)
            continue
        left_out.update(parsed.left_out)
        encoding = encoding or parsed.encoding
        blocks += _below_heading(parsed, number)
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


def _below_heading(parsed: ParsedDocument, number: int) -> Sequence[Block]:
    blocks = parsed.blocks
    title = parsed.title.text if parsed.title else f"Message {number}"
    has_heading = bool(blocks) and blocks[0].kind == "heading" and blocks[0].text == title
    if has_heading or not (blocks or parsed.title):
        return blocks
    return [Block("heading", title, level=1), *blocks]
