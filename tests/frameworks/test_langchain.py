"""The LangChain retriever by the framework's own tests, and what it tells of its passages."""

import asyncio
import json
from importlib.metadata import requires
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField
from langchain_tests.integration_tests import RetrieversIntegrationTests

from graphrag_tasks import Index
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.integrations.langchain import OLDEST, GraphRAGRetriever
from tests.frameworks.cases import AT_ONCE, FIELDS, QUESTION, hidden_words, in_order, opened

pytestmark = pytest.mark.frameworks


class TestStandard(RetrieversIntegrationTests):
    """The framework's own tests of a retriever."""

    @pytest.fixture(autouse=True)
    def with_index(self, index: Index) -> None:
        self.index = index

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return GraphRAGRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.index, "k": 2}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


def test_documents_are_what_the_index_finds_in_its_order(index: Index) -> None:
    documents = index.as_retriever(k=5).invoke(QUESTION)
    hits = index.search(QUESTION, k=5).chunks
    found = [(one.id, one.page_content, one.metadata["score"]) for one in documents]
    assert found == in_order(hits)
    assert len(found) == 5
    for document, hit in zip(documents, hits, strict=True):
        assert document.metadata.keys() == FIELDS
        assert document.metadata["citation"].startswith(hit.title)
        assert json.loads(json.dumps(document.metadata)) == document.metadata


def test_a_page_is_told_where_there_is_one(index: Index) -> None:
    retriever = GraphRAGRetriever(index=index, filters={"media_type": ["pdf"]}, mode="hybrid")
    documents = retriever.invoke(QUESTION)
    assert documents
    for document in documents:
        assert document.metadata["page"] >= 1
        assert "page" in document.metadata["citation"]
        assert document.metadata["uri"].endswith("sales-and-atp-cookbook.pdf")
    assert retriever.invoke(QUESTION) == documents, "filters are used up"


def test_a_label_hides_and_shows(stores: Path) -> None:
    def told(label: str) -> set[str]:
        retriever = GraphRAGRetriever(index=opened(stores / "labelled", label), k=9)

        def said(mode: str, probe: str) -> list[str]:
            asked = retriever.model_copy(update={"mode": mode}).invoke(probe)
            return [document.model_dump_json() for document in asked]

        return hidden_words(said)

    assert told("staff") == set()
    assert {"zephyr", "quorum", "merger"} <= told("board")


def test_many_calls_at_once_give_what_one_gives(index: Index) -> None:
    retriever = GraphRAGRetriever(index=index, k=3)

    async def ask() -> list[list[Document]]:
        return await asyncio.gather(*(retriever.ainvoke(QUESTION) for _ in range(AT_ONCE)))

    assert asyncio.run(ask()) == [retriever.invoke(QUESTION)] * AT_ONCE
    assert retriever.batch([QUESTION] * 3) == [retriever.invoke(QUESTION)] * 3


def test_callbacks_are_told(index: Index) -> None:
    told: list[Any] = []

    class Told(BaseCallbackHandler):
        raise_error = True

        def on_retriever_start(self, _: Any, query: str, *, run_id: UUID, **__: Any) -> None:
            told.append(query)

        def on_retriever_end(self, documents: Any, *, run_id: UUID, **_: Any) -> None:
            told.append(documents)

    documents = GraphRAGRetriever(index=index).invoke(QUESTION, {"callbacks": [Told()]})
    assert told == [QUESTION, documents]


def test_a_field_may_be_set_at_the_call(index: Index) -> None:
    retriever = GraphRAGRetriever(index=index, k=1).configurable_fields(mode=ConfigurableField(id="mode"))
    with pytest.raises(QueryError, match="there is no mode 'nosuch'"):
        retriever.invoke(QUESTION, {"configurable": {"mode": "nosuch"}})
    assert len(retriever.invoke(QUESTION)) == 1


def test_errors_are_those_of_the_index(index: Index) -> None:
    with pytest.raises(QueryError):
        GraphRAGRetriever(index=index).invoke(" ")
    with pytest.raises(QueryError):
        asyncio.run(GraphRAGRetriever(index=index).ainvoke(QUESTION, k=0))


def test_the_oldest_release_is_that_of_the_extra() -> None:
    wanted = [line.partition(";")[0].strip() for line in requires("graphrag-tasks") or ()]
    assert f"langchain-core>={OLDEST}" in wanted
