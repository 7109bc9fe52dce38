"""Opened snapshots of a store, as the configured principals see them."""

from __future__ import annotations

import json
import os
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from threading import Lock
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import GraphragError, QueryError
from graphrag_tasks.core.ids import ID_HEX_DIGITS, content_id
from graphrag_tasks.operations.quality import FigureCheck, verdicts
from graphrag_tasks.retrieval import Index, RelationHit, open_index
from graphrag_tasks.storage.artifacts import column
from graphrag_tasks.storage.files import Files
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.publish import reading
from graphrag_tasks.storage.snapshots.store import Store, file_of


def path_of_store(config: Config, store: str) -> str | None:
    """Return the URL prefix of a store's pages; None if it is not shown."""
    wanted = _place(store)
    if wanted == _place(config.store):
        return ""
    if wanted in map(_place, config.pages.stores):
        return f"/stores/{content_id('store', *wanted)}"
    return None


def _place(store: str) -> tuple[str, str]:
    """Return a canonical form of a store's location."""
    files = Files(store)
    if files.is_local:
        return "file", os.path.realpath(files.path())
    return store.partition("://")[0], files.path()


CURRENT = "current"  # Alias for the id of the snapshot that is current at the time of a request.
ID_PATTERN = rf"^([0-9a-f]{{{ID_HEX_DIGITS}}}|{CURRENT})$"  # Pattern of a snapshot in a URL.

COUNTED = ("documents", "chunks", "entities", "relations")

MOST_OPEN = 3  # Most snapshots kept open.

_MOST_NAMES = 30
_MOST_ALIASES = 12
_MOST_TYPES = 40  # Types to choose from, the most frequent. Chosen.
NAMES_SHOWN = 100  # Names shown in an overview, as aliases of an entity, and per page of a list. Chosen.
_MOST_SEARCHED = 5000  # Relations of an entity among which a text is sought: a third of a second. Chosen.
_CHANGES = ("added", "changed", "removed", "unchanged")
_FAILURE = ["uri", "status", "error_code", "error_message"]
_DAMAGED = "cannot be opened: damaged, or of another schema version"
_HAS_LABELS = "has access labels: its own page shows what may be seen"


@dataclass(frozen=True)
class Listed:
    """A published snapshot as a list row; figures only if they may be shown.

    `usd` is the run's cost for language models, None if unknown.
    """

    snapshot_id: str
    created_at: str
    current: bool
    schema_version: int
    why_no_figures: str
    readable: bool
    counts: dict[str, int]
    size_bytes: int
    cpu_seconds: float = 0.0
    usd: float | None = 0.0


class Heading(NamedTuple):
    """The snapshot whose pages are read, the name of its folder, and how many documents the reader sees."""

    manifest: Manifest
    name: str
    documents: int


