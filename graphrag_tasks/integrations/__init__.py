"""Retrievers over a published index for other frameworks, and two stages for engines that map.

Each module needs the extra of its name.

>>> from graphrag_tasks.integrations.langchain import GraphRAGRetriever
>>> from graphrag_tasks.integrations.llama_index import GraphRAGRetriever
>>> from graphrag_tasks.integrations.spark import extract_on_spark
"""
