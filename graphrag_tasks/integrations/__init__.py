"""Retrievers over a published index for other frameworks; each needs the extra of its name.

>>> from graphrag_tasks.integrations.langchain import GraphRAGRetriever
>>> from graphrag_tasks.integrations.llama_index import GraphRAGRetriever
"""
