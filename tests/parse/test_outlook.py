"""Outlook's messages: read as those of the standard form."""

from __future__ import annotations

import random
from typing import Any

import pytest

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.outlook import read_msg
from tests.parse.outlook_files import BYTES, NUMBER, TEXT, TIME, Properties, ole_file, outlook_message

CLASS, SUBJECT, HEADERS, PLAIN, PAGE, RTF = 0x1A, 0x37, 0x7D, 0x1000, 0x1013, 0x1009
SENT = {(0x39, TIME): 133_830_504_000_000_000}  # 100 ns from 1601
MESSAGE: Properties = {
    (SUBJECT, TEXT): "Hafenpläne",
    (PLAIN, TEXT): "The crane moves.\r\n\r\n水泵\r\n> It moved before.\r\n\r\n-- \r\nThe office\r\n",
    (PAGE, BYTES): b"<p>The crane moves in colour.</p>",
    (0x0C1A, TEXT): "Jörg",
    (0x5D01, TEXT): "joerg@example.org",
    **SENT,
}
RECEIVERS: list[Properties] = [
    {(0x3001, TEXT): "Ann", (0x3003, TEXT): "/O=EX/CN=ANN", (0x0C15, NUMBER): 1},
    {(0x3001, TEXT): "b@x.org", (0x39FE, TEXT): "b@x.org", (0x0C15, NUMBER): 2},
    {(0x3001, TEXT): "Secret", (0x0C15, NUMBER): 3},
]
FILES: list[Properties] = [{(0x3701, BYTES): b"PDF"}, {}]


def test_a_message_is_read_as_one_of_the_standard_form(parse_one: Any) -> None:
    parsed = parse_one("a.msg", outlook_message(MESSAGE, RECEIVERS, FILES))
    date = "Date: Mon, 03 Feb 2025 10:00:00 +0000"
    assert parsed.kinds == [
        ("heading", "Hafenpläne"),
        ("paragraph", f"From: Jörg <joerg@example.org>\nTo: Ann\nCc: b@x.org\n{date}"),
        ("paragraph", "The crane moves."),
        ("paragraph", "水泵\n> It moved before."),
    ]
    assert parsed.document["title"] == "Hafenpläne"
    found = {one["reason"]: one["count"] for one in parsed.document["left_out"]}
    assert found == {"alternative": 1, "attachment": 2, "mail_furniture": 1}


WHOLE = outlook_message(MESSAGE, RECEIVERS, FILES)
NAME = "__substg1.0_0037001F".encode("utf-16-le")
SIZE = WHOLE.index(NAME) + 120


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (WHOLE[:8], "broken"),
        (WHOLE[:600], "broken"),
        (WHOLE[: len(WHOLE) // 2], "broken"),
        (WHOLE[:SIZE] + b"\xff\xff\xff\x7f" + WHOLE[SIZE + 4 :], "broken"),
        (ole_file({"Workbook": b"x"}), "broken"),
        (bytes(range(256)) * 4, "broken"),
        (outlook_message({}), "no_text"),
        (outlook_message({(SUBJECT, TEXT): "A", (RTF, BYTES): b"LZFu"}), "no_text"),
        (outlook_message({(CLASS, TEXT): "IPM.Note.SMIME", **MESSAGE}), "encrypted"),
        (outlook_message({(HEADERS, TEXT): "Content-Type: multipart/encrypted"}), "encrypted"),
    ],
)
def test_what_is_no_message_is_refused(parse_one: Any, data: bytes, code: str) -> None:
    assert parse_one("a.msg", data).document["error_code"] == code


def test_damage_is_told_or_read_over() -> None:
    chance = random.Random(0)
    for _ in range(200):
        data = bytearray(WHOLE)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            read_msg(bytes(data))
        except (DocumentError, RecursionError) as error:
            assert str(error)
