"""A LlamaIndex retriever over a published index.

>>> from graphrag_tasks.integrations.llama_index import GraphRAGRetriever
>>> retriever = GraphRAGRetriever(graphrag_tasks.open_index("store"), k=4)
>>> [found.metadata["citation"] for found in retriever.retrieve("Which table replaces VBBS?")]
"""

from __future__ import annotations

import asyncio

from graphrag_tasks.core.commands import brought_by, require_version
from graphrag_tasks.integrations.passages import passage_metadata
from graphrag_tasks.retrieval import ChunkHit, Index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.registry import AUTO

OLDEST = "0.14"  # Oldest supported llama-index-core, as in the extra.

require_version("llama-index", "llama-index-core", OLDEST)
with brought_by("llama-index"):
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

_SHOWN = "citation"  # Metadata that a language model reads before a passage; ids would cost tokens.


class GraphRAGRetriever(BaseRetriever):
    """Finds the passages of an index that help to answer a question, best first.

    A node has the text of a passage, its chunk's id, the document as its source, and the metadata of
    `passages.passage_metadata`, of which a language model sees only the citation. It raises what `Index.search` raises:
    `QueryError` for a blank question, an unknown mode, a k below 1 or an unknown filter field.

    Args:
        index: Opened with the reader's labels; nothing else is ever returned.
        k: Number of passages; `config.k` of the index by default.
        mode: A name from `retrieval.MODES`, or `auto`.
        filters: Values or patterns by field that all passages must match.
        callback_manager: LlamaIndex's; notified of each call.
        verbose: LlamaIndex's.
    """

    def __init__(
        self,
        index: Index,
        *,
        k: int | None = None,
        mode: str = AUTO,
        filters: Filters | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        self._index, self._k, self._mode, self._filters = index, k, mode, filters
        super().__init__(callback_manager=callback_manager, verbose=verbose)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._index.search(query_bundle.query_str, self._mode, self._k, self._filters)
        return [_node(hit, found.snapshot_id) for hit in found.chunks]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(hit: ChunkHit, snapshot_id: str) -> NodeWithScore:
    metadata = passage_metadata(hit, snapshot_id)
    hidden = [name for name in metadata if name != _SHOWN]
    node = TextNode(
        id_=hit.chunk_id,
        text=hit.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        start_char_idx=hit.char_start,
        end_char_idx=hit.char_end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.document_id)},
    )
    return NodeWithScore(node=node, score=metadata["score"])
