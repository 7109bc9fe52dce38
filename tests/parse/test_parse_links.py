"""Links of every format: the text they stand at, and what they refer to, as written."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Pt
from reportlab.pdfgen.canvas import Canvas

Links = list[tuple[str, str]]


def links(parsed: Any) -> Links:
    """Return anchor text and address of every link."""
    return [
        (block["text"][link["start"] : link["end"]], link["href"])
        for block in parsed.blocks
        for link in block["links"] or ()
    ]


def anchors(parsed: Any) -> list[tuple[str, str]]:
    return [(block["text"], name) for block in parsed.blocks for name in block["anchors"] or ()]


MARKDOWN = """# Guide

Read [the *other* file](dir/other%20file.md#part), <https://e.org/ä?a=1&b=2>, https://auto.org/x_y,
[by name][ref] and `code`. ![picture](a.png) [![badge](b.png)](c.md)

- [Item](item.md)

| A [head](head.md) | B |
|---|---|
| 1 | [cell](cell.md) |
| 2 | x |

[ref]: <with space.md> "title"
"""


def test_markdown(parse_one: Any) -> None:
    parsed = parse_one("a.md", MARKDOWN.encode())
    assert links(parsed) == [
        ("the other file", "dir/other%20file.md#part"),
        ("https://e.org/ä?a=1&b=2", "https://e.org/ä?a=1&b=2"),
        ("https://auto.org/x_y", "https://auto.org/x_y"),
        ("by name", "with space.md"),
        ("Item", "item.md"),
        ("head", "head.md"),
        ("cell", "cell.md"),
    ]
    assert parsed.kinds[-1] == ("table", "A head: 1 | B: cell\nA head: 2 | B: x")


def test_html(parse_one: Any) -> None:
    page = """<p>An <a href=" a.html ">  <b>inner</b> space </a>, <a href="#">top</a>,
        <a href="javascript:void(0)">run</a>, <a href="data:text/plain,x">data</a>, <a>none</a>,
        <a href="e.html"></a><a href="i.html"><img src="i.png"></a>and <a href="#b">down</a>.</p>
        <a href="card.html"><div><h2 id="card">Card</h2><p>Its text.</p></div></a>
        <pre>code <a href="c.html">linked</a></pre>"""
    parsed = parse_one("a.html", page.encode())
    assert links(parsed) == [
        ("inner space", "a.html"), ("down", "#b"), ("Card", "card.html"), ("linked", "c.html"),
    ]  # fmt: skip
    assert parsed.kinds[0] == (
        "paragraph", "An inner space , top, run, data, none, and down.",
    )  # fmt: skip


def test_ids_stand_at_the_text_they_name(parse_one: Any) -> None:
    page = """<h1>Title <a name="loio1"/></h1><p id="p">One.</p><a id="late"></a><h2>Second</h2>
        <div id="outer"><ul><li id="item">Two.</li></ul></div><p id="end"></p>"""
    assert anchors(parse_one("a.html", page.encode())) == [
        ("Title", "loio1"), ("One.", "p"), ("Second", "late"), ("Two.", "outer"), ("Two.", "item"),
    ]  # fmt: skip


def hyperlink(paragraph: Any, text: str, address: str) -> None:
    """Add a hyperlink to a paragraph; python-docx reads but does not write them."""
    identity = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    element = OxmlElement("w:hyperlink")
    element.set(qn("r:id"), identity)
    run = OxmlElement("w:r")
    words = OxmlElement("w:t")
    words.text = text
    run.append(words)
    element.append(run)
    paragraph._p.append(element)


def saved(document: Any) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_docx(parse_one: Any) -> None:
    document = Document()
    paragraph = document.add_paragraph("See ")
    hyperlink(paragraph, "the guide", "dir/guide.docx")
    paragraph.add_run(", then stop.")
    hyperlink(document.add_paragraph(), "alone", "https://e.org/x")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["Name", "Link", "a"]):
        table.cell(place // 2, place % 2).text = text
    hyperlink(table.cell(1, 0).paragraphs[0], "b", "b.docx")
    hyperlink(table.cell(1, 1).paragraphs[0], "cell", "https://e.org/cell")
    parsed = parse_one("a.docx", saved(document))
    assert links(parsed) == [
        ("the guide", "dir/guide.docx"),
        ("alone", "https://e.org/x"),
        ("b", "b.docx"),
        ("cell", "https://e.org/cell"),
    ]
    assert parsed.kinds == [
        ("paragraph", "See the guide, then stop."),
        ("paragraph", "alone"),
        ("table", "Name: ab | Link: cell"),
    ]


def test_pptx(parse_one: Any) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Deck"
    frame = slide.shapes.add_textbox(Pt(72), Pt(144), Pt(288), Pt(36)).text_frame
    frame.text = "here is: "
    run = frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "here", "other.pptx"
    assert links(parse_one("a.pptx", saved(deck))) == [("here", "other.pptx")]


def test_xlsx(parse_one: Any) -> None:
    book = Workbook()
    book.create_sheet("Hidden").sheet_state = "hidden"
    sheet = book.create_sheet("Links & more")
    for row in (["Name", "Link"], ["a", "see"], ["b", "see"]):
        sheet.append(row)
    sheet["B2"].hyperlink = "docs/x.md#y"
    sheet["B3"].hyperlink = "https://e.org/?a=1&b=2"
    parsed = parse_one("a.xlsx", saved(book))
    assert links(parsed) == [("see", "docs/x.md#y"), ("see", "https://e.org/?a=1&b=2")]
    assert parsed.blocks[-1]["text"] == "Name: a | Link: see\nName: b | Link: see"


def test_pdf(parse_one: Any) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer)
    for page in range(2):
        canvas.drawString(72, 700, f"Page {page}: read the guide before you begin.")
        start = 72 + canvas.stringWidth(f"Page {page}: read ")
        end = start + canvas.stringWidth("the guide")
        canvas.linkURL(f"https://e.org/{page}", (start, 697, end, 711))
        canvas.linkRect("", "inside", (300, 690, 400, 710))
        canvas.bookmarkPage("inside")
        canvas.showPage()
    canvas.save()
    parsed = parse_one("a.pdf", buffer.getvalue())
    assert links(parsed) == [("the guide", "https://e.org/0"), ("the guide", "https://e.org/1")]
    assert [block["page"] for block in parsed.blocks if block["links"]] == [1, 2]
