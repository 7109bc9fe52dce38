"""Read e-mail messages (RFC 5322 and MIME), mailboxes (mbox), and web pages saved as one file (MHTML).

The subject is the title and first heading; a paragraph repeats sender, recipients and date. Plain text is preferred to
HTML. Attachments, signatures and attribution lines ("… wrote:") are counted and left out. Headers are decoded here:
`email.policy.default` replaces unencoded letters by U+FFFD and fails on malformed headers.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import METADATA, Block, ParsedDocument, Title
from graphrag_tasks.parse.markup import read_page
from graphrag_tasks.parse.package_texts import broken
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.parse.text_files import paragraphs
from graphrag_tasks.sources.encodings import DecodedText, Guess, decode, given_encoding, known

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


MAX_DEPTH = 50  # Limit of nested parts; chains of forwarded messages reach about ten.
MAX_PART_BYTES = 10_000_000  # Largest decoded part that is read.

_SHOWN = ("From", "To", "Cc", "Date")
_TEXT, _PAGE, _MESSAGE = "text/plain", "text/html", "message/rfc822"
_ENCODED_WORD = r"=\?[^?\s]+\?[bqBQ]\?[^?]*\?="
_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*{_ENCODED_WORD})*")
_FLOWED_SIGNATURE = "-- "  # the line above a signature, whose blank does not flow


def read_mail(data: bytes) -> ParsedDocument:
    """Read a message."""
    message = message_from_bytes(in_utf8(data).removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n"))
    _check_depth(message)
    reading = _Reading()
    reading.read(message)
    subject = header_of(message, "Subject")
    if not subject and not reading.has_text:
        return ParsedDocument([], left_out=reading.left_out)
    blocks = [*_top(message, level=1), *reading.blocks]
    titles = [*([Title(subject, METADATA)] if subject else []), *reading.titles]
    title = titles[0] if titles else None
    shown = {block.text for block in blocks} | {one.text for one in titles[:1]}
    reading.left_out[LeftOut.HIDDEN] += sum(one.text not in shown for one in titles)
    return ParsedDocument(blocks, title, left_out=reading.left_out, encoding=reading.encoding)


def _check_depth(message: Message) -> None:
    level = [message]
    for _ in range(MAX_DEPTH):
        level = [part for one in level for part in _parts(one)]
    if level:
        what = f"more than {MAX_DEPTH} parts are nested inside each other"
        raise DocumentError("broken", what, hint="Save the text of the message alone")


def _parts(message: Message) -> Sequence[Message]:
    payload = message.get_payload() if message.is_multipart() else []
    return [one for one in payload if isinstance(one, Message)]


def _top(message: Message, level: int) -> Iterator[Block]:
    if subject := header_of(message, "Subject"):
        yield Block("heading", subject, level=level)
    said = ((name, header_of(message, name)) for name in _SHOWN)
    if lines := [f"{name}: {text}" for name, text in said if text]:
        yield Block("paragraph", "\n".join(lines))


def header_of(message: Message, name: str) -> str:
    """Return the decoded values of all headers of this name, joined; "" if there is none."""
    charsets = filter(None, (part.get_content_charset() for part in message.walk()))
    charset = next(charsets, None)  # what programs mean that do not encode their headers
    found = (str(raw) for key, raw in message.raw_items() if key.lower() == name.lower())
    return ", ".join(text for raw in found if (text := _decoded_header(raw, charset)))


def _decoded_header(raw: str, charset: str | None) -> str:
    text = decode_part(raw.encode("ascii", "surrogateescape"), charset).text
    return one_line(_ENCODED_WORDS.sub(_decoded_words, one_line(text)))


def _decoded_words(words: re.Match[str]) -> str:
    """Decode adjacent encoded words (RFC 2047), which may split a character between them.

    Words that cannot be decoded stay as they are.
    """
    try:
        found = decode_header(words[0])
        pieces = ((data, str(charset).partition("*")[0]) for data, charset in found)
        return "".join(decode_part(data, charset).text for data, charset in pieces)
    except (HeaderParseError, DocumentError):
        return words[0]


def decode_part(data: bytes, charset: str | None) -> DecodedText:
    """Decode a part by its charset, unless it is UTF-8 or fails; then by detection.

    Short texts are decoded only by their declared charset.
    """
    if charset is None:
        return decode(data)
    if b"\x00" not in data and _strict(data, "utf-8") is None and _strict(data, charset) is not None:
        for encoding in known(charset):
            if (text := _strict(data, encoding)) is not None:
                return DecodedText(text, Guess(encoding, 1.0), {})
    with _nothing_given():
        return decode(data, charset)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (LookupError, ValueError):  # some codecs raise others than UnicodeDecodeError
        return None


@contextmanager
def _nothing_given() -> Iterator[None]:
    token = given_encoding.set(None)
    try:
        yield
    finally:
        given_encoding.reset(token)


class _Reading:
    """Reads the parts of a message, and collects their blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.left_out: Counter[str] = Counter()
        self.encoding: Guess | None = None
        self.titles: list[Title] = []
        self.has_text = False

    def read(self, part: Message, depth: int = 1) -> None:
        kind = part.get_content_type()
        if kind == "multipart/encrypted" or part.get_param("smime-type") == "enveloped-data":
            what, hint = "the message is encrypted", "Save it decrypted"
            raise DocumentError("encrypted", what, hint=hint)
        if _is_attachment(part):
            self.left_out[LeftOut.ATTACHMENT] += 1
        elif kind == _MESSAGE and part.is_multipart():
            for message in _parts(part):
                self.blocks += _top(message, level=min(depth + 1, 6))
                self.read(message, depth + 1)
        elif part.is_multipart():
            self._read_parts(part, depth)
        else:
            self._read_text(part)

    def _read_parts(self, whole: Message, depth: int) -> None:
        for around in (whole.preamble, whole.epilogue):
            self.left_out[LeftOut.HIDDEN] += bool(around and around.strip())
        parts = _parts(whole)
        chosen = _best(parts) if whole.get_content_subtype() == "alternative" else None
        for part in parts:
            if chosen is None or part is chosen:
                self.read(part, depth)
            else:
                self._count(part)

    def _count(self, alternative: Message) -> None:
        for part in alternative.walk():
            if _is_attachment(part):
                self.left_out[LeftOut.ATTACHMENT] += 1
            elif not part.is_multipart():
                self.left_out[LeftOut.ALTERNATIVE] += _has_words(part)

    def _read_text(self, part: Message) -> None:
        data = bytes(part.get_payload(decode=True))
        if len(data) > MAX_PART_BYTES:
            what = f"a part of the message has {len(data)} bytes, more than {MAX_PART_BYTES}"
            raise DocumentError("too_large", what, hint="Save the text of the message alone")
        file = decode_part(data, part.get_content_charset())
        if part.get_content_type() == _PAGE:
            self._add(read_page(file))
            return
        text = file.text
        if _parameter(part, "format") == "flowed":
            text = unflowed(text, delete_spaces=_parameter(part, "delsp") == "yes")
        self._add(ParsedDocument(paragraphs(text), left_out=file.left_out, encoding=file.encoding))

    def _add(self, parsed: ParsedDocument) -> None:
        blocks, furniture = without_furniture(parsed.blocks)
        self.blocks += blocks
        self.left_out[LeftOut.MAIL_FURNITURE] += furniture
        self.left_out.update(parsed.left_out)
        self.has_text |= bool(parsed.blocks)
        self.encoding = self.encoding or parsed.encoding
        self.titles += [parsed.title] if parsed.title else []


