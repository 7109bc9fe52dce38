"""Which words are words: the vocabulary and the word lists that the language model brings."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from graphrag_tasks.language import load_pipeline

_ENDINGS = (("ing", ("", "e")), ("ed", ("", "e")), ("es", ("",)), ("s", ("",)), ("ly", ("",)))
_SHORTEST_STEM = 3


@cache
def known_words(model: str) -> Callable[[str], bool]:
    """Return a test for lower-case words of the language.

    Those are the words that the model was trained with, its lemmatizer's index, and their regular
    inflections.

    Raises:
        MissingDependencyError: The model is not installed.
    """
    pipeline = load_pipeline(model, components=("lemmatizer",))
    strings = pipeline.vocab.strings
    indexed: set[str] = set()
    if "lemmatizer" in pipeline.pipe_names:
        lemmatizer: Any = pipeline.get_pipe("lemmatizer")
        indexed.update(*lemmatizer.lookups.get_table("lemma_index", {}).values())

    def in_lists(word: str) -> bool:
        return word in indexed or word in strings

    def is_known(word: str) -> bool:
        return in_lists(word) or any(
            word.endswith(ending) and in_lists(word.removesuffix(ending) + letter)
            for ending, letters in _ENDINGS
            if len(word) >= len(ending) + _SHORTEST_STEM
            for letter in letters
        )

    return is_known
