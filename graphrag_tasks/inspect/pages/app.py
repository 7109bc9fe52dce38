"""The application: one route for each page, all behind the same authorisation."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import HTMLResponse

from graphrag_tasks.core import errors
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.inspect.pages.html import Renderer
from graphrag_tasks.inspect.pages.reader import CURRENT, Reader
from graphrag_tasks.inspect.pages.summary import names_with, neighbors, summarize
from graphrag_tasks.operations.diff import difference
from graphrag_tasks.retrieval import MODES

_ID = rf"^([0-9a-f]{{{ID_HEX_DIGITS}}}|{CURRENT})$"
SnapshotId = Annotated[str, Path(pattern=_ID)]
NamedId = Annotated[str, Query(pattern=_ID)]
Text = Annotated[str, Query(max_length=500)]
MOST_CHUNKS = 50

_STATUS: dict[type[errors.GraphragError], HTTPStatus] = {
    errors.AccessError: HTTPStatus.FORBIDDEN,
    errors.SnapshotError: HTTPStatus.NOT_FOUND,
    errors.QueryError: HTTPStatus.BAD_REQUEST,
    errors.TransientError: HTTPStatus.SERVICE_UNAVAILABLE,
}


def make_app(authorise: Callable[..., Any], config: Config) -> FastAPI:
    """Return the pages of the configured store, as the configured principals see it.

    `authorise` is a dependency of every route: it raises `HTTPException` to refuse somebody.
    """
    # without the routes that FastAPI adds by itself: they would not be authorised
    app = FastAPI(
        dependencies=[Depends(authorise)], openapi_url=None, docs_url=None, redoc_url=None
    )
    reader, html = Reader(config), Renderer()
    _add_errors(app, html)
    _add_pages(app, reader, html)
    return app


def _add_pages(app: FastAPI, reader: Reader, html: Renderer) -> None:
    @app.get("/")
    def snapshots(request: Request) -> HTMLResponse:
        return html.page(request, "snapshots", store=reader.store.folder.uri,
                         snapshots=reader.snapshots())  # fmt: skip

    @app.get("/diff")
    def diff(request: Request, before: NamedId, after: NamedId) -> HTMLResponse:
        left, right = reader.index(before).snapshot, reader.index(after).snapshot
        return html.page(
            request, "diff", before=left.manifest, after=right.manifest,
            changes=difference(left, right),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}")
    def summary(request: Request, snapshot_id: SnapshotId) -> HTMLResponse:
        index = reader.index(snapshot_id)
        return html.page(
            request, "summary", manifest=index.snapshot.manifest, page="summary",
            current=reader.store.current_id(), summary=summarize(reader, index),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/entities")
    def entities(request: Request, snapshot_id: SnapshotId, name: Text = "") -> HTMLResponse:
        index = reader.index(snapshot_id)
        relations, problem = neighbors(index, name)
        return html.page(
            request, "entities", manifest=index.snapshot.manifest, page="entities", name=name,
            relations=relations, problem=problem, names=names_with(index, name),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/ask")
    def ask(
        request: Request,
        snapshot_id: SnapshotId,
        question: Text = "",
        mode: Annotated[str, Query(max_length=20)] = "auto",
        k: Annotated[int, Query(ge=1, le=MOST_CHUNKS)] = 5,
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        found = index.search(question, mode, k) if question.strip() else None
        return html.page(
            request, "ask", manifest=index.snapshot.manifest, page="ask", question=question,
            mode=mode, modes=("auto", *MODES), k=k, most=MOST_CHUNKS, found=found,
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/why")
    def why(
        request: Request,
        snapshot_id: SnapshotId,
        question: Text,
        chunk: Annotated[str, Query(max_length=100)],
        mode: Annotated[str, Query(max_length=20)] = "auto",
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        return html.page(
            request, "why", manifest=index.snapshot.manifest, page="ask",
            why=index.explain(question, chunk, mode),
        )  # fmt: skip


def _add_errors(app: FastAPI, html: Renderer) -> None:
    @app.exception_handler(errors.GraphragError)
    def ours(request: Request, error: errors.GraphragError) -> HTMLResponse:
        status = next((_STATUS[one] for one in type(error).__mro__ if one in _STATUS), None)
        return html.error(request, str(error), status or HTTPStatus.INTERNAL_SERVER_ERROR)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> HTMLResponse:
        return html.error(request, str(error.detail), HTTPStatus(error.status_code))

    @app.exception_handler(RequestValidationError)
    def odd(request: Request, error: RequestValidationError) -> HTMLResponse:
        what = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
        return html.error(request, what, HTTPStatus.UNPROCESSABLE_ENTITY)
