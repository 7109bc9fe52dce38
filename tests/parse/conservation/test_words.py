"""The words of a paragraph are read as they stand: in their order, none joined, parted or changed.

Paragraphs are made from a seed, of words with bold, raised or lowered letters in them, with signs and of all scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from html import escape
from io import BytesIO
from random import Random
from typing import Any, NamedTuple
from xml.sax.saxutils import escape as xml_escape

import pytest
from docx import Document
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from graphrag_tasks.parse.readers import READERS, load_readers
from tests.parse.conftest import saved
from tests.parse.odf_files import odf_file
from tests.parse.outlook_files import BYTES, outlook_message
from tests.parse.test_epub import book

_SMALL = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Piece(NamedTuple):
    """A part of a word: its text, and how it is written."""

    text: str
    style: str = ""


Word = Sequence[Piece]

_STYLED: list[Word] = [
    [Piece("Turbo", "bold"), Piece("Pump")],
    [Piece("pre"), Piece("heat", "italic")],
    [Piece("H"), Piece("2", "sub"), Piece("O")],
    [Piece("10"), Piece("6", "sup")],
    [Piece("km"), Piece("2", "sup")],
    [Piece("CO"), Piece("2", "sub"), Piece(",")],
    [Piece("T", "bold"), Piece("he")],
    [Piece("valve", "bold"), Piece(".")],
    [Piece("("), Piece("seal", "italic"), Piece(")")],
    [Piece("mid"), Piece("dle", "bold"), Piece("part")],
    [Piece("42"), Piece("nd", "sup")],
]
_LATIN = (  # noqa: SIM905 - shorter
    "The pump opens valve A1 well-known 1735–1780 dam—wall “Quoted” it’s km/h 25 °C ±2 % 3.14 v2.0 "
    "naïve Größe fjord ½ € §4 é 10,000 A/B e.g. S4/HANA pages 3–4 x=1 a+b no."
).split()
_SIGNS = (  # noqa: SIM905 - shorter
    r"C++ a_b snake_case x*y <tag> AT&T #1 $5 50% @home {set} ~5 a^b [1] back\slash `tick` |"
).split()
_SCRIPTS = (  # noqa: SIM905 - shorter
    "Ελλάδα насос مضخة משאבה पंप ポンプ 水泵 펌프 ปั๊ม помпа١٢ 42個 Łódź Đặng co\u00adop zero\u200bwidth"
).split()


def _expected(word: Word) -> str:
    text = ""
    for piece in word:
        is_power = text[-1:].isalnum() and piece.style == "sup" and piece.text.isdigit()
        text += piece.text.translate(_SMALL) if is_power else piece.text
    return text.replace("\u00ad", "").replace("\u200b", "")


def _paragraphs(random: Random, kinds: Sequence[Sequence[Any]]) -> list[list[Word]]:
    """Return paragraphs of words, each of one of the kinds that the format can write."""
    words = [[word if isinstance(word, list) else [Piece(word)] for word in kind] for kind in kinds]
    return [
        [random.choice(random.choice(words)) for _ in range(random.randint(4, 14))] for _ in range(random.randint(1, 6))
    ]


def _marked(word: Word, marks: dict[str, str], escaped: Callable[[str], str]) -> str:
    return "".join(marks.get(piece.style, "{}").format(escaped(piece.text)) for piece in word)


def _lines(paragraphs: list[list[Word]], marks: dict[str, str], escaped: Callable[[str], str]) -> list[str]:
    return [" ".join(_marked(word, marks, escaped) for word in words) for words in paragraphs]


_HTML = {"bold": "<b>{}</b>", "italic": "<em>{}</em>", "sup": "<sup>{}</sup>", "sub": "<sub>{}</sub>"}


def _html_lines(paragraphs: list[list[Word]]) -> list[str]:
    return _lines(paragraphs, _HTML, escape)


def _html(paragraphs: list[list[Word]]) -> bytes:
    body = "".join(f"<p>{line}</p>" for line in _html_lines(paragraphs))
    return f"<html><meta charset='utf-8'><body>{body}</body></html>".encode()


def _book(paragraphs: list[list[Word]]) -> bytes:
    return book({f"c{at}.xhtml": f"<p>{line}</p>" for at, line in enumerate(_html_lines(paragraphs))})


def _mhtml(paragraphs: list[list[Word]]) -> bytes:
    message = EmailMessage()
    message.set_content(_html(paragraphs).decode(), subtype="html", cte="quoted-printable")
    return b"From: <Saved by Blink>\r\n" + message.as_bytes()


def _mail(paragraphs: list[list[Word]]) -> bytes:
    message = EmailMessage()
    message.set_content(_html(paragraphs).decode(), subtype="html", cte="base64")
    return message.as_bytes()


def _outlook(paragraphs: list[list[Word]]) -> bytes:
    return outlook_message({(0x1013, BYTES): _html(paragraphs)})


def _markdown(paragraphs: list[list[Word]]) -> bytes:
    marks = _HTML | {"bold": "**{}**", "italic": "*{}*"}
    escaped = re.compile(r"([!-/:-@[-`{-~])")
    return "\n\n".join(_lines(paragraphs, marks, lambda text: escaped.sub(r"\\\1", text))).encode()


def _rst(paragraphs: list[list[Word]]) -> bytes:
    marks = {"bold": r"\ **{}**\ ", "italic": r"\ *{}*\ ", "sup": r"\ :sup:`{}`\ ", "sub": r"\ :sub:`{}`\ "}
    lines = _lines(paragraphs, marks, lambda text: re.sub(r"([\\*`|_:\[\]<>])", r"\\\1", text))
    return "\n\n".join(rf"\ {line}" for line in lines).encode()


def _adoc(paragraphs: list[list[Word]]) -> bytes:
    marks = {"bold": "**{}**", "italic": "__{}__", "sup": "^{}^", "sub": "~{}~"}
    return "\n\n".join(_lines(paragraphs, marks, str)).encode()


def _tex(paragraphs: list[list[Word]]) -> bytes:
    marks = {"bold": r"\textbf{{{}}}", "italic": r"\emph{{{}}}", "sup": "$^{{{}}}$", "sub": "$_{{{}}}$"}
    signs = {"–": "--", "—": "---", "“": "``", "”": "''", "°": r"\textdegree{}", "\\": r"\textbackslash{}"}
    signs |= {sign: f"\\{sign}" for sign in "$%&#_{}"} | {"~": r"\textasciitilde{}", "^": r"\^{}"}
    lines = _lines(paragraphs, marks, lambda text: "".join(signs.get(one, one) for one in text))
    body = "\n\n".join(lines)
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


def _odt(paragraphs: list[list[Word]]) -> bytes:
    marks = {name: f'<text:span text:style-name="{name}">{{}}</text:span>' for name in _HTML}
    styles = "".join(
        f'<style:style style:name="{name}"><style:text-properties style:text-position="{name} 58%"/></style:style>'
        for name in ("sup", "sub")
    )
    body = "".join(f"<text:p>{line}</text:p>" for line in _lines(paragraphs, marks, xml_escape))
    return odf_file("odt", body, styles=styles)


def _jats(paragraphs: list[list[Word]]) -> bytes:
    marks = _HTML | {"bold": "<bold>{}</bold>", "italic": "<italic>{}</italic>"}
    body = "".join(f"<p>{line}</p>" for line in _lines(paragraphs, marks, xml_escape))
    return f"<article><body><sec>{body}</sec></body></article>".encode()


def _runs(words: list[Word]) -> list[Piece]:
    return [piece for word in words for piece in (*word, Piece(" "))]


def _docx(paragraphs: list[list[Word]]) -> bytes:
    document = Document()
    for words in paragraphs:
        paragraph = document.add_paragraph()
        for piece in _runs(words):
            font = paragraph.add_run(piece.text).font
            font.bold, font.italic = piece.style == "bold", piece.style == "italic"
            font.superscript, font.subscript = piece.style == "sup", piece.style == "sub"
    return saved(document)


def _pptx(paragraphs: list[list[Word]]) -> bytes:
    deck = Presentation()
    for words in paragraphs:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        paragraph = slide.placeholders[1].text_frame.paragraphs[0]
        for piece in _runs(words):
            run = paragraph.add_run()
            run.text, run.font.bold = piece.text, piece.style == "bold"
            if piece.style in ("sup", "sub"):
                run.font._element.set("baseline", "30000" if piece.style == "sup" else "-25000")
    return saved(deck)


def _xlsx(paragraphs: list[list[Word]]) -> bytes:
    workbook = Workbook()
    scripts = {"sup": "superscript", "sub": "subscript"}
    for at, words in enumerate(paragraphs, 1):
        runs = (
            TextBlock(InlineFont(b=piece.style == "bold", vertAlign=scripts.get(piece.style)), piece.text)
            for piece in _runs(words)
        )
        workbook.active.cell(at, 1, CellRichText(*runs))
    return saved(workbook)


def _text(paragraphs: list[list[Word]]) -> bytes:
    return "\n\n".join(_lines(paragraphs, {}, str)).encode()


def _vtt(paragraphs: list[list[Word]]) -> bytes:
    cues = (
        f"00:{at:02}:00.000 --> 00:{at:02}:05.000\n{line}\n"
        for at, line in enumerate(_lines(paragraphs, {"bold": "<b>{}</b>", "italic": "<i>{}</i>"}, escape))
    )
    return "\n".join(["WEBVTT\n", *cues]).encode()


def _csv(paragraphs: list[list[Word]]) -> bytes:
    rows = (f'{at},"{line}"' for at, line in enumerate(_lines(paragraphs, {}, str)))
    return "\n".join(["number,text", *rows]).encode()


def _pdf(paragraphs: list[list[Word]]) -> bytes:
    buffer = BytesIO()
    style = getSampleStyleSheet()["Normal"]
    style.spaceAfter = 12
    marks = {"bold": "<b>{}</b>", "italic": "<i>{}</i>"}
    lines = _lines(paragraphs, marks, xml_escape)
    SimpleDocTemplate(buffer, invariant=1).build([Paragraph(line, style) for line in lines])
    return buffer.getvalue()


_MARKED = (_STYLED, _LATIN, _SIGNS, _SCRIPTS)
_BARE = (_LATIN, _SIGNS, _SCRIPTS)
_NO_SCRIPTS = [word for word in _STYLED if all(piece.style in ("", "bold", "italic") for piece in word)]
FORMATS: dict[str, tuple[Callable[[list[list[Word]]], bytes], Sequence[Sequence[Any]]]] = {
    "adoc": (_adoc, (_STYLED, _LATIN, _SCRIPTS)),
    "csv": (_csv, _BARE),
    "docx": (_docx, _MARKED),
    "eml": (_mail, _MARKED),
    "epub": (_book, _MARKED),
    "html": (_html, _MARKED),
    "md": (_markdown, _MARKED),
    "mhtml": (_mhtml, _MARKED),
    "msg": (_outlook, _MARKED),
    "odt": (_odt, _MARKED),
    "pdf": (_pdf, (_NO_SCRIPTS, [word for word in _LATIN if word.isascii()])),
    "pptx": (_pptx, _MARKED),
    "rst": (_rst, _MARKED),
    "tex": (_tex, (_STYLED, _LATIN)),
    "txt": (_text, _BARE),
    "vtt": (_vtt, (_NO_SCRIPTS, _LATIN, _SCRIPTS)),
    "xlsx": (_xlsx, _MARKED),
    "xml": (_jats, _MARKED),
}


def _changed(media_type: str, seed: int) -> list[str]:
    """Return what of the document of this seed does not stand in its blocks, in its order."""
    write, kinds = FORMATS[media_type]
    paragraphs = _paragraphs(Random(seed), kinds)
    parsed = load_readers({media_type: READERS[media_type]})[media_type](write(paragraphs))
    found = " ".join(word for block in parsed.blocks for word in block.text.split())
    at, changed = 0, []
    for words in paragraphs:
        wanted = " ".join(map(_expected, words))
        place = found.find(wanted, at)
        if place < 0:
            changed.append(f"{wanted!r} is not in {found[at:]!r}")
        at = max(at, place + len(wanted))
    return changed


@pytest.mark.parametrize("media_type", FORMATS)
def test_words_stand_as_they_are_written(media_type: str) -> None:
    for seed in range(8):
        assert not _changed(media_type, seed)
