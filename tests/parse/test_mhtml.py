"""Web pages saved with their pictures: which part is read, and what is refused."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

PAGE = "<html><head><title>Harbour</title></head><body><p>Gr\u00fc\u00dfe</p></body></html>"


def saved(page: str = PAGE, subject: str = "Harbour", charset: str = "utf-8") -> bytes:
    made = EmailMessage()
    made["Subject"] = subject
    made.set_content(page, subtype="html", charset=charset, cte="quoted-printable")
    made.add_related(b"PNG", maintype="image", subtype="png")
    made.add_related("<p>A frame</p>", subtype="html")
    return made.as_bytes()


def test_the_page_is_read(parse_one: Any) -> None:
    for charset in ("utf-8", "iso-8859-1"):
        parsed = parse_one("a.mhtml", saved(charset=charset))
        assert parsed.kinds == [("paragraph", "Gr\u00fc\u00dfe")]
        assert parsed.document["title"] == "Harbour"
        assert parsed.document["left_out"] == [{"reason": "attachment", "count": 2}]


def test_what_holds_no_page_is_refused(parse_one: Any) -> None:
    assert parse_one("a.mhtml", b"Only words").document["error_code"] == "broken"
    assert parse_one("b.mhtml", bytes(range(256))).document["error_code"] == "broken"
    assert parse_one("c.mhtml", b"").document["error_code"] == "empty_file"
    assert parse_one("d.mhtml", saved("<p></p>")).document["error_code"] == "no_text"
    assert parse_one("e.mhtml", saved("x" * 10_000_001)).document["error_code"] == "too_large"
