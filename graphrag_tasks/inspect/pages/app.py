"""The application: one route for each page, all behind the same authorisation.

Everything from documents or requests is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from graphrag_tasks.answer import answer
from graphrag_tasks.core import errors
from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages.graph import add_graph, as_columns
from graphrag_tasks.inspect.pages.reader import ID_PATTERN, Reader, names_with, neighbors, summarize
from graphrag_tasks.operations.diff import difference
from graphrag_tasks.retrieval import MODES
from graphrag_tasks.retrieval.modes.registry import PLAIN_MODES

SnapshotId = Annotated[str, Path(pattern=ID_PATTERN)]
NamedId = Annotated[str, Query(pattern=ID_PATTERN)]
Text = Annotated[str, Query(max_length=500)]
Mode = Annotated[str, Query(max_length=20)]
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
    reader, html = Reader(config), _Renderer()
    _add_errors(app, html)
    _add_pages(app, reader, html)
    add_graph(app, reader, html)
    return app


def _add_pages(app: FastAPI, reader: Reader, html: _Renderer) -> None:
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
        mode: Mode = "auto",
        k: Annotated[int, Query(ge=1, le=MOST_CHUNKS)] = 5,
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        reply = None
        if question.strip() and mode not in PLAIN_MODES:  # those are there to be compared
            reply = answer(index, question, mode=mode, k=k)
        found = reply.context if reply else None
        if question.strip() and not reply:
            found = index.search(question, mode, k)
        return html.page(
            request, "ask", manifest=index.snapshot.manifest, page="ask", question=question,
            mode=mode, modes=("auto", *MODES), k=k, most=MOST_CHUNKS, found=found,
            reply=reply,
        )  # fmt: skip

    @app.get("/snapshots/{snapshot_id}/why")
    def why(
        request: Request,
        snapshot_id: SnapshotId,
        question: Text,
        chunk: Annotated[str, Query(max_length=100)],
        mode: Mode = "auto",
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        return html.page(
            request, "why", manifest=index.snapshot.manifest, page="ask",
            why=index.explain(question, chunk, mode),
        )  # fmt: skip


def _add_errors(app: FastAPI, html: _Renderer) -> None:
    @app.exception_handler(errors.GraphragError)
    def ours(request: Request, error: errors.GraphragError) -> Response:
        status = next((_STATUS[one] for one in type(error).__mro__ if one in _STATUS), None)
        return html.error(request, str(error), status or HTTPStatus.INTERNAL_SERVER_ERROR)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return html.error(request, str(error.detail), HTTPStatus(error.status_code))

    @app.exception_handler(RequestValidationError)
    def odd(request: Request, error: RequestValidationError) -> Response:
        what = "; ".join(
            f"{' '.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()
        )
        return html.error(request, what, HTTPStatus.UNPROCESSABLE_ENTITY)


class _Renderer:
    """Renders the templates of this package.

    Pages contain their style. Their content security policy forbids a browser to load or run
    anything, and to send forms elsewhere.
    """

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("graphrag_tasks.inspect.pages"), autoescape=True,
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        style = files(__package__).joinpath("pages.css").read_text(encoding="utf-8")
        # not escaped: it is a file of ours
        self._templates.globals["style"] = Markup(style)  # noqa: S704
        self._templates.filters |= {
            "number": _number, "megabytes": _megabytes, "moment": _moment, "pages": _pages,
        }  # fmt: skip
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
        self._headers = {
            "Cache-Control": "private, no-store",
            "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{digest}'; "
            "form-action 'self'; frame-ancestors 'self'; base-uri 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def page(
        self,
        request: Request,
        template: str,
        status: HTTPStatus = HTTPStatus.OK,
        **values: Any,  # noqa: ANN401 - what the template shows
    ) -> HTMLResponse:
        """Return the page that a template makes of some values."""
        root = request.scope.get("root_path", "")
        text = self._templates.get_template(f"{template}.html").render(root=root, **values)
        return HTMLResponse(text, status, self._headers)

    def error(self, request: Request, what: str, status: HTTPStatus) -> Response:
        """Return an error page, or the error alone where a script asked."""
        if request.url.path.endswith(".json"):
            return as_columns(request, {"error": what}, status)
        return self.page(request, "error", status, what=what, title=status.phrase)


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.1f}"


def _megabytes(value: int) -> str:
    return f"{value / 1_000_000:,.1f} MB"


def _moment(value: str) -> str:
    """Return an ISO time without its letters and fractions."""
    return value[:19].replace("T", " ")


def _pages(first: int | None, last: int | None = None) -> str:
    """Return the pages of a text; empty where its format has no pages."""
    if first is None:
        return ""
    return f"page {first}" if last in (None, first) else f"pages {first}–{last}"
