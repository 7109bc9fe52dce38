"""Sentences of technical prose with the triples that a reader wants, read by the real model."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ExtractConfig, LanguageConfig
from graphrag_tasks.extract import extract_facts, make_extractor

GOLDEN = Path(__file__).parent / "golden" / "technical_prose.txt"
NO_FACTS = " (no facts)"


def read_golden() -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each sentence with its triples."""
    text = re.sub(r"(?m)^#.*\n", "", GOLDEN.read_text("utf-8"))
    for block in text.strip().split("\n\n"):
        sentence, *triples = block.split("\n")
        yield sentence, frozenset(map(str.strip, triples))


SENTENCES = dict(read_golden())


@cache
def found() -> dict[str, set[str]]:
    """Return the triples of all sentences, as the extract stage finds them."""
    texts = [sentence.removesuffix(NO_FACTS) for sentence in SENTENCES]
    rows = [
        {"sentence_id": text, "chunk_id": "c", "document_id": "d", "ordinal": i, "text": text,
         "char_start": i, "char_end": i + 1, "page": None, "has_verb": True}
        for i, text in enumerate(texts)
    ]  # fmt: skip
    sentences = pa.Table.from_pylist(rows, schema=schemas.SENTENCES)
    config, language = ExtractConfig(), LanguageConfig()
    empty = map(schemas.empty, ("documents", "blocks", "cells"))
    result = extract_facts(*empty, sentences, extractor=make_extractor(config, language), language=language)
    triples: dict[str, set[str]] = {text: set() for text in texts}
    for row in result.tables["triples"].to_pylist():
        assert row["sentence_id"][row["head_start"] : row["head_end"]] == row["head"]
        denied = "not " if row["negated"] else ""
        one = f"{denied}{row['head']} | {row['relation']} | {row['tail']}"
        triples[row["sentence_id"]].add(one)
    return triples


@pytest.mark.parametrize("sentence", SENTENCES)
def test_golden_sentence(sentence: str) -> None:
    triples = found()[sentence.removesuffix(NO_FACTS)]
    if sentence.endswith(NO_FACTS):
        assert triples == set()
    else:
        untrue = {one for one in SENTENCES[sentence] if one.startswith("! ")}
        assert triples >= SENTENCES[sentence] - untrue != set()
        assert not triples & {one.removeprefix("! ") for one in untrue}
