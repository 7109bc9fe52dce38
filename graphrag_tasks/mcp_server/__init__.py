"""Tools for agents, by the Model Context Protocol: search, read and cite a published index."""

from graphrag_tasks.mcp_server.server import make_server
from graphrag_tasks.mcp_server.tools import Tools

__all__ = ["Tools", "make_server"]
