"""The terms that foreign corpora explain or index themselves: gold that no rule was written on.

Corpora of `fetch_corpora.sh`: the glossaries of GnuCash, GIMP and PostgreSQL.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path

GLOSSARIES = {"gnucash": "gnc-gloss.html", "gimp": "glossary.html", "postgresql": "glossary.html"}
"""The page of each corpus that is its glossary."""

_ENTRY = re.compile(r"<dt\b.*?</dt>", re.DOTALL)
_MARK = re.compile(r"<[^>]+>|\([^)]*\)")
_FEWEST = 3  # Sentences outside of the glossary that a term must stand in: the others need no node.


def terms_of(corpus: str, folder: Path, sentences: Mapping[str, list[str]], most: int) -> list[str]:
    """Return terms of a corpus's glossary that its other pages use, at random, by a fixed seed.

    Args:
        corpus: A name of `GLOSSARIES`.
        folder: The corpus.
        sentences: The sentences of each page, by its path.
        most: How many.
    """
    page = GLOSSARIES[corpus]
    found = _ENTRY.findall((folder / page).read_text("utf-8", errors="replace"))
    entries = {" ".join(unescape(_MARK.sub(" ", entry)).split()) for entry in found}
    text = "\n".join(one for path, own in sentences.items() if path != page for one in own)
    used = [entry for entry in sorted(entries) if entry and "," not in entry and len(_uses(entry, text)) >= _FEWEST]
    return sorted(random.Random(0).sample(used, min(most, len(used))))  # noqa: S311


def _uses(entry: str, text: str) -> list[str]:
    return re.findall(rf"(?i)\b{re.escape(entry)}(?:s|es)?\b", text)
