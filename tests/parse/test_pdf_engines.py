"""What PDF engines need, and scanned pages."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import Config, ParseConfig
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.operations.doctor import examine
from graphrag_tasks.parse.pdf import engines
from graphrag_tasks.parse.pdf.engines import check_pdf_engine
from graphrag_tasks.pipeline import Run

MODELS = ParseConfig(pdf_engine="docling-models", pdf_models="/models")
OCR = ParseConfig(ocr="auto")


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None if name in missing else object())


def test_models_need_packages_and_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without(monkeypatch, "torch", "transformers")
    with pytest.raises(MissingDependencyError, match="torch, transformers") as caught:
        check_pdf_engine(MODELS)
    assert caught.value.hint.startswith("pip install 'docling-slim[models-local")
    without(monkeypatch)
    with pytest.raises(MissingDependencyError, match="pdf_models must name a folder") as caught:
        check_pdf_engine(MODELS)
    assert "docling-tools models download layout tableformer -o /models" in caught.value.hint
    (tmp_path / "docling-project--docling-layout-heron").mkdir()
    found = check_pdf_engine(MODELS.model_copy(update={"pdf_models": str(tmp_path)}))
    assert str(tmp_path) in found


def test_a_run_that_lacks_an_engine_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without(monkeypatch, "rapidocr")
    (tmp_path / "a.txt").write_text("One.")
    config = Config(sources=[str(tmp_path)], store=str(tmp_path / "store"), parse=OCR)
    with pytest.raises(MissingDependencyError) as caught:
        Run.start(config)
    assert caught.value.hint == install_command("ocr")
    (check,) = [check for check in examine(config) if check.name == "PDF engine"]
    assert not check.ok
    assert check.fix == caught.value.hint


def scanned(*texts: str) -> bytes:
    """Return a PDF file whose pages are pictures of these texts."""
    drawn, buffer = BytesIO(), BytesIO()
    canvas = Canvas(drawn, pagesize=A4, invariant=1)
    for text in texts:
        canvas.setFont("Helvetica", 14)
        canvas.drawString(72, A4[1] - 100, text)
        canvas.showPage()
    canvas.save()
    scan = Canvas(buffer, pagesize=A4, invariant=1)
    source = pypdfium2.PdfDocument(drawn.getvalue())
    for page in source:
        scan.drawImage(ImageReader(page.render(scale=2).to_pil()), 0, 0, *A4)
        scan.showPage()
    source.close()
    scan.save()
    return buffer.getvalue()


def test_scanned_pages_are_read(parse_files: Any) -> None:
    pytest.importorskip("rapidocr")
    result = parse_files({"a.pdf": scanned("Invoice number 4711", "Second page", "Größe")}, config=OCR)
    blocks = result.tables["blocks"].to_pylist()
    assert [block["text"] for block in blocks] == ["Invoice number 4711", "Second page", "Größe"]
    assert [block["page"] for block in blocks] == [1, 2, 3]
    assert blocks[0]["bbox"]["left"] == pytest.approx(72, abs=6)
    assert blocks[0]["bbox"]["bottom"] == pytest.approx(100, abs=8)
    assert result.stats["pages_ocr"] == 3


def test_lines_that_ocr_is_not_sure_of_are_left_out() -> None:
    pytest.importorskip("rapidocr")
    from graphrag_tasks.parse.pdf.ocr import lines_of_page

    corners = [[0, 0], [200, 0], [200, 50], [0, 50]]
    found = SimpleNamespace(boxes=[corners] * 2, txts=("sure", "unsure"), scores=(0.9, 0.2))
    picture = np.zeros((1, 1, 3))
    (line,) = lines_of_page(picture, 3, lambda _: found)
    assert (line.text, line.page, line.box.right) == ("sure", 3, 72)
    assert list(lines_of_page(picture, 1, lambda _: SimpleNamespace(boxes=[corners]))) == []
    corners = [[0, 0], [50, 0], [50, 200], [0, 200]]  # runs down the page
    found = SimpleNamespace(boxes=[corners], txts=("a title",), scores=(0.9,))
    (line,) = lines_of_page(picture, 1, lambda _: found)
    assert (round(line.width), round(line.height)) == (72, 18)
