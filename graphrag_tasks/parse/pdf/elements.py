"""Make text and tables into Docling's page elements, styled and in reading order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from docling.datamodel.base_models import BasePageElement, Cluster, Page, Table, TextElement
from docling.models.postprocessing.reading_order_rb import PageElement, ReadingOrderPredictor, SeparatorElement
from docling.models.stages.reading_order.readingorder_model import ReadingOrderModel, ReadingOrderOptions
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.items.table.table_data import TableCell
from docling_core.types.doc.labels import DocItemLabel
from docling_core.types.doc.page import (
    BoundingRectangle,
    PdfCellRenderingMode,
    PdfPageBoundaryType,
    PdfPageGeometry,
    PdfTextCell,
    SegmentedPdfPage,
)

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.docling_blocks import ReadingOrder
from graphrag_tasks.parse.limits import current_allowance
from graphrag_tasks.parse.pdf.grids import Grid
from graphrag_tasks.parse.pdf.lines import Line, Words, join_code, join_lines, turn_of, union


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


# Pages with only heading lines, from which Docling infers heading levels by style.


def style_pages(
    pages: Iterable[Page], elements: Iterable[BasePageElement], lines: Mapping[int, Sequence[Line]]
) -> None:
    """Give each page the lines of its headings."""
    headings: dict[int, list[BoundingBox]] = defaultdict(list)
    for element in elements:
        if element.label == DocItemLabel.SECTION_HEADER:
            headings[element.page_no].append(element.cluster.bbox)
    for page in pages:
        if page.size is not None and page.page_no in headings:
            boxes = headings[page.page_no]
            inside = [line for line in lines[page.page_no] if any(_holds(box, line) for box in boxes)]
            page.parsed_page = SegmentedPdfPage(
                dimension=_geometry(page.size),
                textline_cells=[_cell(number, line) for number, line in enumerate(inside)],
                char_cells=[],
                word_cells=[],
            )


def _holds(box: BoundingBox, line: Line) -> bool:
    across, down = (line.box.left + line.box.right) / 2, (line.box.top + line.box.bottom) / 2
    return box.l <= across <= box.r and box.t <= down <= box.b


def _geometry(size: Size) -> PdfPageGeometry:
    around = BoundingBox(l=0, t=size.height, r=size.width, b=0, coord_origin=CoordOrigin.BOTTOMLEFT)
    return PdfPageGeometry(
        angle=0,
        rect=BoundingRectangle.from_bounding_box(around),
        boundary_type=PdfPageBoundaryType.CROP_BOX,
        art_bbox=around,
        bleed_bbox=around,
        crop_bbox=around,
        media_bbox=around,
        trim_bbox=around,
    )


def _cell(number: int, line: Line) -> PdfTextCell:
    left, top, right, bottom = line.box
    box = BoundingBox(l=left, t=top, r=right, b=bottom, coord_origin=CoordOrigin.TOPLEFT)
    return PdfTextCell(
        index=number,
        rect=BoundingRectangle.from_bounding_box(box),
        text=line.text,
        orig=line.text,
        font_key="",
        font_name=line.font.name,
        rendering_mode=PdfCellRenderingMode.FILL_TEXT,
        widget=False,
    )


# Reading order of elements on PDF pages, and joining of paragraphs.

_BETWEEN = (
    DocItemLabel.PAGE_HEADER,
    DocItemLabel.PAGE_FOOTER,
    DocItemLabel.TABLE,
    DocItemLabel.CAPTION,
    DocItemLabel.FOOTNOTE,
)
_ENDS_OPEN = re.compile(r"[\w,;\-\u00ad\u2010]$")
_MAX_SPLITS = 3  # of a page into columns, of these into columns, and so on
_COLUMN_LETTERS = 300  # on each side of a gutter, at least
_HEAD_LETTERS = 120  # of the title of a page, at most
_TABLE = 100  # letters that a table counts as, whose cells the elements do not tell
_LONG = 40  # characters of a text without upper case, whose letters do not tell where it begins


def reading_order(words: Words) -> ReadingOrderModel:
    """Return Docling's reading-order model, with our rules for split paragraphs."""
    model = _ReadingOrder(ReadingOrderOptions())
    model.words = words
    model.ro_model = _Predictor()  # type: ignore[no-untyped-call]
    return model


