"""Asking a language model: once for the same thing, within a budget, and with a record.

What a model said is an input, like a document: it is kept under the hash of what was asked, so that
stages stay pure functions and a second run asks nothing. Without `llm.model` nothing here is used.
"""

from graphrag_tasks.llm.answers import Answer, Failure
from graphrag_tasks.llm.client import Client
from graphrag_tasks.llm.request import Request

__all__ = ["Answer", "Client", "Failure", "Request"]
