"""Vector stores: where chunks, entities and relations are found by their embeddings.

The snapshot's own Arrow files are the truth; a vector server is a copy for those who search there.
"""

from graphrag_tasks.embed.vectors.vector_store import (
    VectorStore,
    check_vector_store,
    open_vector_store,
)

__all__ = ["VectorStore", "check_vector_store", "open_vector_store"]
