"""Make text and tables into Docling's page elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docling.datamodel.base_models import Cluster, Page, Table, TextElement
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.items.table.table_data import TableCell
from docling_core.types.doc.labels import DocItemLabel

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.grids import Grid
from graphrag_tasks.parse.pdf.hyphens import Words
from graphrag_tasks.parse.pdf.lines import Line, join_code, join_lines, union


def text_element(page: Page, number: int, kind: DocItemLabel, lines: Sequence[Line], words: Words) -> TextElement:
    """Return lines as a text element; `number` is unique on the page."""
    is_code = kind == DocItemLabel.CODE
    text = join_code(lines) if is_code else join_lines((line.text for line in lines), words)
    cluster = _cluster(number, kind, union(line.box for line in lines))
    return TextElement(label=kind, id=number, text=text, page_no=page.page_no, cluster=cluster)


def table_element(page: Page, number: int, grid: Grid) -> Table:
    """Return a table as an element; `number` is unique on the page."""
    cells = [
        TableCell(
            text=cell.text,
            col_span=cell.last - cell.first + 1,
            start_row_offset_idx=cell.row,
            end_row_offset_idx=cell.row + 1,
            start_col_offset_idx=cell.first,
            end_col_offset_idx=cell.last + 1,
            column_header=grid.has_header and cell.row == 0,
            bbox=_bounding(cell.box),
        )
        for cell in grid.cells
    ]
    return Table(
        label=DocItemLabel.TABLE,
        id=number,
        text="",
        page_no=page.page_no,
        cluster=_cluster(number, DocItemLabel.TABLE, grid.box),
        otsl_seq=[],
        num_rows=grid.rows,
        num_cols=grid.columns,
        table_cells=cells,
    )


class TableWords:
    """Words of a table's cells; each can be taken once by a line that lies in the table."""

    def __init__(self, table: Table) -> None:
        texts = [cell.text for cell in table.table_cells]
        self._left = Counter(word for text in texts for word in text.split())
        self._words = frozenset(self._left)
        self._letters = _letters("".join(texts))

    def take(self, text: str) -> bool:
        """Tell whether the cells hold all words of a line, and take them."""
        words = Counter(text.split())
        missing = words - self._left
        if any(word in self._words or _letters(word) not in self._letters for word in missing):
            return False
        self._left -= words
        return True


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _cluster(number: int, kind: DocItemLabel, box: Box) -> Cluster:
    return Cluster(id=number, label=kind, bbox=_bounding(box))


def _bounding(box: Box) -> BoundingBox:
    left, top = max(box.left, 0), max(box.top, 0)
    return BoundingBox(l=left, t=top, r=box.right, b=box.bottom, coord_origin=CoordOrigin.TOPLEFT)
