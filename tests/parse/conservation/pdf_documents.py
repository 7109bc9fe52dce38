"""PDF files of random structure whose every sentence carries a serial number."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

WORDS = (  # noqa: SIM905 - shorter
    "the order table report reads writes stock plant price of a customer with every old new "
    "system in transfer for release and change is set by user before after value key field"
).split()
STYLES = getSampleStyleSheet()
SMALL = ParagraphStyle("small", parent=STYLES["Normal"], fontSize=7, leading=8.5)
MARGIN = 60


class _Drawn(Flowable):
    """Strings at places of their own, each with an angle and a size."""

    def __init__(self, strings: list[tuple[float, float, str, float, float]], height: float) -> None:
        super().__init__()
        self.strings, self.width, self.height = strings, A4[0] - 2 * MARGIN, height
        self.frames: list[tuple[float, float, float, float]] = []

    def draw(self) -> None:
        for frame in self.frames:
            self.canv.rect(*frame)
        for left, bottom, text, angle, size in self.strings:
            self.canv.saveState()
            self.canv.setFont("Helvetica", size)
            self.canv.translate(left, bottom)
            self.canv.rotate(angle)
            self.canv.drawString(0, 0, text)
            self.canv.restoreState()


@dataclass
class PdfDocument:
    """A file and what was drawn in it.

    Attributes:
        data: The file.
        drawn: How often each serial number of a sentence was drawn.
        running: Serial numbers of running headers and footers.
    """

    data: bytes = b""
    drawn: Counter[str] = field(default_factory=Counter)
    running: set[str] = field(default_factory=set)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made = PdfDocument()
        self._letters = "".join(self.random.choice("xyzw") for _ in range(2))

    def serial(self) -> str:
        serial = f"S{len(self.made.drawn):04d}{self._letters}"
        self.made.drawn[serial] = 1
        return serial

    def sentence(self, least: int = 3, most: int = 16) -> str:
        """Return words with their serial number somewhere among them."""
        words = self.random.choices(WORDS, k=self.random.randint(least, most))
        words.insert(self.random.randint(0, len(words)), self.serial())
        return f"{' '.join(words)[0].upper()}{' '.join(words)[1:]}."

    def short(self) -> str:
        return self.sentence(0, 2).rstrip(".")

    def text(self) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(1, 5)))

    # --- what a page is made of ---

    def heading(self) -> list[Any]:
        level = self.random.randint(1, 4)
        number = f"{self.random.randint(1, 9)}. " if self.random.random() < 0.4 else ""
        return [Paragraph(number + self.sentence(1, 5).rstrip("."), STYLES[f"Heading{level}"])]

    def paragraph(self) -> list[Any]:
        style = self.random.choice(["Normal", "BodyText", "Italic"])
        return [Paragraph(self.text(), STYLES[style]), Spacer(1, self.random.choice([0, 6]))]

    def note(self) -> list[Any]:
        return [Paragraph(f"{self.random.randint(1, 9)} {self.sentence()}", SMALL)]

    def items(self, depth: int = 0) -> ListFlowable:
        kinds = [{"bulletType": "bullet"}, {"bulletType": "1"}, {"bulletType": "a"}]
        parts: list[Any] = []
        for _ in range(self.random.randint(1, 4)):
            content: list[Any] = [Paragraph(self.text(), STYLES["Normal"])]
            if depth < 2 and self.random.random() < 0.3:
                content.append(self.items(depth + 1))
            parts.append(ListItem(content))
        return ListFlowable(parts, **self.random.choice(kinds))

    def nested_list(self) -> list[Any]:
        return [self.items()]

    def table(self) -> list[Any]:
        rows, columns = self.random.randint(2, 6), self.random.randint(2, 4)
        is_wordy = self.random.random() < 0.4
        cells: list[list[Any]] = [
            [Paragraph(self.sentence(1, 9), STYLES["Normal"]) if is_wordy else self.short() for _ in range(columns)]
            for _ in range(rows)
        ]
        style: list[Any] = [("VALIGN", (0, 0), (-1, -1), self.random.choice(["TOP", "MIDDLE"]))]
        rules = self.random.choice(["grid", "box", "across", "none"])
        if rules == "grid":
            style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
        elif rules == "box":
            style.append(("BOX", (0, 0), (-1, -1), 0.5, colors.black))
        elif rules == "across":
            style.append(("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black))
        if rules == "grid" and self.random.random() < 0.5:
            self._merge(cells, style)
        return [Table(cells, style=style, hAlign="LEFT"), Spacer(1, 8)]

    def _merge(self, cells: list[list[Any]], style: list[Any]) -> None:
        """Merge a cell with the one beside or below it, whose sentence was never drawn."""
        row, column = (self.random.randrange(len(cells) - 1), self.random.randrange(len(cells[0]) - 1))
        across = self.random.random() < 0.5
        other = (row, column + 1) if across else (row + 1, column)
        hidden = cells[other[0]][other[1]]
        text = hidden.text if isinstance(hidden, Paragraph) else hidden
        for serial in [one for one in self.made.drawn if one in text]:
            del self.made.drawn[serial]
            self.made.drawn[f"-{serial}"] = 0  # keeps the count of serials, and so their numbers
        cells[other[0]][other[1]] = ""
        style.append(("SPAN", (column, row), (other[1], other[0])))

    def box(self) -> list[Any]:
        content = [Paragraph(self.text(), STYLES["Normal"]) for _ in range(2)]
        style = [("BOX", (0, 0), (-1, -1), 1, colors.black)]
        return [Table([[content]], style=style, hAlign="LEFT"), Spacer(1, 8)]

    def code(self) -> list[Any]:
        return [Paragraph(f"{self.short()} = {self.short()};", STYLES["Code"])]

    def alike(self) -> list[Any]:
        """Return pages whose lines are alike but for digits."""
        pattern = "{} {} was paid by customer {} in full."
        number = self.random.randint(1, 900)
        parts: list[Any] = []
        for _ in range(self.random.randint(2, 4)):
            parts.append(PageBreak())
            for _ in range(self.random.choice([2, 5, 40])):
                number += 1
                said = pattern.format("Invoice", number, self.serial())
                parts.append(Paragraph(said, STYLES["Normal"]))
        return parts

    def row_by_row(self) -> list[Any]:
        """Return two columns whose lines are drawn in turns."""
        rows = self.random.randint(4, 30)
        size = self.random.choice([8, 9, 10])
        strings = [
            (column * 250.0, 12.0 * row, self.sentence(4, 6), 0.0, size)
            for row in reversed(range(rows))
            for column in (0, 1)
        ]
        return [_Drawn(strings, 12.0 * rows)]

    def figure(self) -> list[Any]:
        """Return a drawing with labels in boxes and a caption, maybe with slanted text."""
        found = _Drawn([], 150)
        for column in range(self.random.randint(1, 4)):
            for row in range(self.random.randint(1, 3)):
                left, bottom = 120.0 * column, 10 + 45.0 * row
                found.frames.append((left, bottom - 6, 110, 25))
                size = self.random.choice([4.0, 6.0, 9.0])
                found.strings.append((left + 4, bottom, self.short(), 0, size))
        if self.random.random() < 0.5:
            found.strings.append((200, 30, self.short(), self.random.choice([30, 45, 90, 180]), 9))
        caption = f"Figure {self.random.randint(1, 9)}: {self.sentence()}"
        return [found, Paragraph(caption, STYLES["Normal"]), Spacer(1, 6)]

    def long_table(self) -> list[Any]:
        """Return a table over pages, with rows up to their edges and maybe the header on each."""
        columns = self.random.randint(2, 5)
        head = [self.short() for _ in range(columns)]
        rows = [
            [f"{self.serial()} {self.random.randint(1, 999)}" for _ in range(columns)]
            for _ in range(self.random.randint(30, 60))
        ]
        style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)] if self.random.random() < 0.5 else []
        return [Table([head, *rows], style=style, repeatRows=self.random.randint(0, 1))]

    def certificates(self) -> list[Any]:
        """Return pages of two or three lines, all in one place."""
        parts: list[Any] = []
        for number in range(self.random.randint(3, 6)):
            said = [f"Certificate {number}", f"{self.serial()} {number * 7}", "Done."]
            parts += [PageBreak(), *(Paragraph(one, STYLES["Normal"]) for one in said)]
        return parts

    # --- pages ---

    def running(self) -> Callable[[Canvas, Any], None]:
        """Return what draws the header and the footer of each page, and text up its margin."""
        header = self.short() if self.random.random() < 0.7 else ""
        footer = self.short() if self.random.random() < 0.4 else ""
        numbers = self.random.choice(["", "{}", "Page {}", "- {} -", "Manual | {}"])
        margin = self.sentence(2, 5) if self.random.random() < 0.2 else ""
        made = self.made
        running = {one for one in made.drawn if one in f"{header} {footer} {margin}"}
        made.running |= running
        for serial in running:
            made.drawn[serial] = 0

        def draw(canvas: Canvas, _document: Any) -> None:
            canvas.setFont("Helvetica", 8)
            canvas.drawString(MARGIN, A4[1] - 30, header)
            canvas.drawString(MARGIN, 25, footer)
            canvas.drawRightString(A4[0] - MARGIN, 25, numbers.format(canvas.getPageNumber()))
            if margin:
                canvas.saveState()
                canvas.translate(25, 200)
                canvas.rotate(90)
                canvas.drawString(0, 0, margin)
                canvas.restoreState()
            for serial in running:
                made.drawn[serial] += 1

        return draw

    def document(self) -> PdfDocument:
        buffer = BytesIO()
        width, height = A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN
        half = width / 2 - 10
        whole = Frame(MARGIN, MARGIN, width, height, id="whole")
        left = Frame(MARGIN, MARGIN, half, height, id="left")
        right = Frame(MARGIN + half + 20, MARGIN, half, height, id="right")
        draw = self.running()
        template = BaseDocTemplate(buffer, pagesize=A4, invariant=1)
        template.addPageTemplates(
            [PageTemplate("one", [whole], onPage=draw), PageTemplate("two", [left, right], onPage=draw)]
        )
        template.build(self.story())
        self.made.data = buffer.getvalue()
        self.made.drawn = +self.made.drawn
        return self.made

    def story(self) -> list[Any]:
        one = [self.heading, self.paragraph, self.paragraph, self.nested_list, self.table]
        one += [self.box, self.code, self.note, self.alike, self.row_by_row, self.figure]
        one += [self.long_table, self.certificates]
        two = [self.heading, self.paragraph, self.paragraph, self.paragraph, self.nested_list]
        story: list[Any] = [Paragraph(self.sentence(2, 5).rstrip("."), STYLES["Title"])]
        for _ in range(self.random.randint(1, 4)):
            name = self.random.choice(["one", "one", "two"])
            story += [NextPageTemplate(name), PageBreak()]
            for _ in range(self.random.randint(2, 10)):
                story += self.random.choice(one if name == "one" else two)()
        return story


def make_pdf(seed: int) -> PdfDocument:
    """Return a file that the seed determines."""
    return _Maker(seed).document()
