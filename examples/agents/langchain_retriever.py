"""Search a store by a LangChain retriever, and print each passage with its source.

python examples/agents/langchain_retriever.py STORE "Which table replaces VBBS?"
"""

import sys

from graphrag_tasks import open_index


def main(store: str, question: str) -> None:
    """Print three passages, best first."""
    for document in open_index(store).as_retriever(k=3).invoke(question):
        text = " ".join(document.page_content.split())
        print(f"{document.metadata['score']:.2f} {document.metadata['citation']}: {text[:70]}…")


if __name__ == "__main__":
    main(*sys.argv[1:3])
