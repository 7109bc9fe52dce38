"""PDF."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import reportlab
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.docling_blocks import convert
from graphrag_tasks.parse.pdf import pipeline
from graphrag_tasks.parse.pdf.lines import Line
from graphrag_tasks.parse.pdf.reader import read_pdf

LEFT, LEADING = 72, 14


def pdf_file(draw: Callable[[Canvas], None], **options: Any) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def text_at(canvas: Canvas, top: float, *lines: str) -> None:
    for number, line in enumerate(lines):
        canvas.drawString(LEFT, A4[1] - top - number * LEADING, line)


def two_pages(canvas: Canvas) -> None:
    canvas.setTitle("Métadata title")
    canvas.bookmarkPage("one")
    canvas.addOutlineEntry("Introduction", "one", 0)
    text_at(canvas, 80, "1. Introduction")
    text_at(canvas, 110, "The first paragraph has a long line that fills the width and an infor-")
    text_at(canvas, 124, "mation that goes on. It ends here.")
    text_at(canvas, 160, "The second paragraph begins on the first page of the file and it goes on")
    text_at(canvas, 780, "1")
    canvas.showPage()
    text_at(canvas, 80, "at the top of the second page.")
    text_at(canvas, 780, "2")
    canvas.showPage()
    canvas.showPage()


def test_pdf(parse_one: Any) -> None:
    parsed = parse_one("a.pdf", pdf_file(two_pages))
    assert parsed.kinds == [
        ("heading", "1. Introduction"),
        (
            "paragraph",
            "The first paragraph has a long line that fills the width and an information that goes on. It ends here.",
        ),
        (
            "paragraph",
            "The second paragraph begins on the first page of the file and it goes on at the top of the second page.",
        ),
    ]
    document = parsed.document
    assert (document["title"], document["pages_in"]) == ("Métadata title", 3)
    assert document["pages_out"] == 2
    heading = parsed.blocks[0]
    assert (heading["level"], heading["page"]) == (1, 1)
    box = heading["bbox"]
    assert abs(box["left"] - LEFT) < 2
    assert 68 < box["top"] < 80 < box["bottom"] < 84


def test_a_pdf_without_text(parse_one: Any) -> None:
    document = parse_one("a.pdf", pdf_file(lambda canvas: canvas.rect(9, 9, 99, 99))).document
    assert (document["status"], document["error_code"]) == ("empty", "no_text")
    assert "parse.ocr" in document["error_message"]
    assert (document["pages_in"], document["pages_out"]) == (1, 0)


def test_notes_are_read_behind_their_page(parse_one: Any) -> None:
    def notes(canvas: Canvas) -> None:
        for number in (1, 2):
            text_at(canvas, 80, f"The plan number {number} is drawn on this page of the file.")
            box = [72, 600, 90, 620]
            canvas.textAnnotation(f"The reviewer doubts plan {number}.\rWhy?", box)
            canvas.highlightAnnotation("is drawn on this page", box)
            canvas.freeTextAnnotation("A free text.", "/Helv 9 Tf", [300, 600, 400, 620])
            canvas.textAnnotation("Hidden.", box)
            canvas.showPage()

    data = pdf_file(notes, pageCompression=0)
    assert data.count(b"(Hidden.)") == 2
    parsed = parse_one("a.pdf", data.replace(b"(Hidden.)", b"(Hidden.) /F 2"))
    assert [(block["page"], block["text"]) for block in parsed.blocks] == [
        (number, text)
        for number in (1, 2)
        for text in (
            f"The plan number {number} is drawn on this page of the file.",
            f"The reviewer doubts plan {number}.\nWhy?",
            "A free text.",
        )
    ]
    assert parsed.document["left_out"] == [{"reason": "hidden", "count": 2}]


def test_letters_that_the_file_does_not_name(parse_one: Any) -> None:
    """Without its table of letters, a font tells none of those that are not in ASCII."""
    folder = Path(reportlab.__file__).parent / "fonts"
    registerFont(TTFont("Vera", folder / "Vera.ttf"))

    def greek(canvas: Canvas, *lines: str) -> None:
        text_at(canvas, 60, "The plan of the garden is in the hut.")
        canvas.setFont("Vera", 10)
        text_at(canvas, 100, *lines)

    def draw(*lines: str) -> bytes:
        data = pdf_file(lambda canvas: greek(canvas, *lines), pageCompression=0)
        return data.replace(b"/ToUnicode", b"/ToUnicodX")

    document = parse_one("a.pdf", draw("Łódź")).document
    assert document["status"] == "parsed"
    assert document["left_out"] == [{"reason": "unreadable_glyphs", "count": 3}]
    data = draw(*["ŽŠŁŽŠŁ ŁŽŠ ŽŠŁ"] * 9)
    document = parse_one("a.pdf", data).document
    assert (document["status"], document["error_code"]) == ("failed", "glyphs")
    assert "parse.ocr" in document["error_message"]
    by_ocr = pipeline.LayoutPdfPipeline(
        NativePdfPipelineOptions(), lambda page: [Line("Read", Box(9, 9, 40, 20), page, size=11)]
    )
    assert [text.text for text in convert(data, "pdf", by_ocr).texts] == ["Read"]


LONG = "A sentence of the body that is long enough to fill the line up to its right edge."


def report(canvas: Canvas) -> None:
    """A page with a header, a title, two levels of headings, a list, a table, code and a footer."""
    for page in (1, 2, 3):
        canvas.setFont("Helvetica", 8)
        text_at(canvas, 40, "Manual of everything")
        text_at(canvas, 800, f"Page {page}")
        canvas.setFont("Helvetica-Bold", 20)
        text_at(canvas, 90, ("Stocks", "Orders", "Prices")[page - 1])
        canvas.setFont("Helvetica-Bold", 13)
        text_at(canvas, 130, ("Where stocks are", "What orders need", "How prices rise")[page - 1])
        canvas.setFont("Helvetica", 10)
        text_at(canvas, 160, LONG, LONG, "It ends.")
        text_at(canvas, 220, "\u2022  A first item of a list", "\u2022  A second item of a list")
        canvas.setFont("Courier", 10)
        text_at(canvas, 560, "for item in items:", "    work(item)")
        canvas.setFont("Helvetica", 10)
        text_at(canvas, 620, "Figure 1: How it is done.")
        draw_table(canvas, ROWS)
        canvas.showPage()


ROWS = (("Table", "Content", "State"), ("MARD", "stock", "hybrid"), ("MKPF", "header", "proxy"))


def draw_table(canvas: Canvas, rows: Any, *, ruled: bool = True) -> None:
    top, height, width = 300, 20, 120
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            x, y = LEFT + column * width, A4[1] - top - (number + 1) * height
            if ruled:
                canvas.rect(x, y, width, height)
            canvas.drawString(x + 4, y + 6, cell)


def test_a_report_without_bookmarks(parse_one: Any) -> None:
    parsed = parse_one("a.pdf", pdf_file(report))
    first = [block for block in parsed.blocks if block["page"] == 1]
    assert [(block["kind"], block["level"], block["text"]) for block in first] == [
        ("heading", 1, "Stocks"),
        ("heading", 2, "Where stocks are"),
        ("paragraph", None, f"{LONG} {LONG} It ends."),
        ("list_item", None, "A first item of a list"),
        ("list_item", None, "A second item of a list"),
        ("table", None, "Table: MARD | Content: stock | State: hybrid\nTable: MKPF | Content: header | State: proxy"),
        ("code", None, "for item in items:\n    work(item)"),
        ("caption", None, "Figure 1: How it is done."),
    ]
    assert all(block["bbox"] for block in parsed.blocks)
    table = next(block["bbox"] for block in first if block["kind"] == "table")
    assert abs(table["left"] - LEFT) < 2
    assert abs(table["top"] - 300) < 2
    assert parsed.document["pages_out"] == 3


def test_a_table_without_lines(parse_one: Any) -> None:
    rows = (("Year", "Sales", "Costs"), ("2023", "17.5", "12.1"), ("2024", "19.0", "14.8"))
    data = pdf_file(lambda canvas: draw_table(canvas, rows, ruled=False))
    assert parse_one("a.pdf", data).kinds == [
        ("table", "Year: 2023 | Sales: 17.5 | Costs: 12.1\nYear: 2024 | Sales: 19.0 | Costs: 14.8")
    ]


def test_a_note_below_a_table_is_kept(parse_one: Any) -> None:
    def noted(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        text_at(canvas, 100, *[LONG] * 12)
        canvas.translate(0, -340)
        draw_table(canvas, ROWS)
        canvas.setFont("Helvetica", 7)
        text_at(canvas, 372, "\u2020 Since the release of 2020")

    kinds = parse_one("a.pdf", pdf_file(noted)).kinds
    assert [kind for kind, _ in kinds] == ["paragraph", "table", "paragraph"]
    assert "Since the release" in kinds[-1][1]


@pytest.mark.parametrize(
    ("rows", "gap", "is_headed"),
    [(3, 40, True), (8, 40, True), (30, 40, True), (4, 12, False), (8, 8, True), (30, 8, True)],
)
def test_columns_drawn_row_by_row_are_read_one_after_the_other(rows: int, gap: int, is_headed: bool) -> None:
    def two_columns(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        if is_headed:
            text_at(canvas, 40, "A heading of the page that runs over both of its columns")
        for number in range(rows):
            left = LEFT
            for name in ("left", "right"):
                text = f"Line {number} of the {name} runs on to its edge"
                canvas.drawString(left, 740 - 12 * number, text)
                left += canvas.stringWidth(text) + gap

    text = " ".join(block.text for block in read_pdf(pdf_file(two_columns)).blocks)
    assert text.index(f"Line {rows - 1} of the left") < text.index("Line 0 of the right")


@pytest.mark.parametrize(("begin", "end", "word"), [("win", "ter", "winter"), ("well", "known", "well-known")])
def test_a_hyphen_at_the_end_of_a_column(begin: str, end: str, word: str) -> None:
    columns = (
        ("The commission checked the yearly", "ledger and approved the tariff for", f"the {begin}-"),
        (f"{end} season. The harbour master", "signed the tariff. Two pilots guide", "the ferry."),
    )

    def two_columns(canvas: Canvas) -> None:
        for left, lines in zip((LEFT, LEFT + 250), columns, strict=True):
            for number, line in enumerate(lines):
                canvas.drawString(left, 740 - 14 * number, line)

    (block,) = read_pdf(pdf_file(two_columns)).blocks
    assert f"tariff for the {word} season." in block.text


def test_a_page_whose_layout_fails_keeps_its_lines(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_on_second(page: Any, *rest: Any) -> Any:
        if page.page_no == 2:
            raise ZeroDivisionError("no height")
        return original(page, *rest)

    def no_tables(*_: Any) -> Any:
        raise ValueError("no tables")

    original = pipeline._page_layout
    monkeypatch.setattr(pipeline, "_page_layout", fail_on_second)
    monkeypatch.setattr(pipeline, "find_tables", no_tables)
    kinds = [(block.kind, block.text) for block in read_pdf(pdf_file(two_pages)).blocks]
    assert kinds[0] == ("heading", "1. Introduction")
    assert ("paragraph", "2") in kinds
    assert any("at the top of the second page." in text for _, text in kinds)
    assert "page 2: its text is kept as lines" in caplog.text
    assert "page 1: no tables could be found" in caplog.text


def test_raised_and_lowered_characters(parse_one: Any) -> None:
    def scripts(canvas: Canvas) -> None:
        text_at(canvas, 60, "The second line of this text has a power and a formula of water.")
        text = canvas.beginText(LEFT, A4[1] - 60 - LEADING)
        parts = ("It counts 10", "6 ", " cells in H", "2_", "O, on the 22", "nd ", " day.", "4 ")
        for part in (*parts, " Smith", "a ", " saw it"):
            is_small = part[-1] in " _"
            text.setFont("Helvetica", 7 if is_small else 12)
            text.setRise(0 if not is_small else -3 if part[-1] == "_" else 5)
            text.textOut(part.rstrip(" _"))
        canvas.drawText(text)
        area = Paragraph("Area in m<super>2</super>", ParagraphStyle("cell"))
        rows = [[area, "Depot"], ["12", "Alta"], ["14", "Bodo"]]
        table = Table(rows, style=[("GRID", (0, 0), (-1, -1), 1, "black")])
        table.wrapOn(canvas, 300, 300)
        table.drawOn(canvas, LEFT, 500)

    parsed = parse_one("a.pdf", pdf_file(scripts))
    assert parsed.blocks[1]["text"].startswith("Area in m²: 12 | Depot: Alta")
    assert parsed.kinds[:1] == [
        (
            "paragraph",
            "The second line of this text has a power and a formula of water. It counts 10⁶ cells "
            "in H2O, on the 22nd day. 4 Smith a saw it",
        )
    ]


@pytest.mark.parametrize(
    ("angle", "is_flag"), [(45, False), *((angle, is_flag) for angle in (0, 90, 180, 270) for is_flag in (False, True))]
)
def test_turned_text_is_read_as_if_it_stood_upright(parse_one: Any, angle: int, is_flag: bool) -> None:
    """Text is turned by its matrix or by the flag of its page; each box stays on the page."""

    def turn(canvas: Canvas) -> None:
        if is_flag:
            canvas.setPageRotation(angle)
        else:
            text_at(canvas, 60, "The upright text of the page.")
            canvas.translate(300, 400)
            canvas.rotate(angle)
            canvas.translate(-300, -400)
        text_at(canvas, 260, "The fleet report names", "three depots, of which", "Alta is one.")
        text_at(canvas, 460, "Alta is the oldest.")
        if angle % 90 == 0:
            draw_table(canvas, [("Depot", "Trucks", "Drivers"), *(("Moss", "31", "40"),) * 3])

    parsed = parse_one("a.pdf", pdf_file(turn))
    assert [text for _, text in parsed.kinds if "upright" not in text] == [
        "The fleet report names three depots, of which Alta is one.",
        *["\n".join(["Depot: Moss | Trucks: 31 | Drivers: 40"] * 3)] * (angle % 90 == 0),
        "Alta is the oldest.",
    ]
    for block in parsed.blocks:
        box = block["bbox"]
        assert 0 <= box["left"] < box["right"] <= A4[1]
        assert 0 <= box["top"] < box["bottom"] <= A4[1]


@pytest.mark.parametrize("angle", [0, 90])
def test_a_symbol_is_read_as_such_and_makes_no_heading(parse_one: Any, angle: int) -> None:
    """Its font tells no names of its letters, and it is higher than the letters of the text."""

    def pump(canvas: Canvas) -> None:
        canvas.setPageRotation(angle)
        text = canvas.beginText(LEFT, 500)
        text.setFont("Helvetica", 11)
        text.setLeading(LEADING)
        text.textLine("The pump runs when the pressure is high and the valve of the tank is open,")
        text.textOut("and it stops when the level is ")
        for font, part in (("Symbol", "≥"), ("Helvetica", "5 mm at the valve "), ("Symbol", "β")):
            text.setFont(font, 11)
            text.textOut(part)
        text.setFont("Helvetica", 11)
        text.textLine(" or by hand.")
        canvas.drawText(text)

    parsed = parse_one("a.pdf", pdf_file(pump))
    assert parsed.kinds == [
        (
            "paragraph",
            "The pump runs when the pressure is high and the valve of the tank is open, and it "
            "stops when the level is ≥5 mm at the valve β or by hand.",
        )
    ]


@pytest.mark.parametrize("rows", [1, 12])
def test_a_centred_title_comes_before_a_short_heading(parse_one: Any, rows: int) -> None:
    def report_of_pumps(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawCentredString(A4[0] / 2, A4[1] - 60, "Pump report")
        canvas.setFont("Helvetica-Bold", 13)
        text_at(canvas, 95, "1 Limits")
        canvas.setFont("Helvetica", 11)
        text_at(canvas, 120, *["The pump runs at forty bar and no more, and stops by hand."] * rows)

    parsed = parse_one("a.pdf", pdf_file(report_of_pumps))
    assert [kind for kind, _ in parsed.kinds] == ["heading", "heading", "paragraph"]
    assert [text for _, text in parsed.kinds[:2]] == ["Pump report", "1 Limits"]


@pytest.mark.parametrize("gap", [2.5, 0.5, 0, -1])
@pytest.mark.parametrize("angle", [0, 90])
def test_words_of_an_invisible_layer_that_touch(parse_one: Any, gap: float, angle: int) -> None:
    """OCR puts each word where it saw it, in a font whose letters are wider or narrower."""
    said = "The pump runs at forty bar and stops by hand."

    def scan(canvas: Canvas) -> None:
        canvas.setPageRotation(angle)
        left = float(LEFT)
        for word in said.split():
            text = canvas.beginText(left, 500)
            text.setFont("Courier", 10)
            text.setTextRenderMode(3)
            text.textOut(word)
            canvas.drawText(text)
            left += canvas.stringWidth(word, "Courier", 10) + gap
        text_at(canvas, A4[1] - 400, "A line in sight.")

    assert [text for _, text in parse_one("a.pdf", pdf_file(scan)).kinds] == [said, "A line in sight."]
