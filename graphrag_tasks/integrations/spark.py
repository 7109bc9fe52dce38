"""Extract and embed on Spark: the functions of `batches` by `mapInArrow`.

Executors need the package with its extra `index` installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks.core.commands import require_version
from graphrag_tasks.core.config import EmbedConfig, ExtractConfig, LanguageConfig
from graphrag_tasks.integrations.batches import TRIPLES, VECTORS, BatchFunction, triples_of_documents, vectors_of_chunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OLDEST = "4"  # Oldest pyspark that can read Arrow tables and map Arrow batches as used here.

require_version("spark", "pyspark", OLDEST)


def extract_on_spark(documents: DataFrame, config: ExtractConfig, language: LanguageConfig) -> DataFrame:
    """Return the triples of documents.

    Args:
        documents: The rows of `batches.documents_with_tables`. A partition is one worker's work.
        config: The stage's settings.
        language: The language that facts are extracted from.

    Returns:
        The columns of the table `triples`.
    """
    return _mapped(documents, triples_of_documents(config, language), TRIPLES)


def embed_on_spark(chunks: DataFrame, config: EmbedConfig) -> DataFrame:
    """Return the vectors of chunks.

    `chunks` has `chunk_id`, `text` and `heading_path`; a partition is one worker's work.

    Returns:
        `id` of the chunk, `text_sha256`, and `vector` as a list of floats.
    """
    wanted = chunks.select("chunk_id", "text", "heading_path")
    return _mapped(wanted, vectors_of_chunks(config), VECTORS)


def _mapped(frame: DataFrame, function: BatchFunction, schema: pa.Schema) -> DataFrame:
    from pyspark.sql.pandas.types import from_arrow_schema

    return frame.mapInArrow(function, from_arrow_schema(schema))
