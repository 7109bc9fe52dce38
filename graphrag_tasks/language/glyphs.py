"""Letters that a file draws and does not name: U+FFFD, and those that only its fonts can draw."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_SUSPECT = re.compile(f"[\ufffd{_PRIVATE}]")  # three times as fast, and most texts have none
_UNREADABLE = re.compile(f"\ufffd|[{_PRIVATE}](?=[\\w{_PRIVATE}])|(?<=[\\w{_PRIVATE}])[{_PRIVATE}]")
"""One that stands alone, before a blank, is a bullet, an arrow or an icon, and no letter."""
_MOSTLY = 0.5
"""Share of the letters from which a text is none. Chosen."""


def unreadable(text: str) -> int:
    """Return how many letters of a text cannot be read."""
    return len(_UNREADABLE.findall(text)) if _SUSPECT.search(text) else 0


def is_unreadable(texts: Iterable[str]) -> bool:
    """Tell whether most letters of some texts cannot be read, if there are any."""
    bad = good = 0
    for text in texts:
        bad += unreadable(text)
        good += sum(map(str.isalnum, text))
    return bad > _MOSTLY * (bad + good)
