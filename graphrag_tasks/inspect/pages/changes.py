"""Changes made by pages: authorization, cross-site protection, rollback, and readers' judgements of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field, ValidationError

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.inspect.pages.ask import ModeAnswer, Passages, ask
from graphrag_tasks.inspect.pages.graph import Renderer, SnapshotId
from graphrag_tasks.inspect.pages.reader import CURRENT, Reader
from graphrag_tasks.operations.documents import difference
from graphrag_tasks.operations.retention import rollback
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.gate import gold_of, judge, judged_file, judgement_of
from graphrag_tasks.workbench.evaluation.gold import gold_at
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Judgement

MOST_BYTES = 20_000  # Limit of a form: a few fields of 500 characters, each at most twelve bytes encoded.
_MOST_FIELDS = 20  # Limit of form fields; ours have a few. Protects against hostile requests.

FormT = TypeVar("FormT", bound=BaseModel)


def note_editor(editor: Callable[..., str | None]) -> Callable[..., None]:
    """Return a dependency that records with each request who may make changes."""
    asked = Depends(editor)

    def note(request: Request, name: str | None = asked) -> None:
        request.state.editor = name

    return note


def may_change(request: Request) -> bool:
    """Tell whether the user may make changes; false for refused requests."""
    return getattr(request.state, "editor", None) is not None


def authorised_editor(request: Request) -> str:
    """Return the user's name."""
    if not may_change(request):
        why = "You may read this, and change nothing. Ask whoever runs the server"
        raise HTTPException(HTTPStatus.FORBIDDEN, why)
    return str(request.state.editor)


def add_rollback(app: FastAPI, reader: Reader, html: Renderer) -> None:
    """Add the page that makes an earlier snapshot current again."""

    @app.get("/snapshots/{snapshot_id}/rollback")
    def confirm(request: Request, snapshot_id: SnapshotId) -> HTMLResponse:
        target, current = reader.index(snapshot_id).snapshot, reader.index(CURRENT).snapshot
        return html.page(
            request, "rollback", target=target.manifest, current=current.manifest,
            changes=difference(current, target),
        )  # fmt: skip

    @app.post("/snapshots/{snapshot_id}/rollback", dependencies=[Depends(authorised_editor), Depends(refuse_foreign)])
    def roll_back(request: Request, snapshot_id: SnapshotId) -> RedirectResponse:
        rollback(reader.store, snapshot_id)
        return go_to(request, html, "/snapshots")


def refuse_foreign(request: Request) -> None:
    """Refuse cross-site requests.

    As `CrossOriginProtection` of Go's standard library: by `Sec-Fetch-Site`, which all browsers send since 2023; for
    older browsers by `Origin`.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        is_own = site == "same-origin"
    else:
        is_own = urlsplit(request.headers.get("origin", "")).netloc == request.headers.get("host")
    if not is_own:
        why = "This was not sent from a page of this server. Open that page, and confirm there"
        raise HTTPException(HTTPStatus.FORBIDDEN, why)


async def posted(request: Request) -> dict[str, str]:
    """Return the fields of a form from a page of this server."""
    refuse_foreign(request)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            why = "The form is too long. Shorten what it says"
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
    try:
        fields = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict",
            max_num_fields=_MOST_FIELDS,
        )  # fmt: skip
    except ValueError as error:
        why = f"The form is not readable ({error}). Send it from its page"
        raise HTTPException(HTTPStatus.BAD_REQUEST, why) from error
    return dict(fields)


Fields = Annotated[dict[str, str], Depends(posted)]


def read_form(kind: type[FormT], fields: Mapping[str, str]) -> FormT:
    """Return a validated form."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        wrong = [{**details, "loc": ("body", *details["loc"])} for details in error.errors()]
        raise RequestValidationError(wrong) from error


@contextmanager
def refusing() -> Iterator[None]:
    """Translate a conflicting change into an HTTP error."""
    try:
        yield
    except ConfigError as error:
        raise HTTPException(HTTPStatus.CONFLICT, str(error)) from error


def go_to(request: Request, html: Renderer, path: str, asked: Mapping[str, object] | None = None) -> RedirectResponse:
    """Redirect after a change, so that reloading repeats nothing."""
    query = f"?{urlencode(asked, doseq=True)}" if asked else ""
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}{path}{query}", HTTPStatus.SEE_OTHER, dict(html.headers))


# Feedback: readers' judgements of answers, kept for evaluations.


@dataclass(frozen=True)
class Judging:
    """State of the feedback form: what was noted, or why nothing can be."""

    noted: str = ""
    problem: str = ""

    @classmethod
    def of(cls, config: Config, question: str) -> Judging:
        """Look up the judgement of a question."""
        try:
            known = judgement_of(judged_file(config), question)
        except ConfigError as error:
            return cls(problem=str(error))
        if known is None:
            return cls()
        has, lacks = {
            "right": ("with its sources", "without a source"),
            "wrong": ("with the right passage", "without a right passage"),
        }[known.judged or "right"]
        return cls(noted=f"Noted as {known.judged}, {has if known.has_gold else lacks}.")


class _Judged(BaseModel):
    question: str = Field(min_length=1, max_length=500, pattern=r"\S")
    mode: str = Field(max_length=20)
    k: Passages = None
    only: str = Field("", max_length=2000)
    judged: Judgement
    passage: str = Field("", max_length=100)


def add_judging(app: FastAPI, reader: Reader, html: Renderer) -> None:
    """Add the route for the buttons below an answer."""

    @app.post("/snapshots/{snapshot_id}/ask", dependencies=[Depends(authorised_editor)])
    def judged(request: Request, snapshot_id: SnapshotId, fields: Fields) -> RedirectResponse:
        form = read_form(_Judged, fields)
        index = reader.index(snapshot_id)
        said = ask(index, form.question, form.mode, form.k, only=form.only.splitlines())
        gold = _gold(index, said, form)
        with refusing():
            judge(judged_file(reader.config), form.question, form.judged, gold)
        asked = form.model_dump(include={"question", "mode", "k"}, exclude_none=True)
        asked["only"] = form.only.splitlines()
        return go_to(request, html, f"/snapshots/{snapshot_id}/ask", asked)


def _gold(index: Index, said: ModeAnswer, form: _Judged) -> tuple[GoldSpan, ...]:
    """Return the gold sources of a question, as the reader marks them."""
    if form.passage:
        found = [chunk for chunk in said.found.chunks if chunk.chunk_id == form.passage]
        if not found:
            raise QueryError("the passage is not among those found", form.passage, "Ask again")
        return (gold_at(index.snapshot, found[:1]),)
    if form.judged == "right" and said.reply is not None:
        return gold_of(index.snapshot, said.reply)
    return ()
