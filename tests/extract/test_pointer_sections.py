"""Sections that lead to other pages."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.extract.context import Places
from graphrag_tasks.extract.linear.patterns import leads_elsewhere


def pointers(*blocks: tuple[str, int | None, str, bool]) -> list[str]:
    """Return the texts of the blocks that only lead elsewhere."""
    rows: list[dict[str, Any]] = []
    for ordinal, (kind, level, text, linked) in enumerate(blocks):
        start = ordinal * 1000
        rows.append(
            dict.fromkeys(schemas.BLOCKS.names)
            | {"document_id": "d", "ordinal": ordinal, "kind": kind, "level": level, "text": text}
            | {"char_start": start, "char_end": start + len(text)}
            | {"has_link": linked}
        )
    places = Places(pa.Table.from_pylist(rows, schema=schemas.BLOCKS), schemas.empty("cells"))
    return [row["text"] for row in rows if places.of(row).is_pointer]


def test_items_and_linked_texts_below_such_a_heading_lead_elsewhere() -> None:
    found = pointers(
        ("title", None, "Orders", False),
        ("list_item", None, "An order has lines.", True),
        ("heading", 1, "See also", False),
        ("list_item", None, "Invoices", False),
        ("paragraph", None, "Receipts update the ledger.", True),
        ("paragraph", None, "The ledger is read-only.", False),
        ("heading", 2, "Guides", False),
        ("list_item", None, "Count stock", True),
        ("heading", 1, "Limits", False),
        ("list_item", None, "An order holds 99 lines.", True),
    )
    assert found == ["Invoices", "Receipts update the ledger.", "Count stock"]


@pytest.mark.parametrize(
    ("heading", "leads"),
    [
        ("See also", True), ("SEE ALSO:", True), ("Related", True), ("Related Information", True),
        ("Related SAP documentation", True), ("Next steps", True), ("What's next?", True),
        ("In this section", True), ("Further reading", True), ("Related tables", False),
        ("Next generation", False), ("Seeing orders", False), ("More information", False),
    ],
)  # fmt: skip
def test_headings_that_lead_elsewhere(heading: str, leads: bool) -> None:
    assert leads_elsewhere(heading) is leads
