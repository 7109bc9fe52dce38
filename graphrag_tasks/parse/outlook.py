"""Read Outlook messages (.msg) by converting them to standard messages for `mail`."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email import message_from_string
from email.encoders import encode_base64
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.utils import format_datetime
from io import BytesIO

from olefile import DEFECT_INCORRECT, MAGIC, STGTY_STREAM, OleFileIO

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.mail import decode_part, read_mail
from graphrag_tasks.parse.package_texts import broken
from graphrag_tasks.parse.text import one_line

# Numbers of properties (MS-OXPROPS), in the letters of their streams' names where they are texts.
_CLASS, _SUBJECT, _HEADERS, _PLAIN, _PAGE, _RTF = "001A", "0037", "007D", "1000", "1013", "1009"
_SENDER, _RECEIVER = ("0C1A", "5D01", "0C1F"), ("3001", "39FE", "3003")  # name, addresses
_SENT, _RECEIVER_KIND, _CODEPAGE, _CODEPAGE_OF_PAGE = 0x0039, 0x0C15, 0x3FFD, 0x3FDE
_READ = {_CLASS, _SUBJECT, _HEADERS, _PLAIN, _PAGE, _RTF, *_SENDER, *_RECEIVER}
_VALUES = "__properties_version1.0"
_RECEIVERS = {1: "To", 2: "Cc"}
_ENCRYPTED = "IPM.Note.SMIME"  # the class of messages that are only signed is longer
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CODECS = {20127: "ascii", 20866: "koi8-r", 54936: "gb18030", 65001: "utf-8"} | {
    28590 + part: f"iso8859-{part}" for part in range(1, 16)
}
"""Python codecs for Microsoft's code page numbers that have other names."""


def read_msg(data: bytes) -> ParsedDocument:
    """Read a message; one that already has the standard format is read directly."""
    return read_mail(_standard(data) if data.startswith(MAGIC) else data)


def _standard(data: bytes) -> bytes:
    storages: dict[str, dict[str, bytes]] = {"": {}}
    try:
        with OleFileIO(BytesIO(data), raise_defects=DEFECT_INCORRECT) as file:
            sizes = [one.size for one in file.direntries if one and one.entry_type == STGTY_STREAM]
            if sum(sizes) > len(data):
                raise broken("msg", "its parts are larger than the file")
            for *folder, name in file.listdir():
                # Deeper ones are of messages that are attached. Looking one up costs its folder.
                if len(folder) < 2 and (name == _VALUES or name[-8:-4] in _READ):
                    stream = file.openstream([*folder, name]).read()
                    storages.setdefault("".join(folder), {})[name] = stream
        if _VALUES not in storages[""]:
            raise broken("msg", "it holds no message")
        return _message(storages).as_bytes()
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError, struct.error) as error:
        raise broken("msg", error) from error


def _message(storages: Mapping[str, Mapping[str, bytes]]) -> MIMEMultipart:
    own = _Storage(storages[""], 32)
    said = message_from_string(own.text(_HEADERS))
    encrypted = said.get_content_type() == "multipart/encrypted" or own.text(_CLASS) == _ENCRYPTED
    made = MIMEMultipart("encrypted" if encrypted else "mixed")
    for name, text in _headers(own, storages):
        made[name] = _encoded(one_line(str(said[name] or text)))
    if not encrypted:
        made.attach(_body(own))
    for name in storages:
        if name.startswith("__attach"):
            made.attach(MIMEBase("application", "octet-stream"))
    return made


def _headers(message: _Storage, storages: Mapping[str, Mapping[str, bytes]]) -> Iterator[tuple[str, str]]:
    yield "Subject", message.text(_SUBJECT)
    yield "From", message.person(_SENDER)
    found = [one for name, one in storages.items() if name.startswith("__recip")]
    receivers = [_Storage(one, 8, message.codepage) for one in found]
    for kind, header in _RECEIVERS.items():
        these = (one for one in receivers if one.numbers.get(_RECEIVER_KIND, 1) == kind)
        yield header, ", ".join(one.person(_RECEIVER) for one in these)
    sent = _EPOCH + timedelta(microseconds=message.numbers.get(_SENT, 0) // 10)
    yield "Date", format_datetime(sent) if sent > _EPOCH else ""


def _body(message: _Storage) -> MIMEMultipart:
    made = MIMEMultipart("alternative")
    for number, kind in ((_PLAIN, "plain"), (_PAGE, "html")):
        data, charset = message.stored(number)
        if data:
            part = MIMEBase("text", kind)
            if charset:
                part.set_param("charset", charset)
            part.set_payload(data)
            encode_base64(part)
            made.attach(part)
    if not made.get_payload() and message.stored(_RTF)[0]:
        what = "the text of the message is in RTF alone"
        raise DocumentError("no_text", what, hint="Save the message as an .eml file")
    return made


class _Storage:
    """The properties of a message or of a recipient.

    `numbers` holds numbers and times by property number; `codepage` is the encoding of its texts.
    """

    def __init__(self, streams: Mapping[str, bytes], header: int, codepage: int = 0) -> None:
        self._streams = streams
        rows = streams.get(_VALUES, b"")[header:]
        rows = rows[: len(rows) // 16 * 16]
        self.numbers = {number: value for _, number, _, value in struct.iter_unpack("<HHIQ", rows)}
        self.codepage = codepage or self.numbers.get(_CODEPAGE, 0)

    def person(self, numbers: Iterable[str]) -> str:
        """Return name and address from these properties."""
        name, *addresses = map(self.text, numbers)
        address = next((one for one in addresses if "@" in one), "")
        return f"{name} <{address}>" if address and name not in ("", address) else name or address

    def text(self, number: str) -> str:
        """Return a text property, or ""."""
        return decode_part(*self.stored(number)).text

    def stored(self, number: str) -> tuple[bytes, str | None]:
        """Return a text property's bytes, and their encoding if it is known."""
        name = f"__substg1.0_{number}"
        if wide := self._streams.get(f"{name}001F"):
            return wide.decode("utf-16-le", "replace").rstrip("\0").encode(), "utf-8"
        page = self.numbers.get(_CODEPAGE_OF_PAGE, 0)
        for kind, codepage in (("001E", self.codepage or page), ("0102", page or self.codepage)):
            if data := self._streams.get(f"{name}{kind}"):
                charset = _CODECS.get(codepage, f"cp{codepage}") if codepage else None
                return data.rstrip(b"\0"), charset
        return b"", None


def _encoded(text: str) -> str:
    return text if text.isascii() else f"=?utf-8?b?{b64encode(text.encode()).decode()}?="
