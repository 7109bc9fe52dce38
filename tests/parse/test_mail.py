# ruff: noqa: RUF001 - the letters of other scripts
"""Messages: which parts are read, how their words are decoded, and what is refused."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from typing import Any

import pytest

TOP = "From: sender@example.org\nTo: reader@example.org\nDate: Mon, 03 Feb 2025 10:00:00 +0000\n"
SHOWN = ("paragraph", TOP.strip())


def message(subject: str = "Harbour plan") -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    for line in TOP.splitlines():
        name, _, value = line.partition(": ")
        made[name] = value
    return made


def test_the_plain_text_is_read_below_who_wrote_it(parse_one: Any) -> None:
    made = message()
    made["Cc"] = "a@example.org, b@example.org"
    made.set_content("The crane moves.\n\nThe ship waits.\n> It moved before.\n\n-- \nThe office\n")
    made.add_alternative("<p>The crane moves in colour.</p>", subtype="html")
    parsed = parse_one("a.eml", made.as_bytes())
    assert parsed.document["title"] == "Harbour plan"
    assert parsed.document["title_source"] == "metadata"
    assert parsed.kinds == [
        ("heading", "Harbour plan"),
        ("paragraph", TOP.replace("Date", "Cc: a@example.org, b@example.org\nDate").strip()),
        ("paragraph", "The crane moves."),
        ("paragraph", "The ship waits.\n> It moved before."),
    ]
    assert parsed.left_out == {"alternative": 1, "mail_furniture": 1}


REPLY = "The crane lifts it.\n\n{}\n> It broke.\n> Who repairs it?\n\n-- \nA. Person\nTel 000\n"


@pytest.mark.parametrize(
    ("wrote", "lines"),
    [
        ("On Mon, Mar 3, 2025 B wrote:", 1),
        ("On Mon, Mar 3, 2025 at 10:00 AM Board <b@example.org>\nwrote:", 2),
        ("B <b@example.org> wrote:", 1),
        ("Am 3. März 2025 um 10:00 schrieb B:", 1),
        ("Le lun. 3 mars 2025 à 10:00, B a écrit :", 1),
        ("On Monday Nora wrote:", 1),
        ("-----Original Message-----", 1),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_signatures_and_who_wrote_a_quote_are_furniture(parse_one: Any, wrote: str, lines: int, encoding: str) -> None:
    text = f"{TOP}Subject: Re: Crane\n\n{REPLY.format(wrote)}"
    parsed = parse_one("a.eml", text.encode(encoding))
    assert parsed.kinds == [
        ("heading", "Re: Crane"),
        SHOWN,
        ("paragraph", "The crane lifts it."),
        ("paragraph", "> It broke.\n> Who repairs it?"),
    ]
    assert parsed.left_out == {"mail_furniture": lines + 2}


def test_a_page_is_read_where_there_is_no_text(parse_one: Any) -> None:
    made = message()
    made.set_content(" \n")
    made.add_alternative(
        "<html><head><title>Other</title></head><body><h2>News</h2><p>Gr\u00fc\u00dfe</p></body></html>",
        subtype="html", charset="iso-8859-1",
    )  # fmt: skip
    parsed = parse_one("a.eml", made.as_bytes())
    assert parsed.kinds[2:] == [("heading", "News"), ("paragraph", "Grüße")]
    assert parsed.document["title"] == "Harbour plan"
    assert parsed.left_out == {"hidden": 1}


def test_attachments_are_counted(parse_one: Any) -> None:
    made = message()
    made.set_content("See the files.")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="a.pdf")
    made.add_attachment("Not read.", filename="notes.txt")
    made.add_attachment(b"PNG", maintype="image", subtype="png", disposition="inline")
    parsed = parse_one("a.eml", made.as_bytes())
    assert parsed.kinds[2:] == [("paragraph", "See the files.")]
    assert parsed.left_out == {"attachment": 3}


def test_a_forwarded_message_is_read(parse_one: Any) -> None:
    inner, made = message("Inner plan"), message()
    inner.set_content("Inner words.")
    made.set_content("Outer words.")
    made.add_attachment(inner, disposition="inline")
    parsed = parse_one("a.eml", made.as_bytes())
    assert parsed.kinds[2:] == [
        ("paragraph", "Outer words."),
        ("heading", "Inner plan"),
        SHOWN,
        ("paragraph", "Inner words."),
    ]
    assert parsed.document["title"] == "Harbour plan"


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        (b"=?koi8-r?B?8NLJ18XU?= and =?utf-8?Q?caf=C3?=\n =?utf-8?Q?=A9?=", "Привет and café"),
        ("Über uns".encode(), "Über uns"),
        (b"=?iso-8859-1*en?q?Gr=FC=DFe_x?=", "Grüße x"),
        (b"=?x-none?q?Hello_you?=", "Hello you"),
        (b"=?utf-8?B?a?= left", "=?utf-8?B?a?= left"),
        (b"=?utf-8?b?AAE=?= left", "=?utf-8?b?AAE=?= left"),
        (b"a very\r\n long   one", "a very long one"),
    ],
)
def test_subjects_are_decoded(parse_one: Any, raw: bytes, title: str) -> None:
    parsed = parse_one("a.eml", b"Subject: " + raw + b"\r\n\r\nText")
    assert parsed.document["title"] == title
    assert parsed.kinds == [("heading", title), ("paragraph", "Text")]


@pytest.mark.parametrize(
    ("charset", "encoding", "used"),
    [("koi8-r", "koi8-r", "koi8-r"), ("windows-1251", "cp1251", "cp1251"), ("koi8-r", "utf-8", "utf-8")],
)
def test_a_body_is_in_the_charset_it_says(parse_one: Any, charset: str, encoding: str, used: str) -> None:
    text = f"Subject: Порт\nContent-Type: text/plain; charset={charset}\n\nПривет, мир"
    parsed = parse_one("a.eml", text.encode(encoding))
    assert parsed.kinds == [("heading", "Порт"), ("paragraph", "Привет, мир")]
    assert parsed.document["encoding"] == used


def test_flowed_lines_are_joined(parse_one: Any) -> None:
    body = "One \ntwo \nthree.\n\n> quoted \n> words.\n>> older\n From here.\n-- \nSigned\n"
    data = b"Content-Type: text/plain; format=flowed\n\n" + body.encode()
    texts = [text for _, text in parse_one("a.eml", data).kinds]
    assert texts == ["One two three.", "> quoted words.\n>> older\nFrom here."]
    data = b"Content-Type: text/plain; format=flowed; delsp=yes\n\n\xe8\xaa\xad \n\xe3\x81\xbf"
    assert parse_one("a.eml", data).kinds == [("paragraph", "読み")]


def _nested(depth: int) -> bytes:
    head = "Content-Type: multipart/mixed; boundary=b{0}\n\n--b{0}\n"
    return ("".join(map(head.format, range(depth))) + "\nText").encode()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"\r\n\r\n", "no_text"),
        (TOP.encode() + b"\n\n", "no_text"),
        (b"Content-Type: image/png\n\nPNG", "no_text"),
        (bytes(range(256)) * 4, "broken"),
        (_nested(60), "broken"),
        (_nested(5000), "broken"),
        (b"Content-Type: multipart/encrypted; boundary=x\n\n--x\n\nx", "encrypted"),
        (b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx", "encrypted"),
    ],
)
def test_what_is_no_message_is_refused(parse_one: Any, data: bytes, code: str) -> None:
    assert parse_one("a.eml", data).document["error_code"] == code


def test_a_large_part_is_refused_and_a_large_attachment_is_not(parse_one: Any) -> None:
    large = b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"A" * 11_000_000)
    assert parse_one("a.eml", large).document["error_code"] == "too_large"
    start = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nText\n--x\nContent-Type: image/png\n"
    parsed = parse_one("a.eml", start + large + b"--x--\n")
    assert parsed.kinds == [("paragraph", "Text")]
    assert parsed.left_out == {"attachment": 1}
