"""Empty but complete snapshots, staged and published."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE, Manifest
from graphrag_tasks.storage.snapshots.publish import build_manifest
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES, SNAPSHOT_TABLES, Snapshot, Store, write_table

EMBEDDING = {"model": "m", "max_tokens": 8, "fingerprint": "f", "dimension": 4}


def staged(
    store: Store,
    fingerprint: str = "one",
    vectors: str = "",
    filled: Mapping[str, Sequence[dict[str, Any]]] | None = None,
    **about: Any,
) -> tuple[Folder, Manifest]:
    """Write a complete snapshot into staging: empty but for some rows, and a vector a letter."""
    folder = store.staging / "runs" / f"run-{fingerprint}" / "snapshot"
    rows = [{"id": f"id-{one}", "text_sha256": one, "vector": [1.0, 0, 0, 0]} for one in vectors]
    texts = {
        "documents": [{"document_id": "d", "media_type": "md"}] if vectors else [],
        "chunks": [{"chunk_id": row["id"], "document_id": "d"} for row in rows],
        **(filled or {}),
    }
    texts |= {copy: texts.get(name, []) for name, copy in schemas.MAPPED.items()}
    tables = {}
    for name in (*SNAPSHOT_TABLES, *ARROW_TABLES):
        schema = schemas.schema_of(name)
        data = (
            pa.Table.from_pylist(rows, schema=schemas.vectors_schema(4))
            if schema is None
            else pa.Table.from_pylist([_blank(schema) | row for row in texts.get(name, [])], schema=schema)
        )
        tables[name] = write_table(folder, name, data, fingerprint=fingerprint)
    defaults: dict[str, Any] = {"fingerprints": {"load": fingerprint}, "sources": {}, "collections": {}, "stats": {}}
    manifest = build_manifest(tables, embedding=EMBEDDING, parent_id=store.current_id(), **defaults | about)
    return folder, manifest


def _blank(schema: pa.Schema) -> dict[str, Any]:
    """Return a row of a table that says nothing."""
    values = {pa.string(): "", pa.int32(): 0, pa.int64(): 0, pa.bool_(): False}
    return {one.name: None if one.nullable else values.get(one.type, []) for one in schema}


def published(store: Store, fingerprint: str, now: datetime, **about: Any) -> str:
    """Put a snapshot where published ones lie, unchecked, and return its id."""
    folder, manifest = staged(store, fingerprint, now=now, **about)
    Snapshot.of(folder, manifest).folder.move_to(store.snapshot_folder(manifest.snapshot_id), last=MANIFEST_FILE)
    store.set_current(manifest.snapshot_id, instead_of=store.current_id())
    (store.staging / "runs" / f"run-{fingerprint}").delete()
    return manifest.snapshot_id
