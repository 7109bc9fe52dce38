"""Search a published snapshot: the only package an application needs at query time.

    >>> from graphrag_tasks.retrieval import open_index
    >>> index = open_index("store")
    >>> context = index.search("Which service replaced the batch interface?")
    >>> context["chunks"], context["relations"], context["entity"]

Nothing of the indexing stages is imported but the query encoder, and that on the first search.
"""

from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.retrieval.context import Context
from graphrag_tasks.retrieval.hits import ChunkHit, EntityHit, RelationHit, SourceSentence
from graphrag_tasks.retrieval.index import Index, IndexFacts, open_index
from graphrag_tasks.retrieval.modes import MODES

__all__ = [
    "MODES",
    "ChunkHit",
    "Context",
    "Embedder",
    "EntityHit",
    "Index",
    "IndexFacts",
    "RelationHit",
    "SourceSentence",
    "open_index",
]
