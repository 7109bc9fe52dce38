"""Rename, merge and split entities: corrections written for the next run."""

from __future__ import annotations

import logging
from typing import Annotated, TypedDict

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.inspect.pages.changes import Fields, authorised_editor, go_to, read_form, refusing
from graphrag_tasks.inspect.pages.entity import Change, Entity, Plan, find_entity, plan, said_of
from graphrag_tasks.inspect.pages.graph import Name, Renderer, SnapshotId
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.language.overrides import read_overrides
from graphrag_tasks.operations.overrides import overrides_file
from graphrag_tasks.retrieval import Index
from graphrag_tasks.storage.editing import edit_file, read_text

log = logging.getLogger(__name__)


def _is_one_line(name: str) -> str:
    if not name.isprintable():
        raise PydanticCustomError("one_line", "a name must be one line of signs that can be seen")
    return name


_Name = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S"), AfterValidator(_is_one_line)]


class _Form(BaseModel):
    name: _Name
    change: Change
    other: _Name


class _Shown(TypedDict):
    plan: Plan | None
    problem: str
    file: str
    said: list[str]


def add_editing(app: FastAPI, reader: Reader, html: Renderer) -> None:
    """Add the page that changes an entity for the next run.

    Only editors see the content of the overrides file.
    """
    path, may = "/snapshots/{snapshot_id}/entities/edit", Depends(authorised_editor)

    @app.get(path, dependencies=[may])
    def page(
        request: Request,
        snapshot_id: SnapshotId,
        name: Name,
        change: Annotated[Change | None, Query()] = None,
        other: Name = "",
    ) -> HTMLResponse:
        index = reader.index(snapshot_id)
        entity = find_entity(index, name)
        fields = {"name": name, "change": str(change), "other": other}
        form = read_form(_Form, fields) if change else None
        return html.page(
            request, "edit", manifest=index.snapshot.manifest, page="entities", entity=entity,
            **_shown(reader, index, entity, form),
        )  # fmt: skip

    @app.post(path, dependencies=[may])
    def write(request: Request, snapshot_id: SnapshotId, fields: Fields, who: str = may) -> RedirectResponse:
        form, index = read_form(_Form, fields), reader.index(snapshot_id)
        planned = plan(index, find_entity(index, form.name), form.change, form.other)
        with refusing():
            file = overrides_file(reader.config.resolve.overrides)
            edit_file(file, lambda text: planned.added_to(text, str(file)))
        by = f", by {who}" if who else ""
        log.info("%s: %s %s%s", file, planned.override.section, planned.override, by)
        path = f"/snapshots/{snapshot_id}/entities/edit"
        return go_to(request, html, path, {"name": planned.entity.name})


def _shown(reader: Reader, index: Index, entity: Entity, form: _Form | None) -> _Shown:
    """Return the template's values: the requested change, or why it is refused."""
    shown: _Shown = {"plan": None, "problem": "", "file": "", "said": []}
    try:
        file = overrides_file(reader.config.resolve.overrides)
        text = read_text(file)
        shown["said"] = list(said_of(read_overrides(text, str(file)), entity, index))
        shown["file"] = str(file)
        if form:
            shown["plan"] = planned = plan(index, entity, form.change, form.other)
            planned.added_to(text, str(file))
    except (ConfigError, QueryError) as error:
        shown |= {"plan": None, "problem": str(error)}
    return shown
