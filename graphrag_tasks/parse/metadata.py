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

_LONGEST_TITLE = 300  # Limit in characters; longer titles are prose that a program took for one. Chosen.
_BEFORE_SITE, _BEHIND_SITE = re.compile(r"\s[—–|·•»-]\s"), re.compile(r"\s[—–|·•»-]\s\Z")
_WORD = re.compile(r"\w{4,}")
_FIRST_HEADINGS = 5  # Headings among which the page's own is sought. Chosen.
MIN_CHARACTERS = 200
MIN_PROBABILITY = 0.99
"""Least characters of prose and least probability to accept py3langid's language: with these, none of 7,113 English
passages gets another language."""
_READ_CHARACTERS = 4000  # Characters used for language detection; more would only take time.
_PROSE_KINDS = ("paragraph", "list_item", "heading", "title")
_RULES = json.loads((resources.files(__package__) / "junk_titles.json").read_text("utf-8"))
_ENDINGS = "|".join(_RULES["file endings"])
_FILE_NAMES = (rf"\S*\.(?:{_ENDINGS})", rf".*[\\/].*\.(?:{_ENDINGS})")
_JUNK = re.compile("|".join([*_RULES["patterns"], *_FILE_NAMES]), re.IGNORECASE)
"""Titles that programs write by default: placeholders, file names, numbers."""


def find_title(metadata: Iterable[str | None], blocks: Sequence[Block]) -> Title | None:
    """Return the first meaningful title in the metadata, else the first heading.

    Without the site's name, which metadata add before or behind the heading.
    """
    titles = [block.text for block in blocks if block.kind == "title"]
    headings = [*titles, *(block.text for block in blocks if block.kind == "heading")]
    for title in (one_line(text or "") for text in metadata):
        if title and not is_junk(title):
            return Title(_without_site(title, headings), METADATA)
    return Title(headings[0], HEADING) if headings else None


def _without_site(title: str, headings: Sequence[str]) -> str:
    """Return the part of a title that is the page's.

    The site's name may itself be the first heading, in a bar above the page.
    """
    for heading in headings[:_FIRST_HEADINGS]:
        if _BEFORE_SITE.match(title.removeprefix(heading)):
            return heading
    first, others = headings[0] if headings else "", headings[1:_FIRST_HEADINGS]
    before = title.removesuffix(first)
    if not first or not (behind := _BEHIND_SITE.search(before)):
        return title
    page = before[: behind.start()]
    words = {word for heading in others for word in _WORD.findall(heading.casefold())}
    return first if words.isdisjoint(_WORD.findall(page.casefold())) else page


def is_junk(title: str) -> bool:
    """Tell whether a metadata title is a program's default or a file name."""
    return len(title) > _LONGEST_TITLE or _JUNK.fullmatch(title) is not None


def detect_language(blocks: Sequence[Block]) -> str | None:
    """Return the ISO 639 code of the language of a document's prose, or None if unsure.

    py3langid (naive Bayes over byte n-grams, Lui and Baldwin 2012) is small, without network and without pickles. Its
    best guess without these limits is wrong for 3 % of 7,113 English passages.
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
