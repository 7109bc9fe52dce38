"""Search a store by a LlamaIndex retriever, and print each passage with its source.

python examples/agents/llama_index_retriever.py STORE "Which table replaces VBBS?"
"""

import sys

from graphrag_tasks import open_index
from graphrag_tasks.integrations.llama_index import GraphRAGRetriever


def main(store: str, question: str) -> None:
    """Print three passages, best first."""
    for found in GraphRAGRetriever(open_index(store), k=3).retrieve(question):
        text = " ".join(found.text.split())
        print(f"{found.score:.2f} {found.metadata['citation']}: {text[:70]}…")


if __name__ == "__main__":
    main(*sys.argv[1:3])
