"""Remove links, images, elements and hidden characters from a model's text.

A document may trick a model into a link that leaks the question to a third party. A bare address or element stays if
the cited text contains it unchanged; Markdown links become their text, and images are removed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from graphrag_tasks.core.thoughts import without_thoughts

_HIDDEN = {"Cc", "Cf", "Co", "Cs"}  # Unicode categories of invisible characters: controls, format and private use.

_IMAGE = re.compile(r"!\[[^\[\]]*\]\s?(?:\([^)]*\)?|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\[\]]*)\]\s?(?:\([^)]*\)?|\[[^\]\d][^\]]*\])")
_DEFINITION = re.compile(r"^\s*\[([^\[\]\d][^\[\]]*)\]:.*$", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.\-]*)?:?//[^\s/][^\s<>\"'`]*"
    r"|\bwww\.[^\s<>\"'`]+"
    r"|\b(?:javascript|vbscript|data|mailto|file|tel):[^\s<>\"'`]+",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_OPENED = re.compile(r"<(?=[a-z/!?])(?![^<>]*>)", re.IGNORECASE)
_ACTIVE = re.compile(
    r"</?(?:a|audio|base|embed|form|frame|iframe|img|input|link|meta|object|script|style|svg|video)"
    r"[\s/>]",
    re.IGNORECASE,
)
_END_SIGNS = ".,;:!?)]}*_"
_MOST_PASSES = 5  # Limit of passes over nested links; Markdown itself nests only images in links.


def harmless(text: str, source: str = "") -> tuple[str, bool]:
    """Return a text without links, images and hidden characters, and whether it had any link.

    `text` comes from a model, without citation numbers; bare addresses and elements of `source` may stay.
    """
    text = "".join(sign for sign in text if sign in "\n\t" or unicodedata.category(sign) not in _HIDDEN)
    seen, before = text, None
    for _ in range(_MOST_PASSES):
        if text == before:
            break
        before = text
        text = _IMAGE.sub(" ", _DEFINITION.sub(r" \1 ", text))
        text = _LINK.sub(r" \1 ", text)
    text = _ELEMENT.sub(lambda found: _kept_element(found[0], source), text)
    text = _OPENED.sub("< ", text).replace("](", "] (")
    text = _ADDRESS.sub(lambda found: _kept_address(found[0], source), text)
    if text == seen:
        return text, False
    return re.sub(r"[ \t]+(?=[.,;:]|\s)", "", text).strip(" \t"), True


def _kept_address(address: str, source: str) -> str:
    bare = address.rstrip(_END_SIGNS)
    ends = source.find(bare) + len(bare)
    stands = bare in source and re.match(r"[^\w/?&=#%\-]|$|[.](?:\s|$)", source[ends:])
    return address if stands else address[len(bare) :]


def _kept_element(element: str, source: str) -> str:
    return element if element in source and not _ACTIVE.match(element) else " "


_RISKY = ("http", "ftp", "www", "javascript", "vbscript", "data", "mailto", "file", "tel")
_REFUSAL, _AROUND = "NO ANSWER", " \t\n*\"'"


class Held:
    """Streams an answer, holding back an end that may become a link.

    `tell` is called with text that holds no link.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._waiting, self._has_told = tell, "", False

    def take(self, piece: str) -> None:
        """Receive the next piece of the answer."""
        self._waiting += piece
        if not self._has_told:
            text = without_thoughts(self._waiting)
            if _REFUSAL.startswith(text.strip(_AROUND)[: len(_REFUSAL)]):
                return
            self._waiting = text
        end = _safe(self._waiting)
        self._told(self._waiting[:end])
        self._waiting = self._waiting[end:]

    def end(self) -> None:
        """Emit the rest."""
        text = self._waiting if self._has_told else without_thoughts(self._waiting)
        if self._has_told or not text.strip(_AROUND).startswith(_REFUSAL):
            self._told(text)
        self._waiting = ""

    def _told(self, text: str) -> None:
        if not text:
            return
        shown, changed = harmless(text)
        if changed:
            shown += text[len(text.rstrip()) :]
        if shown:
            self._has_told = True
            self._tell(shown)


def _safe(text: str) -> int:
    """Return the length of the prefix that cannot be part of a link."""
    last = len(text) - len(re.split(r"\s", text)[-1])
    word = text[last:]
    is_plain = word.isalnum() and not any(one.startswith(word.lower()) for one in _RISKY)
    ends = [len(text) if is_plain or not word else last]
    for opened in re.finditer(r"!?\[|<(?=[a-zA-Z/!?]|$)", text):
        closing = "]" if opened[0].endswith("[") else ">"
        closed = text.find(closing, opened.end())
        if closed < 0 or (closing == "]" and not _is_closed(text[closed + 1 :])):
            ends.append(opened.start())
            break
    return min(ends)


def _is_closed(after: str) -> bool:
    """Tell whether a link in brackets is complete."""
    rest = after.lstrip(" ")
    if not rest:
        return False
    if rest[0] == "(":
        return ")" in rest
    if rest[0] == "[":
        return "]" in rest and _is_closed(rest[rest.find("]") + 1 :])
    return rest[0] != ":" or "\n" in rest
