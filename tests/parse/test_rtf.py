r"""Rich Text Format: what is read, what is counted, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

FILE = rb"""{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset204 Arial;}{\f1\fcharset128 X;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}{\colortbl;\red0;}
{\info{\title Plan of May}{\author Nora}}{\*\generator Words of a program;}
{\header\pard Head\par}
\pard\s1 Harbour\par
\pard The {\b crane} moves\tab to {\field{\*\fldinst{ HYPERLINK "https://x.org/a" }}
{\fldrslt{the quay}}}.{\footnote\pard It is old.\par} It stops.
{\*\atnauthor Nora}{\*\annotation\pard Is it?\par}\par
\pard {\f0\'cf\'ee\'f0\'f2} {\f1\'93\'c7} \u8364? \u-10179?\u-8704?\par
{\v Hidden.}{\deleted Deleted.}Shown.{\xe Index}\par
{\pntext\bullet\tab}First\par
\pard{\listtext 1.}\ls1 Second\line and on\par
\trowd\trhdr\cellx1\pard\intbl Name\cell Tons\cell\row
\trowd\cellx1\pard\intbl Big\par one\cell 12\cell\row
\pard After\par
{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In a box.\par}}{\shprslt Again}}
{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv A crane}}}\bin3 {{{0102}}
\pard Brace \{a\} \\ end~\par}"""


def test_a_document_is_read(parse_one: Any) -> None:
    parsed = parse_one("a.rtf", FILE)
    assert parsed.kinds == [
        ("title", "Harbour"),
        ("paragraph", "The crane moves to the quay. It stops."),
        ("paragraph", "It is old."),
        ("paragraph", "Nora: Is it?"),
        ("paragraph", "\u041f\u043e\u0440\u0442 \u8aad \u20ac \U0001f600"),
        ("paragraph", "Shown."),
        ("list_item", "First"),
        ("list_item", "Second\nand on"),
        ("table", "Name: Big one | Tons: 12"),
        ("paragraph", "After"),
        ("paragraph", "Brace {a} \\ end~"),
        ("paragraph", "In a box."),
    ]
    assert parsed.document["title"] == "Plan of May"
    assert parsed.blocks[1]["has_link"]
    assert parsed.left_out == {"header_footer": 1, "hidden": 2, "deleted_text": 1, "picture": 1}


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_file_is_read_as_far_as_it_goes(parse_one: Any, share: float) -> None:
    parsed = parse_one("a.rtf", FILE[: int(len(FILE) * share)])
    assert parsed.kinds[0] == ("title", "Harbour")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"words", "broken"),
        (bytes(range(256)), "broken"),
        (rb"{\rtf1}", "no_text"),
        (rb"{\rtf1" + b"{" * 100_000 + b"}" * 100_001, "no_text"),
        (rb"{\rtf1}}}}\f1\b}", "no_text"),
    ],
)
def test_what_is_no_document_is_refused(parse_one: Any, data: bytes, code: str) -> None:
    assert parse_one("a.rtf", data).document["error_code"] == code


def test_what_is_no_letter_is_counted(parse_one: Any) -> None:
    parsed = parse_one("a.rtf", rb"{\rtf1 \ansi\ansicpg1253 Half \u55357? and \'ff here}")
    assert parsed.kinds == [("paragraph", "Half \ufffd and \ufffd here")]
    assert parsed.left_out == {"invalid_characters": 2}
