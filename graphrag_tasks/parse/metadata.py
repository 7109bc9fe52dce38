"""A document's title, from metadata and headings, and its language, from its prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from graphrag_tasks.parse.blocks import HEADING, METADATA, Block, Title
from graphrag_tasks.parse.text import one_line

_LONGEST_TITLE = 300
"""Limit in characters; longer titles are prose that a program took for one. Chosen."""
_BEFORE_SITE, _BEHIND_SITE = re.compile(r"\s[—–|·•»-]\s"), re.compile(r"\s[—–|·•»-]\s\Z")
MIN_CHARACTERS = 200
MIN_PROBABILITY = 0.99
"""Least characters of prose and least probability to accept py3langid's language: with these,
none of 7,113 English passages gets another language."""
_READ_CHARACTERS = 4000
"""Characters used for language detection; more would only take time."""
_PROSE_KINDS = ("paragraph", "list_item", "heading", "title")
_RULES = json.loads((resources.files(__package__) / "junk_titles.json").read_text("utf-8"))
_ENDINGS = "|".join(_RULES["file endings"])
_FILE_NAMES = (rf"\S*\.(?:{_ENDINGS})", rf".*[\\/].*\.(?:{_ENDINGS})")
_JUNK = re.compile("|".join([*_RULES["patterns"], *_FILE_NAMES]), re.IGNORECASE)
"""Titles that programs write by default: placeholders, file names, numbers."""


def find_title(metadata: Iterable[str | None], blocks: Iterable[Block]) -> Title | None:
    """Return the first meaningful title in the metadata, else the first heading.

    The heading is also preferred if the metadata only add the site's name to it.
    """
    texts: dict[str, str] = {}
    for block in blocks:
        texts.setdefault(block.kind, block.text)
    heading = texts.get("title", texts.get("heading"))
    for title in (one_line(text or "") for text in metadata):
        if title and not is_junk(title):
            return Title(heading if heading and _is_with_site(heading, title) else title, METADATA)
    return Title(heading, HEADING) if heading else None


def _is_with_site(heading: str, title: str) -> bool:
    site = title.removeprefix(heading), title.removesuffix(heading)
    return _BEFORE_SITE.match(site[0]) is not None or _BEHIND_SITE.search(site[1]) is not None


def is_junk(title: str) -> bool:
    """Tell whether a metadata title is a program's default or a file name."""
    return len(title) > _LONGEST_TITLE or _JUNK.fullmatch(title) is not None


def detect_language(blocks: Sequence[Block]) -> str | None:
    """Return the ISO 639 code of the language of a document's prose, or None if unsure.

    py3langid (naive Bayes over byte n-grams, Lui and Baldwin 2012) is small, without network and
    without pickles. Its best guess without these limits is wrong for 3 % of 7,113 English passages.
    """
    text = "\n".join(block.text for block in blocks if block.kind in _PROSE_KINDS)
    if len(text) < MIN_CHARACTERS:
        return None
    language, probability = _identifier().classify(text[:_READ_CHARACTERS])
    return str(language) if probability >= MIN_PROBABILITY else None


@cache
def _identifier() -> Any:  # noqa: ANN401 - an untyped library
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
