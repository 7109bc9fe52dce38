"""Documents, read by the model from chunks to coreference."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig, ExtractConfig, LanguageConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract import ParseRecorder, extract_facts, make_extractor, resolve_mentions


def blocks_of(document_id: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows of `schemas.BLOCKS`: "# ..." is a heading, "* ..." an item of a list."""
    rows, start = [], 0
    for ordinal, text in enumerate(texts):
        mark = text[:2]
        kind = {"# ": "heading", "* ": "list_item"}.get(mark, "paragraph")
        body = text if kind == "paragraph" else text[2:]
        rows.append(
            dict.fromkeys(schemas.BLOCKS.names) | {
                "document_id": document_id, "ordinal": ordinal, "kind": kind, "text": body,
                "level": 1 if kind == "heading" else None, "char_start": start,
                "char_end": start + len(body),
            }
        )  # fmt: skip
        start += len(body) + len(schemas.BLOCK_SEPARATOR)
    return rows


def read_documents(rows: Sequence[dict[str, Any]], cells: pa.Table | None = None, **settings: Any) -> StageResult:
    """Take blocks of documents through the stages from chunks to coreference, with the model.

    The result's tables are those of extraction, with `sentences`; its stats are of all stages.
    """
    blocks = pa.Table.from_pylist(list(rows), schema=schemas.BLOCKS)
    ids = pa.array(sorted({row["document_id"] for row in rows}), pa.string())
    places = pa.table(dict.fromkeys(("document_id", "uri", "source", "path", "title"), ids))
    chunks = chunk(places, blocks, config=ChunkConfig()).tables["chunks"]
    cells = schemas.empty("cells") if cells is None else cells
    read = filter_sentences(blocks, cells, chunks, language=LanguageConfig())
    sentences = read.tables["sentences"]
    config, recorder = ExtractConfig(**settings), ParseRecorder()
    language = LanguageConfig()
    extractor = make_extractor(config, language, on_parse=recorder.record)
    found = resolve_mentions(
        extract_facts(
            places, blocks, cells, sentences, extractor=extractor, language=language
        ),
        places, chunks, sentences, cells=cells, parses=recorder.parses,
    )  # fmt: skip
    return StageResult({**found.tables, "sentences": sentences}, {**read.stats, **found.stats})


@pytest.fixture(name="blocks_of", scope="session")
def blocks_of_fixture() -> Callable[[str, Sequence[str]], list[dict[str, Any]]]:
    return blocks_of


@pytest.fixture(name="read_documents", scope="session")
def read_documents_fixture() -> Callable[..., StageResult]:
    return read_documents
