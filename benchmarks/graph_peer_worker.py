"""A graph of passages by the fast extraction of Microsoft's graphrag, or raw spaCy over them.

Run by the Python of the peers' environment (`benchmarks.graph_peers`), so it imports nothing of this project. Prints
one line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

_DEFAULTS = {
    "max_word_length": 15,
    "include_named_entities": True,
    "exclude_entity_tags": ["DATE"],
    "exclude_pos_tags": ["DET", "PRON", "INTJ", "X"],
    "word_delimiter": " ",
}
"""Of graphrag's settings (`extract_graph_nlp.text_analyzer`)."""


class _Units:
    """Text units, one for each passage, in the shape of graphrag's tables."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    async def length(self) -> int:
        """Return their number."""
        return len(self._texts)

    async def __aiter__(self) -> AsyncIterator[dict[str, str]]:
        """Yield them."""
        for number, text in enumerate(self._texts):
            yield {"id": str(number), "text": text}


class _NoCache:
    """Keeps nothing: each text is analysed once."""

    def child(self, _name: str) -> _NoCache:
        """Return itself."""
        return self

    async def get(self, _key: str) -> None:
        """Know nothing."""

    async def set(self, _key: str, _value: Any) -> None:  # noqa: ANN401 - anything
        """Forget it."""


def graphrag(texts: list[str], model: str) -> dict[str, int]:
    """Build noun phrases and the edges between those of a passage, with their weights."""
    from graphrag.index.operations.build_noun_graph.build_noun_graph import build_noun_graph
    from graphrag.index.operations.build_noun_graph.np_extractors.stop_words import EN_STOP_WORDS
    from graphrag.index.operations.build_noun_graph.np_extractors.syntactic_parsing_extractor import (
        SyntacticNounPhraseExtractor,
    )

    analyzer = SyntacticNounPhraseExtractor(model_name=model, exclude_nouns=EN_STOP_WORDS, **_DEFAULTS)
    built = build_noun_graph(_Units(texts), analyzer, True, _NoCache())
    nodes, edges = asyncio.run(built)
    return {"entities": len(nodes), "relations": len(edges)}


def spacy(texts: list[str], model: str) -> dict[str, int]:
    """Parse the passages and do nothing with it: the least that such a graph takes."""
    import spacy as library

    pipeline = library.load(model)
    return {"tokens": sum(len(doc) for doc in pipeline.pipe(texts))}


def main() -> None:
    """Measure one peer, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=("graphrag", "spacy"))
    parser.add_argument("passages", type=Path)
    parser.add_argument("model")
    options = parser.parse_args()
    rows = map(json.loads, options.passages.read_text("utf-8").splitlines())
    texts = [f"{row['title']}\n\n{row['text']}" for row in rows]
    print(json.dumps({"graphrag": graphrag, "spacy": spacy}[options.peer](texts, options.model)))


if __name__ == "__main__":
    main()
