"""Letters that a file draws but does not encode: U+FFFD, and private-use characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_SUSPECT = re.compile(f"[\ufffd{_PRIVATE}]")  # three times as fast, and most texts have none
_UNREADABLE = re.compile(f"\ufffd|[{_PRIVATE}](?=[\\w{_PRIVATE}])|(?<=[\\w{_PRIVATE}])[{_PRIVATE}]")
"""A private-use character alone before a blank is a bullet, an arrow or an icon, not a letter."""
_MOSTLY = 0.5  # Share of unreadable letters from which a text counts as unreadable. Chosen.


def unreadable(text: str) -> int:
    """Return the number of unreadable letters in a text."""
    return len(_UNREADABLE.findall(text)) if _SUSPECT.search(text) else 0


def is_unreadable(texts: Iterable[str]) -> bool:
    """Tell whether most letters of these texts are unreadable."""
    bad = good = 0
    for text in texts:
        bad += unreadable(text)
        good += sum(map(str.isalnum, text))
    return bad > _MOSTLY * (bad + good)
