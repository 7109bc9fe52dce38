"""Start `graphrag-tasks mcp` and use its tools, as an agent does.

python examples/agents/mcp_client.py STORE "Which table replaces VBBS?"
"""

import asyncio
import json
import sys
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main(store: str, question: str) -> None:
    """Search, read the first passage, and name the sources of the first fact about a thing."""
    arguments = ["-m", "graphrag_tasks", "mcp", "--store", store]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:

        async def call(tool: str, **values: Any) -> Any:  # noqa: ANN401 - JSON
            result = await client.call_tool(tool, values)
            text = "".join(block.text for block in result.content if block.type == "text")
            if result.is_error:
                raise SystemExit(text)
            return json.loads(text)

        passages = (await call("search", question=question, limit=2))["items"]
        for passage in passages:
            text = " ".join(passage["text"].split())
            print(f"search: {text[:70]}… ({passage['title']}, page {passage['page']})")
        chunk_id = passages[0]["chunk_id"]
        read = await call("read", item_id=chunk_id)
        print(f"read: {read['total']} sentences of {chunk_id}")
        thing = (await call("find_entity", name=question.split()[-1].strip("?")))["items"][0]
        print(f"find_entity: {thing['name']}, {thing['relations']} relations")
        fact = (await call("neighbours", name=thing["name"], limit=1))["items"][0]
        print(f"neighbours: {fact['head']} {fact['phrase']} {fact['tail']}")
        cited = await call("cite", item_id=fact["relation_id"])
        print(f"cite: {cited['items'][0]['text']}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
