"""Read scanned pages with RapidOCR, an optional extra whose models come in its wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pypdfium2
from rapidocr import RapidOCR

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Font, Line, corners_of, turned, union

_SCALE = 200 / 72  # pixels per point
_MIN_CONFIDENCE = 0.5  # RapidOCR's own default
_SIGN = 3  # characters of what may be tall and upright
_DOWN = 270
_SCANNED = Font("scanned")
_SETTINGS = {
    "Global.log_level": "error",
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    # PaddleOCR's own defaults. RapidOCR's, which make no page smaller, miss lines of a word or two.
    "Det.limit_type": "max",
    "Det.limit_side_len": 960,
}


class Ocr:
    """OCR for the pages of a PDF file; `pages` are the numbers of those that gave text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.pages: list[int] = []

    def __call__(self, page_no: int) -> list[Line]:
        """Return the lines of a page; pages count from 1."""
        lines = list(lines_of_page(_picture(self._data, page_no), page_no, _engine()))
        if lines:
            self.pages.append(page_no)
        return lines


def lines_of_page(picture: np.ndarray[Any, Any], page_no: int, read: Callable[..., Any]) -> Iterator[Line]:
    """Yield the lines that OCR finds in an image of `_SCALE` pixels per point."""
    found = read(picture)
    if getattr(found, "txts", None) is None:  # also where lines are seen and cannot be read
        return
    for corners, text, confidence in zip(found.boxes, found.txts, found.scores, strict=True):
        if float(confidence) >= _MIN_CONFIDENCE and text.strip():
            box = _around(corners)
            if box.bottom - box.top > box.right - box.left + 2 and len(text) > _SIGN:
                # the recognizer reads what is tall as text that runs down the page
                box = turned(corners_of(box), _DOWN, max(picture.shape[:2]) / _SCALE)
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
    engine: Callable[..., Any] = RapidOCR(params=_SETTINGS)
    return engine
