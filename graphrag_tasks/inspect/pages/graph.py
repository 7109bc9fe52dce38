"""The graph page: an entity's neighbourhood, drawn by a script, and as a list without scripts.

The script `static/graph.js` is built from the folder `web`. It fetches data from the routes here, as columns. Every
route is behind the application's authorization.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from http import HTTPStatus
from importlib.resources import files
from threading import Lock
from typing import Annotated, Any, Literal, Protocol, get_args

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import HTTPException
from fastapi.responses import HTMLResponse, Response

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.inspect.export import write_graphml
from graphrag_tasks.inspect.pages.neighbourhood import MOST_NAMES, NEIGHBOURS, Neighbourhoods, Shown, View
from graphrag_tasks.inspect.pages.reader import ID_PATTERN, MOST_OPEN, Reader, names_with
from graphrag_tasks.retrieval import Index

Kind = Literal["fact", "association", "condition"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""As in `graph.weights`; associations and conditions are shown only on request."""

LISTED = 100  # Relations listed for browsers without scripts.
MOST_AT_ONCE = 50  # Relations per request for sentences: those between two entities.

_ITEM_ID = rf"^[0-9a-f]{{{ID_HEX_DIGITS}}}$"
_HASH_DIGITS = 16  # Hash digits in the script's name, 64 bits: unique for each version.

_POLICY = "; script-src 'self'; connect-src 'self'"
"""Extra permissions of the pages with a script: run it, and let it query our routes."""

_FOREVER = "private, max-age=31536000, immutable"  # Cache policy for files with a hash in their name.

_SAFE = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

SnapshotId = Annotated[str, Path(pattern=ID_PATTERN)]
Name = Annotated[str, Query(max_length=500)]
ItemId = Annotated[str, Query(pattern=_ITEM_ID)]
ItemIds = Annotated[list[Annotated[str, Query(pattern=_ITEM_ID)]], Query(min_length=1, max_length=MOST_AT_ONCE)]


class Renderer(Protocol):
    """Renders pages, with common headers."""

    headers: dict[str, str]

    def page(self, request: Request, template: str, status: HTTPStatus = ..., **values: object) -> HTMLResponse:
        """Return the rendered template as a response."""
        ...


def asked_view(
    name: Annotated[tuple[Annotated[str, Query(max_length=500)], ...], Query(max_length=MOST_NAMES)] = (),
    kind: Annotated[tuple[Kind, ...], Query()] = ("fact",),
    hide: Annotated[tuple[Annotated[str, Query(max_length=100)], ...], Query(max_length=100)] = (),
    least: Annotated[float, Query(ge=0, le=1)] = 0.0,
    document: Annotated[str, Query(pattern=rf"{_ITEM_ID}|^$")] = "",
    most: Annotated[int, Query(ge=1, le=NEIGHBOURS[-1])] = NEIGHBOURS[0],
    community: Annotated[str, Query(pattern=rf"{_ITEM_ID}|^$")] = "",
) -> View:
    """Return the view that a URL's query describes."""
    names = tuple(dict.fromkeys(one for one in name if one.strip()))
    community = "" if names else community
    return View(names, frozenset(kind), frozenset(hide), least, document, most, community)


AskedView = Annotated[View, Depends(asked_view)]


def add_graph(app: FastAPI, reader: Reader, html: Renderer, script: Script) -> None:
    """Add the graph page, its data routes and the script."""
    opened = _Opened()
    _add_page(app, reader, html, script, opened)
    _add_data(app, reader, opened)
    _add_files(app, reader, opened)


def _add_page(app: FastAPI, reader: Reader, html: Renderer, script: Script, opened: _Opened) -> None:
    @app.get("/snapshots/{snapshot_id}/graph")
    def graph(request: Request, snapshot_id: SnapshotId, view: AskedView) -> HTMLResponse:
        index = reader.index(snapshot_id)
        neighbourhoods = opened.of(index)
        shown, problem = Shown.nothing(), ""
        try:
            shown = neighbourhoods.shown(view)
        except QueryError as error:
            problem = str(error)
        answer = html.page(
            request, "graph", manifest=index.snapshot.manifest, page="graph", view=view,
            shown=shown, problem=problem, relations=neighbourhoods.hits(shown, LISTED),
            documents=neighbourhoods.titles(shown.documents), kinds=KINDS,
            of=_titles(index, view.community),
            neighbours=NEIGHBOURS, script=script.path, query=request.url.query,
            edited=_opened_first(index, shown),
            names=names_with(index, view.names[0]).entities if problem and view.names else [],
        )  # fmt: skip
        return script.allowed(answer)


