"""Write a document as PDF with outline bookmarks, ruled tables and page numbers."""

from __future__ import annotations

from io import BytesIO
from xml.sax.saxutils import escape

from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, KeepTogether, ListFlowable, ListItem, PageTemplate
from reportlab.platypus import Paragraph as PdfParagraph
from reportlab.platypus import Table as PdfTable

from corpus_builder.blocks import Block, Document, Heading, Inline, ItemList, Paragraph, Table, plain_text

MARGIN: float = 2.2 * cm
TEXT_WIDTH: float = A4[0] - 2 * MARGIN
TEXT_HEIGHT: float = A4[1] - 2 * MARGIN

CELL_PADDING = 9

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15, spaceAfter=7)
ITEM = ParagraphStyle("item", parent=BODY, spaceAfter=3)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=9.5, leading=12.5, spaceAfter=0)
HEADER_CELL = ParagraphStyle("header-cell", parent=CELL, fontName="Helvetica-Bold")
HEADINGS = {
    level: ParagraphStyle(
        f"heading-{level}",
        fontName="Helvetica-Bold",
        fontSize=size,
        leading=size * 1.3,
        spaceBefore=size * 0.8,
        spaceAfter=size * 0.5,
        keepWithNext=True,
    )
    for level, size in ((1, 20), (2, 14.5), (3, 12))
}
TABLE_STYLE = [
    ("GRID", (0, 0), (-1, -1), 0.6, colors.black),
    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e6eaf0")),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), CELL_PADDING),
    ("RIGHTPADDING", (0, 0), (-1, -1), CELL_PADDING),
]


def render_pdf(document: Document) -> bytes:
    """Return the PDF bytes of a document; equal documents give equal bytes."""
    rl_config.invariant = 1
    buffer = BytesIO()
    template = BaseDocTemplate(
        buffer, pagesize=A4, title=document.title, author="Example corpus", lang="en", pageCompression=0, invariant=1
    )
    frame = Frame(MARGIN, MARGIN, TEXT_WIDTH, TEXT_HEIGHT, 0, 0, 0, 0)
    template.addPageTemplates(PageTemplate(frames=[frame], onPageEnd=_draw_page_number))
    template.afterFlowable = lambda flowable: _add_bookmark(template.canv, flowable)
    template.build([_flowable(block) for block in document.blocks])
    return buffer.getvalue()


def _draw_page_number(canvas: Canvas, template: BaseDocTemplate) -> None:
    canvas.saveState()
    canvas.setFont("Helvetica", 8.5)
    canvas.drawCentredString(A4[0] / 2, MARGIN / 2, f"Page {template.page}")
    canvas.restoreState()


def _add_bookmark(canvas: Canvas, flowable: Flowable) -> None:
    level = getattr(flowable, "outline_level", None)
    if level is None:
        return
    key = f"heading-{canvas.getPageNumber()}-{flowable.outline_text}"
    canvas.bookmarkPage(key)
    canvas.addOutlineEntry(flowable.outline_text, key, level)


def _flowable(block: Block) -> Flowable:
    match block:
        case Heading(level, content):
            return _heading(level, content)
        case Paragraph(content):
            return PdfParagraph(_markup(content), BODY)
        case ItemList():
            return _item_list(block)
        case Table():
            return _table(block)


def _heading(level: int, content: Inline) -> Flowable:
    heading = PdfParagraph(_markup(content), HEADINGS[level])
    heading.outline_level = level - 1
    heading.outline_text = plain_text(content)
    return heading


def _item_list(block: ItemList) -> Flowable:
    items = [ListItem(PdfParagraph(_markup(item), ITEM)) for item in block.items]
    marker = (
        {"bulletType": "1", "bulletFormat": "%s.", "bulletFontSize": ITEM.fontSize}
        if block.ordered
        else {"bulletType": "bullet", "start": "\u2022"}
    )
    return ListFlowable(items, leftIndent=18, spaceAfter=6, **marker)


def _table(block: Table) -> Flowable:
    cells = [
        [PdfParagraph(_markup(cell), CELL if number else HEADER_CELL) for cell in row]
        for number, row in enumerate(block.rows)
    ]
    table = PdfTable(
        cells,
        colWidths=_column_widths(block),
        style=TABLE_STYLE,
        repeatRows=1,
        hAlign="LEFT",
        spaceBefore=4,
        spaceAfter=12,
    )
    return KeepTogether([table])


def _column_widths(block: Table) -> list[float]:
    """Give each column the room that its longest cell needs and share the rest equally."""
    columns = [[plain_text(cell) for cell in column] for column in zip(*block.rows, strict=True)]
    needed = [_needed_width(cells) for cells in columns]
    rest = (TEXT_WIDTH - sum(needed)) / len(columns)
    return [width + rest for width in needed]


def _needed_width(cells: list[str]) -> float:
    """Return the width of the longest cell, which may wrap between words if it is very long."""
    whole = min(_longest(cells), TEXT_WIDTH * 0.45)
    return max(whole, _longest(" ".join(cells).split())) + 2 * CELL_PADDING


def _longest(texts: list[str]) -> float:
    """Return the width of the widest text in points, measured in the bold header font."""
    style = HEADER_CELL
    return max(float(stringWidth(text, style.fontName, style.fontSize)) for text in texts)


def _markup(content: Inline) -> str:
    parts: list[str] = []
    for span in content:
        text = escape(span.text)
        if span.code:
            text = f'<font face="Courier">{text}</font>'
        parts.append(f"<b>{text}</b>" if span.bold else text)
    return "".join(parts)
