"""A LangChain retriever over a published index.

>>> retriever = graphrag_tasks.open_index("store").as_retriever(k=4)
>>> [document.metadata["citation"] for document in retriever.invoke("Which table replaces VBBS?")]
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import SkipValidation

from graphrag_tasks.core.commands import brought_by, require_version
from graphrag_tasks.integrations.passages import passage_metadata
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.graph.filters import Filters
from graphrag_tasks.retrieval.modes.registry import AUTO

OLDEST = "1"  # Oldest supported langchain-core, as in the extra: the first with a stable interface.

require_version("langchain", "langchain-core", OLDEST)
with brought_by("langchain"):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class GraphRAGRetriever(BaseRetriever):
    """Finds the passages of an index that help to answer a question, best first.

    A `Document` has the text of a passage, its chunk's id, and the metadata of `passages.passage_metadata`.
    `invoke("…", k=3)` overrides `k` once. It raises what `Index.search` raises: `QueryError` for a blank question, an
    unknown mode, a k below 1 or an unknown filter field.

    Attributes:
        index: Opened with the reader's labels; nothing else is ever returned.
        k: Number of passages; `config.k` of the index by default.
        mode: A name from `retrieval.MODES`, or `auto`.
        filters: Values or patterns by field that all passages must match.
    """

    index: Index
    k: int | None = None
    mode: str = AUTO
    filters: Annotated[Filters | None, SkipValidation] = None

    def _get_relevant_documents(self, query: str, *, k: int | None = None) -> list[Document]:
        wanted = self.k if k is None else k
        found = self.index.search(query, self.mode, wanted, self.filters)
        return [
            Document(id=hit.chunk_id, page_content=hit.text, metadata=passage_metadata(hit, found.snapshot_id))
            for hit in found.chunks
        ]

    async def _aget_relevant_documents(self, query: str, *, k: int | None = None) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query, k=k)
