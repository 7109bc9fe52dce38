"""Remove menus, banners, footers and other boilerplate from an HTML page.

Rules by landmark and well-known class name, not by text density: density loses tables, code and short sections
(`benchmarks/boilerplate.py` compares). Inside `main` and `article` only navigation is removed. Ids of sections are
ignored, as documentation has sections with ids such as "cookies". Nothing is removed that holds a content element, the
only first-level heading, or half of the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources

from bs4 import BeautifulSoup, Tag

_CONTENT = ["main", "article"]
_NAVIGATION_ROLES = (*("navigation", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog"),)
_PARTS = ["section", "blockquote", "figure", "details"]
"""Elements whose header or footer belongs to them, not to the page."""

_FRAME = ["header", "footer", "aside"]
_FRAME_ROLES = {"banner", "contentinfo", "complementary"}
_MAX_SHARE = 0.5  # of a page's words outside links that may be left out at once
_MOSTLY_LINKS = 0.5  # share of an element's words that are links
_MANY_WORDS = 60  # a banner has fewer
_MOST_KEPT = 50  # elements around content; more are not looked at, as each is read as a whole

_NAMES = {
    kind: re.compile("|".join(patterns))
    for kind, patterns in json.loads((resources.files(__package__) / "boilerplate.json").read_text("utf-8")).items()
}
"""`anywhere`: names of boilerplate at any place, if it is short or mostly links; `outside`: names of page frames, if
they are not inside the content."""

_SOFTWARE_IDS = re.compile(r"mw-|onetrust-|__")
_SEPARATORS = re.compile(r"[-_]+")
_SKIPS = re.compile(r"(?:skip|jump) (?:to|over)\b", re.IGNORECASE)
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NEVER_NAMED = {"html", "body", "tr", "td", "th", "pre", "code", *_HEADINGS}
_PERMALINKS, _EDITS = {"¶", "#", "§", "🔗", "\uf0c1"}, {"edit", "[edit]"}


def drop_boilerplate(soup: BeautifulSoup) -> int | None:
    """Remove boilerplate from a page, and return the number of removed elements with words.

    None means that no words would be left, so the page has to be read as it was.
    """
    for link in soup.find_all("a"):
        if _is_permalink(link):
            link.decompose()
    for tag in soup.find_all(hidden=True):  # tabs behind the first are content as that one is
        if _role(tag) == "tabpanel" or any("tab" in name for name in _classes(tag)):
            del tag["hidden"]
    words = _words_outside_links(soup.body or soup)
    titles = [one for one in soup.find_all("h1") if one.get_text(strip=True)]
    title = titles[0] if len(titles) == 1 else None
    dropped = kept = 0
    for tag in soup.find_all(True):
        if tag.parent is None or not (_is_navigation(tag) or _is_frame(tag) or _is_named(tag)):
            continue
        if _holds_content(tag, words):
            kept += 1
            if kept > _MOST_KEPT:
                break
        else:
            if title is not None and title is not tag and tag in title.parents:
                tag.insert_before(title.extract())
            dropped += bool(tag.get_text(strip=True))
            tag.decompose()
    return dropped if _has_words(soup) else None


def _is_permalink(link: Tag) -> bool:
    """Tell whether a link is a permalink sign beside a heading or name."""
    text = link.get_text(strip=True)
    if text in _PERMALINKS and str(link.get("href") or "#").startswith("#"):
        return True
    return "headerlink" in _classes(link) or (text in _PERMALINKS | _EDITS and link.find_parent(_HEADINGS) is not None)


def _has_words(soup: BeautifulSoup) -> bool:
    if soup.title is not None and soup.body is None:  # a page without a body has its title in it
        return soup.get_text(" ", strip=True) != soup.title.get_text(" ", strip=True)
    return bool((soup.body or soup).get_text(" ", strip=True))


def _holds_content(tag: Tag, words_of_page: int) -> bool:
    if tag.name in _CONTENT or tag.find(_is_content):
        return True
    words = _words_outside_links(tag)
    return words > _MAX_SHARE * words_of_page or (not words and not words_of_page)


def _is_navigation(tag: Tag) -> bool:
    if tag.name in ("nav", "search") or _role(tag) in _NAVIGATION_ROLES:
        return True
    return tag.name == "a" and _SKIPS.match(tag.get_text(" ", strip=True)) is not None


def _is_frame(tag: Tag) -> bool:
    if tag.name not in _FRAME and _role(tag) not in _FRAME_ROLES:
        return False
    if tag.name in ("header", "footer") and tag.find_parent(_PARTS) is not None:
        return False
    if tag.name == "aside" and any(map(_NAMES["admonitions"].search, _classes(tag))):
        return False
    return not _inside_content(tag) or (tag.name == "aside" and _is_mostly_links(tag))


def _is_named(tag: Tag) -> bool:
    if tag.name in _NEVER_NAMED:
        return False
    names = list(_names(tag))
    is_table = tag.name == "table"
    if any(map(_NAMES["anywhere"].fullmatch, names)):
        is_short = len(tag.get_text(" ").split()) <= _MANY_WORDS
        return (is_short and not is_table) or _is_mostly_links(tag)
    if any(map(_NAMES["link lists"].fullmatch, names)):
        return _is_mostly_links(tag)
    is_outside = any(map(_NAMES["outside"].fullmatch, names)) and not is_table
    return is_outside and not _inside_content(tag)


def _names(tag: Tag) -> Iterator[str]:
    """Yield an element's classes, and its id unless it is a section, in lower case."""
    for name in _classes(tag):
        yield _SEPARATORS.sub("-", name.lower())
    own = str(tag.get("id") or "")
    is_section = tag.name == "section" or tag.find(_HEADINGS, recursive=False) is not None
    if own and (_SOFTWARE_IDS.match(own) or not is_section):
        yield _SEPARATORS.sub("-", own.lower())


def _classes(tag: Tag) -> list[str]:
    return [str(name) for name in tag.get_attribute_list("class") if name]


def _role(tag: Tag) -> str:
    return str(tag.get("role") or "").lower()


def _is_content(tag: Tag) -> bool:
    return tag.name in _CONTENT or _role(tag) in _CONTENT


def _inside_content(tag: Tag) -> bool:
    return any(map(_is_content, tag.parents))


def _is_mostly_links(tag: Tag) -> bool:
    words = _words(tag)
    return words > 0 and 1 - _words_outside_links(tag) / words >= _MOSTLY_LINKS


def _words_outside_links(tag: Tag) -> int:
    return max(0, _words(tag) - sum(map(_words, tag.find_all("a"))))


def _words(tag: Tag) -> int:
    """Count words; brackets and bars around links are none."""
    return sum(any(map(str.isalnum, word)) for word in tag.get_text(" ").split())
