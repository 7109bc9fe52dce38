"""Links and ids of an HTML page, marked in its text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from graphrag_tasks.parse.marks import Marks

_HEADING = re.compile(r"h[1-6]")
_NO_LINK = re.compile(r"#?\s*\Z|(?:javascript|vbscript|data|about|blob):", re.IGNORECASE)
_CORE = re.compile(r"(\s*)(.*\S)(\s*)", re.DOTALL)


def mark_links(soup: BeautifulSoup, inline: Collection[str]) -> Marks:
    """Put marks around the text of every link, and before the first text of every id.

    A link without text, as around an image, has no place in the document and is left out; one
    around whole blocks has its place at the first text in them.

    Args:
        soup: The page; only its texts are changed.
        inline: Names of the elements that stand in a line of text.
    """
    marks = Marks()
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    texts: dict[int, NavigableString] = {}
    for name, text in _places(soup):
        before[id(text)] += marks.place(name)
        texts[id(text)] = text
    for link in soup.find_all("a", href=True):
        href = str(link["href"]).strip()
        inner = [text for text in link.find_all(string=True) if _is_shown(text)]
        if not inner or _NO_LINK.match(href):
            continue
        holds_blocks = any(tag.name not in inline and tag.name != "br" for tag in link.find_all())
        first, last = inner[0], inner[0 if holds_blocks else -1]
        opening, closing = marks.link(href)
        before[id(first)] += opening
        after[id(last)] = closing + after[id(last)]
        texts |= {id(first): first, id(last): last}
    for key, text in texts.items():
        if core := _CORE.fullmatch(text):
            space, words, end = core.groups()
            text.replace_with(NavigableString(space + before[key] + words + after[key] + end))
    return marks


def _places(soup: BeautifulSoup) -> Iterator[tuple[str, NavigableString]]:
    """Yield every id with the text that stands at it.

    That is the first text in the element or, where it has none, the one after it; but an empty
    element in a heading, such as `<a name>`, stands for the heading.
    """
    pending: list[str] = []
    last: NavigableString | None = None
    for item in soup.descendants:
        if isinstance(item, Tag):
            names = _ids(item)
            if not names:
                continue
            heading = item.find_parent(_HEADING)
            is_empty = not any(_is_shown(text) for text in item.find_all(string=True))
            if heading is not None and is_empty and last is not None and heading in last.parents:
                yield from ((name, last) for name in names)
            else:
                pending += names
        elif isinstance(item, NavigableString) and _is_shown(item):
            last = item
            yield from ((name, item) for name in pending)
            pending = []


def _ids(tag: Tag) -> list[str]:
    names = [tag.get("id"), tag.get("name") if tag.name == "a" else None]
    return list(dict.fromkeys(str(name) for name in names if name))


def _is_shown(text: object) -> bool:
    return (
        isinstance(text, NavigableString)
        and not isinstance(text, PreformattedString)
        and bool(text.strip())
    )
