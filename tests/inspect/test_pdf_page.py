"""Pages of PDF files as pictures, with the passage marked, and what is never drawn."""

import io
import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import made

PDF = next((Path(__file__).parents[2] / "examples" / "corpus" / "pdf").glob("*.pdf"))


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "corpus").mkdir()
    shutil.copy(PDF, folder / "corpus" / "a.pdf")
    return made(folder, {"b.txt": "The report ZSALES reads the table VBBS.\n"})


def amber(png: bytes) -> int:
    """Return how many pixels are white paper under the marker."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    counts = {color: count for count, color in picture.getcolors(1 << 24) or []}
    return sum(count for (r, g, b), count in counts.items() if r > 240 and g > 225 and b < 200)


def test_a_page_is_drawn_with_its_passage_marked(config: Config) -> None:
    snapshot, browser = Store(config.store).open(), TestClient(make_app(lambda: None, config))
    rows = snapshot.table("documents", ["document_id", "path"]).to_pylist()
    ids = {row["path"]: row["document_id"] for row in rows}
    chunks = snapshot.table("chunks").to_pylist()
    chunk = next(one for one in chunks if one["document_id"] == ids["a.pdf"])
    address = f"/snapshots/current/documents/{ids['a.pdf']}"
    picture = f"{address}/pages/{chunk['page_start']}.png"
    page = browser.get(address)
    assert f"pages/{chunk['page_start']}.png?chunk={chunk['chunk_id']}" in page.text
    assert "img-src 'self'" in page.headers["content-security-policy"]
    plain, marked = (browser.get(picture, params=asked).content for asked in ({}, {"chunk": chunk["chunk_id"]}))
    assert amber(plain) == 0
    assert amber(marked) > 1_000
    for other in (f"{address}/pages/999.png",
                  f"/snapshots/current/documents/{ids['b.txt']}/pages/1.png",
                  f"/snapshots/current/documents/{'0' * 24}/pages/1.png"):  # fmt: skip
        assert browser.get(other).status_code == 400
    assert browser.get(f"{address}/pages/0.png").status_code == 422
    file = Path(config.sources[0]) / "a.pdf"
    file.write_bytes(file.read_bytes() + b"\n")
    changed = browser.get(picture)
    assert changed.status_code == 400
    assert "another one than was read" in changed.text
    file.unlink()
    assert "cannot be read here" in browser.get(picture).text
