"""Read web pages saved with their resources in one file (MHTML, RFC 2557)."""

from __future__ import annotations

import codecs
from collections import Counter
from email import message_from_bytes
from email.message import Message

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import METADATA, ParsedDocument, Title
from graphrag_tasks.parse.mail import MAX_PART_BYTES, decode_part, header_of
from graphrag_tasks.parse.markup import read_page
from graphrag_tasks.parse.packages import broken

_PAGES = ("text/html", "application/xhtml+xml")


def read_mhtml(data: bytes) -> ParsedDocument:
    """Read the page; frames, pictures and style sheets are counted as left out."""
    whole = message_from_bytes(data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n"))
    parts = [part for part in whole.walk() if not part.is_multipart()]
    pages = [part for part in parts if part.get_content_type() in _PAGES]
    if not pages:
        raise broken("mhtml", "it holds no page")
    root = next((part for part in pages if _is_start(whole, part)), pages[0])
    page = bytes(root.get_payload(decode=True))
    if len(page) > MAX_PART_BYTES:
        what = f"the page has {len(page)} bytes, more than {MAX_PART_BYTES}"
        raise DocumentError("too_large", what, hint="Save the page as text or PDF")
    parsed = read_page(decode_part(page, root.get_content_charset()))
    left_out = Counter(parsed.left_out)
    left_out[LeftOut.ATTACHMENT] += len(parts) - 1
    subject, title = header_of(whole, "Subject"), parsed.title
    if subject and (title is None or title.source != METADATA):
        title = Title(subject, METADATA)
    elif subject and title is not None:
        left_out[LeftOut.HIDDEN] += subject != title.text
    return ParsedDocument(parsed.blocks, title, left_out=left_out, encoding=parsed.encoding)


def _is_start(whole: Message, part: Message) -> bool:
    start = whole.get_param("start")
    return start is not None and start == part.get("Content-ID", "").strip()
