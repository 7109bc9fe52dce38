"""Import both retrievers and retrieve, in a process that ends where anything connects.

python -m tests.frameworks.offline STORE
"""

import asyncio
import sys
from typing import Any

from tests.frameworks.cases import QUESTION

_REFUSED = {
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
    "socket.sendto", "socket.sendmsg",
}  # fmt: skip
"""Audit events. A socket alone is none: urllib3, which both import, tries whether IPv6 is there."""


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """End the process where it looks for a host or connects."""
    if event in _REFUSED:
        sys.stderr.write(f"{event} {arguments[1:]}\n")
        raise SystemExit(9)


def main(store: str) -> None:
    """Retrieve by each framework, both ways, and answer by a query engine on a mock model."""
    sys.addaudithook(refuse)
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from graphrag_tasks import open_index
    from graphrag_tasks.integrations.llama_index import GraphRAGRetriever

    chain = open_index(store).as_retriever(k=2)
    retriever = GraphRAGRetriever(open_index(store), k=2)
    counts = [
        len(chain.invoke(QUESTION)), len(asyncio.run(chain.ainvoke(QUESTION))),
        len(retriever.retrieve(QUESTION)), len(asyncio.run(retriever.aretrieve(QUESTION))),
    ]  # fmt: skip
    sys.stdout.write(f"{counts}\n")
    sys.stdout.write(str(RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query(QUESTION)))


if __name__ == "__main__":
    main(sys.argv[1])
