"""Small hand-made snapshots and an embedder whose cosines are exact, so that ties are real."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.graph.clusters import cluster_tables
from graphrag_tasks.graph.name_tables import Pairs, name_edges, name_tables, tables_of
from graphrag_tasks.language.bm25.index import word_tables
from graphrag_tasks.language.known_names import folded_name
from graphrag_tasks.retrieval.graph.linking import NameGraph, Spellings
from graphrag_tasks.storage.artifacts import Table
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.store import Store, write_table

ONE, TWO = "1" * 24, "2" * 24  # Ids of snapshots.

DIMENSION = 8


class FakeEmbedder:
    """Four entries of ±0.5 chosen by a hash: unit vectors whose cosines are multiples of 1/4."""

    dimension = DIMENSION
    fingerprint = "f" * 64

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.vector(text) for text in texts], np.float32).reshape(-1, DIMENSION)

    @staticmethod
    def vector(text: str) -> list[float]:
        digest = hashlib.sha256(text.encode()).digest()
        chosen = sorted(range(DIMENSION), key=lambda place: (digest[place], place))[:4]
        return [(0.5 if digest[8 + place] % 2 else -0.5) if place in chosen else 0.0 for place in range(DIMENSION)]


@dataclass(frozen=True)
class World:
    """The content of a snapshot, as tuples: what `publish` writes and a test reasons about."""

    documents: tuple[tuple[str, str], ...] = ()  # id, title
    chunks: tuple[tuple[str, str, str], ...] = ()  # id, document id, text
    sentences: tuple[tuple[str, str, str], ...] = ()  # id, chunk id, text
    entities: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # id, name, aliases
    relations: tuple[tuple[str, str, str, str], ...] = ()  # id, head id, text, tail id
    evidence: tuple[tuple[str, str, float], ...] = ()  # relation id, sentence id, confidence
    mentions: tuple[tuple[str, str], ...] = ()  # entity id, sentence id
    titles: tuple[tuple[str, str], ...] = ()  # entity id, document id
    unlabelled: frozenset[str] = field(default_factory=frozenset)  # entity ids
    terms: frozenset[str] = field(default_factory=frozenset)  # entity ids
    communities: tuple[tuple[str, int, str, str], ...] = ()  # id, level, title, summary
    members: tuple[tuple[str, str], ...] = ()  # community id, entity id
    negated: frozenset[str] = field(default_factory=frozenset)
    associations: frozenset[str] = field(default_factory=frozenset)  # relation ids
    vectors_reversed: bool = False
    reference: frozenset[str] = field(default_factory=frozenset)  # chunk ids
    untitled: bool = False  # documents are called by their files


SMALL = World(
    documents=(("d1", "Print <script>alert(1)</script> guide"), ("d2", "Network handbook")),
    chunks=(
        ("c1", "d1", "The print server replaced the spooler. Old <b>queues</b> were deleted."),
        ("c2", "d1", "The spooler needs a driver."),
        ("c3", "d2", "The gateway does not support the spooler."),
    ),
    sentences=(
        ("s1", "c1", "The print server replaced the spooler."),
        ("s2", "c1", "Old <b>queues</b> were deleted."),
        ("s3", "c2", "The spooler needs a driver."),
        ("s4", "c3", "The gateway does not support the spooler."),
    ),
    entities=(
        ("e1", "print server", ("print server", "Print Server")),
        ("e2", "spooler", ("spooler", "old spooler")),
        ("e3", "driver", ("driver",)),
        ("e4", "gateway", ("gateway",)),
    ),
    relations=(
        ("r1", "e1", "print server replace spooler", "e2"),
        ("r2", "e2", "spooler need driver", "e3"),
        ("r3", "e4", "gateway not support spooler", "e2"),
    ),
    evidence=(("r1", "s2", 0.5), ("r1", "s1", 0.75), ("r1", "s1", 0.25), ("r2", "s3", 0.5), ("r3", "s4", 0.5)),
    mentions=(("e1", "s1"), ("e2", "s1"), ("e2", "s3"), ("e2", "s4"), ("e3", "s3"), ("e4", "s4")),
    negated=frozenset({"r3"}),
)


def _rows(world: World) -> dict[str, list[dict[str, Any]]]:
    document_of = {chunk: document for chunk, document, _ in world.chunks}
    chunk_of = {sentence: chunk for sentence, chunk, _ in world.sentences}
    names = {entity: name for entity, name, _ in world.entities}
    return {
        "documents": [
            {"document_id": one, "uri": f"docs/{one}.pdf", "source": "docs", "path": f"{one}.pdf",
             "media_type": "pdf", "size_bytes": 1, "content_sha256": "0", "title": title,
             "title_source": "file_name" if world.untitled else "metadata", "cells": 0,
             "pages_in": 9, "pages_out": 9, "characters": 9, "status": "parsed",
             "error_code": None, "error_message": None}
            for one, title in world.documents
        ],
        "chunks": [
            {"chunk_id": one, "document_id": document, "ordinal": place,
             "heading_path": ["Part", one], "text": text,
             "char_start": 1000 * place, "char_end": 1000 * place + len(text),
             "page_start": place + 1, "page_end": place + 2, "is_reference": one in world.reference,
             "previous_id": None, "next_id": None}
            for place, (one, document, text) in enumerate(world.chunks)
        ],
        "sentences": [
            {"sentence_id": one, "chunk_id": chunk, "document_id": document_of[chunk],
             "ordinal": place, "text": text, **_stand(world, chunk, text),
             "page": place + 1, "has_verb": True}
            for place, (one, chunk, text) in enumerate(world.sentences)
        ],
        "entities": [
            {"entity_id": one, "key": name.casefold(), "name": name,
             "type": None if one in world.unlabelled else "PRODUCT", "mentions": 1,
             "type_source": None if one in world.unlabelled else "label",
             "is_named": one not in world.unlabelled,
             "chunks": len({chunk_of[sentence] for of, sentence in world.mentions if of == one}),
             "is_term": one in world.terms}
            for one, name, _ in world.entities
        ],
        "aliases": [
            {"entity_id": one, "alias": alias, "mentions": 1}
            for one, _, aliases in world.entities
            for alias in aliases
        ],
        "blocks": [],
        "cells": [],
        "relations": [
            {"relation_id": one, "head_id": head,
             "relation": _relation(text.removeprefix(names[head]).removesuffix(names[tail])),
             "phrase": text.removeprefix(names[head]).removesuffix(names[tail]).strip(),
             "kind": "association" if one in world.associations else "fact",
             "tail_id": tail, "text": text, "negated": one in world.negated, "weight": 1.0,
             "confidence": 0.5}
            for one, head, text, tail in world.relations
        ],
        "evidence": [
            {"relation_id": one, "triple_id": f"t{place}", "sentence_id": sentence,
             "chunk_id": chunk_of[sentence], "document_id": document_of[chunk_of[sentence]],
             "phrase": "", "conditional": False, "said": place, "confidence": confidence}
            for place, (one, sentence, confidence) in enumerate(world.evidence)
        ],
        "mentions": [
            {"entity_id": one, "sentence_id": sentence, "chunk_id": chunk_of[sentence],
             "document_id": document_of[chunk_of[sentence]], **_place(world, one, sentence),
             "alias": names[one], "type": "PRODUCT", "source": "extracted"}
            for one, sentence in world.mentions
        ],
        "titles": [
            {"entity_id": one, "chunk_id": chunk, "document_id": document, "alias": names[one],
             "source": "title"}
            for one, document in world.titles
            for chunk, holder, _ in world.chunks
            if holder == document
        ],
        "communities": [
            {"community_id": one, "level": level, "parent_id": None, "title": title,
             "summary": summary, "size": [of for of, _ in world.members].count(one),
             "member_sha256": "0", "summary_key": "0"}
            for one, level, title, summary in world.communities
        ],
        "members": [
            {"community_id": one, "entity_id": entity, "centrality": 1.0}
            for one, entity in world.members
        ],
    }  # fmt: skip


def _stand(world: World, chunk: str, sentence: str) -> dict[str, int]:
    """Return where a sentence stands in its document."""
    place, text = next((place, text) for place, (one, _, text) in enumerate(world.chunks) if one == chunk)
    start = 1000 * place + max(text.find(sentence), 0)
    return {"char_start": start, "char_end": start + len(sentence)}


def _relation(words: str) -> str:
    return words.strip().removeprefix("not ")


def _place(world: World, entity: str, sentence: str) -> dict[str, int]:
    """Return where a sentence mentions an entity, by the first of its names that it holds."""
    (text,) = (text for one, _, text in world.sentences if one == sentence)
    names = next((name, *aliases) for one, name, aliases in world.entities if one == entity)
    name = next((one for one in names if one in text), "")
    return {"start": text.find(name), "end": text.find(name) + len(name)}


def _vectors(texts: list[tuple[str, str]], backwards: bool) -> pa.Table:
    texts = texts[::-1] if backwards else texts
    flat = FakeEmbedder().encode([text for _, text in texts]).ravel()
    columns = [
        pa.array([one for one, _ in texts], pa.string()),
        pa.array(["0" for _ in texts], pa.string()),
        pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.float32()), DIMENSION),
    ]
    return pa.table(columns, schema=schemas.vectors_schema(DIMENSION))


def publish(root: Path, world: World, snapshot_id: str = ONE, **further: Sequence[Mapping[str, Any]]) -> Store:
    """Write a snapshot, with further tables, and make it the current one."""
    store = Store(str(root))
    folder = store.snapshot_folder(snapshot_id)
    tables: dict[str, Table] = {}
    none: dict[str, Sequence[Mapping[str, Any]]] = {"versions": (), "changes": ()}
    for name, rows in {**none, **_rows(world), **further}.items():
        data = pa.Table.from_pylist(rows, schema=schemas.SCHEMAS[name])
        tables[name] = folder.write_table(name, data, fingerprint="0")
    documents, chunks = (folder.read_table(name) for name in ("documents", "chunks"))
    made = word_tables(documents, chunks) | name_tables(folder.read_table)
    for name, data in made.items():
        tables[name] = write_table(folder, name, data, fingerprint="0")
    for name, copy in schemas.MAPPED.items():
        data = folder.read_table(name, schemas.SCHEMAS[copy].names)
        tables[copy] = write_table(folder, copy, data, fingerprint="0")
    texts = {
        "chunk": [(one, text) for one, _, text in world.chunks],
        "entity": [(one, name) for one, name, _ in world.entities],
        "relation": [(one, text) for one, _, text, _ in world.relations],
    }
    for kind, pairs in texts.items():
        data = _vectors(pairs, world.vectors_reversed)
        tables[f"{kind}_vectors"] = (folder / "vectors").write_arrow(f"{kind}.arrow", data)
    for name, data in cluster_tables(folder.open_arrow("vectors/chunk.arrow")).items():
        tables[name] = write_table(folder, name, data, fingerprint="0")
    manifest = Manifest(
        snapshot_id=snapshot_id,
        parent_id=None,
        created_at="2026-01-01T00:00:00Z",
        fingerprints={},
        sources={},
        embedding={"model": "fake", "max_tokens": 64, "fingerprint": FakeEmbedder.fingerprint, "dimension": DIMENSION},
        collections={},
        tables=tables,
        stats={},
        schema_version=schemas.SCHEMA_VERSION,
    )
    folder.write_json(MANIFEST_FILE, manifest.as_dict())
    store.set_current(snapshot_id, instead_of=None)
    return store


def name_graph(
    names: Sequence[str],
    held: Sequence[tuple[int, int]],
    about: Sequence[tuple[int, int]] = (),
    *,
    chunks: int,
    unlabelled: Sequence[int] = (),
) -> NameGraph:
    """Return the graph of names, from pairs of a chunk and the place of a name in the list."""
    called: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        called.setdefault(folded_name(name), []).append(place)
    edges = name_edges(
        _pairs(held),
        _pairs(about),
        named=np.array([place not in unlabelled for place in range(len(names))]),
        called=called,
        surface_forms=[[name] for name in names],
    )
    tables = tables_of(called, edges, names)
    spellings = Spellings(tables["spellings"], tables["spelled"])
    return NameGraph(tables, spellings.places, names, chunks)


def _pairs(pairs: Sequence[tuple[int, int]]) -> Pairs:
    return Pairs(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
