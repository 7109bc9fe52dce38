"""The embed stage: one unit vector for each chunk, entity and relation.

Paper, section 3.3: entities, chunks and relations are embedded separately. Vectors of an earlier snapshot with the same
model are reused, by text hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import EmbedConfig
from graphrag_tasks.core.ids import text_sha256
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.embed.protocol import EMBEDDERS, Embedder

if TYPE_CHECKING:
    from graphrag_tasks.llm import Client

LIBRARIES = ("onnxruntime", "tokenizers")  # Packages whose version can change a vector.

_COLUMNS = {
    "chunk_vectors": ("chunk_id", "text"),
    "entity_vectors": ("entity_id", "name"),
    "relation_vectors": ("relation_id", "text"),
}


def make_embedder(config: EmbedConfig, client: Client | None = None) -> Embedder:
    """Return the configured embedder, which is loaded on first use.

    Args:
        config: Its settings.
        client: Sends texts to an endpoint, if the embedder is one.
    """
    return EMBEDDERS.factory(config.embedder)(config, client)


@stage(
    per="corpus",
    reads=(
        table("chunks", "chunk_id", "text", "heading_path"),
        table("entities", "entity_id", "name"),
        table("relations", "relation_id", "text"),
    ),
    makes=schemas.VECTOR_TABLES,
    given=("embedder", "reusable", "done"),
    libraries=LIBRARIES,
    divisible=True,
)
def embed(
    chunks: pa.Table,
    entities: pa.Table,
    relations: pa.Table,
    *,
    embedder: Embedder,
    reusable: Mapping[str, pa.Table] | None = None,
    done: StageResult | None = None,
) -> StageResult:
    """Embed the texts of chunks, the names of entities and the words of relations.

    Known texts take their vectors from `reusable`, vector tables of the same model, and from `done`, the stage's result
    for parts of the rows. The result has one table of `schemas.vectors_schema` per kind, in the order of the given
    rows. The stats include the work on parts; `windowed` is the number of texts longer than the model's input.
    """
    inputs = {"chunk_vectors": chunks, "entity_vectors": entities, "relation_vectors": relations}
    tables: dict[str, pa.Table] = {}
    stats = Counter[str](embedded=0, windowed=0)
    there = [reusable or {}, done.tables if done else {}]
    for name, rows in inputs.items():
        id_column, text_column = _COLUMNS[name]
        texts = rows[text_column].to_pylist()
        if rows is chunks:
            texts = list(map(text_below_headings, rows["heading_path"].to_pylist(), texts))
        hashes = [text_sha256(text) for text in texts]
        known: dict[str, NDArray[np.float32]] = {}
        for vectors in there:
            known |= _known(vectors.get(name), hashes)
        new = [index for index, digest in enumerate(hashes) if digest not in known]
        encoded = embedder.encode_detailed([texts[index] for index in new])
        matrix = np.empty((len(texts), embedder.dimension), np.float32)
        matrix[new] = encoded.vectors
        for index in set(range(len(texts))).difference(new):
            matrix[index] = known[hashes[index]]
        stats.update(vectors=len(texts), embedded=len(new), windowed=encoded.windowed)
        tables[name] = _table(rows[id_column], hashes, matrix)
    if done:
        stats.update({name: done.stats[name] for name in ("embedded", "windowed")})
    return StageResult(tables, {**stats, "reused": stats["vectors"] - stats["embedded"]})


def text_below_headings(path: Sequence[str], text: str) -> str:
    """Return a chunk's text preceded by the headings of its path that it does not begin with."""
    own = {" ".join(block.split()) for block in text.split(BLOCK_SEPARATOR)[: len(path)]}
    missing = [heading for heading in path if heading not in own]
    return BLOCK_SEPARATOR.join([" > ".join(missing), text]) if missing else text


def _known(table: pa.Table | None, hashes: list[str]) -> dict[str, NDArray[np.float32]]:
    if table is None or not table.num_rows:
        return {}
    wanted = pa.array(sorted(set(hashes)), pa.string())
    table = table.filter(pc.is_in(table["text_sha256"], value_set=wanted))
    vectors = table["vector"].combine_chunks()
    matrix = vectors.flatten().to_numpy().reshape(-1, vectors.type.list_size)
    return dict(zip(table["text_sha256"].to_pylist(), matrix, strict=True))


def _table(ids: pa.ChunkedArray, hashes: list[str], matrix: NDArray[np.float32]) -> pa.Table:
    dimension = matrix.shape[1]
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), dimension)
    return pa.table([ids, pa.array(hashes, pa.string()), vectors], schema=schemas.vectors_schema(dimension))
