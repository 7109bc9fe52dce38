"""DOCX, PPTX and XLSX."""

from __future__ import annotations

from typing import Any

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree
from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Pt

from tests.parse.conftest import saved
from tests.parse.conservation.word_documents import add_clause, add_list


def word_file() -> bytes:
    document = Document()
    document.core_properties.title = "Tïtle & more"
    document.add_heading("Main", 0)
    document.add_heading("Section", 1)
    run = document.add_paragraph("Plain ").add_run("bold")
    run.bold = True
    document.add_paragraph("Item", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for index, text in enumerate(["Name", "Größe", "a", "1"]):
        table.cell(index // 2, index % 2).text = text
    return saved(document)


def test_docx(parse_one: Any) -> None:
    parsed = parse_one("a.docx", word_file())
    assert parsed.document["title"] == "Tïtle & more"
    assert parsed.document["pages_in"] is None
    assert parsed.kinds == [
        ("title", "Main"),
        ("heading", "Section"),
        ("paragraph", "Plain bold"),
        ("list_item", "Item"),
        ("table", "Name: a | Größe: 1"),
    ]


def test_xml_comments_and_drop_caps(parse_one: Any) -> None:
    document = Document()
    framed = document.add_paragraph("T")
    frame = OxmlElement("w:framePr")
    frame.set(qn("w:dropCap"), "drop")
    framed._p.get_or_add_pPr().append(frame)
    document.add_paragraph("he valve opens.")
    document.element.body.insert(0, etree.Comment("an exporter's remark"))
    document.element.body.insert(1, etree.ProcessingInstruction("exporter", "1"))
    parsed = parse_one("a.docx", saved(document))
    assert parsed.kinds == [("paragraph", "The valve opens.")]
    assert parsed.document["left_out"] == [{"reason": "comment", "count": 1}]


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("Wingdings", "F0FE", "☑"), ("Wingdings", "A8", "☐"), ("Wingdings", "F0E0", "→"),
        ("Symbol", "F0B1", "±"), ("Symbol", "F061", "\u03b1"), ("Arial", "2192", "→"),
        ("Wingdings", "F07F", "\ufffd"), ("Unknown", "F061", "\ufffd"), ("Symbol", "x", "\ufffd"),
    ],
)  # fmt: skip
def test_signs_of_other_fonts(parse_one: Any, font: str, code: str, sign: str) -> None:
    document = Document()
    run = document.add_paragraph("The sign is ").add_run()
    element = OxmlElement("w:sym")
    element.set(qn("w:font"), font)
    element.set(qn("w:char"), code)
    run._r.append(element)
    document.add_paragraph("As text: ").add_run("\uf0fe").font.name = "Wingdings"
    parsed = parse_one("a.docx", saved(document))
    assert [text for _, text in parsed.kinds] == [f"The sign is {sign}", "As text: ☑"]
    assert parsed.left_out == ({"unreadable_glyphs": 1} if sign == "\ufffd" else {})


def test_signs_of_slides_and_cells(parse_one: Any) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(Pt(1), Pt(1), Pt(288), Pt(36)).text_frame.paragraphs[0]
    for text in ("Alta ", "à", " Bodø"):
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().append(
            etree.fromstring(
                '<a:sym xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" typeface="Wingdings"/>'
            )
        )
    assert parse_one("a.pptx", saved(deck)).kinds == [("paragraph", "Alta → Bodø")]
    book = Workbook()
    book.active["B2"] = "þ"
    book.active["B2"].font = Font(name="Wingdings")
    assert parse_one("a.xlsx", saved(book)).kinds[1:] == [("paragraph", "☑")]


