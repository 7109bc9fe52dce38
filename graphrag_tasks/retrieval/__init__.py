"""Retrieval: search a published snapshot; the only package an application needs at query time.

    >>> from graphrag_tasks.retrieval import open_index
    >>> index = open_index("store")
    >>> context = index.search("Which service replaced the batch interface?")
    >>> context["chunks"], context["relations"], context["entity"]

Nothing of the indexing stages is imported but the query encoder, and that on the first search.
"""

from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.retrieval.context.context import Context, Explanation
from graphrag_tasks.retrieval.context.further import CommunityHit, FurtherHit, ListedHit, PathHit
from graphrag_tasks.retrieval.context.hits import ChunkHit, EntityHit, PageBox, RelationHit, SourceSentence
from graphrag_tasks.retrieval.index import Index, IndexFacts, open_index
from graphrag_tasks.retrieval.modes.registry import MODES
from graphrag_tasks.retrieval.question.router import Route
from graphrag_tasks.retrieval.ranker.path_query import PathQuery, Step, Thing
from graphrag_tasks.retrieval.view.visibility import ALL_DOCUMENTS

__all__ = [
    "ALL_DOCUMENTS",
    "MODES",
    "ChunkHit",
    "CommunityHit",
    "Context",
    "Embedder",
    "EntityHit",
    "Explanation",
    "FurtherHit",
    "Index",
    "IndexFacts",
    "ListedHit",
    "PageBox",
    "PathHit",
    "PathQuery",
    "RelationHit",
    "Route",
    "SourceSentence",
    "Step",
    "Thing",
    "open_index",
]
