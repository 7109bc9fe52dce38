"""The Python of the documentation runs as it stands, each block alone, on a store in `store`."""

import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.name != "api.md"  # its blocks are signatures
]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TYPED = re.compile(r"^(?:>>>|\.\.\.) ?(.*)$", re.MULTILINE)
SERVED = {"open_served": "Milvus", "Client(": "a language model", "SparkSession": "Java",
          "as_retriever": "LangChain"}  # fmt: skip
"""Words of blocks that need a server, and what they need; their names are checked alone."""


def _blocks() -> dict[str, str]:
    found = {}
    for page in PAGES:
        for block in _BLOCK.finditer(text := page.read_text("utf-8")):
            lines = "\n".join(_TYPED.findall(block[1])) if ">>>" in block[1] else block[1]
            line = text.count("\n", 0, block.start()) + 1
            found[f"{page.relative_to(ROOT)}:{line}"] = lines
    return found


BLOCKS = _blocks()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stores, questions and a graph, as the pages name them."""
    made = tmp_path_factory.mktemp("snippets")
    for name, text in {
        "docs/codes.md": "# Adaptation\n\nUse table VBBE instead of table VBBS.\n",
        "docs/people.md": "# Zurich\n\nThe office stands in Zurich. Ada Blom uses the office.\n",
        "docs/films.md": "# Winter Song\n\nMina Okafor directed Winter Song.\n",
        "docs/manual-5.1/db.md": "# Databases\n\nDjango supports PostgreSQL 13 and higher.\n",
        "docs/manual-3.2/db.md": "# Databases\n\nDjango supports PostgreSQL 9.6 and higher.\n",
        "docs/stock.csv": "Part,Stock\nbolt,2000\nnut,3\n",
        "questions.jsonl": '{"id": "a", "question": "Who directed Winter Song?", "type": "single", '
        '"answer": "Mina Okafor", "gold_titles": ["Winter Song"], "gold_ids": ["films.md"]}\n',
        "graph.ttl": "",
    }.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    for store, labels in (("store", {}), ("labelled", {"enabled": True, "default": ["hr"]})):
        settings = {"store": str(made / store), "sources": [str(made / "docs")], "access": labels}
        settings |= {"load": {"vector_store": "none"}}
        run_index(load_config(overrides=settings, environ={}), workers=1)
    return made


@pytest.mark.parametrize("name", BLOCKS)
def test_a_snippet_runs(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = BLOCKS[name]
    needs = next((needed for word, needed in SERVED.items() if word in code), "")
    imported = set(re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE))
    needs = needs or next((one for one in sorted(imported) if find_spec(one) is None), "")
    if needs:
        pytest.skip(f"needs {needs}")
    monkeypatch.chdir(folder)
    if "principals" in code:
        code = code.replace('"store"', '"labelled"')
    with redirect_stdout(StringIO()):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})  # noqa: S102 - our own pages


@pytest.mark.parametrize("name", BLOCKS)
def test_a_snippet_names_nothing_that_it_does_not_import(name: str, tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text(BLOCKS[name])
    words = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821"]
    found = subprocess.run([*words, str(tmp_path)], capture_output=True, text=True)  # noqa: S603
    assert found.returncode == 0, found.stdout
