"""Settings of the stages that read documents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from graphrag_tasks.core.config.base import BaseConfig, LanguageConfig


class PlanConfig(BaseConfig):
    """What may change between runs, and how the work is cut into shards."""

    shard_bytes: int = Field(
        1_000_000, gt=0, description="source bytes of a shard, which bound a worker's memory"
    )
    max_tasks: int = Field(
        256, gt=0, description="upper bound on a run's mapped tasks; one may do several shards"
    )
    max_deleted_share: float = Field(
        0.5, ge=0, le=1, description="share of published documents a run may lose"
    )
    allow_mass_delete: bool = Field(
        False, description="publish although more than that share is gone, or all"
    )
    full_refresh: bool = Field(False, description="process every document again")
    trust_etags: bool = Field(
        True, description="do not read objects in S3 again whose ETag and size did not change"
    )


class ParseConfig(BaseConfig):
    """How files become blocks of text, and what one of them may cost.

    A document that goes beyond a bound gets an error row; the others are parsed all the same.
    """

    max_bytes: int = Field(200_000_000, gt=0, description="larger files are refused unread")
    seconds_per_document: float = Field(
        120,
        gt=0,
        description="seconds for a document's parser, without its waits for a processor",
    )
    memory_bytes: int = Field(
        4_000_000_000, gt=0, description="address space of the process that parses (Linux)"
    )
    max_cells: int = Field(
        1_000_000, ge=0, description="table cells kept of a document: the first of them"
    )
    pdf_engine: Literal["native", "docling-models"] = Field(
        "native", description="PDF layout by geometry, or by Docling's models (needs torch)"
    )
    pdf_models: str = Field("", description="folder of Docling's models, for docling-models")
    ocr: Literal["off", "auto"] = Field(
        "off", description="auto reads PDF pages without text as pictures (extra `ocr`)"
    )
    max_rendition_characters: int = Field(
        5_000_000, ge=0, description="documents longer than that as JSON get no renditions"
    )


class ChunkConfig(BaseConfig):
    """Sections over `max_characters` are split recursively (paper, section 3.1)."""

    max_characters: int = Field(2048, gt=0)
    overlap_characters: int = Field(200, ge=0)

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> ChunkConfig:
        if self.overlap_characters * 2 > self.max_characters:
            raise ValueError("overlap_characters must be at most half of max_characters")
        return self


class SentencesConfig(LanguageConfig):
    """Sentence splitting and the verb filter (paper, section 3.1)."""

    language: str = Field(
        "en", description="language the models read; others are indexed, but not extracted from"
    )


class ExtractConfig(LanguageConfig):
    """Which extractor reads the sentences, with which model, and what is read beside them."""

    changes_no_row = frozenset({"batch_size"})

    extractor: str = Field("dependency", description="a name from the registry of extractors")
    linear: bool = Field(True, description="also read lines by patterns: labels, lists, commands")
    tables: bool = Field(True, description="also read the rows of tables")
    max_table_rows: int = Field(
        2000, ge=0, description="rows read of a table: the first of them; the others are counted"
    )
    batch_size: int = Field(64, gt=0, description="sentences per spaCy batch")
    coref: str = Field(
        "ranking", description="what resolves pronouns and definite mentions; none leaves them"
    )
    coref_min_confidence: float = Field(
        0.7, ge=0, le=1, description="least confidence of a resolution that names a node"
    )


class MergeConfig(BaseConfig):
    """How many documents may fail before the run does."""

    changes_no_row = frozenset({"max_failed_share"})

    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of readable documents that may fail"
    )


class DocumentSections(BaseConfig):
    """Sections of the stages that read documents."""

    plan: PlanConfig = PlanConfig()
    parse: ParseConfig = ParseConfig()
    chunk: ChunkConfig = ChunkConfig()
    sentences: SentencesConfig = SentencesConfig()
    extract: ExtractConfig = ExtractConfig()
    merge_shards: MergeConfig = MergeConfig()
