"""Synthetic corpora of triples: as large as wished, the same on every machine, and lifelike.

Names are drawn by Zipf and Mandelbrot's law from a vocabulary without end, so the number of distinct names grows with
the corpus as Heaps' law says (about n^.87), and a few are hubs. They are made of syllables; some are acronyms,
identifiers or have numbers. A mention may be in the plural, hyphenated, capitalised, with an article or a slip of the
pen; some ends are pronouns or values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphrag_tasks.core import schemas

BATCH = 500_000
TRIPLES_OF_SENTENCE, SENTENCES_OF_CHUNK, CHUNKS_OF_DOCUMENT = 2, 4, 25

_ZIPF, _SHIFT = 1.15, 30
_MOST_RANKS = 2**53
_ONSETS = ("b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl")
_VOWELS = ("a", "e", "i", "o", "u", "ea", "io")
_CODAS = ("", "n", "r", "l", "s", "t", "nd", "ck", "m")
_LEXICON = 60_000
_RELATIONS = 3_000
_LABELS = ("", "ORG", "PRODUCT", "PERSON", "GPE", "WORK_OF_ART")
_LABEL_SHARES = (0.62, 0.14, 0.1, 0.06, 0.05, 0.03)
_PRONOUN, _VALUE = "PRON", "CARDINAL"
_PLAIN, _ARTICLE, _PLURAL, _HYPHENS, _CAPITALS, _SLIP = range(6)
_VARIANT_SHARES = (0.68, 0.1, 0.08, 0.05, 0.08, 0.01)
_ALIAS_SHARE, _PRONOUN_SHARE, _VALUE_SHARE = 0.005, 0.04, 0.04

Numbers = NDArray[np.int64]


def write_corpus(folder: Path, triples: int, *, seed: int = 0) -> None:
    """Write the tables that the stages after collect read.

    Args:
        folder: Where `triples.parquet`, `sentences.parquet` and the others go.
        triples: How many.
        seed: Another one gives another corpus.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sentences = -(-triples // TRIPLES_OF_SENTENCE)
    chunks = -(-sentences // SENTENCES_OF_CHUNK)
    documents = -(-chunks // CHUNKS_OF_DOCUMENT)
    _write(folder, "triples", (_triples(rows, seed) for rows in _ranges(triples)))
    _write(folder, "sentences", (_sentences(rows, seed) for rows in _ranges(sentences)))
    _write(folder, "chunks", (_chunks(rows, chunks, sentences, seed) for rows in _ranges(chunks)))
    _write(folder, "documents", (_documents(rows, seed) for rows in _ranges(documents)))
    for table in ("blocks", "cells"):
        _write(folder, table, iter(()))


def _ranges(count: int) -> Iterator[Numbers]:
    for start in range(0, count, BATCH):
        yield np.arange(start, min(start + BATCH, count), dtype=np.int64)


def _write(folder: Path, table: str, parts: Iterator[dict[str, pa.Array]]) -> None:
    schema = schemas.SCHEMAS[table]
    plain = pa.schema(
        [pa.field(field.name, field.type, field.nullable) for field in schema],
        metadata={"schema_version": str(schemas.SCHEMA_VERSION)},
    )
    with pq.ParquetWriter(folder / f"{table}.parquet", plain, compression="zstd") as writer:
        for columns in parts:
            rows = len(columns[schema.names[0]])
            arrays = [
                columns[field.name].cast(field.type)
                if field.name in columns
                else pa.nulls(rows, field.type) if field.nullable
                else pa.repeat(_blank(field.type), rows)
                for field in schema
            ]  # fmt: skip
            writer.write_table(pa.table(arrays, schema=plain))


def _blank(type_: pa.DataType) -> pa.Scalar:
    if pa.types.is_string(type_):
        return pa.scalar("", type_)
    return pa.scalar([], type_) if pa.types.is_list(type_) else pa.scalar(0).cast(type_)


def ids(kind: str, numbers: Numbers) -> pa.Array:
    """Return an id of 24 hexadecimal digits for each number, in no order, as hashes are."""
    low = _mixed(numbers.astype(np.uint64) + np.uint64(sum(kind.encode()) << 40))
    high = _mixed(low ^ np.uint64(0x9E3779B97F4A7C15))
    pairs = np.column_stack([low, high]).astype(">u8").view(np.uint8).reshape(len(numbers), 16)
    digits = np.ascontiguousarray(pairs[:, :12]).tobytes().hex().encode("ascii")
    offsets = np.arange(len(numbers) + 1, dtype=np.int32) * 24
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(digits))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the values mixed as splitmix64 does: a bijection that looks random."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _triples(rows: Numbers, seed: int) -> dict[str, pa.Array]:
    random = np.random.default_rng([seed, int(rows[0])])
    count = len(rows)
    sentences = rows // TRIPLES_OF_SENTENCE
    head, head_type = _ends(random, count)
    tail, tail_type = _ends(random, count)
    relations = pa.array([f"{_word(7 * number)} of" for number in range(_RELATIONS)])
    relation = relations.take(pa.array(_zipf(random, count) % _RELATIONS))
    rule = pa.array(["svo", "alias"]).take(pa.array((random.random(count) < _ALIAS_SHARE).astype(np.int64)))
    start = pa.array(random.integers(0, 60, count))
    return {
        "triple_id": ids("triple", rows),
        "frame_id": ids("frame", rows),
        **_places(sentences),
        "head": head, "relation": relation, "phrase": relation, "tail": tail,
        "conditional": pa.repeat(False, count), "said": pa.array(sentences, pa.int64()),
        "head_start": start, "head_end": pa.array(start.to_numpy() + 9),
        "tail_start": pa.array(start.to_numpy() + 20),
        "tail_end": pa.array(start.to_numpy() + 30),
        "head_type": head_type, "tail_type": tail_type,
        "negated": pa.array(random.random(count) < 0.02),
        "rule": rule,
        "extractor": pa.repeat("dependency", count),
        "confidence": pa.array(random.uniform(0.3, 0.99, count).astype(np.float32)),
    }  # fmt: skip


def _places(sentences: Numbers) -> dict[str, pa.Array]:
    chunks = sentences // SENTENCES_OF_CHUNK
    return {
        "sentence_id": ids("sentence", sentences),
        "chunk_id": ids("chunk", chunks),
        "document_id": ids("document", chunks // CHUNKS_OF_DOCUMENT),
    }


def _ends(random: np.random.Generator, count: int) -> tuple[pa.Array, pa.Array]:
    """Return surface forms and labels."""
    variants = random.choice(len(_VARIANT_SHARES), count, p=_VARIANT_SHARES)
    keys = _zipf(random, count) * len(_VARIANT_SHARES) + variants
    kind = random.random(count)
    keys[kind < _PRONOUN_SHARE] = -1
    values = (kind >= _PRONOUN_SHARE) & (kind < _PRONOUN_SHARE + _VALUE_SHARE)
    keys[values] = -2 - random.integers(0, 5000, int(values.sum()))
    found, places = np.unique(keys, return_inverse=True)
    made = [_surface_of(key) for key in found.tolist()]
    labels = _LABELS_OF[_mixed(np.maximum(keys, 0).astype(np.uint64) // np.uint64(6)) % 1000]
    labels = np.where(keys == -1, len(_LABELS), np.where(keys < -1, len(_LABELS) + 1, labels))
    label_names = pa.array([*(name or None for name in _LABELS), _PRONOUN, _VALUE])
    return pa.array(made, pa.string()).take(pa.array(places)), label_names.take(pa.array(labels))


_LABELS_OF: Numbers = np.repeat(np.arange(len(_LABELS)), np.round(np.array(_LABEL_SHARES) * 1000).astype(np.int64))


def _zipf(random: np.random.Generator, count: int) -> Numbers:
    """Draw ranks with P(rank > r) = (1 + r / shift) ^ (1 - zipf)."""
    tail = (1.0 - random.random(count)) ** (-1.0 / (_ZIPF - 1.0))
    return np.minimum(_SHIFT * (tail - 1.0), _MOST_RANKS).astype(np.int64)


def _surface_of(key: int) -> str:
    if key == -1:
        return "it"
    if key < -1:
        return f"{-key * 7} units"
    rank, variant = divmod(key, len(_VARIANT_SHARES))
    return _varied(_name(rank), variant, rank)


def _names_of(ranks: Numbers) -> pa.Array:
    found, places = np.unique(ranks, return_inverse=True)
    return pa.array(list(map(_name, found.tolist())), pa.string()).take(pa.array(places))


@lru_cache(maxsize=200_000)
def _name(rank: int) -> str:
    random = Random(rank)  # noqa: S311 - a rank has one name
    shape = random.random()
    if shape < 0.06:  # an identifier
        return f"{random.choice('VZMES')}{_word(random.randrange(_LEXICON))[:4].upper()}_{rank % 997}"
    if shape < 0.12:  # an acronym
        return "".join(random.choices("ABCDEFGHILMNOPRSTUV", k=random.choice((2, 3, 3, 4))))
    words = [_word(int(_LEXICON ** random.random())) for _ in range(random.choice((1, 2, 2, 2, 3, 3, 4)))]
    if shape < 0.2:  # a version, a step, a year
        words.append(str(random.choice((1, 2, 3, 2020, 2021, 1809, 1909))))
    return " ".join(words)


@lru_cache(maxsize=_LEXICON + _RELATIONS)
def _word(number: int) -> str:
    random = Random(f"word {number}")  # noqa: S311 - a number has one word
    syllables = 1 + (number > 40) + (number > 3000)
    return "".join(random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS) for _ in range(syllables))


def _varied(name: str, variant: int, rank: int) -> str:
    if variant == _ARTICLE:
        return f"the {name}"
    if variant == _CAPITALS:
        return name.title() if not name.isupper() else name
    if name.isupper() or variant == _PLAIN:
        return name
    if variant == _PLURAL:
        return f"{name}s"
    if variant == _HYPHENS:
        return name.replace(" ", "-", 1)
    place = 1 + rank % max(len(name) - 1, 1)
    return name[:place] + name[place + 1 :]  # a letter left out


def _sentences(rows: Numbers, seed: int) -> dict[str, pa.Array]:
    random = np.random.default_rng([seed, 1, int(rows[0])])
    phrases = pa.array([" ".join(_word((n * 31 + k) % 9000) for k in range(7)) for n in range(4000)])
    parts = [
        part
        for _ in range(TRIPLES_OF_SENTENCE)
        for part in (phrases.take(pa.array(random.integers(0, 4000, len(rows)))),
                     _names_of(_zipf(random, len(rows))))
    ]  # fmt: skip
    return {
        **_places(rows),
        "ordinal": pa.array(rows % SENTENCES_OF_CHUNK),
        "text": pc.binary_join_element_wise(*parts, " "),
        "has_verb": pa.repeat(True, len(rows)),
    }


def _chunk_texts(rows: Numbers, sentences: int, seed: int) -> pa.Array:
    """Return the sentences of each chunk, which are made once more."""
    first = int(rows[0]) * SENTENCES_OF_CHUNK
    last = min((int(rows[-1]) + 1) * SENTENCES_OF_CHUNK, sentences)
    texts: list[str] = []
    for start in range(first, last, BATCH):
        numbers = np.arange(start, min(start + BATCH, sentences), dtype=np.int64)
        texts += _sentences(numbers, seed)["text"].to_pylist()
    return pa.array(
        [" ".join(texts[place : place + SENTENCES_OF_CHUNK]) for place in range(0, last - first, SENTENCES_OF_CHUNK)]
    )


def _chunks(rows: Numbers, count: int, sentences: int, seed: int) -> dict[str, pa.Array]:
    random = np.random.default_rng([seed, 2, int(rows[0])])
    places = _places(rows * SENTENCES_OF_CHUNK)
    following = rows % CHUNKS_OF_DOCUMENT + 1
    is_last = (following == CHUNKS_OF_DOCUMENT) | (rows + 1 == count)
    next_ids = pc.if_else(pa.array(is_last), None, ids("chunk", rows + 1))
    return {
        "chunk_id": places["chunk_id"],
        "document_id": places["document_id"],
        "ordinal": pa.array(rows % CHUNKS_OF_DOCUMENT),
        "next_id": next_ids,
        "text": _chunk_texts(rows, sentences, seed),
        "is_reference": pa.repeat(False, len(rows)),
        "heading_path": pa.ListArray.from_arrays(
            pa.array(np.arange(len(rows) + 1, dtype=np.int32)), _names_of(_zipf(random, len(rows)))
        ),
    }


def _documents(rows: Numbers, seed: int) -> dict[str, pa.Array]:
    random = np.random.default_rng([seed, 3, int(rows[0])])
    return {
        "document_id": ids("document", rows),
        "title": _names_of(_zipf(random, len(rows))),
        "title_source": pa.repeat("heading", len(rows)),
    }
