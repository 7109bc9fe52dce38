"""Text of scanned pages by RapidOCR, an optional extra whose models come in its wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pypdfium2
from rapidocr_onnxruntime import RapidOCR

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Font, Line, union

_SCALE = 200 / 72  # pixels per point
_MIN_CONFIDENCE = 0.5  # RapidOCR's own default
_SCANNED = Font("scanned")


class Ocr:
    """Reads pages of one PDF file as pictures; `pages` are the numbers of those that gave text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.pages: list[int] = []

    def __call__(self, page_no: int) -> list[Line]:
        """Return the lines of a page, from 1."""
        lines = list(lines_of_page(_picture(self._data, page_no), page_no, _engine()))
        if lines:
            self.pages.append(page_no)
        return lines


def lines_of_page(
    picture: np.ndarray[Any, Any], page_no: int, read: Callable[..., Any]
) -> Iterator[Line]:
    """Yield the lines that OCR finds in a picture of `_SCALE` pixels per point."""
    found, _ = read(picture)
    for corners, text, confidence in found or ():
        if float(confidence) >= _MIN_CONFIDENCE and text.strip():
            box = _around(corners)
            yield Line(text.strip(), box, page_no, _SCANNED, max(box.bottom - box.top, 0.1))


def _around(corners: Sequence[Sequence[float]]) -> Box:
    points = [Box(x, y, x, y) for x, y in corners]
    return Box(*(side / _SCALE for side in union(points)))


def _picture(data: bytes, page_no: int) -> np.ndarray[Any, Any]:
    document = pypdfium2.PdfDocument(data)
    try:
        page = document[page_no - 1]
        return np.asarray(page.render(scale=_SCALE).to_numpy()).copy()
    finally:
        document.close()


@cache
def _engine() -> Callable[..., Any]:
    engine: Callable[..., Any] = RapidOCR(intra_op_num_threads=1)
    return engine
