"""Integrations: retrievers for other frameworks, an MCP server, and stages on Spark.

In: a published index, or Arrow batches. Each module needs the extra of its name.

>>> from graphrag_tasks.integrations.langchain import GraphRAGRetriever
>>> from graphrag_tasks.integrations.llama_index import GraphRAGRetriever
>>> from graphrag_tasks.integrations.spark import extract_on_spark
"""
