"""Requests to a language model: each asked once, within a budget, and recorded.

Requests come in; validated answers or failures go out, stored under the hash of the request, so that stages stay pure
functions and a second run asks nothing. Unused without `llm.model`. Open `client.py` first.
"""

from graphrag_tasks.llm.client import Client
from graphrag_tasks.llm.request import Answer, Failure, Request

__all__ = ["Answer", "Client", "Failure", "Request"]
