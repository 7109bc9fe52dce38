"""Documents that repeat what the code says say the same."""

import re
from pathlib import Path

import pytest

from graphrag_tasks.pipeline.stages import STAGES

ROOT = Path(__file__).parents[2]


def test_the_readme_lists_the_stages_in_order_with_their_tables() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    table = text.partition("| stage | in → out | what |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| .*?→ (.*?) \|", table, re.MULTILINE)
    names = [one.name for one in STAGES]
    assert [name for name, _ in rows] == ["plan", *names, "publish"]
    made = {one.name: list(one.makes) for one in STAGES}
    for name, tables in rows:
        listed = re.findall(r"`(\w+)`", tables)
        assert not listed or listed == made.get(name, listed), name
    (figure,) = re.findall(r"```\n(plan → .*?)```", text, re.DOTALL)
    assert re.findall(r"\w+", figure.replace("per shard", "")) == ["plan", *names, "publish"]


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.stem
)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`([\w/]+\.py)`", page.read_text("utf-8"))
    folders = (ROOT, ROOT / "graphrag_tasks")
    assert [one for one in named if not any((at / one).exists() for at in folders)] == []
