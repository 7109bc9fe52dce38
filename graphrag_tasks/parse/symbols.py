"""Signs of Symbol, Wingdings and Webdings, fonts with codes of their own, in Unicode."""

from __future__ import annotations

import json
from importlib import resources

_RUNS = json.loads((resources.files(__package__) / "symbols.json").read_text("utf-8"))
_SIGNS: dict[str, dict[int, str]] = {
    font: {int(start, 16) + at: sign for start, run in runs.items() for at, sign in enumerate(run)}
    for font, runs in _RUNS.items()
}
_PRIVATE, _CODES = 0xF000, 0x100  # Where programs put the codes of such fonts, and how many there are.


def in_unicode(text: str, font: str) -> str:
    """Return a text in this font in Unicode; an unknown sign of such a font is U+FFFD."""
    signs = _SIGNS.get(font.casefold())
    return text if signs is None else "".join(_sign(ord(one), one, signs) for one in text)


def _sign(code: int, character: str, signs: dict[int, str]) -> str:
    code = code - _PRIVATE if _PRIVATE <= code < _PRIVATE + _CODES else code
    is_sign = code < _CODES and not character.isspace()
    return signs.get(code, "\N{REPLACEMENT CHARACTER}") if is_sign else character
