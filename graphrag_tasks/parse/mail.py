"""Read e-mail messages (RFC 5322 and MIME).

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
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import METADATA, Block, ParsedDocument, Title
from graphrag_tasks.parse.mail_lines import in_utf8, without_furniture
from graphrag_tasks.parse.markup import read_page
from graphrag_tasks.parse.text import clean_text, one_line
from graphrag_tasks.parse.text_files import paragraphs
from graphrag_tasks.sources.detection import Guess
from graphrag_tasks.sources.encodings import DecodedText, decode, given_encoding, known

MAX_DEPTH = 50  # Limit of nested parts; chains of forwarded messages reach about ten.
MAX_PART_BYTES = 10_000_000  # Largest decoded part that is read.

_SHOWN = ("From", "To", "Cc", "Date")
_TEXT, _PAGE, _MESSAGE = "text/plain", "text/html", "message/rfc822"
_ENCODED_WORD = r"=\?[^?\s]+\?[bqBQ]\?[^?]*\?="
_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*{_ENCODED_WORD})*")
_SIGNATURE = "-- "  # the line above a signature, whose blank does not flow


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
        if not (flows and depth == last_depth and content != _SIGNATURE):
            lines.append([">" * depth + " " * bool(depth)])
        flows = content.endswith(" ") and content != _SIGNATURE
        lines[-1].append(content[:-1] if flows and delete_spaces else content)
        last_depth = depth
    return "\n".join(map("".join, lines))
