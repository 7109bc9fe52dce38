"""Documents agree with the code and with each other: stages, modules, links, anchors, pictures."""

import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

from benchmarks.tools.reference import command_line as commands
from benchmarks.tools.reference import sections
from graphrag_tasks.core.schemas import SCHEMAS
from graphrag_tasks.pipeline.stages import STAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
AT_THE_TOP = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
_LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$|`+[^`\n]+`+", re.DOTALL | re.MULTILINE)
_WEB = ("http://", "https://", "mailto:")


def test_the_page_on_the_method_lists_the_stages_in_order_with_their_tables() -> None:
    text = (DOCS / "explanation" / "method.md").read_text("utf-8")
    table = text.partition("| stage | in → out | what |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| .*?→ (.*?) \|", table, re.MULTILINE)
    names = [one.name for one in STAGES]
    assert [name for name, _ in rows] == ["plan", *names, "publish"]
    made = {one.name: list(one.makes) for one in STAGES}
    for name, tables in rows:
        listed = re.findall(r"`(\w+)`", tables)
        assert not listed or listed == made.get(name, listed), name
    (figure,) = re.findall(r"```\w*\n(plan → .*?)```", text, re.DOTALL)
    assert re.findall(r"\w+", figure.replace("per shard", "")) == ["plan", *names, "publish"]


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [*AT_THE_TOP, *PAGES], ids=page_name)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`([\w/]+\.py)`", page.read_text("utf-8"))
    folders = (ROOT, ROOT / "graphrag_tasks")
    assert [one for one in named if not any((at / one).exists() for at in folders)] == []


IGNORED = (ROOT / ".gitignore").read_text("utf-8").split()
ROOMS = {one.parent.name for one in (ROOT / "graphrag_tasks").glob("*/__init__.py")}
"""Folders of the library, which pages name without their parent."""
FOLDERS = ROOMS | {
    one.name
    for one in ROOT.iterdir()
    if one.is_dir() and not one.name.startswith(".") and f"{one.name}/" not in IGNORED
}


@pytest.mark.parametrize("page", [*AT_THE_TOP, *PAGES], ids=page_name)
def test_files_and_folders_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", page.read_text("utf-8"))
    ours = [one for one in named if one.partition("/")[0] in FOLDERS]
    folders = (ROOT, ROOT / "graphrag_tasks")
    assert [one for one in ours if not any((at / one).exists() for at in folders)] == []


def test_the_layout_names_every_folder_and_no_other() -> None:
    layout = (DOCS / "contributing.md").read_text("utf-8").partition("## Layout")[2]
    figure = [line.partition("  ")[0] if line[0] != " " else line[2:].partition("  ")[0]
              for line in layout.split("```")[1].strip("\n").split("\n")]  # fmt: skip
    shown = {one.strip("/") for words in figure for one in words.split() if one.endswith("/")}
    assert shown == FOLDERS


@pytest.mark.parametrize("page", [*AT_THE_TOP, *PAGES], ids=page_name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_and_a_broken_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# Name of `it`: one\n\n## Twice\n\n## Twice\n")
    page.write_text(
        "[a](other.md) [b](gone.md) [c](other.md#name-of-it-one) [d](other.md#no) [e](#here) "
        "[f](other.md#twice-1) `[g](code.md)` [h](https://example.org)\n"
    )
    assert broken_links(page) == ["gone.md", "other.md#no", "#here"]


SETTINGS = {f"{prefix}{name}" for prefix, model in sections() for name in model.model_fields}
COLUMNS = {f"{table}.{one.name}" for table, schema in SCHEMAS.items() for one in schema}
COMMANDS = {path for path, _ in commands()}


def test_the_readme_begins_with_the_commands_that_are_run_on_a_clean_checkout() -> None:
    first = (ROOT / "README.md").read_text("utf-8").partition("```console\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].strip() for line in first.splitlines()]
    assert {"make reindex", "make test"} <= set(commands)
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8").splitlines()


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=page_name)
def test_settings_and_commands_that_a_page_names_exist(page: Path) -> None:
    code = [one.group() for one in _CODE.finditer(page.read_text("utf-8"))]
    dotted = [one for text in code for one in re.findall(r"^`([a-z_]+(?:\.[a-z_]+)+)\b", text)]
    roots = {one.partition(".")[0] for one in SETTINGS if "." in one}
    keys = [one for one in dotted if one.partition(".")[0] in roots]
    assert [one for one in keys if one not in SETTINGS | COLUMNS] == []
    program = re.compile(r"graphrag-tasks ([a-z][a-z-]*(?: [a-z-]+)?)")
    typed = [one for text in code for one in program.findall(text)]
    assert [one for one in typed if not {one, one.partition(" ")[0]} & COMMANDS] == []


def test_every_page_is_in_the_navigation_once() -> None:
    listed = Counter(pages_of(navigation()))
    assert listed == Counter(page.relative_to(DOCS).as_posix() for page in PAGES)


def test_every_picture_is_shown() -> None:
    text = "".join(page.read_text("utf-8") for page in [*AT_THE_TOP, *PAGES])
    pictures = [one.name for one in (DOCS / "images").iterdir()]
    assert [name for name in pictures if f"images/{name}" not in text] == []


def test_documents_that_code_names_exist() -> None:
    files = [
        one
        for folder in ("graphrag_tasks", "dags", "plugins", "benchmarks", "training", "tools")
        for one in (ROOT / folder).rglob("*.py")
    ]
    named = {
        (file.name, name)
        for file in [*files, ROOT / "CHANGELOG.md", *PAGES]
        for name in re.findall(r"(?<![\w/.'])docs/[a-z/-]+\.md", file.read_text("utf-8"))
    }
    examples = {f"docs/{name}.md" for name in ("note", "new", "stock", "portal", "canteen", "ledger", "billing")}
    assert {one for one in named if not (ROOT / one[1]).exists() and one[1] not in examples} == set()


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page whose file or heading does not exist."""
    text = _CODE.sub("", page.read_text("utf-8"))
    links = [one for one in _LINK.findall(text) if not one.startswith(_WEB)]
    return [link for link in links if not leads_somewhere(page, unquote(link))]


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page, and so does mkdocs.yml."""
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def navigation() -> Any:
    class Loader(yaml.SafeLoader):
        """Reads the tags of MkDocs, whose values do not matter here, as None."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    return yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)["nav"]  # noqa: S506


def pages_of(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [page for one in inner for page in pages_of(one)]