@pytest.mark.parametrize(
    ("forms", "numbers"),
    [
        (("%1.", "%1.%2", "(%3)|lowerLetter"), "1. 1.1 1.2 (a) (b) 2. 2.1 1."),
        (("Article %1|upperRoman", "%2."), "Article:I 1. 2. - - Article:II 1. Article:I"),
        (("§ %1", "%1.%2|decimalZero"), "§:1 1.01 1.02 - - §:2 2.01 §:1"),
        (("%1.", "%2)"), "- - - - - - - -"),
    ],
)
def test_numbers_of_clauses(parse_one: Any, forms: tuple[str, ...], numbers: str) -> None:
    document = Document()
    add_list(document, *forms)
    for level in (0, 1, 1, 2, 2, 0, 1):
        add_clause(document, "Text.", level)
    add_clause(document, "Text.", 0, "81")
    texts = [text.removesuffix("Text.") for _, text in parse_one("a.docx", saved(document)).kinds]
    assert texts == ["" if one == "-" else one.replace(":", " ") + " " for one in numbers.split()]


def test_numbers_of_headings(parse_one: Any) -> None:
    document = Document()
    add_list(document, "%1|upperLetter", "%1.%2")
    for style, level in (("Heading 1", 0), ("Heading 2", 1), (None, 1), ("Heading 1", 0)):
        add_clause(document, "Text", level, style=style)
    assert parse_one("a.docx", saved(document)).kinds == [
        ("heading", "A Text"), ("heading", "A.1 Text"), ("list_item", "A.2 Text"), ("heading", "B Text"),
    ]  # fmt: skip


def slides_file() -> bytes:
    deck = Presentation()
    for title, text in [("Deck", "First slide."), ("Second", "日本語")]:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        box = slide.shapes.add_textbox(Pt(72), Pt(144), Pt(288), Pt(36))
        box.text_frame.text = text
    deck.slides.add_slide(deck.slide_layouts[6])
    return saved(deck)


def test_pptx(parse_one: Any) -> None:
    parsed = parse_one("a.pptx", slides_file())
    assert parsed.kinds == [
        ("title", "Deck"),
        ("paragraph", "First slide."),
        ("heading", "Second"),
        ("paragraph", "日本語"),
    ]
    assert [block["page"] for block in parsed.blocks] == [1, 1, 2, 2]
    assert parsed.blocks[1]["bbox"] == {"left": 72, "top": 144, "right": 360, "bottom": 180}
    document = parsed.document
    assert (document["title"], document["pages_in"], document["pages_out"]) == ("Deck", 3, 2)


def test_comments_of_word_documents(parse_one: Any) -> None:
    document = Document()
    run = document.add_paragraph("Steel ").add_run("floats")
    document.add_comment(run, text="Does it?", author="Ann Bee", initials="AB")
    texts = [text for _, text in parse_one("a.docx", saved(document)).kinds]
    assert texts[0] == "Steel floats"
    assert texts[1].startswith("[author: Ann Bee (AB), time: ")
    assert texts[1].endswith("]: Does it?")


def test_charts_of_slides(parse_one: Any) -> None:
    deck = Presentation()
    data = CategoryChartData()
    data.categories = ["2019", "2020"]
    data.add_series("Boats", (1.5, 2))
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    place = (Pt(72), Pt(72), Pt(288), Pt(144))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Traffic"
    parsed = parse_one("a.pptx", saved(deck))
    assert parsed.kinds == [
        ("caption", "Traffic"),
        ("caption", "Bar chart"),
        ("table", "2019 | Boats: 1.5\n2020 | Boats: 2"),
    ]
    assert parsed.blocks[2]["page"] == 1
    assert parsed.cells[-1]["number"] == 2


@pytest.mark.parametrize("columns", [1, 2])
def test_a_table_inside_a_cell_is_kept(parse_one: Any, columns: int) -> None:
    document = Document()
    outer = document.add_table(1, columns)
    outer.cell(0, 0).text = "outer"
    inner = outer.cell(0, 0).add_table(1, 2)
    inner.cell(0, 0).text = "inner left"
    inner.cell(0, 1).text = "inner right"
    deepest = inner.cell(0, 1).add_table(1, 2)
    deepest.cell(0, 0).text = "deepest left"
    deepest.cell(0, 1).text = "deepest right"
    texts = [text for _, text in parse_one("a.docx", saved(document)).kinds]
    assert texts == ["outer", "inner left | inner right", "deepest left | deepest right"]
