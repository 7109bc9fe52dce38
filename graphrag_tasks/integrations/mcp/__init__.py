"""Tools for agents, by the Model Context Protocol: search, read and cite a published index."""

from graphrag_tasks.integrations.mcp.server import make_server
from graphrag_tasks.integrations.mcp.tools import Tools

__all__ = ["Tools", "make_server"]
