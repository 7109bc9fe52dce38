"""`graphrag-tasks mcp`: tools for agents, over standard input and output or local HTTP."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from graphrag_tasks import __version__
from graphrag_tasks.cli.options import ConfigOption, StoreOption, VectorsOption
from graphrag_tasks.cli.output import CONSOLE
from graphrag_tasks.cli.serve import LOOPBACK, bound
from graphrag_tasks.core.config import load_config


def mcp(
    principals: Annotated[
        list[str] | None, typer.Option("--as", help="Access label that the agents hold; repeat it for several.")
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on this machine.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port for --http; 0: a free one.")] = 8643,
    store: StoreOption = None,
    vectors: VectorsOption = None,
    config: ConfigOption = None,
) -> None:
    """Give agents tools to search, read and cite a store: the Model Context Protocol.

    Whoever connects reads what the principals given here may read.
    """
    from graphrag_tasks.core.extras import require

    require("mcp")
    from graphrag_tasks.integrations.mcp import make_server
    from graphrag_tasks.integrations.mcp.server import Current

    settings = load_config(config, overrides={"store": store, "retrieval": {"vectors": vectors}})
    held = tuple(principals) if principals else None
    current = Current(settings.store, held, settings.retrieval, settings.load, settings.language)
    server = make_server(current, __version__)
    if http:
        import uvicorn

        with bound(port) as listening:
            address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp"
            CONSOLE.print(f"Agents connect to {address} (Ctrl-C ends it)", highlight=False)
            app = server.streamable_http_app(json_response=True, stateless_http=True)
            uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
    else:
        with redirect_stdout(sys.__stdout__):  # the protocol's alone, without the guard of terminals
            server.run("stdio")