class _ReadingOrder(ReadingOrder):
    """Keeps hyphens that belong to a word; Docling drops all of them."""

    words: Words

    def joined(self, text: str, more: str) -> str | None:
        return self.words.joined(text, more)


class _Predictor(ReadingOrderPredictor):
    """Joins less than Docling, which joins any two texts side by side.

    Pages whose order is not found in time are left out, except the first.
    """

    def predict_reading_order(
        self, page_elements: list[PageElement], page_separators: list[SeparatorElement] | None = None
    ) -> list[PageElement]:
        pages: dict[tuple[int, int], list[PageElement]] = defaultdict(list)
        for element in page_elements:
            pages[element.page_no, turn_of(-element.t)].append(element)
        bound = current_allowance()
        ordered: list[PageElement] = []
        for _, elements in sorted(pages.items()):
            if ordered and bound.is_late:
                break
            for group in _columns(elements):
                ordered += super().predict_reading_order(group, page_separators)
        return ordered

    def predict_merges(self, sorted_elements: list[PageElement]) -> dict[int, list[int]]:
        merges: dict[int, list[int]] = {}
        first: PageElement | None = None
        for before, after in _neighbours(sorted_elements):
            if not goes_on(before, after):
                first = None
                continue
            first = first or before
            merges.setdefault(first.cid, []).append(after.cid)
        return merges


def _columns(elements: list[PageElement], splits: int = _MAX_SPLITS) -> Iterator[list[PageElement]]:
    """Yield the elements of a page by text column; elements across columns separate the parts.

    So do those that nothing stands beside at the top of what has no columns, as a centred title.
    """
    ordered = sorted(elements, key=lambda element: (-element.t, element.l))
    if not splits or (gutter := _gutter(elements)) is None:
        for top, below in pairwise(ordered):
            if splits < _MAX_SPLITS or top.b < below.t:
                break
            elements.remove(top)
            yield [top]
        yield elements
        return
    first: list[PageElement] = []
    second: list[PageElement] = []
    across = _head(ordered) if splits == _MAX_SPLITS else []
    for element in ordered[len(across) :]:
        is_across = element.l < gutter < element.r
        if is_across and (first or second):
            yield from (across, *_columns(first, splits - 1), *_columns(second, splits - 1))
            first, second, across = [], [], []
        (across if is_across else first if element.r <= gutter else second).append(element)
    yield from (across, *_columns(first, splits - 1), *_columns(second, splits - 1))


def _head(ordered: Sequence[PageElement]) -> list[PageElement]:
    """Return the only heading above all other text of a page, and the elements beside it."""
    heading = next((one for one in ordered if one.label == DocItemLabel.SECTION_HEADER), None)
    head = [one for one in ordered if heading is not None and one.t > heading.b]
    is_one = sum(one.label == DocItemLabel.SECTION_HEADER for one in head) == 1
    return head if is_one and sum(len(one.text) for one in head) <= _HEAD_LETTERS else []


def _gutter(elements: Sequence[PageElement]) -> float | None:
    """Return the position between two text columns that the fewest letters cross."""
    letters = [(element.l, element.r, len(element.text) or _TABLE) for element in elements]
    starts = sorted((left, count) for left, _, count in letters)
    before = [0, *accumulate(count for _, count in starts)]
    best: tuple[int, float] | None = None
    ended = 0
    for place, count in sorted((right, count) for _, right, count in letters):
        ended += count
        begun = before[bisect_left(starts, (place,))]
        if min(ended, before[-1] - begun) >= _COLUMN_LETTERS:
            best = min(best or (begun - ended, place), (begun - ended, place))
    return best[1] if best else None


def goes_on(before: PageElement, after: PageElement) -> bool:
    """Tell whether a paragraph continues in another after a column or page break."""
    if before.label != DocItemLabel.TEXT or after.label != DocItemLabel.TEXT:
        return False
    is_beside = after.l >= before.r and min(len(before.text), len(after.text)) > _LONG
    is_break = before.page_no != after.page_no or after.b >= before.t or is_beside
    if not is_break or not _ENDS_OPEN.search(before.text):
        return False
    letter = after.text[:1]
    is_caseless = letter.isalpha() and letter.lower() == letter.upper()
    return letter.islower() or (is_caseless and len(before.text) > _LONG)


def _neighbours(elements: Sequence[PageElement]) -> Iterator[tuple[PageElement, PageElement]]:
    texts = [element for element in elements if element.label not in _BETWEEN]
    return pairwise(texts)
