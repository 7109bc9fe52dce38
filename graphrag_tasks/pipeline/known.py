"""Published documents, as far as readable, for the guards of a run.

A damaged snapshot, or one of an older schema, has no rows to reuse, but the guards must notice if its documents are
gone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.receipts import Table
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE
from graphrag_tasks.storage.snapshots.store import Store, check_table

log = logging.getLogger(__name__)

_DOCUMENTS, _NEEDED = "documents", ("document_id", "source")


@dataclass(frozen=True)
class Known:
    """Published documents.

    Attributes:
        documents: `document_id` and `source` of each, and `labels` if its snapshot has them; None if there are only
            unreadable snapshots.
        count: Number of documents in the current snapshot's manifest, if that is all that can be read; else 0.
    """

    documents: pa.Table | None
    count: int = 0

    @property
    def has_labels(self) -> bool:
        """Whether published documents have access labels."""
        table = self.documents
        if table is None or "labels" not in table.column_names:
            return False
        return bool(pc.any(table["labels"].is_valid()).as_py())


def known_documents(store: Store) -> Known:
    """Return the documents of the current snapshot, or of the last one with intact documents."""
    counts: list[int] = []
    for snapshot_id in _newest_first(store):
        folder = store.snapshot_folder(snapshot_id)
        published = _published(folder)
        try:
            return Known(_read(folder, published), *counts[:1])
        except (ArtifactError, SnapshotError) as error:
            log.warning("documents of snapshot %s are not known: %s", snapshot_id, error)
            counts.append(published.rows if published else 0)
    if counts:
        return Known(None)
    return Known(schemas.empty(_DOCUMENTS).select(_NEEDED))


def _newest_first(store: Store) -> Iterator[str]:
    current = store.current_id()
    if current:
        yield current
    readable = reversed(store.snapshot_ids())
    for name in dict.fromkeys((*readable, *(store.folder / "snapshots").names())):
        if name != current and store.snapshot_folder(name).exists(MANIFEST_FILE):
            yield name


def _published(folder: Folder) -> Table | None:
    """Return the documents entry of a manifest of any schema version, or None."""
    try:
        table = folder.read_json(MANIFEST_FILE)["tables"][_DOCUMENTS]
        rows, sha256 = table["rows"], table["sha256"]
    except (ArtifactError, KeyError, TypeError):
        return None
    return Table(rows, sha256) if isinstance(rows, int) and isinstance(sha256, str) else None


def _read(folder: Folder, published: Table | None) -> pa.Table:
    if published is not None:
        check_table(folder, _DOCUMENTS, published)
    table = folder.read_any_version(_DOCUMENTS, (*_NEEDED, "labels", "media_type"))
    if missing := set(_NEEDED) - set(table.column_names):
        raise ArtifactError(f"has no columns {sorted(missing)}", f"{folder.uri}/{_DOCUMENTS}")
    return table
