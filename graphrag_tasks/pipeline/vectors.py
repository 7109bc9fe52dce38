"""Identity of a snapshot's vectors, and their copy in a vector server."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.stage import dependency_versions
from graphrag_tasks.embed import stage as embedding
from graphrag_tasks.embed.local import MAX_TOKENS
from graphrag_tasks.embed.protocol import ENDPOINT, Embedder
from graphrag_tasks.embed.stage import LIBRARIES
from graphrag_tasks.embed.vectors.vector_store import (
    NO_VECTOR_STORE,
    chosen,
    collection_name,
    open_vector_store,
    rows_of,
)
from graphrag_tasks.llm import Client
from graphrag_tasks.storage.artifacts import Folder


def engine_of(config: Config) -> str:
    """Return the engine that computes vectors on this machine, with version and precision."""
    return embedding.make_embedder(config.embed, Client(config.llm)).engine


def embedder_of(config: Config, client: Client, engine: str) -> Embedder:
    """Return the embedder of a run, after checking that it has the planned engine.

    Vectors of different engines differ in their last bits, and a snapshot's must be of one.
    """
    embedder = embedding.make_embedder(config.embed, client)
    if embedder.engine != engine:
        raise ConfigError(
            f"this machine embeds by {embedder.engine}, but the run was planned with {engine}",
            "embed.engine",
            "Install the same packages on all machines, or name the engine that all have, such as "
            "embed.engine = onnxruntime, and run again",
        )
    return embedder


def identity(config: Config, engine: str) -> dict[str, Any]:
    """Return what an engine's vectors depend on: runs with equal values may share vectors."""
    wanted = config.embed
    embedder = embedding.make_embedder(wanted, Client(config.llm))
    remote = {
        "embedder": wanted.embedder,
        "base_url": wanted.base_url or config.llm.base_url,
        "prompts": [wanted.query_prompt, wanted.passage_prompt],
    }
    return {
        **(remote if wanted.embedder == ENDPOINT else {}),
        "model": wanted.model,
        "max_tokens": MAX_TOKENS,
        "fingerprint": embedder.fingerprint,
        "engine": engine,
        "dimension": embedder.dimension,
        "libraries": dependency_versions(LIBRARIES),
    }


def collections(config: Config) -> dict[str, str]:
    """Return the physical collection of each kind of vector; empty without a server."""
    if chosen(Folder(config.store), config.load) == NO_VECTOR_STORE:
        return {}
    embedder = embedding.make_embedder(config.embed, Client(config.llm))
    model, names = embedder.fingerprint, schemas.VECTOR_TABLES
    return {name: collection_name(name.removesuffix("_vectors"), model) for name in names}


def serve(config: Config, store: Folder, staged: Folder) -> int:
    """Insert the staged vectors that the server lacks, and return their number."""
    server = open_vector_store(store, config.load)
    if server is None:
        return 0
    with closing(server):
        return sum(
            server.insert_new(collection, rows_of(staged, name)) for name, collection in collections(config).items()
        )
