"""The extract stage: sentences in, n-ary frames and the binary triples derived from them out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks import schemas
from graphrag_tasks.config import ExtractConfig
from graphrag_tasks.errors import ConfigError
from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.protocol import Extractor
from graphrag_tasks.extract.triples import derive_triples
from graphrag_tasks.ids import content_id
from graphrag_tasks.stage import StageResult

REQUIRES = ("sentences",)
PRODUCES = ("frames", "triples")
DEPENDENCIES = ("spacy",)

EXTRACTORS = ("dependency",)
"""Names that `extract.extractor` may have."""


def make_extractor(config: ExtractConfig) -> Extractor:
    """Return the configured extractor.

    Raises:
        ConfigError: There is no extractor of that name.
        MissingDependencyError: Its model is not installed.
    """
    if config.extractor == "dependency":
        from graphrag_tasks.extract.dependency import DependencyExtractor

        return DependencyExtractor(config.model, batch_size=config.batch_size)
    raise ConfigError(
        f"there is no extractor '{config.extractor}'",
        "extract.extractor",
        f"Known: {', '.join(EXTRACTORS)}",
    )


def extract(sentences: pa.Table, *, extractor: Extractor) -> StageResult:
    """Extract frames from the sentences that have a verb, and derive triples from them.

    Args:
        sentences: Rows of `schemas.SENTENCES`.
        extractor: What reads them.

    Returns:
        `frames` and `triples`, in the order of the sentences.
    """
    read = sentences.filter(pc.field("has_verb"))
    rows = read.select(["sentence_id", "chunk_id", "document_id", "text"]).to_pylist()
    oversized = extractor.oversized_sentences
    frames: dict[str, dict[str, Any]] = {}
    triples: dict[str, dict[str, Any]] = {}
    read_frames = extractor.extract([row["text"] for row in rows])
    for row, found in zip(rows, read_frames, strict=True):
        place = {name: row[name] for name in ("sentence_id", "chunk_id", "document_id")}
        for frame in found:
            frame_row = place | _frame_row(frame, row["sentence_id"])
            frames[frame_row["frame_id"]] = frame_row
            for triple in derive_triples(frame):
                triple_row = (
                    place
                    | asdict(triple)
                    | {
                        "frame_id": frame_row["frame_id"],
                        "extractor": frame.extractor,
                    }
                )
                triple_row["triple_id"] = _triple_id(triple_row)
                triples[triple_row["triple_id"]] = triple_row
    tables = {
        "frames": pa.Table.from_pylist(list(frames.values()), schema=schemas.FRAMES),
        "triples": pa.Table.from_pylist(list(triples.values()), schema=schemas.TRIPLES),
    }
    stats = {
        "sentences_read": len(rows),
        "sentences_oversized": extractor.oversized_sentences - oversized,
        "frames": len(frames),
        "triples": len(triples),
    }
    return StageResult(tables, stats)


def _frame_row(frame: Frame, sentence_id: str) -> dict[str, Any]:
    arguments = [asdict(argument) for argument in frame.arguments]
    spans = [f"{one['role']}:{one['start']}:{one['end']}" for one in arguments]
    frame_id = content_id(
        "frame", sentence_id, frame.rule, frame.predicate, frame.start, frame.end, *spans
    )
    return asdict(frame) | {"frame_id": frame_id, "arguments": arguments}


def _triple_id(row: dict[str, Any]) -> str:
    spans = ("head_start", "head_end", "relation", "tail_start", "tail_end")
    return content_id("triple", row["frame_id"], *(row[name] for name in spans))
