"""Names with one arrow between them: "VBBS → VBBE"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.names import name_of
from graphrag_tasks.extract.linear.pairs import LinearRule, pair

RELATION = "lead to"

_ARROW = re.compile(r"\s(?:→|⇒|➔|➜|-?->)\s")
_MENU = re.compile(
    r"(?:choose|select|go|navigate|open|click|menu|file|window|from|in|under)\b", re.IGNORECASE
)
_MAX_WORDS = 5


def arrows(text: str) -> Iterator[Frame]:
    """Yield the frame of a line that is two names and an arrow.

    Lines with several arrows are menu paths, and so are those that begin with a command.
    """
    marks = list(_ARROW.finditer(text))
    if len(marks) != 1 or _MENU.match(text):
        return
    head = name_of(text, 0, marks[0].start())
    tail = name_of(text, marks[0].end(), len(text))
    if head and tail and max(len(head.text.split()), len(tail.text.split())) <= _MAX_WORDS:
        yield pair(LinearRule.ARROW, head, RELATION, tail)
