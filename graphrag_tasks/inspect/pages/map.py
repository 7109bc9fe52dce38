"""The map of communities: a view as a tree, which the script packs into circles, and as lists.

A view is the whole map or one community: its child communities with their children, or the entities of a community
without children. Each leads to its view or page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.inspect.pages.graph import Renderer, Script, SnapshotId, as_json
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.retrieval import Index

COMMUNITIES_DRAWN = 120
COMMUNITIES_LISTED = 40
ENTITIES_LISTED = 60
_MOST_SMALLER = 500
_MOST_ENTITIES = 300
"""Circles drawn, entries listed at first, communities listed without a circle, and entities drawn: more would be too
small to point at, or too many to read. Chosen."""
_LEAST_SIZE = 0.1  # Least area of an entity, as a share of the most central one's. Chosen.
_ABOUT = ["community_id", "parent_id", "title", "size", "summary"]

Community = Annotated[str, Query(pattern=rf"^([0-9a-f]{{{ID_HEX_DIGITS}}})?$")]


@dataclass(frozen=True)
class View:
    """A view of the map.

    Attributes:
        community: Row of the shown community; None for the whole map.
        above: Its ancestors, the coarsest first.
        drawn, smaller: The largest child communities, and others that are listed without a circle.
        count: Number of all child communities.
        entities: Names of the community's entities, the most central first.
        tree: What is drawn, as in `web/src/map.ts`.
    """

    community: Mapping[str, Any] | None
    above: Sequence[Mapping[str, Any]]
    drawn: Sequence[Mapping[str, Any]]
    smaller: Sequence[Mapping[str, Any]]
    count: int
    entities: Sequence[str]
    tree: Sequence[Mapping[str, Any]]


def view(index: Index, community_id: str) -> View:
    """Return a view of the map: one community, or the whole map for ""."""
    table = index.snapshot.table("communities", _ABOUT)
    line = _line(table, community_id)
    if community_id and not line:
        hint = "Open the map anew: communities change with their members"
        raise QueryError("no such community in this snapshot", community_id, hint)
    inside = _children(table, [community_id] if line else [])
    drawn = inside.slice(0, COMMUNITIES_DRAWN).to_pylist()
    inner = _children(table, [row["community_id"] for row in drawn]).to_pylist() if drawn else []
    members = _members(index, community_id) if line else []
    tree = [_item(row["title"], row["size"], row["community_id"]) for row in drawn]
    tree += [_item(row["title"], row["size"], row["community_id"], row["parent_id"]) for row in inner]
    if not drawn and members:
        least = _LEAST_SIZE * members[0]["centrality"]
        shown = members[:_MOST_ENTITIES]
        tree = [_item(row["name"], max(row["centrality"], least)) for row in shown]
    return View(
        community=line[-1] if line else None,
        above=line[:-1],
        drawn=drawn,
        smaller=inside.slice(COMMUNITIES_DRAWN, _MOST_SMALLER).to_pylist(),
        count=inside.num_rows,
        entities=[row["name"] for row in members],
        tree=tree,
    )


def _item(title: str, size: float, id: str = "", parent: str = "") -> dict[str, Any]:
    return {"id": id, "title": title, "size": size, "parent": parent}


def add_map(app: FastAPI, reader: Reader, html: Renderer, script: Script) -> None:
    """Add the page of the map."""

    @app.get("/snapshots/{snapshot_id}/map")
    def page(request: Request, snapshot_id: SnapshotId, community: Community = "") -> HTMLResponse:
        index = reader.index(snapshot_id)
        shown = view(index, community)
        answer = html.page(
            request, "map", manifest=index.snapshot.manifest, page="map", map=shown,
            most_circles=COMMUNITIES_LISTED, most_entities=ENTITIES_LISTED, script=script.path,
            # not escaped as HTML: JSON without the characters that end an element
            tree=Markup(as_json(shown.tree)),  # noqa: S704
        )  # fmt: skip
        return script.allowed(answer)


def _line(communities: pa.Table, community_id: str | None) -> list[dict[str, Any]]:
    """Return a community and its ancestors, the coarsest first; empty if there is none."""
    line: list[dict[str, Any]] = []
    while community_id:
        rows = communities.filter(pc.equal(communities["community_id"], community_id)).to_pylist()
        line[:0] = rows
        community_id = rows[0]["parent_id"] if rows else None
    return line


def _children(communities: pa.Table, parents: Sequence[str]) -> pa.Table:
    """Return the communities directly below others, by default the coarsest; largest first."""
    of = communities["parent_id"]
    wanted = pc.is_in(of, value_set=pa.array(parents, pa.string())) if parents else pc.is_null(of)
    order = [("size", "descending"), ("community_id", "ascending")]
    return communities.filter(wanted).sort_by(order)


def _members(index: Index, community_id: str) -> list[dict[str, Any]]:
    members = index.snapshot.table("members")
    members = members.filter(pc.equal(members["community_id"], community_id))
    entities = index.snapshot.table("entities", ["entity_id", "name"])
    own = members["entity_id"].combine_chunks()
    named = entities.filter(pc.is_in(entities["entity_id"], value_set=own))
    names = dict(zip(*(named[one].to_pylist() for one in ("entity_id", "name")), strict=True))
    order = [("centrality", "descending"), ("entity_id", "ascending")]
    rows: list[dict[str, Any]] = members.sort_by(order).to_pylist()
    return [row | {"name": names[row["entity_id"]]} for row in rows]
