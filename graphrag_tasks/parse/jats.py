"""Read JATS journal articles by converting them to HTML; other XML is refused.

Notes follow their paragraph or table.
"""

from __future__ import annotations

import codecs
from html import escape

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.markup import ElementWriter, read_written
from graphrag_tasks.parse.package_texts import (
    Element,
    attribute,
    descendants,
    has_words,
    local_name,
    parse_xml,
    text_of,
)

_PARTS = {"front", "body", "back", "floats-group", "sub-article", "response", "front-stub"}
_BLOCKS = {
    *("p", "title", "article-title", "subtitle", "trans-title", "list", "table", "verse-line"),
    *("code", "preformat", "mixed-citation", "element-citation", "kwd", "contrib", "aff", "term"),
    *("def", "attrib", "copyright-statement", "license-p", "fn", "label", "speaker", "ref"),
    *("nlm-citation", "corresp", "award-group", "disp-formula"),
    "supplementary-material",
}
"""Block-level elements."""

_BESIDE = {"fn", "fig", "table-wrap", "boxed-text", "list", "disp-quote", "def-list", "table"}
_SPACED = {
    *("citation-alternatives", "element-citation", "nlm-citation", "mixed-citation", "contrib"),
    *("aff", "award-group", "ref"),
}
"""Elements whose children are fields, separated by a blank."""

_PUBLISHING = {
    *("journal-id", "issn", "publisher", "article-id", "pub-date", "history", "volume", "issue"),
    *("fpage", "lpage", "elocation-id", "counts", "custom-meta-group", "self-uri", "isbn"),
    *("issue-id", "pub-history", "permissions", "contrib-id", "object-id", "related-article"),
    *("subject", "journal-title", "role"),
}
"""Front-matter elements about publication, and about each author's contribution."""

_COUNTED = {
    **dict.fromkeys(("alt-text", "long-desc"), LeftOut.PICTURE),
    "abbrev-journal-title": LeftOut.ALTERNATIVE,
    **dict.fromkeys(_PUBLISHING, LeftOut.HIDDEN),
}
_MAX_LEVEL = 6  # Deepest heading of HTML.
_HEAD_BYTES = 100_000  # The article's root element has to appear in so many bytes.


def read_article(data: bytes) -> ParsedDocument:
    """Read an article."""
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_wide and b"article" not in data[:_HEAD_BYTES] and b"<" in data[:_HEAD_BYTES]:
        raise _other()
    root = parse_xml(data, "xml")
    if local_name(root) != "article" or not any(local_name(one) in _PARTS for one in root):
        raise _other()
    writer = _Writer()
    writer.left_out[LeftOut.ALTERNATIVE] += _settle(root)
    html = writer.write(root)
    return read_written(html, left_out=writer.left_out)


def _other() -> DocumentError:
    what = "of XML files only journal articles in JATS are read"
    hint = "Convert it to Markdown or HTML, for instance by pandoc"
    return DocumentError("unknown_type", what, hint=hint)


def _settle(root: Element) -> int:
    """Put section numbers into titles, and remove and count duplicate formulas."""
    repeated = 0
    for element in root.iter():
        names = [local_name(child) for child in element]
        if "math" in names and "tex-math" in names:
            repeated += 1
            element.remove(element[names.index("tex-math")])
        elif names[:2] == ["label", "title"]:
            element[1].text = f"{text_of(element[0])} {element[1].text or ''}"
            element.remove(element[0])
    return repeated


class _Writer(ElementWriter):
    def __init__(self) -> None:
        super().__init__()
        self._level = 1

    def write(self, element: Element) -> str:
        self._children(element)
        return "\n".join(self._html)

    def _children(self, element: Element) -> None:
        """Write an element's content; loose text and inline elements become paragraphs."""
        loose = [escape(element.text or "")]
        for child in element:
            if self._is_inline(child):
                loose.append(self._inline_child(child))
            else:
                self._loose(loose)
                self._block(child)
            loose.append(escape(child.tail or ""))
        self._loose(loose)

    def _loose(self, parts: list[str]) -> None:
        text = "".join(parts)
        parts.clear()
        if text.strip():
            self._html.append(f"<p>{text}</p>")
            self._write_behind()

    def _is_inline(self, element: Element) -> bool:
        name = local_name(element)
        if name in _BLOCKS or name in _COUNTED:
            return False
        return next(descendants(element, *_BLOCKS), None) is None

    def _block(self, element: Element) -> None:
        name = local_name(element)
        if self._is_counted(element, name):
            return
        if name in ("sec", "abstract", "app", "ack", "ref-list", "sub-article", "boxed-text"):
            self._level += 1
            self._children(element)
            self._level -= 1
        elif name in ("title", "article-title"):
            self._heading(element)
        elif name == "caption":
            before, self._level = self._level, 0
            self._children(element)
            self._level = before
        elif name == "list":
            self._list(element)
        elif name == "table":
            self._table(element)
        elif name in ("code", "preformat"):
            self._html.append(f"<pre>{escape(text_of(element))}</pre>")
        elif name in _BLOCKS and next(descendants(element, "p"), element) is element:
            self._paragraph(element, name)
        else:
            self._children(element)

    def _is_counted(self, element: Element, name: str) -> bool:
        reason = _COUNTED.get(name)
        if not name:
            self.left_out[LeftOut.COMMENT] += bool((element.text or "").strip())
        elif reason is not None:
            self.left_out[reason] += has_words(element)
        return not name or reason is not None

    def _heading(self, element: Element) -> None:
        tag = "p" if self._tables or not self._level else f"h{min(self._level, _MAX_LEVEL)}"
        self._html.append(f"<{tag}>{self._inline(element)}</{tag}>")
        self._write_behind()

    def _paragraph(self, element: Element, name: str) -> None:
        text = self._inline(element, " " if name in _SPACED else "")
        self._html.append(f"<p>{text}</p>")
        self._write_behind()

    def _rows(self, element: Element) -> None:
        for row in element:
            if local_name(row) in ("thead", "tbody", "tfoot"):
                self._rows(row)
                continue
            if local_name(row) != "tr":
                self._behind.append(row)
                continue
            self._html.append("<tr>")
            for cell in row:
                if self._is_counted(cell, local_name(cell)):
                    continue
                spans = (attribute(cell, name) for name in ("colspan", "rowspan"))
                columns, rows = (span if span.isdecimal() else "1" for span in spans)
                name = "th" if local_name(cell) == "th" else "td"
                self._html.append(f'<{name} colspan="{columns}" rowspan="{rows}">')
                self._children(cell)
                self._html.append(f"</{name}>")
            self._html.append("</tr>")

    def _inline(self, element: Element, between: str = "") -> str:
        parts = [escape(element.text or "")]
        for child in element:
            parts += [self._inline_child(child, between), between, escape(child.tail or "")]
        return "".join(parts)

    def _inline_child(self, child: Element, between: str = "") -> str:
        name = local_name(child)
        if name in _BESIDE:
            self._behind.append(child)
            return ""
        if self._is_counted(child, name):
            return ""
        if name == "break":
            return "<br>"
        text = self._inline(child, between)
        if name in ("sup", "sub"):
            return f"<{name}>{text}</{name}>"
        if name in ("xref", "ext-link", "uri"):
            address = attribute(child, "href") or f"#{attribute(child, 'rid')}"
            return f'<a href="{escape(address)}">{text}</a>'
        return text
