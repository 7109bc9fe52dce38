"""Mailboxes: each message below a heading."""

from __future__ import annotations

from typing import Any

FROM = "From clerk@example.org Mon Feb  3 10:00:00 2025\n"
FIRST = """Subject: Crane
From: nora@example.org

The crane at the harbour moves again since Monday, and the board
was told of it.
From now on: it moves each day.
>From here it is escaped.

Yes.
"""
SECOND = """Subject: Re: Crane
From: board@example.org

Thank you.

On Monday Nora wrote:
> The crane at the harbour moves again
> since Monday, and the board was told of it.
>
> Yes.
> Somebody else said this.
"""
THIRD = """From: nora@example.org
Content-Type: text/html

<html><head><title>News of May</title></head><body><p>Of the office</p></body></html>
"""


def test_messages_stand_below_headings(parse_one: Any) -> None:
    parsed = parse_one("a.mbox", "\n".join(FROM + one for one in (FIRST, SECOND, THIRD)).encode())
    assert parsed.kinds == [
        ("heading", "Crane"),
        ("paragraph", "From: nora@example.org"),
        (
            "paragraph",
            "The crane at the harbour moves again since Monday, and the board\nwas told of it.\n"
            "From now on: it moves each day.\nFrom here it is escaped.",
        ),
        ("paragraph", "Yes."),
        ("heading", "Re: Crane"),
        ("paragraph", "From: board@example.org"),
        ("paragraph", "Thank you."),
        (
            "paragraph",
            "> The crane at the harbour moves again\n> since Monday, and the board was told of it.\n>\n> Yes.\n"
            "> Somebody else said this.",
        ),
        ("heading", "News of May"),
        ("paragraph", "From: nora@example.org"),
        ("paragraph", "Of the office"),
    ]
    assert (parsed.document["title"], parsed.document["title_source"]) == ("a", "file_name")
    assert parsed.left_out == {"mail_furniture": 1}


def test_a_message_that_cannot_be_read_costs_no_other(parse_one: Any) -> None:
    locked = "Subject: x\nContent-Type: multipart/encrypted; boundary=x\n\n--x\n\nA\n--x--\n"
    parsed = parse_one("a.mbox", f"{FROM}{locked}\n{FROM}Subject: Open\n\nWords\n".encode())
    assert parsed.kinds == [("heading", "Open"), ("paragraph", "Words")]
    assert parsed.left_out == {"message": 1}
    assert parse_one("b.mbox", (FROM + locked).encode()).document["error_code"] == "encrypted"


def test_what_is_no_mailbox_is_refused(parse_one: Any) -> None:
    assert parse_one("a.mbox", b"Subject: x\n\nWords").document["error_code"] == "broken"
    assert parse_one("b.mbox", b"").document["error_code"] == "empty_file"
    assert parse_one("c.mbox", FROM.encode() + b"X-A: b\n").document["error_code"] == "no_text"
    cut = (FROM + FIRST).encode()[:-60]
    assert parse_one("d.mbox", cut).document["status"] == "parsed"
