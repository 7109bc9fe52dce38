"""HTML pages whose elements are never closed, read as browsers read them.

Python's parser puts an element that is not closed around all that follows, so that a few hundred
`<p><font><b>` are as many elements inside each other. Browsers end a paragraph where the next one
begins, and likewise other elements whose end tags the HTML standard calls optional.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup, Tag

_CELLS, _PARTS, _TERMS = ("td", "th"), ("thead", "tbody", "tfoot"), ("dt", "dd")
_END_PARAGRAPHS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "center", "details", "dialog", "div", "dl"),
        *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "main", "menu", "nav", "ol", "p", "pre", "section", "table", "ul"),
    ]
)
_ENDED_BY = {
    "a": ("a",),
    "li": ("li",),
    "option": ("option",),
    "tr": ("tr",),
    **dict.fromkeys(_CELLS, _CELLS),
    **dict.fromkeys(_PARTS, _PARTS),
    **dict.fromkeys(_TERMS, _TERMS),
    **dict.fromkeys(_END_PARAGRAPHS, ("p",)),
}
"""What is ended by a start tag, if it is open and not outside of one of `_BORDERS`."""
_BORDERS = frozenset(["table", "ul", "ol", "menu", "dl", "select", "button", "object"])


class UnclosedPage(BeautifulSoup):
    """A page without its inline elements, and with the end tags that it leaves to the reader.

    Args:
        html: The page.
        inline: Names of elements that only say what text looks like; they are left out.
    """

    def __init__(self, html: str, inline: Iterable[str]) -> None:
        self._inline = frozenset(inline) - {"a"}
        super().__init__(html, "html.parser")

    def handle_starttag(self, name: str, *args: Any, **options: Any) -> Tag | None:  # noqa: ANN401
        """End what the element ends, and open it."""
        if name in self._inline:
            return None
        self.endData()  # the text before belongs to what is ended
        ended = [one for one in _ENDED_BY.get(name, ()) if self.open_tag_counter[one]]
        for tag in reversed(self.tagStack) if ended else ():
            if tag.name in ended:
                self._popToTag(tag.name)
                break
            if tag.name in _BORDERS:
                break
        return super().handle_starttag(name, *args, **options)

    def handle_endtag(self, name: str, *args: Any, **options: Any) -> None:  # noqa: ANN401
        """Close an element that was opened."""
        if name not in self._inline:
            super().handle_endtag(name, *args, **options)
