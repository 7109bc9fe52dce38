"""HTML pages whose elements are never closed, read as browsers read them.

Python's parser puts an element that is not closed around all that follows, so that a few hundred
`<p><font><b>` are as many elements inside each other. Browsers end a paragraph where the next one
begins, and likewise other elements whose end tags the HTML standard calls optional.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from bs4 import BeautifulSoup, Tag

_ELEMENTS = json.loads((resources.files(__package__) / "html_elements.json").read_text("utf-8"))
INLINE: list[str] = _ELEMENTS["inline"]
"""Names of elements that only say what text looks like."""

_CELLS, _PARTS, _TERMS = ("td", "th"), ("thead", "tbody", "tfoot"), ("dt", "dd")
_ENDED_BY = {
    "a": ("a",),
    "li": ("li",),
    "option": ("option",),
    "tr": ("tr",),
    **dict.fromkeys(_CELLS, _CELLS),
    **dict.fromkeys(_PARTS, _PARTS),
    **dict.fromkeys(_TERMS, _TERMS),
    **dict.fromkeys(_ELEMENTS["ends a paragraph"], ("p",)),
}
"""What is ended by a start tag, if it is open and not outside of one of `_BORDERS`."""
_BORDERS = {"table", "ul", "ol", "menu", "dl", "select", "button", "object"}
_LEFT_OUT = frozenset(INLINE) - {"a"}


class UnclosedPage(BeautifulSoup):
    """A page without its inline elements, and with the end tags that it leaves to the reader."""

    def __init__(self, html: str) -> None:
        super().__init__(html, "html.parser")

    def handle_starttag(self, name: str, *args: Any, **options: Any) -> Tag | None:  # noqa: ANN401
        """End what the element ends, and open it."""
        if name in _LEFT_OUT:
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
        if name not in _LEFT_OUT:
            super().handle_endtag(name, *args, **options)
