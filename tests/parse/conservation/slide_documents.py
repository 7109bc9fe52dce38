"""Slides of random structure whose every sentence has a serial number."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.util import Pt

from tests.parse.conservation.serials import Serials
from tests.parse.conservation.word_documents import tiny_picture

_LAYOUTS = (0, 1, 3, 5, 6)  # title, title and content, two contents, title only, blank
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"


def slide_deck(serials: Serials) -> bytes:
    """Return a PPTX file."""
    return _Deck(serials).write()


class _Deck:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self._deck = Presentation()
        self._slide: Any = None
        self._parts = 0

    def write(self) -> bytes:
        serials = self._serials
        for _ in serials.few(4):
            layout = self._deck.slide_layouts[serials.random.choice(_LAYOUTS)]
            self._slide = self._deck.slides.add_slide(layout)
            for place in self._slide.placeholders:
                if serials.chance(0.8):
                    place.text_frame.text = serials.sentence()
                    if place.placeholder_format.idx and serials.chance():
                        self._paragraphs(place.text_frame)
            if serials.chance(0.8):
                shapes = [
                    self._box, self._box, self._table, self._group, self._shape, self._chart, self._picture,
                    self._notes, self._footer, self._diagram, self._link, self._hidden,
                ]  # fmt: skip
                serials.some(shapes, 5)
        if serials.chance(0.3):
            self._slide = self._deck.slides.add_slide(self._deck.slide_layouts[5])
            self._slide.shapes.title.text = serials.sentence("hidden")
            self._slide._element.set("show", "0")
        buffer = BytesIO()
        self._deck.save(buffer)
        return buffer.getvalue()

    def _paragraphs(self, frame: Any) -> None:
        for _ in self._serials.few():
            paragraph = frame.add_paragraph()
            paragraph.level = self._serials.random.randint(0, 2)
            for _ in self._serials.few(2):
                paragraph.add_run().text = self._serials.sentence() + " "
            if self._serials.chance(0.2):
                paragraph.add_line_break()
                paragraph.add_run().text = self._serials.sentence()

    def _place(self) -> tuple[Pt, Pt, Pt, Pt]:
        left, top = (Pt(self._serials.random.randint(0, 600)) for _ in "xy")
        return left, top, Pt(288), Pt(36)

    def _box(self) -> None:
        box = self._slide.shapes.add_textbox(*self._place())
        box.text_frame.text = self._serials.sentence()
        self._paragraphs(box.text_frame)

    def _shape(self) -> None:
        shape = self._slide.shapes.add_shape(MSO_SHAPE.OVAL, *self._place())
        shape.text_frame.text = self._serials.sentence()

    def _group(self, level: int = 0, parent: Any = None) -> None:
        group = (self._slide if parent is None else parent).shapes.add_group_shape()
        for _ in self._serials.few(2):
            box = group.shapes.add_textbox(*self._place())
            box.text_frame.text = self._serials.sentence()
        if level < 2 and self._serials.chance():
            self._group(level + 1, group)

    def _table(self) -> None:
        rows, columns = len(self._serials.few()), len(self._serials.few())
        table = self._slide.shapes.add_table(rows, columns, *self._place()).table
        is_merged = columns > 1 and self._serials.chance(0.3)
        if is_merged:
            table.cell(0, 0).merge(table.cell(0, 1))
        for row in range(rows):
            for column in range(columns):
                cell = table.cell(row, column)
                if cell.is_spanned:
                    continue
                cell.text_frame.text = self._serials.sentence()
                if self._serials.chance(0.2):
                    self._paragraphs(cell.text_frame)

    def _chart(self) -> None:
        data = CategoryChartData()
        data.categories = [self._serials.sentence() for _ in "ab"]
        data.add_series(self._serials.sentence(), (1, 2))
        kind = XL_CHART_TYPE.COLUMN_CLUSTERED
        chart = self._slide.shapes.add_chart(kind, *self._place(), data).chart
        if self._serials.chance():
            chart.has_title = True
            chart.chart_title.text_frame.text = self._serials.sentence()
        if self._serials.chance():
            chart.value_axis.has_title = True
            chart.value_axis.axis_title.text_frame.text = self._serials.sentence()

    def _picture(self) -> None:
        left, top, _, _ = self._place()
        picture = self._slide.shapes.add_picture(BytesIO(tiny_picture(1)), left, top)
        picture._element.nvPicPr.cNvPr.set("descr", self._serials.sentence("picture"))

    def _notes(self) -> None:
        if not self._slide.has_notes_slide:
            frame = self._slide.notes_slide.notes_text_frame
            frame.text = self._serials.sentence()
            if self._serials.chance():
                frame.add_paragraph().text = self._serials.sentence()

    def _footer(self) -> None:
        text = self._serials.sentence("header_footer")
        kind = self._serials.random.choice(["ftr", "dt", "sldNum"])
        self._slide.shapes._spTree.append(
            parse_xml(
                f'<p:sp xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}"><p:nvSpPr><p:cNvPr id="90" '
                f'name="F"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}" idx="90"/></p:nvPr></p:nvSpPr>'
                f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>"
                "</p:sp>"
            )
        )

    def _hidden(self) -> None:
        box = self._slide.shapes.add_textbox(*self._place())
        box.text_frame.text = self._serials.sentence("hidden")
        box._element.nvSpPr.cNvPr.set("hidden", "1")

    def _link(self) -> None:
        frame = self._slide.shapes.add_textbox(*self._place()).text_frame
        run = frame.paragraphs[0].add_run()
        run.text = self._serials.sentence()
        run.hyperlink.address = "https://example.org/x"

    def _diagram(self) -> None:
        self._parts += 1
        blob = diagram_data(self._serials)
        name = PackURI(f"/ppt/diagrams/data{self._parts}.xml")
        content = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
        part = Part(name, content, self._deck.part.package, blob)
        relation = self._slide.part.relate_to(part, RELATIONSHIP_TYPE.DIAGRAM_DATA)
        self._slide.shapes._spTree.append(
            parse_xml(
                f'<p:graphicFrame xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}" xmlns:r="http://schemas.'
                'openxmlformats.org/officeDocument/2006/relationships"><p:nvGraphicFramePr>'
                '<p:cNvPr id="91" name="D"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
                '<p:xfrm><a:off x="1" y="1"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic>'
                f'<a:graphicData uri="{_DIAGRAM}"><dgm:relIds xmlns:dgm="{_DIAGRAM}" '
                f'r:dm="{relation}"/></a:graphicData></a:graphic></p:graphicFrame>'
            )
        )


def diagram_data(serials: Serials) -> bytes:
    """Return a diagram's part of texts."""
    points = "".join(
        f'<dgm:pt modelId="{number}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>'
        f"{serials.sentence()}</a:t></a:r></a:p></dgm:t></dgm:pt>"
        for number in serials.few()
    )
    return (
        f'<dgm:dataModel xmlns:dgm="{_DIAGRAM}" xmlns:a="{_DRAWING}"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'
    ).encode()
