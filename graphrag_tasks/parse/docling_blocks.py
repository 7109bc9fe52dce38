"""Docling's document tree as a flat list of blocks in reading order.

Only the body is read: headers, footers, notes and comments lie in other layers.
"""

from __future__ import annotations

from collections.abc import Iterator

from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import GroupItem
from docling_core.types.doc.items.node import DocItem, NodeItem
from docling_core.types.doc.items.picture.picture import PictureItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.text import SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel, GroupLabel

from graphrag_tasks.parse.blocks import Block, Box
from graphrag_tasks.parse.docling_tables import cells_of
from graphrag_tasks.parse.tables import lay_out_table
from graphrag_tasks.parse.text import clean_text, one_line

_KINDS = {
    DocItemLabel.TITLE: "title",
    DocItemLabel.SECTION_HEADER: "heading",
    DocItemLabel.LIST_ITEM: "list_item",
    DocItemLabel.CHECKBOX_SELECTED: "list_item",
    DocItemLabel.CHECKBOX_UNSELECTED: "list_item",
    DocItemLabel.CODE: "code",
    DocItemLabel.CAPTION: "caption",
}
_LEFT_OUT = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER, DocItemLabel.MARKER)
_JOINED = (DocItemLabel.FIELD_ITEM,)
_NO_SPACE_BEFORE = tuple(".,;:!?)]}%\u2019\u201d\u00bb")
_NO_SPACE_AFTER = tuple("([{\u201c\u00ab")


def blocks_of(document: DoclingDocument, *, unit: float | None = None) -> list[Block]:
    """Return the body's blocks.

    Args:
        document: What Docling made of a file.
        unit: Points in one unit of Docling's boxes; None leaves pages and boxes out, where they
            are not those of a page.
    """
    return list(_Walk(document, unit).blocks())


class _Walk:
    """A walk without recursion: some files nest thousands of levels deep."""

    def __init__(self, document: DoclingDocument, unit: float | None) -> None:
        self._document = document
        self._unit = unit
        self._stack: list[NodeItem] = [document.body]
        self._done: set[str] = set()

    def blocks(self) -> Iterator[Block]:
        while self._stack:
            item = self._stack.pop()
            if item.self_ref in self._done:
                continue
            self._done.add(item.self_ref)
            yield from self._visit(item)

    def _visit(self, item: NodeItem) -> Iterator[Block]:
        if isinstance(item, TableItem):
            yield from self._table(item)
        elif isinstance(item, PictureItem):
            yield from self._captions(item)
        elif _is_inline(item) or getattr(item, "label", None) in _JOINED:
            yield from self._text(item, "paragraph", self._inline(item))
        else:
            yield from self._node(item)

    def _node(self, item: NodeItem) -> Iterator[Block]:
        children = self._children(item)
        if isinstance(item, GroupItem) and item.label == GroupLabel.SHEET and children:
            yield Block("heading", one_line(item.name), level=1)
        if isinstance(item, TextItem) and item.label not in _LEFT_OUT:
            text = item.text
            if not text.strip() and children and _is_inline(children[0]):
                text = self._inline(children.pop(0))
            yield from self._text(item, _KINDS.get(item.label, "paragraph"), text)
        self._stack.extend(reversed(children))

    def _text(self, item: NodeItem, kind: str, text: str) -> Iterator[Block]:
        text = one_line(text) if kind in ("title", "heading") else clean_text(text)
        if kind != "code":
            text = text.strip()
        if text and item.content_layer == ContentLayer.BODY:
            level = item.level if isinstance(item, SectionHeaderItem) else None
            yield Block(kind, text, level, *self._place(item))

    def _table(self, table: TableItem) -> Iterator[Block]:
        yield from self._captions(table)
        text, cells = lay_out_table(cells_of(table.data))
        if text and table.content_layer == ContentLayer.BODY:
            is_table = len(cells) > 1
            yield Block(
                "table" if is_table else "paragraph",
                text,
                None,
                *self._place(table),
                table=cells if is_table else None,
            )
        for reference in table.footnotes:
            note = reference.resolve(self._document)
            if note.self_ref not in self._done:
                self._done.add(note.self_ref)
                yield from self._text(note, "paragraph", note.text)

    def _captions(self, item: TableItem | PictureItem) -> Iterator[Block]:
        for reference in item.captions:
            caption = reference.resolve(self._document)
            if caption.self_ref not in self._done:
                self._done.add(caption.self_ref)
                yield from self._text(caption, "caption", caption.text)

    def _inline(self, item: NodeItem) -> str:
        """Join the runs of a paragraph; Docling strips the blank space between them."""
        joined = ""
        pending = self._children(item)[::-1]
        while pending:
            part = pending.pop()
            pending.extend(self._children(part)[::-1])
            text = getattr(part, "text", "")
            if not text or getattr(part, "label", None) in _LEFT_OUT:
                continue
            glued = text.startswith(_NO_SPACE_BEFORE) or joined.endswith(_NO_SPACE_AFTER)
            joined += text if glued or not joined else f" {text}"
        return joined

    def _place(self, item: NodeItem) -> tuple[int | None, Box | None]:
        if self._unit is None or not isinstance(item, DocItem) or not item.prov:
            return None, None
        page = item.prov[0].page_no
        box = item.prov[0].bbox.to_top_left_origin(self._document.pages[page].size.height)
        left, top, right, bottom = (side * self._unit for side in box.as_tuple())
        return page, Box(left, top, right, bottom)

    def _children(self, item: NodeItem) -> list[NodeItem]:
        return [child.resolve(self._document) for child in item.children]


def _is_inline(item: NodeItem) -> bool:
    return isinstance(item, GroupItem) and item.label == GroupLabel.INLINE
