"""WebVTT subtitles: what is said, and by whom."""

from __future__ import annotations

from typing import Any

import pytest

FILE = """\ufeffWEBVTT - A talk
Kind: captions

NOTE made by a program
on two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 align:start
<v Speaker One>We are <i>in</i> the <c.loud>harbour</c>.</v>

00:00:04.000 --> 00:00:09.000
<v.loud Speaker Two>Yes &amp; no, if 2 < 3.
<00:00:05.000>Later<v Speaker One>Good.

00:10.000 --> 00:11.000
- First line
second line
00:12.000 --> 00:13.000
No blank line before.

A blank line inside.
"""


def test_cues_are_paragraphs_with_their_speakers(parse_one: Any) -> None:
    parsed = parse_one("a.vtt", FILE.encode())
    assert parsed.kinds == [
        ("paragraph", "Speaker One: We are in the harbour."),
        ("paragraph", "Speaker Two: Yes & no, if 2 < 3.\nLater\nSpeaker One: Good."),
        ("paragraph", "- First line\nsecond line"),
        ("paragraph", "No blank line before."),
        ("paragraph", "A blank line inside."),
    ]
    left_out = {one["reason"]: one["count"] for one in parsed.document["left_out"]}
    assert left_out == {"comment": 1, "subtitle_mark": 2 + 1 + 1 + 4}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"WEBVTT\n\n00:01.000 --> 00:04.000\n<i></i>\n", "no_text"),
        (b"\n", "broken"),
        (b"WEBVTTX\n\n00:01.000 --> 00:04.000\nWords\n", "broken"),
        (b"1\n00:00:01,000 --> 00:00:04,000\nWords\n", "broken"),
        (bytes(range(256)), "broken"),
    ],
)
def test_what_are_no_subtitles_is_refused(parse_one: Any, data: bytes, code: str) -> None:
    assert parse_one("a.vtt", data).document["error_code"] == code
