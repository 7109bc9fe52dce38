"""Extract and embed as functions from Arrow batches to Arrow batches, for engines that map them.

`extract` needs whole documents (a pronoun may refer to the title), so a row is a document with its tables; `embed`
needs only chunks. The functions can be sent to other processes, where each loads its models once.

>>> from graphrag_tasks.integrations.spark import extract_on_spark
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import EmbedConfig, ExtractConfig, LanguageConfig
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.embed.stage import embed, make_embedder
from graphrag_tasks.extract.stage import extract

BatchFunction: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    read.name: read.columns or tuple(schemas.SCHEMAS[read.name].names) for read in extract.reads
}
"""Columns that the stage reads of each table; rows are `documents`."""

_NESTED = tuple(name for name in _COLUMNS if name != "documents")

TRIPLES = pa.schema([pa.field(one.name, one.type) for one in schemas.TRIPLES])
"""Columns of `triples_of_documents`: those of the table `triples`."""

VECTORS = pa.schema({"id": pa.string(), "text_sha256": pa.string(), "vector": pa.list_(pa.float32())})
"""Columns of `vectors_of_chunks`; not every engine has lists of a fixed length."""


def documents_with_tables(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return a row for each document, with its rows of other tables as lists of structs.

    Args:
        tables: `documents`, `blocks`, `cells`, `chunks` and `sentences` of a corpus, or of a part of it, in reading
            order.

    Returns:
        `document_id`, `title`, `path`, and a list of structs for each other table.
    """
    documents = tables["documents"].select(list(_COLUMNS["documents"])).combine_chunks()
    ids = documents["document_id"].combine_chunks()
    for name in _NESTED:
        documents = documents.append_column(name, _lists_by_document(tables[name], name, ids))
    return documents


def _lists_by_document(rows: pa.Table, name: str, ids: pa.Array) -> pa.Array:
    columns = list(_COLUMNS[name])
    place = pc.index_in(rows["document_id"], value_set=ids)
    rows = rows.append_column("place", place).filter(pc.is_valid(place))
    order = pc.sort_indices(rows["place"])  # stable
    rows = rows.take(order)
    counts = pc.value_counts(rows["place"].combine_chunks())
    lengths = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
    offsets = [0]
    for number in range(len(ids)):
        offsets.append(offsets[-1] + lengths.get(number, 0))
    values = rows.select(columns).to_struct_array().combine_chunks()
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def triples_of_documents(config: ExtractConfig, language: LanguageConfig) -> BatchFunction:
    """Return a function from batches of `documents_with_tables` to batches of `TRIPLES`.

    Rows are the stage's, document by document. Each process loads the models at its first batch.
    """
    return partial(_triples_of, config, language)


def vectors_of_chunks(config: EmbedConfig) -> BatchFunction:
    """Return a function from batches of chunks to batches of `VECTORS`.

    It reads `chunk_id`, `text` and `heading_path`. Rows are the stage's, in chunk order. Each process loads the model
    at its first batch.
    """
    return partial(_vectors_of, config)


def _triples_of(
    config: ExtractConfig, language: LanguageConfig, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in range(batch.num_rows):
            document = batch.slice(number, 1)
            found = extract(
                pa.table(document.select(list(_COLUMNS["documents"]))),
                *(_table(document, name) for name in _NESTED),
                config=config, language=language,
            )  # fmt: skip
            yield from found.tables["triples"].cast(TRIPLES).combine_chunks().to_batches()


def _table(document: pa.RecordBatch, name: str) -> pa.Table:
    rows = document[name].flatten()
    wanted = schemas.SCHEMAS[name]
    columns = [rows.field(one).cast(wanted.field(one).type) for one in _COLUMNS[name]]
    return pa.table(columns, names=list(_COLUMNS[name]))


def _vectors_of(config: EmbedConfig, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    embedder = _embedder(config)
    entities, relations = (schemas.SCHEMAS[name].empty_table() for name in ("entities", "relations"))
    for batch in batches:
        chunks = pa.Table.from_batches([batch])
        found = embed(chunks, entities, relations, embedder=embedder)
        yield from found.tables["chunk_vectors"].cast(VECTORS).combine_chunks().to_batches()


@cache
def _embedder(config: EmbedConfig) -> Embedder:
    return make_embedder(config)
