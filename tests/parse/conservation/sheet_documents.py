"""Workbooks of random structure whose every sentence has a serial number."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.styles import Font

from tests.parse.conservation.serials import Serials
from tests.parse.conservation.slide_documents import diagram_data
from tests.parse.conservation.word_documents import tiny_picture

_COLUMNS = 12
_SPREADSHEET = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
_BOX = (
    f'<xdr:twoCellAnchor xmlns:xdr="{_SPREADSHEET}">'
    "<xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1"
    "</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:colOff>0"
    "</xdr:colOff><xdr:row>3</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><xdr:sp><xdr:nvSpPr>"
    '<xdr:cNvPr id="77" name="Box"/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr/><xdr:txBody><a:bodyPr '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/><a:p xmlns:a="http://schemas.'
    'openxmlformats.org/drawingml/2006/main"><a:r><a:t>{}</a:t></a:r></a:p></xdr:txBody></xdr:sp>'
    "<xdr:clientData/></xdr:twoCellAnchor>"
)


_TO_DIAGRAM = (
    '<Relationship Id="rIdD" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/diagramData" Target="/{}"/></Relationships>'
)


def workbook(serials: Serials) -> bytes:
    """Return an XLSX file."""
    return _Book(serials).write()


class _Book:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self._sheet: Any = None
        self._row = 1
        self._boxes: dict[str, str] = {}
        self._diagrams: dict[str, bytes] = {}

    def write(self) -> bytes:
        serials = self._serials
        book = Workbook()
        book.remove(book.active)
        for number in serials.few():
            self._sheet = book.create_sheet(f"Part {number}")
            self._row = serials.random.randint(1, 4)
            makers = [
                self._table, self._table, self._text, self._list, self._merged, self._hidden_row,
                self._comment, self._chart, self._picture, self._furniture, self._side_by_side,
                self._box, self._formulas, self._diagram,
            ]  # fmt: skip
            self._text()
            serials.some(makers, 6)
        if serials.chance(0.3):
            hidden = book.create_sheet("Hidden")
            hidden["B2"] = serials.sentence("hidden")
            hidden.sheet_state = serials.random.choice(["hidden", "veryHidden"])
        buffer = BytesIO()
        book.save(buffer)
        return self._with_boxes(buffer.getvalue())

    def _put(self, column: int, row: int | None = None) -> Any:
        cell = self._sheet.cell(row or self._row, column)
        cell.value = self._serials.sentence()
        return cell

    def _text(self) -> None:
        self._put(self._serials.random.randint(1, _COLUMNS))
        self._row += 2

    def _list(self) -> None:
        for _ in self._serials.few(4):
            self._put(2)
            self._row += 1
        self._row += 1

    def _formulas(self) -> None:
        """Write formulas without values: one that says its text, and one that computes it."""
        form = '=HYPERLINK("https://x.example","{}")'
        self._sheet.cell(self._row, 2).value = form.format(self._serials.sentence())
        self._row += 1
        unread = self._serials.sentence("formula_without_value")
        self._sheet.cell(self._row, 2).value = f'=IF(1>0,"{unread}","")'
        self._row += 2

    def _table(self, left: int = 1, top: int | None = None) -> None:
        top = top or self._row
        columns, rows = 1 + len(self._serials.few()), 1 + len(self._serials.few(4))
        bold = self._serials.chance()
        for row in range(rows):
            for column in range(columns):
                if row and self._serials.chance(0.2):
                    if self._serials.chance():
                        self._sheet.cell(top + row, left + column).value = 4.5
                    continue
                cell = self._put(left + column, top + row)
                if not row and bold:
                    cell.font = Font(bold=True)
        self._row = max(self._row, top + rows + 1)

    def _side_by_side(self) -> None:
        top = self._row
        self._table(1, top)
        self._table(7, top)

    def _merged(self) -> None:
        self._put(1)
        self._sheet.merge_cells(start_row=self._row, end_row=self._row, start_column=1, end_column=3)
        self._row += 1
        self._table()

    def _hidden_row(self) -> None:
        self._sheet.row_dimensions[self._row + 1].hidden = True
        self._table()

    def _comment(self) -> None:
        self._put(3).comment = Comment(self._serials.sentence(), "Ann")
        self._row += 2

    def _chart(self) -> None:
        top = self._row
        self._put(2)
        for row in (1, 2):
            self._put(1, top + row)
            self._sheet.cell(top + row, 2).value = row
        chart = BarChart()
        chart.add_data(Reference(self._sheet, min_col=2, min_row=top, max_row=top + 2), titles_from_data=True)
        chart.set_categories(Reference(self._sheet, min_col=1, min_row=top + 1, max_row=top + 2))
        if self._serials.chance():
            chart.title = self._serials.sentence()
        if self._serials.chance():
            chart.x_axis.title = self._serials.sentence()
        if self._serials.chance():
            chart.y_axis.title = self._serials.sentence()
        self._sheet.add_chart(chart, f"J{top}")
        self._row += 4

    def _picture(self) -> None:
        self._sheet.add_image(Image(BytesIO(tiny_picture(1))), f"H{self._row}")
        self._row += 1

    def _furniture(self) -> None:
        part = self._serials.random.choice([self._sheet.oddHeader, self._sheet.oddFooter])
        if part.center.text is None:
            part.center.text = self._serials.sentence("header_footer")

    def _box(self) -> None:
        """Ask for a text box; openpyxl makes a drawing only for a chart or a picture."""
        if self._sheet.title not in self._boxes:
            self._boxes[self._sheet.title] = ""
            self._picture()
        self._boxes[self._sheet.title] += _BOX.format(self._serials.sentence())

    def _diagram(self) -> None:
        self._box()
        if self._sheet.title not in self._diagrams:
            self._diagrams[self._sheet.title] = diagram_data(self._serials)

    def _with_boxes(self, data: bytes) -> bytes:
        """Write text boxes and descriptions into the drawings, which openpyxl cannot."""
        buffer = BytesIO()
        with ZipFile(BytesIO(data)) as old, ZipFile(buffer, "w") as new:
            boxes = {self._drawing_of(old, title): box for title, box in self._boxes.items()}
            diagrams = {self._drawing_of(old, title): one for title, one in self._diagrams.items()}
            for name in old.namelist():
                content = old.read(name)
                if name.endswith(".rels") and (diagram := diagrams.get(_source(name))):
                    target = f"xl/diagrams/data{len(new.namelist())}.xml"
                    new.writestr(target, diagram)
                    relation = _TO_DIAGRAM.format(target).encode()
                    content = content.replace(b"</Relationships>", relation)
                while b'descr="Picture"' in content:
                    described = f'descr="{self._serials.sentence("picture")}"'.encode()
                    content = content.replace(b'descr="Picture"', described, 1)
                start, end, rest = content.rpartition(b"</")
                new.writestr(name, start + boxes.get(name, "").encode() + end + rest)
        return buffer.getvalue()

    def _drawing_of(self, package: ZipFile, title: str) -> str:
        number = int(title.removeprefix("Part ")) + 1
        relations = package.read(f"xl/worksheets/_rels/sheet{number}.xml.rels").decode()
        return f"xl/drawings/{relations.partition('drawings/')[2].partition('.xml')[0]}.xml"


def _source(relations: str) -> str:
    return relations.replace("_rels/", "").removesuffix(".rels")
