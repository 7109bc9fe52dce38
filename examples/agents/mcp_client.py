"""Start `graphrag-tasks mcp` and use its tools, as an agent does.

python examples/agents/mcp_client.py STORE "Which table replaces VBBS?"
"""

import asyncio
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main(store: str, question: str) -> None:
    """Search, read the first passage, and name the sources of the first fact about a thing."""
    arguments = ["-m", "graphrag_tasks", "mcp", "--store", store]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
        found = await client.call_tool("search", {"question": question, "limit": 2})
        for passage in found.structured_content["items"]:
            print(f"search: {passage['text'][:70]}… ({passage['title']}, page {passage['page']})")
        chunk_id = found.structured_content["items"][0]["chunk_id"]
        read = await client.call_tool("read", {"item_id": chunk_id})
        print(f"read: {read.structured_content['total']} sentences of {chunk_id}")
        near = await client.call_tool("find_entity", {"name": question.split()[-1].strip("?")})
        thing = near.structured_content["items"][0]
        print(f"find_entity: {thing['name']}, {thing['relations']} relations")
        facts = await client.call_tool("neighbours", {"name": thing["name"], "limit": 1})
        fact = facts.structured_content["items"][0]
        print(f"neighbours: {fact['head']} {fact['phrase']} {fact['tail']}")
        cited = await client.call_tool("cite", {"item_id": fact["relation_id"]})
        print(f"cite: {cited.structured_content['items'][0]['text']}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