class Reader:
    """Opens snapshots of the configured store, and keeps a few open; threads may share it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store = Store(config.store)
        self._indexes: OrderedDict[str, Index] = OrderedDict()
        self._sizes: dict[str, int | None] = {}
        self._lock = Lock()

    def heading(self, manifest: Manifest | None) -> Heading | None:
        """Return what the header of a snapshot's pages says, by default of the current one; None if it cannot open."""
        try:
            index = self.index(manifest.snapshot_id if manifest else CURRENT)
        except (GraphragError, OSError):
            return None
        uris = column(index.snapshot.table("documents", ["uri"]), "uri").to_pylist()
        folders = {uri.partition("/")[0] for uri in uris}
        name = folders.pop() if len(folders) == 1 else self.store.folder.uri.rstrip("/").rpartition("/")[2]
        return Heading(index.snapshot.manifest, name, len(uris))

    def snapshots(self) -> list[Listed]:
        """Return the published snapshots, newest first; damaged ones come last."""
        current = self.store.current_id()
        damaged = [Listed(name, "", name == current, 0, _DAMAGED, False, {}, 0) for name in self.store.damaged()]
        return [self._line(manifest, current) for manifest in reversed(self.store.manifests())] + damaged

    def index(self, snapshot_id: str) -> Index:
        """Open a snapshot, by id or `CURRENT`, as the configured principals see it."""
        with self._lock:
            wanted = self.store.current_id() if snapshot_id == CURRENT else snapshot_id
            if wanted and wanted in self._indexes and self._is_there(wanted):
                self._indexes.move_to_end(wanted)
                return self._indexes[wanted]
            opened = open_index(
                self.config.store, wanted, self.config.pages.principals,
                config=self.config.retrieval, language=self.config.language,
                load=self.config.load,
            )  # fmt: skip
            self._indexes[opened.snapshot.snapshot_id] = opened
            while len(self._indexes) > MOST_OPEN:
                self._indexes.popitem(last=False)
            return opened

    def _is_there(self, snapshot_id: str) -> bool:
        return self.store.snapshot_folder(snapshot_id).exists(MANIFEST_FILE)

    def _line(self, manifest: Manifest, current: str | None) -> Listed:
        name, version = manifest.snapshot_id, manifest.schema_version
        about = (name, manifest.created_at, name == current, version)
        try:
            size = self._size(name)
            counts = {table: manifest.tables[table].rows for table in COUNTED}
        except (GraphragError, OSError, KeyError):  # damaged, of another schema, or removed
            return Listed(*about, _DAMAGED, False, {}, 0)
        if size is None:
            return Listed(*about, _HAS_LABELS, True, {}, 0)
        stats = manifest.stats
        cpu_seconds = sum(cost["cpu_seconds"] for cost in stats.get("stages", []))
        usd = stats.get("llm", {}).get("usd", 0)
        return Listed(*about, "", True, counts, size, cpu_seconds, None if usd is None else float(usd))

    def _size(self, snapshot_id: str) -> int | None:
        """Return a snapshot's size in bytes; None if it has labels, as hidden documents count."""
        if snapshot_id not in self._sizes:
            snapshot = self.store.open(snapshot_id)
            labels = snapshot.table("documents", ["labels"])["labels"]
            sizes = (snapshot.folder.size(file_of(name)) for name in snapshot.manifest.tables)
            self._sizes[snapshot_id] = None if labels.null_count < len(labels) else sum(sizes)
        return self._sizes[snapshot_id]


def summarize(reader: Reader, index: Index) -> dict[str, Any]:
    """Return the values of the template `summary.html`.

    `quality` has the name of each figure and the gate's verdict by today's limits. `llm` describes what a language
    model read and refused. Readers who may not see every document get counts of visible ones, and no figures of the
    run.
    """
    words = json.loads(files(__package__).joinpath("words.json").read_text("utf-8"))
    manifest = index.snapshot.manifest
    documents = index.snapshot.table("documents", _FAILURE).to_pylist()
    known = manifest.stats.get("counts", {})
    counts = {said: known[name] for name, said in words["counts"].items() if name in known}
    if not known:
        facts = asdict(index.facts)
        counts = {name: facts[name] for name in ("chunks", "entities", "relations")}
    figures, judged = manifest.stats.get("quality", {}), list[FigureCheck]()
    if figures:
        found = [one for one in reader.store.manifests() if one.snapshot_id == manifest.parent_id]
        before = found[0] if found else None
        judged = verdicts(figures, manifest, before, reader.config.quality)
    llm = manifest.stats.get("llm", {})
    return {
        "counts": counts,
        "changes": {name: known[name] for name in _CHANGES if name in known},
        "statuses": dict(sorted(Counter(row["status"] for row in documents).items())),
        "failed": [row for row in documents if row["status"] == "failed"],
        "stages": manifest.stats.get("stages", []),
        "quality": [(words["quality"].get(found.name, found.name), found) for found in judged],
        "llm": reading(llm) if llm else "",
        "llm_windows": _counts(llm, "windows_"),
        "llm_declined": _counts(llm, "declined_"),
        "mentioned": _most_mentioned(_entities(index), _MOST_NAMES),
    }


def _counts(llm: Mapping[str, Any], kind: str) -> dict[str, int]:
    found = {
        name.removeprefix(kind).replace("_", " "): count
        for name, count in llm.items()
        if name.startswith(kind) and count
    }
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


@dataclass(frozen=True)
class Listing:
    """Entities whose name contains a text, most mentioned first.

    Attributes:
        entities: Those of one page: name, type, mentions.
        found: Total number of matches.
        types: Number of entities of each type, most frequent first.
    """

    entities: Sequence[Mapping[str, Any]]
    found: int
    types: Mapping[str, int]


