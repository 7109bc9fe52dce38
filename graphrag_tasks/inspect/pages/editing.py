"""Rename, merge and split entities: one form, which writes an override for the next run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import pyarrow as pa
import pyarrow.compute as pc
from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.core.visible import did_you_mean
from graphrag_tasks.inspect.pages.changes import Fields, authorised_editor, go_to, read_form, refusing
from graphrag_tasks.inspect.pages.graph import Name, Renderer, SnapshotId
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.operations.overrides import Override, add_override, overrides_file
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.view.visibility import VisibleSnapshot

log = logging.getLogger(__name__)


def _is_one_line(name: str) -> str:
    if not name.isprintable():
        raise PydanticCustomError("one_line", "a name must be one line of signs that can be seen")
    return name


_Name = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S"), AfterValidator(_is_one_line)]


class _Form(BaseModel):
    name: _Name
    change: Literal["rename", "merge", "split"]
    other: _Name


@dataclass(frozen=True)
class _Entity:
    """An entity with its names as documents write them, the most frequent first."""

    id: str
    name: str
    aliases: Sequence[str]

    @property
    def given(self) -> str:
        """Its name in an overrides file: one that documents use."""
        keys = map(entity_key, self.aliases)
        is_used = not self.aliases or entity_key(self.name) in keys
        return self.name if is_used else self.aliases[0]


def add_editing(app: FastAPI, reader: Reader, html: Renderer) -> None:
    """Add the page that changes an entity for the next run; it shows nothing of the file."""
    path, may = "/snapshots/{snapshot_id}/entities/edit", Depends(authorised_editor)

    @app.get(path, dependencies=[may])
    def page(request: Request, snapshot_id: SnapshotId, name: Name, written: bool = False) -> HTMLResponse:
        index, file, problem = reader.index(snapshot_id), "", ""
        try:
            file = str(overrides_file(reader.config.resolve.overrides))
        except ConfigError as error:
            problem = str(error)
        return html.page(
            request, "edit", manifest=index.snapshot.manifest, page="entities",
            entity=_find(index, name), file=file, problem=problem, written=written,
        )  # fmt: skip

    @app.post(path, dependencies=[may])
    def write(request: Request, snapshot_id: SnapshotId, fields: Fields, who: str = may) -> RedirectResponse:
        form, index = read_form(_Form, fields), reader.index(snapshot_id)
        entity = _find(index, form.name)
        override = _override(index, entity, form.change, form.other.strip())
        with refusing():
            file = overrides_file(reader.config.resolve.overrides)
            try:
                add_override(file, override)
            except ConfigError as error:
                if not isinstance(index.snapshot, VisibleSnapshot):
                    raise
                what = "the file says so already, says otherwise, or cannot be read"
                raise ConfigError(what, str(file), "Ask who may see all documents") from error
        by = f", by {who}" if who else ""
        log.info("%s: %s %s%s", file, override.section, override, by)
        back = f"/snapshots/{snapshot_id}/entities/edit"
        return go_to(request, html, back, {"name": entity.name, "written": "true"})


def _find(index: Index, name: str) -> _Entity:
    """Return the entity of this name; display names take precedence."""
    entities = index.snapshot.table("entities", ["entity_id", "name"])
    aliases = index.snapshot.table("aliases")
    found = entities.filter(_is(entities["name"], name))
    for spelling in (name, entity_key(name)):
        if not found.num_rows:
            ids = aliases.filter(_is(aliases["alias"], spelling))["entity_id"].combine_chunks()
            found = entities.filter(pc.is_in(entities["entity_id"], value_set=ids))
    if found.num_rows > 1:
        exact = found.filter(pc.equal(found["name"], name.strip()))
        found = exact if exact.num_rows == 1 else found
    rows = found.to_pylist()
    if not rows:
        hint = did_you_mean(entity_key(name), aliases["alias"].to_pylist())
        raise QueryError(f"there is no entity called '{name}'", "", hint)
    if len(rows) > 1:
        names = ", ".join(sorted(row["name"] for row in rows))
        raise QueryError(f"several entities are called '{name}'", "", f"Take one of: {names}")
    own = aliases.filter(pc.equal(aliases["entity_id"], rows[0]["entity_id"]))
    own = own.sort_by([("mentions", "descending"), ("alias", "ascending")])
    return _Entity(rows[0]["entity_id"], rows[0]["name"], own["alias"].to_pylist())


def _override(index: Index, entity: _Entity, change: str, other: str) -> Override:
    """Return a change: a new name, an entity to merge with, or a name to split off."""
    if change == "merge":
        target = _find(index, other)
        if target.id == entity.id:
            raise QueryError(f"'{entity.name}' and '{other}' are one entity already")
        return Override("same", entity.given, target.given)
    if change == "split":
        keys = {entity_key(alias) for alias in entity.aliases} - {entity_key(entity.given)}
        if entity_key(other) not in keys:
            raise QueryError(f"'{other}' is no other name of '{entity.name}'")
        return Override("different", entity.given, other)
    if other == entity.name:
        raise QueryError(f"it is called '{other}' already")
    for table, column in (("entities", "name"), ("aliases", "alias")):
        rows = index.snapshot.table(table, ["entity_id", column])
        taken = pc.and_(_is(rows[column], other), pc.not_equal(rows["entity_id"], entity.id))
        if pc.any(taken).as_py():
            raise QueryError(f"another entity is called '{other}'", "", "Merge the two instead")
    return Override("rename", entity.given, other)


def _is(names: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    return pc.equal(pc.utf8_lower(names), name.strip().lower())