def _best(alternatives: Iterable[Message]) -> Message | None:
    """Return the first alternative with plain text, else one with HTML, else None."""
    for kind in (_TEXT, _PAGE):
        for alternative in alternatives:
            if any(message.get_content_type() == kind and _has_words(message) for message in alternative.walk()):
                return alternative
    return None


def _is_attachment(part: Message) -> bool:
    """Tell whether a part is an attachment, or of a type that is not read."""
    kind = part.get_content_type()
    if part.get_content_disposition() == "attachment":
        return True
    return part.get_content_maintype() != "multipart" and kind not in (_TEXT, _PAGE, _MESSAGE)


def _has_words(part: Message) -> bool:
    if part.is_multipart() or _is_attachment(part):
        return False
    return bool(bytes(part.get_payload(decode=True)).strip())


def _parameter(part: Message, name: str) -> str:
    return str(part.get_param(name, "")).lower()


def unflowed(text: str, *, delete_spaces: bool) -> str:
    """Join lines that were broken at a trailing blank (RFC 3676, `format=flowed`)."""
    lines: list[list[str]] = []
    last_depth, flows = 0, False
    for line in clean_text(text).split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if not (flows and depth == last_depth and content != _FLOWED_SIGNATURE):
            lines.append([">" * depth + " " * bool(depth)])
        flows = content.endswith(" ") and content != _FLOWED_SIGNATURE
        lines[-1].append(content[:-1] if flows and delete_spaces else content)
        last_depth = depth
    return "\n".join(map("".join, lines))


# Read mailboxes (mbox): each message as `mail` reads it, below a heading of its own.

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


# Read web pages saved with their resources in one file (MHTML, RFC 2557).

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