def names_with(index: Index, text: str, kind: str = "", first: int = 0) -> Listing:
    """Return the entities whose name contains a text, in any case, optionally of one type."""
    entities = _entities(index)
    types = Counter(entity for entity in entities["type"].to_pylist() if entity)
    if kind:
        entities = entities.filter(pc.equal(entities["type"], kind))
    if text.strip():
        held = pc.match_substring(entities["name"], text.strip(), ignore_case=True)
        entities = entities.filter(held)
    shown = _most_mentioned(entities, NAMES_SHOWN, first)
    listed = dict(types.most_common(_MOST_TYPES)) | ({kind: types[kind]} if kind else {})
    return Listing(shown, len(entities), listed)


def described(index: Index, name: str) -> list[dict[str, Any]]:
    """Return the details of the entities with a name.

    For each its row, all its names, and its communities, the coarsest first.
    """
    aliases = index.snapshot.table("aliases")
    wanted = pc.utf8_lower(aliases["alias"])
    ids = aliases.filter(pc.equal(wanted, name.strip().lower()))["entity_id"].unique()
    entities = index.snapshot.table("entities")
    rows: list[dict[str, Any]] = entities.filter(pc.is_in(entities["entity_id"], value_set=ids)).to_pylist()
    for row in rows:
        own = aliases.filter(pc.equal(aliases["entity_id"], row["entity_id"]))
        order = [("mentions", "descending"), ("alias", "ascending")]
        row["aliases"] = own.sort_by(order)["alias"].to_pylist()[:_MOST_ALIASES]
        row["communities"] = _communities(index, row["entity_id"])
    return rows


def _communities(index: Index, entity_id: str) -> list[dict[str, Any]]:
    members = index.snapshot.table("members", ["community_id", "entity_id"])
    own = members.filter(pc.equal(members["entity_id"], entity_id))["community_id"]
    communities = index.snapshot.table("communities", ["community_id", "level", "title"])
    is_own = pc.is_in(communities["community_id"], value_set=own.combine_chunks())
    found: list[dict[str, Any]] = communities.filter(is_own).sort_by("level").to_pylist()
    return found


class Shown(NamedTuple):
    """A page of relations, and how many there are."""

    hits: Sequence[RelationHit]
    found: int


_NONE = Shown((), 0)


@dataclass(frozen=True)
class Neighbors:
    """Relations of the entity with a name, best supported first.

    Attributes:
        facts: Those of kind `fact`; `others` the weaker ones.
        all: Number of relations, whatever they say.
        searched: Among how many of them a text was sought.
        problem: Why there are none.
    """

    facts: Shown = _NONE
    others: Shown = _NONE
    all: int = 0
    searched: int = 0
    problem: str = ""


def neighbors(index: Index, name: str, holds: str, first: int, most: int) -> Neighbors:
    """Return a page of the relations whose words or sentences contain a text, in any case."""
    if not name.strip():
        return Neighbors()
    try:
        rows = index.neighbor_rows(name, all_kinds=True)
    except QueryError as error:
        return Neighbors(problem=str(error))
    named, searched = rows, len(rows)
    if wanted := holds.strip().casefold():
        named = rows[:_MOST_SEARCHED]
        searched, hits = len(named), index.relations_at(named)
        named = [row for row, hit in zip(named, hits, strict=True) if _holds(hit, wanted)]

    def page(*, is_fact: bool) -> Shown:
        part = [row for row in named if index.graph.tells[row] == is_fact]
        return Shown(index.relations_at(part[first : first + most]), len(part))

    return Neighbors(page(is_fact=True), page(is_fact=False), len(rows), searched)


def _holds(hit: RelationHit, wanted: str) -> bool:
    texts = (hit.text, *(sentence.text for sentence in hit.evidence))
    return any(wanted in text.casefold() for text in texts)


def _entities(index: Index) -> pa.Table:
    return index.snapshot.table("entities", ["name", "type", "mentions"])


def _most_mentioned(entities: pa.Table, most: int, first: int = 0) -> list[dict[str, Any]]:
    order = [("mentions", "descending"), ("name", "ascending")]
    found: list[dict[str, Any]] = entities.sort_by(order).slice(first, most).to_pylist()
    return found
