"""The LlamaIndex retriever: nodes, a query engine on top of it, callbacks, labels."""

import asyncio
import json
from importlib.metadata import requires
from pathlib import Path

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.integrations.llama_index import OLDEST, GraphRAGRetriever
from graphrag_tasks.retrieval import Index
from tests.frameworks.cases import AT_ONCE, FIELDS, QUESTION, hidden_words, in_order, opened

pytestmark = pytest.mark.frameworks


def test_nodes_are_what_the_index_finds_in_its_order(index: Index) -> None:
    retriever = GraphRAGRetriever(index, k=5)
    assert isinstance(retriever, BaseRetriever)
    nodes = retriever.retrieve(QueryBundle(QUESTION))
    hits = index.search(QUESTION, k=5).chunks
    assert [(one.node_id, one.text, one.score) for one in nodes] == in_order(hits)
    assert len(nodes) == 5
    for node, hit in zip(nodes, hits, strict=True):
        assert node.metadata.keys() == FIELDS
        assert node.metadata["citation"].startswith(hit.title)
        assert json.loads(json.dumps(node.metadata)) == node.metadata
        assert node.node.ref_doc_id == hit.document_id


def test_a_model_reads_the_citation_and_no_id(index: Index) -> None:
    (found,) = GraphRAGRetriever(index, k=1).retrieve(QUESTION)
    shown = found.node.get_content(MetadataMode.LLM)
    assert shown == f"citation: {found.metadata['citation']}\n\n{found.text}"
    assert found.node.get_content(MetadataMode.EMBED) == shown


def test_a_page_is_told_where_there_is_one(index: Index) -> None:
    retriever = GraphRAGRetriever(index, filters={"media_type": ["pdf"]}, mode="hybrid")
    nodes = retriever.retrieve(QUESTION)
    assert nodes
    assert all(node.metadata["page"] >= 1 for node in nodes)
    assert all("page" in node.metadata["citation"] for node in nodes)


def test_a_label_hides_and_shows(stores: Path) -> None:
    def told(label: str) -> set[str]:
        index = opened(stores / "labelled", label)

        def said(mode: str, probe: str) -> list[str]:
            nodes = GraphRAGRetriever(index, k=9, mode=mode).retrieve(probe)
            return [node.model_dump_json() for node in nodes]

        return hidden_words(said)

    assert told("staff") == set()
    assert {"zephyr", "quorum", "merger"} <= told("board")


def test_many_calls_at_once_give_what_one_gives(index: Index) -> None:
    retriever = GraphRAGRetriever(index, k=3)

    async def ask() -> list[list[NodeWithScore]]:
        return await asyncio.gather(*(retriever.aretrieve(QUESTION) for _ in range(AT_ONCE)))

    assert asyncio.run(ask()) == [retriever.retrieve(QUESTION)] * AT_ONCE


def test_a_query_engine_reads_the_passages(index: Index) -> None:
    retriever = GraphRAGRetriever(index, k=2)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    reply = engine.query(QUESTION)
    assert [node.node_id for node in reply.source_nodes] == [node.node_id for node in retriever.retrieve(QUESTION)]
    for node in reply.source_nodes:  # the model repeats what it was asked
        assert node.text in str(reply)
        assert f"citation: {node.metadata['citation']}" in str(reply)
        assert node.node_id not in str(reply)
    assert str(asyncio.run(engine.aquery(QUESTION))) == str(reply)


def test_callbacks_are_told(index: Index) -> None:
    told = LlamaDebugHandler(print_trace_on_end=False)
    retriever = GraphRAGRetriever(index, callback_manager=CallbackManager([told]))
    nodes = retriever.retrieve(QUESTION)
    ((start, end),) = told.get_event_pairs(CBEventType.RETRIEVE)
    assert start.payload["query_str"] == QUESTION
    assert end.payload["nodes"] == nodes


def test_errors_are_those_of_the_index(index: Index) -> None:
    with pytest.raises(QueryError):
        GraphRAGRetriever(index).retrieve(" ")
    with pytest.raises(QueryError):
        asyncio.run(GraphRAGRetriever(index, k=0).aretrieve(QUESTION))


def test_the_oldest_release_is_that_of_the_extra() -> None:
    wanted = [line.partition(";")[0].strip() for line in requires("graphrag-tasks") or ()]
    assert f"llama-index-core>={OLDEST}" in wanted
