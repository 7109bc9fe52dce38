"""Corpora with access labels: facts of documents, put through the real stages of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import CommunitiesConfig, LanguageConfig, RelationshipsConfig, ResolveConfig
from graphrag_tasks.core.ids import text_sha256
from graphrag_tasks.embed.vectors.vector_store import collection_name
from graphrag_tasks.entities.dictionary import entity_dictionary
from graphrag_tasks.entities.link_mentions import link_mentions
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.extract.tables import said
from graphrag_tasks.graph.communities import COLUMNS, ExtractiveSummarizer, communities
from graphrag_tasks.graph.load import load
from graphrag_tasks.graph.relationships import relationships
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest, settings_of
from graphrag_tasks.storage.snapshots.store import Store, write_table
from tests.retrieval.small_worlds import DIMENSION, ONE, FakeEmbedder


@dataclass(frozen=True)
class Fact:
    """A sentence `head relation tail.`, with the labels that a tagger gives its ends."""

    head: str
    relation: str
    tail: str
    head_type: str | None = None
    tail_type: str | None = None
    negated: bool = False
    confidence: float = 0.5
    worth: float = 1.0

    @property
    def text(self) -> str:
        """The sentence."""
        denial = "not " if self.negated else ""
        return f"{self.head} {denial}{self.relation} {self.tail}."


@dataclass(frozen=True)
class Document:
    """A titled document of one chunk, with its labels; None where labels are off."""

    name: str
    title: str
    facts: tuple[Fact, ...]
    labels: tuple[str, ...] | None = ()

    @property
    def text(self) -> str:
        """Its title and all its sentences."""
        return "\n\n".join([self.title, " ".join(fact.text for fact in self.facts)])


_FOUND_BY = CommunitiesConfig()


def publish(
    root: Path,
    documents: Sequence[Document],
    snapshot_id: str = ONE,
    *,
    served: bool = False,
    found_by: CommunitiesConfig = _FOUND_BY,
) -> Path:
    """Publish the documents as a store, and return where it lies.

    Args:
        root: The store.
        documents: All there are.
        snapshot_id: Of the snapshot.
        served: Whether the manifest names collections of a vector server.
        found_by: How communities are found.
    """
    tables = dict(_tables(tuple(documents), found_by))
    texts = {
        "chunk_vectors": tables["chunks"].select(["chunk_id", "text"]),
        "entity_vectors": tables["entities"].select(["entity_id", "name"]),
        "relation_vectors": tables["relations"].select(["relation_id", "text"]),
    }
    tables |= {name: _vectors(rows) for name, rows in texts.items()}
    store = Store(str(root))
    folder = store.snapshot_folder(snapshot_id)
    written = {
        name: write_table(folder, name, rows, fingerprint="0") for name, rows in tables.items() if name != "sources"
    }
    manifest = Manifest(
        snapshot_id, None, "2026-01-01T00:00:00Z", {}, {},
        {"model": "fake", "max_tokens": 64, "fingerprint": FakeEmbedder.fingerprint,
         "dimension": DIMENSION},
        _collections() if served else {}, written, {}, schemas.SCHEMA_VERSION,
        settings_of(found_by),
    )  # fmt: skip
    folder.write_json(MANIFEST_FILE, manifest.as_dict())
    store.set_current(snapshot_id, instead_of=None)
    return root


def _collections() -> dict[str, str]:
    return {
        name: collection_name(name.removesuffix("_vectors"), FakeEmbedder.fingerprint) for name in schemas.VECTOR_TABLES
    }


def _read(documents: Sequence[Document]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {"documents": [], "chunks": [], "sentences": [], "triples": []}
    for document in sorted(documents, key=lambda one: one.name):
        name, chunk_id = document.name, f"chunk-{document.name}"
        found["documents"].append(
            dict.fromkeys(schemas.DOCUMENTS.names)
            | {"document_id": name, "uri": f"docs/{name}.md", "source": "docs",
               "path": f"{name}.md", "media_type": "md", "size_bytes": 1, "title": document.title,
               "title_source": "metadata", "characters": len(document.text), "cells": 0,
               "status": "parsed", "labels": document.labels}
        )  # fmt: skip
        found["chunks"].append(
            dict.fromkeys(schemas.CHUNKS.names)
            | {"chunk_id": chunk_id, "document_id": name, "ordinal": 0,
               "heading_path": [document.title], "text": document.text, "char_start": 0,
               "char_end": len(document.text), "is_reference": False}
        )  # fmt: skip
        for place, fact in enumerate(document.facts):
            ids = {"sentence_id": f"{name}-{place}", "chunk_id": chunk_id, "document_id": name}
            start = document.text.index(fact.text)
            found["sentences"].append(
                ids | {"ordinal": place, "text": fact.text, "char_start": start,
                       "char_end": start + len(fact.text), "page": None, "has_verb": True}
            )  # fmt: skip
            found["triples"].append(_triple(fact, f"{name}-{place}") | ids)
    return found


def _triple(fact: Fact, name: str) -> dict[str, Any]:
    end = len(fact.text) - 1
    return dict.fromkeys(schemas.TRIPLES.names) | {
        "triple_id": f"triple-{name}", "frame_id": f"frame-{name}", "head": fact.head,
        "relation": fact.relation, "tail": fact.tail, "conditional": False,
        "phrase": f"not {fact.relation}" if fact.negated else fact.relation, "head_start": 0,
        "head_end": len(fact.head), "tail_start": end - len(fact.tail), "tail_end": end,
        "head_type": fact.head_type, "tail_type": fact.tail_type, "negated": fact.negated,
        "rule": "svo", "extractor": "dependency", "said": said(fact.text),
        "confidence": fact.confidence, "worth": fact.worth,
    }  # fmt: skip


@lru_cache(maxsize=16)  # many tests begin with the same documents
def _tables(documents: tuple[Document, ...], of_communities: CommunitiesConfig) -> Mapping[str, pa.Table]:
    tables = {name: schemas.empty(name) for name in schemas.SCHEMAS}
    for name, rows in _read(documents).items():
        tables[name] = pa.Table.from_pylist(rows, schema=schemas.SCHEMAS[name])
    return tables | _global(tables, of_communities)


def _global(tables: dict[str, pa.Table], of_communities: CommunitiesConfig) -> dict[str, pa.Table]:
    triples, sentences = tables["triples"], tables["sentences"]
    made: dict[str, pa.Table] = {}

    def keep(found: Any) -> None:
        made.update(found.collected().tables)

    read = (tables[name] for name in ("documents", "blocks", "cells", "chunks"))
    keep(entity_dictionary(*read))
    titles = made["entity_dictionary"]
    keep(normalize(triples, titles, sentences, language=LanguageConfig()))
    surface_forms, names = made["surface_forms"], made["names"]
    keep(resolve(triples, titles, surface_forms, names, sentences, tables["cells"],
                 config=ResolveConfig(), language=LanguageConfig()))  # fmt: skip
    resolved = made["resolved"]
    keep(link_mentions(triples, sentences, titles, surface_forms, names, resolved, language=LanguageConfig()))
    of_all = RelationshipsConfig(min_confidence=0)
    keep(relationships(triples, surface_forms, resolved, config=of_all))
    keep(communities(
        **{name: (tables | made)[name].select(columns) for name, columns in COLUMNS.items()},
        config=of_communities, summarizer=ExtractiveSummarizer(),
    ))  # fmt: skip
    keep(load(**{read.name: (tables | made)[read.name] for read in load.reads}))
    return made


def _vectors(texts: pa.Table) -> pa.Table:
    flat = FakeEmbedder().encode(texts[1].to_pylist()).ravel()
    columns = [
        texts[0],
        pa.array([text_sha256(text) for text in texts[1].to_pylist()], pa.string()),
        pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.float32()), DIMENSION),
    ]
    return pa.table(columns, schema=schemas.vectors_schema(DIMENSION))
