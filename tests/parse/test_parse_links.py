"""Blocks with links are told in every format: below some headings these lead elsewhere."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx import Presentation
from pptx.util import Pt
from reportlab.pdfgen.canvas import Canvas

from tests.parse.conftest import saved


def linked(parsed: Any) -> list[str]:
    """Return the texts that have a link."""
    return [block["text"] for block in parsed.blocks if block["has_link"]]


MARKDOWN = """# Guide

Read [the *other* file](dir/other%20file.md#part).

See <https://e.org/ä?a=1&b=2>.

By [name][ref].

Plain ![picture](a.png) [![badge](b.png)](c.md)

- [Item](item.md)
- Other

[ref]: <with space.md> "title"
"""


def test_markdown(parse_one: Any) -> None:
    parsed = parse_one("a.md", MARKDOWN.encode())
    assert linked(parsed) == ["Read the other file.", "See https://e.org/ä?a=1&b=2.", "By name.", "Item"]


def test_html(parse_one: Any) -> None:
    page = """<p><a href="#">top</a>, <a href="javascript:void(0)">run</a>, <a>none</a>,
        <a href="data:text/plain,x">data</a>, <a href="e.html"></a>
        <a href="i.html"><img src="i.png"></a></p><p>An <a href=" a.html ">  <b>inner</b></a>.</p>
        <a href="card.html"><div><h2>Card</h2><p>Its text.</p></div></a><p>After.</p>
        <pre>code <a href="c.html">linked</a></pre>"""
    assert linked(parse_one("a.html", page.encode())) == ["An inner.", "Card", "Its text.", "code linked"]


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


def test_docx(parse_one: Any) -> None:
    document = Document()
    paragraph = document.add_paragraph("See ")
    hyperlink(paragraph, "the guide", "dir/guide.docx")
    paragraph.add_run(", then stop.")
    hyperlink(document.add_paragraph(), "alone", "https://e.org/x")
    document.add_paragraph("The guide is the end.")
    parsed = parse_one("a.docx", saved(document))
    assert linked(parsed) == ["See the guide, then stop.", "alone"]


def test_pptx(parse_one: Any) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Deck"
    frame = slide.shapes.add_textbox(Pt(72), Pt(144), Pt(288), Pt(36)).text_frame
    frame.text = "here is: "
    run = frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "here", "other.pptx"
    other = deck.slides.add_slide(deck.slide_layouts[5])
    other.shapes.title.text = "here"
    assert linked(parse_one("a.pptx", saved(deck))) == ["here is: here"]


def test_pdf(parse_one: Any) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer)
    for page in range(2):
        canvas.drawString(72, 700, f"Page {page}: read the guide before you begin.")
        start = 72 + canvas.stringWidth(f"Page {page}: read ")
        end = start + canvas.stringWidth("the guide")
        canvas.linkURL(f"https://e.org/{page}", (start, 697, end, 711))
        canvas.drawString(72, 500, "A page below: the guide is not linked here.")
        canvas.linkRect("", "inside", (72, 490, 400, 510))
        canvas.bookmarkPage("inside")
        canvas.showPage()
    canvas.save()
    parsed = parse_one("a.pdf", buffer.getvalue())
    assert linked(parsed) == [f"Page {one}: read the guide before you begin." for one in range(2)]
