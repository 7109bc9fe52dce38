"""Tools for agents, by the Model Context Protocol: search, read and cite a published index.

In: a function that returns the current index. Out: an MCP server. Open `server.py` first.
"""

from graphrag_tasks.integrations.mcp.server import Tools, make_server

__all__ = ["Tools", "make_server"]
