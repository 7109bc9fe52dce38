"""The application: a route for each page, all behind the same authorization.

All text from documents and requests is escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from graphrag_tasks.core import errors
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.inspect.pages.ask import (
    MOST_CHUNKS,
    Examples,
    Home,
    ModeAnswer,
    Passages,
    as_json,
    as_markdown,
    ask,
    limits,
)
from graphrag_tasks.inspect.pages.changes import Judging, add_judging, add_rollback, may_change, note_editor
from graphrag_tasks.inspect.pages.documents import (
    CHUNKS_SHOWN,
    DOCUMENTS_SHOWN,
    PDF,
    list_documents,
    open_document,
    picture,
)
from graphrag_tasks.inspect.pages.editing import add_editing
from graphrag_tasks.inspect.pages.graph import Script, add_graph, add_scripts
from graphrag_tasks.inspect.pages.map import add_map
from graphrag_tasks.inspect.pages.reader import (
    ID_PATTERN,
    NAMES_SHOWN,
    Reader,
    described,
    names_with,
    neighbors,
    path_of_store,
    summarize,
)
from graphrag_tasks.inspect.pages.rendering import PageRenderer
from graphrag_tasks.inspect.pages.runs import Runs, add_runs
from graphrag_tasks.operations.documents import difference
from graphrag_tasks.retrieval import MODES
from graphrag_tasks.versions.chains import ADDED, REMOVED
from graphrag_tasks.versions.told import MEANT, changes

FACTS_SHOWN = 100  # Facts per page of an entity. Chosen.
CHANGES_SHOWN = 50  # Changed statements per page. Chosen.
AUTO = "auto"
ICON = "/icon.svg"
SnapshotId = Annotated[str, Path(pattern=ID_PATTERN)]
NamedId = Annotated[str, Query(pattern=ID_PATTERN)]
Text = Annotated[str, Query(max_length=500)]
Mode = Annotated[str, Query(max_length=20)]
Word = Annotated[str, Query(max_length=40)]
ChunkId = Annotated[str, Query(max_length=100)]
DocumentId = Annotated[str, Path(pattern=rf"^[0-9a-f]{{{ID_HEX_DIGITS}}}$")]
Asking = Annotated[str, Query(min_length=1, max_length=500, pattern=r"\S")]
PageNumber = Annotated[int, Path(ge=1, le=1_000_000)]
Only = Annotated[tuple[Text, ...], Query(max_length=200)]
From = Annotated[int, Query(ge=0, le=10_000_000, alias="from")]
FromFact = Annotated[int, Query(ge=0, le=10_000_000)]

_REFUSED = "This cannot be done here. Go back, or begin with a question"
_REFUSALS = {
    HTTPStatus.NOT_FOUND: "There is no such page. Go back, or begin with a question",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address is only for reading. Open it as a link",
}
"""Messages for errors of Starlette, which otherwise show only the status name."""

_AT_FAULT = "The log of the server says why. Ask in other words, or ask whoever runs the server"

_STATUS: dict[type[errors.GraphragError], HTTPStatus] = {
    errors.AccessError: HTTPStatus.FORBIDDEN,
    errors.SnapshotError: HTTPStatus.NOT_FOUND,
    errors.QueryError: HTTPStatus.BAD_REQUEST,
    errors.TransientError: HTTPStatus.SERVICE_UNAVAILABLE,
}


def make_app(
    authorise: Callable[..., Any],
    config: Config,
    editor: Callable[..., str | None] | None = None,
    runs: Runs | None = None,
) -> FastAPI:
    """Return the pages of the configured stores, as the configured principals see them.

    `authorise` is a dependency of every route, and raises `HTTPException` to refuse. `editor` is a dependency that
    returns the user's name if that user may change the store and the files that runs read, else None. Without it nobody
    may. With `runs`, editors may also index, and add and remove files of documents, unless documents have labels.
    """
    # without the routes that FastAPI adds by itself: they would not be authorised
    app = FastAPI(
        dependencies=[Depends(authorise), Depends(note_editor(editor or _nobody))],
        openapi_url=None, docs_url=None, redoc_url=None,
    )  # fmt: skip
    app.add_middleware(GZipMiddleware)
    app.add_middleware(_HeadAsGet)
    reader = Reader(config)
    html = PageRenderer(runs, reader)
    _add_errors(app, html)
    _add_pages(app, reader, html)
    if editor is not None:
        add_rollback(app, reader, html)
        add_judging(app, reader, html)
        add_editing(app, reader, html)
    if runs is not None:
        add_runs(app, runs, html)
    script, of_questions = Script(), Script("ask.js")
    add_scripts(app, (script, of_questions))
    _add_questions(app, reader, html, of_questions)
    _add_documents(app, reader, html)
    add_map(app, reader, html, script)
    add_graph(app, reader, html, script)
    _add_stores(app, authorise, config, editor)
    return app


def _add_stores(
    app: FastAPI, authorise: Callable[..., Any], config: Config, editor: Callable[..., str | None] | None
) -> None:
    """Mount the other configured stores, each below its own path."""
    alone = config.pages.model_copy(update={"stores": ()})
    for store in config.pages.stores:
        if path := path_of_store(config, store):
            own = config.model_copy(update={"store": store, "pages": alone})
            app.mount(path, make_app(authorise, own, editor))


def _nobody() -> None:
    return None


class _HeadAsGet:
    """Answers HEAD like GET, which FastAPI's routes do not; the server drops the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def _add_pages(app: FastAPI, reader: Reader, html: PageRenderer) -> None:
    @app.get("/")
    def first(request: Request) -> Response:
        path = "/snapshots/current/ask" if reader.store.current_id() else "/snapshots"
        return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", headers=html.headers)

    @app.get("/snapshots")
    def snapshots(request: Request) -> HTMLResponse:
        return html.page(
            request, "snapshots", page="snapshots", store=reader.store.folder.uri,
            snapshots=reader.snapshots(),
        )  # fmt: skip

    @app.get(ICON)
    def icon() -> Response:
        drawn = files(__package__).joinpath("static", "icon.svg").read_bytes()
        return Response(drawn, media_type="image/svg+xml")

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
    def entities(
        request: Request,
        snapshot_id: SnapshotId,
        name: Text = "",
        kind: Word = "",
        first: From = 0,
        holds: Text = "",
        fact: FromFact = 0,
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        near = neighbors(index, name, holds, fact, FACTS_SHOWN)
        told = index.attributes(name) if name.strip() and not (near.problem or holds or fact) else ()
        return html.page(
            request, "entities", manifest=index.snapshot.manifest, page="entities",
            asked={"name": name, "kind": kind}, holds=holds, fact=fact, facts_shown=FACTS_SHOWN,
            near=near, first=first, step=NAMES_SHOWN,
            attributes=told[:FACTS_SHOWN],
            entities=described(index, name) if name.strip() else [],
            found=names_with(index, name, kind, first),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/why")
    def why(
        request: Request, snapshot_id: SnapshotId, question: Text, chunk: ChunkId, mode: Mode = AUTO
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        return html.page(
            request, "why", manifest=index.snapshot.manifest,
            why=index.explain(question, chunk, mode),
        )  # fmt: skip


def _add_questions(app: FastAPI, reader: Reader, html: PageRenderer, script: Script) -> None:
    examples = Examples()

    @app.get("/snapshots/{snapshot_id}/ask")
    def page(
        request: Request,
        snapshot_id: SnapshotId,
        question: Text = "",
        mode: Mode = AUTO,
        k: Passages = None,
        after: Text = "",
        only: Only = (),
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        said = ask(index, question, mode or AUTO, k, after, only) if question.strip() else None
        answer = html.page(
            request, "ask", manifest=index.snapshot.manifest, page="ask", question=question,
            after=after, mode=mode, modes=(AUTO, *MODES), k=k, said=said,
            only=only, limits=limits(index), home=None if said else Home.of(index),
            most=MOST_CHUNKS, examples=([], True) if said else examples.of(index), script=script.path,
            judging=Judging.of(reader.config, question) if said and may_change(request) else None,
        )  # fmt: skip
        return script.allowed(answer)

    @app.get("/snapshots/{snapshot_id}/ask/next")
    def next_questions(request: Request, snapshot_id: SnapshotId, chunk: ChunkId) -> HTMLResponse:
        index = reader.index(snapshot_id)
        questions = examples.beside(index, chunk)
        return html.page(request, "next", manifest=index.snapshot.manifest, questions=questions)

    def one(
        snapshot_id: SnapshotId, question: Asking, mode: Mode = AUTO, k: Passages = None,
        after: Text = "", only: Only = (),
    ) -> ModeAnswer:  # fmt: skip
        return ask(reader.index(snapshot_id), question, mode or AUTO, k, after, only)

    asked = Depends(one)

    @app.get("/snapshots/{snapshot_id}/ask.json")
    def values(said: ModeAnswer = asked) -> JSONResponse:
        return JSONResponse(as_json(said), headers=html.headers)

    @app.get("/snapshots/{snapshot_id}/ask.md")
    def markdown(said: ModeAnswer = asked) -> PlainTextResponse:
        return PlainTextResponse(as_markdown(said), headers=html.headers)


def _add_documents(app: FastAPI, reader: Reader, html: PageRenderer) -> None:
    @app.get("/snapshots/{snapshot_id}/documents")
    def documents(
        request: Request, snapshot_id: SnapshotId, text: Text = "", status: Word = "", kind: Word = "", first: From = 0
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        return html.page(
            request, "documents", manifest=index.snapshot.manifest, page="documents",
            asked={"text": text, "status": status, "kind": kind}, first=first,
            step=DOCUMENTS_SHOWN, versions=index.snapshot.table("versions", ["release"]).num_rows,
            found=list_documents(index, text, status, kind, first),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/changes")
    def changed(
        request: Request, snapshot_id: SnapshotId, text: Text = "", whole: bool = False, first: From = 0
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        kinds = (*MEANT, ADDED, REMOVED) if whole else MEANT
        return html.page(
            request, "changes", manifest=index.snapshot.manifest, page="changes", text=text, whole=whole,
            first=first, step=CHANGES_SHOWN, found=changes(index.snapshot, text, kinds),
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/documents/{document_id}")
    def document(
        request: Request,
        snapshot_id: SnapshotId,
        document_id: DocumentId,
        chunk: ChunkId = "",
        first: From = 0,
        text: Text = "",
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        opened = open_document(index, document_id, chunk, first, text)
        return html.page(
            request, "document", manifest=index.snapshot.manifest, page="documents", chunk=chunk,
            step=CHUNKS_SHOWN, opened=opened, pdf=PDF, text=text,
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/documents/{document_id}/pages/{page}.png")
    def page_picture(
        snapshot_id: SnapshotId, document_id: DocumentId, page: PageNumber, chunk: ChunkId = ""
    ) -> Response:
        drawn = picture(reader.index(snapshot_id), reader.config, document_id, page, chunk)
        return Response(drawn, headers=html.headers, media_type="image/png")


def _add_errors(app: FastAPI, html: PageRenderer) -> None:
    @app.exception_handler(errors.GraphragError)
    def ours(request: Request, error: errors.GraphragError) -> Response:
        status = next((_STATUS[one] for one in type(error).__mro__ if one in _STATUS), None)
        return html.error(request, str(error), status or HTTPStatus.INTERNAL_SERVER_ERROR)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        status = HTTPStatus(error.status_code)
        what = _REFUSALS.get(status, _REFUSED) if error.detail == status.phrase else str(error.detail)
        return html.error(request, what, status)

    @app.exception_handler(Exception)
    def at_fault(request: Request, error: Exception) -> Response:
        # Starlette raises it again, so that the server logs it
        what = f"This page could not be made ({type(error).__name__}). {_AT_FAULT}"
        return html.error(request, what, HTTPStatus.INTERNAL_SERVER_ERROR)

    @app.exception_handler(RequestValidationError)
    def odd(request: Request, error: RequestValidationError) -> Response:
        what = "; ".join(f"{' '.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors())
        return html.error(request, what, HTTPStatus.UNPROCESSABLE_ENTITY)
