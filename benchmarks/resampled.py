"""A store of many chunks, made of a real one's: for what a reader costs as a corpus grows.

    python -m benchmarks.resampled --store STORE --chunks 100000 --out STORE2

Documents, graph and vectors are repeated with ids of their own. In each copy the words of texts and names are exchanged
with words as long and about as frequent, so that places stay right, lengths and frequencies are real, and copies
differ. Vectors have noise. What readers do not read is left empty, and nothing of it says how good a search is.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import load_config
from graphrag_tasks.pipeline import CORPUS_STAGES
from graphrag_tasks.pipeline.inputs import call
from graphrag_tasks.pipeline.state import RunState, UserFiles
from graphrag_tasks.storage.artifacts import Table
from graphrag_tasks.storage.snapshots.publish import build_manifest, publish
from graphrag_tasks.storage.snapshots.store import SNAPSHOT_TABLES, Snapshot, Store, write_table

_REPEATED = (
    "documents", "blocks", "chunks", "sentences", "entities", "aliases",
    "mentions", "titles", "relations", "evidence", "communities", "members",
)  # fmt: skip
_TEXTS = {
    "documents": ("title",), "blocks": ("text",), "chunks": ("text", "heading_path"),
    "entities": ("name",), "aliases": ("alias",), "relations": ("text",),
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]{4,}")
_NEAR = 8  # Words of one length that are exchanged with each other, next to each other in frequency.
_NOISE = 0.02  # Standard deviation of each of a vector's numbers: a cosine of about .93 with the original.
_PREFIX = 4  # Hexadecimal digits before an id that are the copy's number, so that tables stay sorted by id.


def write_resampled(source: Snapshot, target: Store, chunks: int) -> None:
    """Publish a store with at least so many chunks.

    Args:
        source: A snapshot without access labels.
        target: Where there is no store yet.
        chunks: Chunks wanted.
    """
    copies = -(-chunks // source.manifest.tables["chunks"].rows)
    staged = target.staging / "resampled"
    vocabulary = _vocabulary(source.table("chunks", ["text"])["text"])
    swaps = [_swaps(vocabulary, number) for number in range(copies)]
    tables: dict[str, Table] = {}
    for name in SNAPSHOT_TABLES:
        schema = pa.schema([pa.field(one.name, one.type) for one in schemas.SCHEMAS[name]])
        rows = pa.RecordBatchReader.from_batches(schema, iter(()))
        if name in _REPEATED:
            rows = pa.RecordBatchReader.from_batches(schema, _copied(source, name, schema, swaps))
        tables[name] = write_table(staged, name, rows, fingerprint="benchmark")
    with TemporaryDirectory(dir=target.folder.path(".")) as folder:
        for name in schemas.VECTOR_TABLES:
            made = _vectors(source, name, copies, Path(folder))
            tables[name] = write_table(staged, name, made, fingerprint="")
    store = SimpleNamespace(folder=staged)
    state = SimpleNamespace(staged=staged, folder=staged, parent=None, store=store)
    state.config = load_config(overrides={"load": {"vector_store": "none"}}, environ={})
    state.files = UserFiles.read(state.config)
    with call(CORPUS_STAGES["load"], cast("RunState", state)) as result:
        for name, table in result.tables.items():
            tables[name] = write_table(staged, name, table, fingerprint="benchmark")
    was = source.manifest
    manifest = build_manifest(
        tables, embedding=was.embedding, parent_id=None, fingerprints=was.fingerprints,
        settings=was.settings, sources=was.sources, collections={}, stats=was.stats,
    )  # fmt: skip
    publish(target, staged, replace(manifest, parent_id=target.current_id()))


def _vocabulary(texts: pa.ChunkedArray) -> list[list[str]]:
    """Return words by length, frequent ones first."""
    counts = Counter(word.lower() for text in texts.to_pylist() for word in _WORD.findall(text))
    by_length: dict[int, list[str]] = {}
    for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        by_length.setdefault(len(word), []).append(word)
    return list(by_length.values())


def _swaps(vocabulary: list[list[str]], number: int) -> Callable[[str], str]:
    """Return what exchanges the words of a text in a copy; the first copy is as it was."""
    if not number:
        return lambda text: text
    random = np.random.default_rng(number)
    into: dict[str, str] = {}
    for words in vocabulary:
        for start in range(0, len(words), _NEAR):
            near = words[start : start + _NEAR]
            into |= zip(near, random.permutation(near).tolist(), strict=True)

    def swapped(match: re.Match[str]) -> str:
        word = into.get(match[0].lower(), match[0])
        if match[0].isupper():
            return word.upper()
        return word.capitalize() if match[0][0].isupper() else word

    return lambda text: _WORD.sub(swapped, text)


def _copied(
    source: Snapshot, name: str, schema: pa.Schema, swaps: list[Callable[[str], str]]
) -> Iterator[pa.RecordBatch]:
    rows = source.table(name).select(schema.names)
    for number, swap in enumerate(swaps):
        columns = [_column(rows[field.name], name, field, number, swap).cast(field.type) for field in schema]
        yield from pa.table(columns, schema=schema).combine_chunks().to_batches()


def _number(copy: int) -> str:
    return f"{copy:0{_PREFIX}x}"


def _column(
    values: pa.ChunkedArray, table: str, field: pa.Field, number: int, swap: Callable[[str], str]
) -> pa.ChunkedArray:
    if field.name.endswith("_id"):
        return pc.binary_replace_slice(values, 0, 0, _number(number))
    if field.name not in _TEXTS.get(table, ()) or not number:
        return values
    swapped = [
        [swap(one) for one in value] if isinstance(value, list) else value and swap(value)
        for value in values.to_pylist()
    ]
    return pa.chunked_array([pa.array(swapped, field.type)])


def _vectors(source: Snapshot, name: str, copies: int, folder: Path) -> pa.Table:
    """Return the vectors of all copies, which lie in a file: some 15 GB for a million chunks."""
    rows = source.table(name)
    width = rows.schema.field("vector").type.list_size
    vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, width)
    made = np.memmap(folder / name, np.float32, "w+", shape=(copies, *vectors.shape))
    for number in range(copies):
        noise = np.random.default_rng(number).normal(0, _NOISE, vectors.shape)
        made[number] = vectors + noise.astype(np.float32) * bool(number)
        made[number] /= np.linalg.norm(made[number], axis=1, keepdims=True)
    ids = [pc.binary_replace_slice(rows["id"], 0, 0, _number(copy)) for copy in range(copies)]
    hashes = [rows["text_sha256"]] * copies
    return pa.table(
        [
            *(pa.concat_arrays([one.combine_chunks() for one in parts]) for parts in (ids, hashes)),
            pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), width),
        ],
        schema=schemas.vectors_schema(width),
    )


def main() -> None:
    """Make a store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--chunks", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_resampled(Store(options.store).open(), Store(str(options.out)), options.chunks)


if __name__ == "__main__":
    main()
