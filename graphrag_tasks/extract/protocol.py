"""What every extractor offers, whether it works by rules or by a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from graphrag_tasks.extract.frames import Frame

ParseListener = Callable[[str, Iterable[Any]], None]
"""Called with a sentence and its tokens, which have spaCy's attributes, so it is parsed once."""


class Extractor(Protocol):
    """Turns sentences into frames.

    The frames of a sentence depend on its text and on the fingerprint alone, not on the
    sentences around it, so they can be cached by content.
    """

    @property
    def name(self) -> str:
        """Short name, which goes into every frame's `extractor`."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides the output apart from the text: rules and model version."""

    @property
    def oversized_sentences(self) -> int:
        """Sentences so far that were too long to be read, and got no frames."""

    def extract(self, sentences: Sequence[str]) -> Iterator[list[Frame]]:
        """Yield one list of frames for each sentence, in order; an empty list is an answer."""
