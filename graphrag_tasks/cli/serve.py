"""`graphrag-tasks serve`: the pages of a store in a local browser; `try` indexes one first; `mcp` is for agents."""

from __future__ import annotations

import socket
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from graphrag_tasks import __version__
from graphrag_tasks.cli.index import index
from graphrag_tasks.cli.options import ConfigOption, StoreOption, VectorsOption
from graphrag_tasks.cli.output import CONSOLE
from graphrag_tasks.core.commands import note_store
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError

LOOPBACK = "127.0.0.1"
HOSTS = (LOOPBACK, "localhost")  # Accepted host names: other names indicate DNS rebinding.


def serve(
    store: StoreOption = None,
    vectors: VectorsOption = None,
    config: ConfigOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 8642,
    open_: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False,
) -> None:
    """Show snapshots, documents, entities and answers in a browser, on this machine only.

    Whoever uses this machine can read it: there is no login. Airflow's plugin has the same pages behind its own.
    """
    import uvicorn
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from graphrag_tasks.inspect.pages import make_app
    from graphrag_tasks.inspect.pages.runs import Runs
    from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES
    from graphrag_tasks.storage.snapshots.store import Store

    overrides = {"store": store, "retrieval": {"vectors": vectors}}
    settings = load_config(config, overrides=overrides)
    published = Store(settings.store)
    published.require()
    # The files are this person's, so that pictures of their pages need no setting.
    sources = settings.sources or published.sources()
    settings = settings.model_copy(update={"sources": sources})
    runs = Runs(settings, config, tuple(SHARD_STAGES), tuple(CORPUS_STAGES))
    app = make_app(lambda: None, settings, lambda: "", runs)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS))
    with bound(port) as listening:
        address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
        CONSOLE.print(f"Open {address} (Ctrl-C ends it)", highlight=False)
        if open_:
            typer.launch(address)
        served = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
        try:
            uvicorn.Server(served).run(sockets=[listening])
        finally:
            runs.cancel()


def try_folder(
    folder: Annotated[str, typer.Argument(help="Folder, file or URI of documents.")],
    store: Annotated[
        str | None, typer.Option("--store", help="Store folder or URI.", show_default="./FOLDER-index")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 0,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
) -> None:
    """Index a folder and open the page that answers questions about it."""
    store = note_store(store or f"{Path(folder).expanduser().resolve().name}-index")
    index([folder], store)
    CONSOLE.print()
    serve(store, port=port, open_=open_)


def bound(port: int) -> socket.socket:
    """Return a socket that listens on a local port."""
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen()  # a browser that asks before the server is up waits
    except OSError as error:
        listening.close()
        hint = "Name another one: --port 0 takes any that is free"
        raise ConfigError(f"port {port} cannot be used: {error.strerror}", "--port", hint) from error
    return listening


# `graphrag-tasks mcp`: tools for agents, over standard input and output or local HTTP.


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
    from graphrag_tasks.core.commands import require

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
