"""The parse evaluation over hand-made folders, with the real parser."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from benchmarks.scoring.parse_gold import bookmarks, find_gold, without_bookmarks
from benchmarks.scoring.parse_quality import evaluate_parse
from graphrag_tasks.core.errors import ConfigError


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def pairs(root: Path) -> dict[str, str]:
    return {one.name: one.reference.relative_to(root).as_posix() for one in find_gold(root)}


def manual() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    for number, title in enumerate(("Reading tides", "Writing tides")):
        canvas.bookmarkPage(str(number))
        canvas.addOutlineEntry(f"{number + 1}. {title}", str(number), level=0)
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 760, title)
        canvas.setFont("Helvetica", 11)
        for line in range(12):
            canvas.drawString(72, 720 - 14 * line, f"The gauge writes line {line} of the roll.")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_references_are_found_in_every_usual_place(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys([
        "a.html", "a.html.md", "b.csv", "b.md", "lone.txt", "note.md",
        "pdf/c.pdf", "pdf/groundtruth/c.md",
        "md/sources/d.md", "md/groundtruth/deep/d.md.md", "e/f.docx", "groundtruth/v2/f.docx.md",
    ], "x"))  # fmt: skip
    assert pairs(tmp_path) == {
        "a.html": "a.html.md",
        "b.csv": "b.md",
        "pdf/c.pdf": "pdf/groundtruth/c.md",
        "md/sources/d.md": "md/groundtruth/deep/d.md.md",
        "e/f.docx": "groundtruth/v2/f.docx.md",
    }


def test_the_manifest_decides(tmp_path: Path) -> None:
    row = {"source": "in/a.html", "reference_md": "out/z.md"}
    write(tmp_path, {"in/a.html": "", "in/a.html.md": "", "out/z.md": "",
                     "manifest.jsonl": json.dumps(row) + "\n"})  # fmt: skip
    assert pairs(tmp_path)["in/a.html"] == "out/z.md"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.html": ""}, "no document has a reference"),
        ({"a.html": "", "manifest.jsonl": "{"}, "manifest.jsonl, line 1"),
    ],
)
def test_folders_that_cannot_be_used(tmp_path: Path, files: dict[str, str], message: str) -> None:
    write(tmp_path, files)
    with pytest.raises(ConfigError, match=message):
        find_gold(tmp_path)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        find_gold(tmp_path / "nowhere")


def test_bookmarks_are_read_and_taken_away() -> None:
    data = manual()
    assert bookmarks(data) == [(1, "1. Reading tides"), (1, "2. Writing tides")]
    bare = without_bookmarks(data)
    assert bookmarks(bare) == []
    with pypdfium2.PdfDocument(bare) as document:
        assert len(document) == 2


def test_report(tmp_path: Path) -> None:
    page = (
        "<h1>Tides</h1><p>High at noon.</p><table><tr><th>Day</th></tr><tr><td>1</td></tr></table>"
    )
    write(tmp_path, {
        "a.html": page, "a.html.md": "# Tides\n\nHigh at noon.\n\n| Day |\n| - |\n| 1 |\n",
        "b.html": "<p>one two</p>", "b.html.md": "## Three\n\none two",
        "c.docx": "broken", "c.docx.md": "text",
    })  # fmt: skip
    pdf = tmp_path / "manual.pdf"
    pdf.write_bytes(manual())
    empty = tmp_path / "bare.pdf"
    empty.write_bytes(without_bookmarks(manual()))

    report = evaluate_parse(tmp_path, [pdf, empty])
    by_name = {one.name: one for one in report.results}
    assert by_name["a.html"].metrics == dict.fromkeys(by_name["a.html"].metrics, 1.0)
    assert by_name["b.html"].metrics["heading_f1"] == 0.0
    assert by_name["b.html"].metrics["token_f1"] == pytest.approx(0.8)
    assert by_name["b.html"].metrics["cell_f1"] is None
    assert report.groups["html"].metrics["heading_f1"] == 0.5
    assert report.groups["html"].metrics["cell_f1"] == 1.0
    assert by_name["c.docx"].metrics["similarity"] == 0.0
    assert report.groups["docx"].errors == 1
    assert by_name["manual.pdf"].metrics == {"heading_recall": 1.0, "heading_precision": 1.0}
    assert by_name["manual.pdf"].pages == 2
    assert "no bookmarks" in str(by_name["bare.pdf"].error)
    shown = report.to_markdown()
    assert "| a.html | 1.000 |" in shown
    assert "c.docx:" in shown
    assert json.loads(json.dumps(report.to_dict()))["groups"]["html"]["documents"] == 2
