"""Vector stores: search of chunks, entities and relations by their embeddings.

Vectors come in and hits go out. The snapshot's own Arrow files are authoritative, a vector server holds a copy. Open
`vector_store.py` first.
"""

from graphrag_tasks.embed.vectors.vector_store import VectorStore, check_vector_store, open_vector_store

__all__ = ["VectorStore", "check_vector_store", "open_vector_store"]
