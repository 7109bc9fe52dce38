"""Split a model's text into sentences, with their citation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARK = r"\[\s*\d{1,4}(?:\s*[,;–\-]\s*\d{1,4})*\s*\]"  # A citation: `[1]`, `[1, 2]` or `[1-3]`.

_OTHER_MARK = re.compile(
    r"【(?:\D*?\s)?(\d{1,4})[^】]*】|\[\^(\d{1,4})\]"
    r"|\[(?:passages?|sources?|doc(?:ument)?s?):?\s+(\d{1,4})\]",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"^\[\^\d{1,4}\]:.*$", re.MULTILINE)

_END = re.compile(
    rf"(?P<end>[.!?…][\"'”’)*_]*(?:\s*{MARK})+|{MARK}(?:\s*{MARK})*[.!?…]?|[.!?…][\"'”’)*_]*)"
    r"(?=\s+(?![a-z])|\s*$)"
)
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|approx|vs|no|fig|cf|incl|resp|ca)|\b[A-Z])\.$", re.IGNORECASE)
_LINE_MARKS = re.compile(r"^\s*(?:[-*•#>]+\s+|\d{1,2}[.)]\s+)")


def with_plain_marks(text: str) -> str:
    """Return a text with all citations as `[1]`, including `【1】`, `[^1]` and `[Passage 1]`."""
    text = _FOOTNOTE.sub("", text)
    return _OTHER_MARK.sub(lambda mark: f"[{next(filter(None, mark.groups()))}]", text)


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text; line ends separate them, and list marks are removed."""
    for line in text.splitlines():
        bare, start = _LINE_MARKS.sub("", line), 0
        for found in _END.finditer(bare):
            if not _SHORT.search(bare[start : found.end()]):
                yield bare[start : found.end()]
                start = found.end()
        yield bare[start:]
