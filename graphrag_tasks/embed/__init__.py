"""Embedding: texts to unit vectors.

Chunks, entities and relations come in; one vector table per kind goes out (`stage.py`). `protocol.py` is the interface,
`local.py` the default embedder, `vectors/` the vector servers.
"""