def _opened_first(index: Index, shown: Shown) -> str:
    """Return the name of the first entity whose neighbours are shown, or ""."""
    rows = shown.entities.tolist()
    return next((index.graph.entity_names[row] for row, it in zip(rows, shown.opened, strict=True) if it), "")


def _add_data(app: FastAPI, reader: Reader, opened: _Opened) -> None:
    @app.get("/snapshots/{snapshot_id}/graph/shown.json")
    def shown(snapshot_id: SnapshotId, view: AskedView) -> Response:
        neighbourhoods = opened.of(reader.index(snapshot_id))
        return as_columns(neighbourhoods.columns(neighbourhoods.shown(view)))

    @app.get("/snapshots/{snapshot_id}/graph/names.json")
    def names(snapshot_id: SnapshotId, text: Name) -> Response:
        found = names_with(reader.index(snapshot_id), text).entities if text.strip() else []
        columns = ("name", "type", "mentions")
        return as_columns({column: [row[column] for row in found] for column in columns})

    @app.get("/snapshots/{snapshot_id}/graph/entity.json")
    def entity(snapshot_id: SnapshotId, id: ItemId) -> Response:
        return as_columns(opened.of(reader.index(snapshot_id)).entity(id))

    @app.get("/snapshots/{snapshot_id}/graph/relations.json")
    def relations(snapshot_id: SnapshotId, id: ItemIds) -> Response:
        return as_columns(opened.of(reader.index(snapshot_id)).relations(id))


def _add_files(app: FastAPI, reader: Reader, opened: _Opened) -> None:
    @app.get("/snapshots/{snapshot_id}/graph/shown.graphml")
    def graphml(snapshot_id: SnapshotId, view: AskedView) -> Response:
        neighbourhoods, text = opened.of(reader.index(snapshot_id)), io.StringIO(newline="")
        title = ", ".join(view.names) or "Graph"
        write_graphml(neighbourhoods.selection(title, neighbourhoods.shown(view)), text)
        named = {"Content-Disposition": 'attachment; filename="graph.graphml"'}
        headers = {"Cache-Control": "private, no-store", **named, **_SAFE}
        return Response(text.getvalue().encode(), HTTPStatus.OK, headers, "application/xml")


def as_columns(data: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return data as a JSON response."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {"Cache-Control": "private, no-store", **_SAFE}
    return Response(text, status, headers, "application/json")


def as_json(value: object) -> str:
    """Return JSON that is safe inside a `script` element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.translate({ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def _titles(index: Index, community_id: str) -> list[str]:
    """Return the title of a community, if there is one with this id."""
    if not community_id:
        return []
    found = index.snapshot.find_rows("communities", "community_id", community_id)
    titles: list[str] = found["title"].to_pylist()
    return titles


def script_text(name: str = "static/graph.js") -> str:
    """Return a script, by default the built one."""
    return files(__package__).joinpath(*name.split("/")).read_text(encoding="utf-8")


class Script:
    """A script of pages, which browsers may cache: by default the built one of graph and map."""

    def __init__(self, file: str = "static/graph.js") -> None:
        self._file = file

    @cached_property
    def text(self) -> bytes:
        """The script."""
        return script_text(self._file).encode()

    @cached_property
    def name(self) -> str:
        """Its name, which contains its hash."""
        stem = self._file.rpartition("/")[2].removesuffix(".js")
        return f"{stem}.{hashlib.sha256(self.text).hexdigest()[:_HASH_DIGITS]}.js"

    @property
    def path(self) -> str:
        """Return its path below the application's."""
        return f"/static/{self.name}"

    def allowed(self, page: HTMLResponse) -> HTMLResponse:
        """Return a page with the permission to run the script."""
        page.headers["Content-Security-Policy"] += _POLICY
        return page


def add_scripts(app: FastAPI, scripts: Sequence[Script]) -> None:
    """Add the route of scripts."""
    by_name = {script.name: script for script in scripts}

    @app.get("/static/{name}")
    def static(name: Annotated[str, Path(max_length=100)]) -> Response:
        if name not in by_name:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is no such file; load the page again")
        headers = {"Cache-Control": _FOREVER, **_SAFE}
        return Response(by_name[name].text, headers=headers, media_type="text/javascript")


class _Opened:
    """Neighbourhoods of recently used indexes, as many as a reader keeps open."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, Neighbourhoods] = OrderedDict()
        self._lock = Lock()

    def of(self, index: Index) -> Neighbourhoods:
        name = index.snapshot.snapshot_id
        with self._lock:
            found = self._of.get(name)
            if found is None or found.index is not index:
                found = self._of[name] = Neighbourhoods(index)
            self._of.move_to_end(name)
            while len(self._of) > MOST_OPEN:
                self._of.popitem(last=False)
            return found
