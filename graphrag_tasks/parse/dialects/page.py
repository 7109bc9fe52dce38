"""What the marks of a page are read with: its front matter, its code, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_tasks.parse.left_out import LeftOut
from graphrag_tasks.sources.verbatim import Verbatim

_LABELS = ("title", "label", "header", "heading", "summary", "question", "caption", "alt-text")
_LABELS_OF_PICTURES = ("caption", "title", "alt-text", "alt")
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\{\s*)?(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`)")


@dataclass
class Page:
    """A page that is being read.

    Attributes:
        fields: Texts of its front matter, and those that it defines, by name.
        verbatim: Its code, which the text has tokens for.
        left_out: What was dropped so far.
    """

    fields: dict[str, str] = field(default_factory=dict)
    verbatim: Verbatim = field(default_factory=Verbatim)
    left_out: Counter[str] = field(default_factory=Counter)

    def drop(self, reason: LeftOut = LeftOut.DIRECTIVE) -> str:
        """Count something that is left out, and return what stands in its place: nothing."""
        self.left_out[reason] += 1
        return ""

    def value(self, name: str) -> str:
        """Return the text of a field; count it as left out where the page has none."""
        return self.fields[name] if name in self.fields else self.drop()


def attributes(text: str) -> dict[str, str]:
    """Return the attributes of a mark, `name="value"`, by their names in lower case."""
    return {
        found[1].lower(): next((one for one in found.groups()[1:] if one is not None), "")
        for found in _ATTRIBUTE.finditer(text)
    }


def label_of(found: Mapping[str, str], names: tuple[str, ...] = _LABELS) -> str:
    """Return the text that a mark's attributes show above what it holds."""
    return next((found[name] for name in names if found.get(name, "").strip()), "")


def picture_text(found: Mapping[str, str]) -> str:
    """Return the text that a picture's attributes say it with."""
    return label_of(found, _LABELS_OF_PICTURES)


def paragraph(label: str, indent: str = "") -> str:
    """Return a label as a paragraph of its own; nothing where it has no text."""
    label = " ".join(label.replace("**", "").split())
    return f"\n\n{indent}**{label}**\n\n{indent}" if label else ""
