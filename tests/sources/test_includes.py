"""Texts that pages take from other files of their source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import AccessConfig
from graphrag_tasks.sources.listing import SourceReader, list_sources, source_roots
from graphrag_tasks.sources.markdown.includes import assemble, may_include

DOCFX = "[!INCLUDE [n]({})]"


def assembled(text: str, files: dict[str, str], path: str = "docs/page.md") -> str:
    """Return a page of these files with its includes."""
    found = {name: one.encode() for name, one in files.items()}
    return assemble(text.encode(), path, found.get).data.decode()


@pytest.mark.parametrize(
    "text",
    [
        DOCFX.format("inc/a.md"),
        DOCFX.format("~/docs/inc/a.md"),
        '--8<-- "inc/a.md"',
        "--8<--\ninc/a.md\n--8<--",
        '{% include "inc/a.md" %}',
        "{% include_relative inc/a.md %}",
        '{{% include "inc/a.md" %}}',
        '{{< readfile file="inc/a.md" >}}',
        "import A from './inc/a.md';\n<A />",
    ],
)
def test_each_generator_names_files_in_its_own_way(text: str) -> None:
    files = {"docs/inc/a.md": "---\ntitle: A\n---\n\nOne [link](../b.md).\n"}
    assert assembled(f"Before.\n\n{text}\n\nAfter.", files).replace("\n\n\n", "\n\n") == (
        "Before.\n\nOne [link](../b.md).\n\nAfter."
    )


def test_code_is_not_touched_and_raw_tags_stay_for_the_reader() -> None:
    files = {"docs/a.md": "One."}
    include = DOCFX.format("a.md")
    code = f"```\n{include}\n```\n\n`{include}`\n\n    {include}\n\n{{% raw %}}{include}{{% endraw %}}"
    assert assembled(code, files) == code
    assert assembled(f"{code}\n\n{include}", files) == f"{code}\n\nOne."


def test_includes_nest_but_not_in_circles() -> None:
    files = {"docs/a.md": f"A {DOCFX.format('b.md')}", "docs/b.md": f"B {DOCFX.format('a.md')}"}
    assert assembled(DOCFX.format("a.md"), files) == f"A B {DOCFX.format('a.md')}"
    endless = {f"docs/{n}.md": f"{n} {DOCFX.format(f'{n + 1}.md')}" for n in range(50)}
    assert assembled(DOCFX.format("0.md"), endless).startswith("0 1 2 3 4 5 6 7 [!INCLUDE")


@pytest.mark.parametrize("name", ["../../secret.md", "/../secret.md", ".env.txt", "a.py", ".x/a.md"])
def test_no_include_leads_out_of_the_source_or_to_a_hidden_file(tmp_path: Path, name: str) -> None:
    root = tmp_path / "in"
    (root / "docs" / ".x").mkdir(parents=True)
    for file in ("../secret.md", "docs/.env.txt", "docs/a.py", "docs/.x/a.md"):
        (root / file).write_text("hidden text")
    (root / "docs/page.md").write_text(DOCFX.format(name))
    roots = source_roots([str(root)])
    listed = list_sources(roots)
    assert listed["includes"].null_count == listed.num_rows
    assert b"hidden text" not in SourceReader(roots, listed).fetch("in/docs/page.md")


def test_a_symbolic_link_out_of_the_source_is_not_included(tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    (tmp_path / "secret.md").write_text("hidden text")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "page.md").write_text(DOCFX.format("link.md"))
    roots = source_roots([str(root)])
    listed = list_sources(roots)
    assert SourceReader(roots, listed).fetch("in/page.md") == DOCFX.format("link.md").encode()


def rows_of(root: Path, access: AccessConfig | None = None) -> dict[str, dict[str, Any]]:
    """List a folder."""
    listed = list_sources(source_roots([str(root)]), access).to_pylist()
    return {row["path"]: row for row in listed}


def test_a_page_has_another_hash_once_its_include_changes(tmp_path: Path) -> None:
    root = tmp_path / "in"
    (root / "includes").mkdir(parents=True)
    (root / "page.md").write_text(DOCFX.format("includes/a.md"))
    (root / "other.md").write_text("Other.")
    (root / "includes/a.md").write_text("One.")
    before = rows_of(root)
    assert before["page.md"]["includes"] == ["includes/a.md"]
    assert before["includes/a.md"]["media_type"] == "include"
    assert before["includes/a.md"]["content_sha256"] is None
    (root / "includes/a.md").write_text("Two.")
    after = rows_of(root)
    assert after["page.md"]["content_sha256"] != before["page.md"]["content_sha256"]
    assert after["other.md"] == before["other.md"]
    (root / "page.md").write_text("Nothing.")
    assert rows_of(root)["includes/a.md"]["media_type"] == "md"


def test_a_page_shows_no_text_that_its_readers_may_not_see(tmp_path: Path) -> None:
    root = tmp_path / "in"
    (root / "includes").mkdir(parents=True)
    for name in ("secret", "shared", "open"):
        (root / f"includes/{name}.md").write_text(name)
    text = " ".join(DOCFX.format(f"includes/{name}.md") for name in ("secret", "shared", "open"))
    (root / "page.md").write_text(text)
    rules = [{"path": "includes/secret.md", "labels": ["board"]}, {"path": "includes/open.md", "labels": ["public"]}]
    access = AccessConfig.model_validate({"enabled": True, "rules": rules, "default": ["staff"]})
    roots = source_roots([str(root)])
    listed = list_sources(roots, access)
    rows = rows_of(root, access)
    assert rows["page.md"]["includes"] == ["includes/open.md", "includes/shared.md"]
    shown = SourceReader(roots, listed).fetch("in/page.md").decode()
    assert shown == f"{DOCFX.format('includes/secret.md')} shared open"
    # Others than the page's readers find what only they or all may see.
    kinds = {name: rows[f"includes/{name}.md"]["media_type"] for name in ("secret", "shared", "open")}
    assert kinds == {"secret": "md", "shared": "include", "open": "md"}


def test_who_may_see_a_page_may_see_what_it_includes() -> None:
    assert may_include(None, None)
    assert may_include(["a"], ["a", "b"])
    assert may_include([], ["a"])
    assert may_include(["a", "b"], ["public"])
    assert not may_include(["a", "b"], ["a"])
    assert not may_include(["public"], ["a"])
    assert not may_include(["a"], [])
