"""Fixtures that parse bytes made by the tests themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.parse import parse
from graphrag_tasks.parse.readers import READERS
from graphrag_tasks.storage.artifacts import conform


@dataclass(frozen=True)
class Parsed:
    """One document's row, blocks and cells."""

    document: dict[str, Any]
    blocks: list[dict[str, Any]]
    cells: list[dict[str, Any]]

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Kind and text of every block."""
        return [(block["kind"], block["text"]) for block in self.blocks]

    @property
    def left_out(self) -> dict[str, int]:
        """How many parts were left out, by reason."""
        return {one["reason"]: one["count"] for one in self.document["left_out"] or ()}


def source_row(uri: str, data: bytes) -> dict[str, Any]:
    """Return the sources row of a file with this content."""
    suffix = uri.rpartition(".")[2]
    return {
        "document_id": hashlib.sha256(uri.encode()).hexdigest()[:24],
        "uri": uri,
        "source": "test",
        "path": uri,
        "media_type": suffix if suffix in READERS else "unknown",
        "size_bytes": len(data),
        "content_sha256": hashlib.sha256(data).hexdigest(),
        "change": "added",
        "shard": 0,
    }


def saved(document: Any) -> bytes:
    """Return the file of a document, deck or workbook."""
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


ParseFiles = Callable[..., StageResult]
ParseOne = Callable[[str, bytes], Parsed]


@pytest.fixture
def parse_files() -> ParseFiles:
    """Parse files by uri; `fetch` and `config` can be replaced."""

    def run(
        files: Mapping[str, bytes], *, fetch: Callable[[str], bytes] | None = None, config: ParseConfig | None = None
    ) -> StageResult:
        rows = [source_row(uri, data) for uri, data in files.items()]
        sources = pa.Table.from_pylist(rows, schema=schemas.SOURCES)
        result = parse(sources, config=config or ParseConfig(), fetch=fetch or files.__getitem__)
        for name, table in result.tables.items():
            conform(name, table)
        return result

    return run


@pytest.fixture
def parse_one(parse_files: ParseFiles) -> ParseOne:
    """Parse one file; its blocks and cells must lie where the document text has them."""

    def run(uri: str, data: bytes) -> Parsed:
        result = parse_files({uri: data})
        (document,) = result.tables["documents"].to_pylist()
        blocks = result.tables["blocks"].to_pylist()
        text = schemas.BLOCK_SEPARATOR.join(block["text"] for block in blocks)
        assert document["characters"] == len(text)
        for ordinal, block in enumerate(blocks):
            assert block["ordinal"] == ordinal
            assert text[block["char_start"] : block["char_end"]] == block["text"] != ""
        cells = result.tables["cells"].to_pylist()
        assert document["cells"] == len(cells)
        for cell in cells:
            assert blocks[cell["ordinal"]]["kind"] == "table"
            if cell["char_start"] is not None:
                assert text[cell["char_start"] : cell["char_end"]] == cell["text"] != ""
        return Parsed(document, blocks, cells)

    return run
