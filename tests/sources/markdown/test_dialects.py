"""Repositories of documentation: their text and their names, and nothing of their generators."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.sources.markdown.repositories import REPOSITORIES, Page, World

PAGES = {
    f"{name}/{path}": page
    for name, repository in REPOSITORIES.items()
    for path, page in repository.items()
    if isinstance(page, Page)
}
RESIDUE = re.compile(
    r"INCLUDE|prod_short|prod_long|\{%|%\}|\{\{|\}\}|:::|\[!|!!!|8<|<[A-Z]|/>|xref:|tab/|loio|glossary_"
    r"|^(?:import|export|hint|endhint|tabs?|note|alt-text|moniker|whatsnext|toc|no_toc)$",
    re.IGNORECASE,
)


@pytest.mark.parametrize("uri", PAGES)
def test_a_page_has_its_text_and_counts_what_is_missing(world: World, uri: str) -> None:
    page, document = PAGES[uri], world.documents[uri]
    found = [(block["kind"], block["text"]) for block in world.blocks[uri]]
    assert found == page.blocks
    left_out = {one["reason"]: one["count"] for one in document["left_out"] or ()}
    assert left_out == page.left_out
    assert document["title"] == page.title or not page.title


def test_no_chunk_holds_marks_of_a_generator(world: World) -> None:
    code = {
        line
        for blocks in world.blocks.values()
        for block in blocks
        for line in block["text"].split("\n")
        if block["kind"] == "code"
    }
    chunks = world.snapshot.table("chunks").to_pylist()
    lookalikes = {row["document_id"] for uri, row in world.documents.items() if "lookalikes" in uri}
    for chunk in chunks:
        if chunk["document_id"] in lookalikes:
            continue
        prose = "\n".join(line for line in chunk["text"].split("\n") if line not in code)
        shown = prose.replace("The tag {{ page.title }} stays", "").replace('!!! note "Later"', "")
        assert not RESIDUE.search(shown), chunk["text"]


def test_no_name_is_a_mark_of_a_generator(world: World) -> None:
    names = world.snapshot.table("entities")["name"].to_pylist()
    assert [name for name in names if RESIDUE.search(name)] == []


def test_products_are_the_hubs_and_junk_is_not(world: World) -> None:
    names = {row["entity_id"]: row["name"] for row in world.snapshot.table("entities").to_pylist()}
    degrees: Counter[str] = Counter()
    for row in world.snapshot.table("triples").to_pylist():
        degrees.update({row["head"], row["tail"]})
    hubs = [name for name, _ in degrees.most_common(10)]
    assert names
    assert hubs[0] == "Larch Warehouse"
    assert [hub for hub in hubs if RESIDUE.search(hub)] == []


def test_what_only_leads_elsewhere_is_no_fact(world: World) -> None:
    blocks = world.snapshot.table("blocks").to_pylist()
    linked = "\n".join(row["text"] for row in blocks if row["has_link"])
    assert all(name in linked for name in ("Count stock", "Queues", "Agent"))
    tails = {row["tail"] for row in world.snapshot.table("triples").to_pylist()}
    assert tails.isdisjoint({"the ledger", "ledger", "messages for consumers", "data"})
    names = world.snapshot.table("entities")["name"].to_pylist()
    assert {"See also", "Related topics", "Next steps", "What's next"}.isdisjoint(names)


def test_an_included_file_is_no_document_of_its_own(world: World) -> None:
    for uri in (
        "docfx/docs/includes/prod_short.md",
        "docusaurus/docs/_requirements.mdx",
        "hugo/content/includes/ports.md",
        "jekyll/_includes/note.md",
        "mkdocs/snippets/support.md",
    ):
        row = world.documents[uri]
        assert (row["status"], row["error_code"]) == ("skipped", "included")
        assert "stands in the documents that include it" in row["error_message"]
