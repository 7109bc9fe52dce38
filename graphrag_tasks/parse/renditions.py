"""A whole document as Docling's JSON and as Markdown, without its pictures.

Both come from the tree that the blocks were read from: nobody has to parse the document again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphrag_tasks.parse.blocks import NOT_RENDERED, Block, ParsedDocument, Renditions
from graphrag_tasks.parse.tables import Table

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.items.table.table_data import TableData

DOCLING_DOCUMENT_VERSION = "1.10.0"
"""Version of Docling's own schema that `render_blocks` writes; a test holds it to the installed."""

_LABELS = {"title": "title", "heading": "section_header"}
_CHARACTERS_PER_ITEM = 150
"""What an item takes in JSON beside its text, at the least."""

log = logging.getLogger(__name__)


def rendered(parsed: ParsedDocument, max_characters: int) -> ParsedDocument:
    """Return a document with its renditions, and without its tree.

    One without a tree, such as plain text, gets one. Where its JSON is longer than
    `max_characters`, it gets no rendition.
    """
    renditions = NOT_RENDERED
    try:
        if parsed.blocks:
            renditions = _renditions(parsed, max_characters)
    except Exception:  # what was read must not be lost with it; the stage counts it
        log.warning("a document could not be rendered", exc_info=True)
    if len(renditions.docling_json or "") > max_characters:
        renditions = NOT_RENDERED
    return replace(parsed, tree=None, renditions=renditions)


def _renditions(parsed: ParsedDocument, max_characters: int) -> Renditions:
    cells = sum(len(block.table) for block in parsed.blocks if block.table is not None)
    if cells * _CHARACTERS_PER_ITEM > max_characters:
        return NOT_RENDERED  # without the time and memory to find out how much more it is
    if parsed.tree is None and not cells:
        return render_blocks(parsed.blocks)
    tree = _tree_with_tables(parsed.blocks) if parsed.tree is None else parsed.tree
    items = len(tree.texts) + sum(len(table.data.table_cells) for table in tree.tables)
    texts = sum(len(item.text) for item in tree.texts)
    if texts + _CHARACTERS_PER_ITEM * items > max_characters:
        return NOT_RENDERED
    tree.origin = None  # of what the reader made of the file; `documents` has the file's hash
    for item in (*tree.pictures, *tree.tables, *tree.pages.values()):
        item.image = None
    text = _json(tree.export_to_dict())
    if len(text) > max_characters:
        return NOT_RENDERED
    return Renditions(text, _encodable(tree.export_to_markdown(compact_tables=True)))


def _tree_with_tables(blocks: Sequence[Block]) -> DoclingDocument:
    """Return Docling's document of blocks that another reader than Docling's found in tables."""
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.labels import DocItemLabel

    tree = DoclingDocument(name="document")
    for block in blocks:
        if block.table is not None:
            tree.add_table(_table_data(block.table))
        elif block.kind == "heading":
            tree.add_heading(block.text, level=block.level or 1)
        else:
            tree.add_text(DocItemLabel.TEXT, block.text)
    return tree


def _table_data(table: Table) -> TableData:
    from docling_core.types.doc.items.table.table_data import TableCell, TableData

    names = ("row", "column", "row_span", "col_span", "is_header", "is_row_header", "text")
    cells = [
        TableCell(
            start_row_offset_idx=row, end_row_offset_idx=row + row_span, row_span=row_span,
            start_col_offset_idx=column, end_col_offset_idx=column + col_span, col_span=col_span,
            column_header=is_header, row_header=is_row_header, text=text,
        )
        for row, column, row_span, col_span, is_header, is_row_header, text in zip(
            *(table.cells[name] for name in names), strict=True
        )
    ]  # fmt: skip
    return TableData(
        table_cells=cells,
        num_rows=max(cell.end_row_offset_idx for cell in cells),
        num_cols=max(cell.end_col_offset_idx for cell in cells),
    )


def _json(tree: dict[str, Any]) -> str:
    return _encodable(json.dumps(tree, ensure_ascii=False, separators=(",", ":")))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def render_blocks(blocks: Sequence[Block]) -> Renditions:
    """Return the renditions of blocks without tables, as Docling, which takes seconds to import."""
    texts = [_item(number, block) for number, block in enumerate(blocks)]
    roots = {"furniture": [], "body": [{"$ref": text["self_ref"]} for text in texts]}
    tree = {
        "schema_name": "DoclingDocument",
        "version": DOCLING_DOCUMENT_VERSION,
        "name": "document",
        **{
            layer: {
                "self_ref": f"#/{layer}",
                "children": children,
                "content_layer": layer,
                "name": "_root_",
                "label": "unspecified",
            }
            for layer, children in roots.items()
        },
        "groups": [],
        "texts": texts,
        **{name: [] for name in ("pictures", "tables", "key_value_items", "form_items")},
        "pages": {},
    }
    markdown = "\n\n".join(map(_markdown, blocks))
    return Renditions(_json(tree), _encodable(markdown))


def _item(number: int, block: Block) -> dict[str, Any]:
    item = {
        "self_ref": f"#/texts/{number}",
        "parent": {"$ref": "#/body"},
        "children": [],
        "content_layer": "body",
        "label": _LABELS.get(block.kind, "text"),
        "prov": [],
        "orig": block.text,
        "text": block.text,
    }
    return item | ({"level": block.level or 1} if block.kind == "heading" else {})


def _markdown(block: Block) -> str:
    hashes = {"title": "#", "heading": "#" * (1 + (block.level or 1))}.get(block.kind)
    return f"{hashes} {block.text}" if hashes else block.text
