"""Empty but complete snapshots, staged and published."""

from datetime import datetime
from typing import Any

from graphrag_tasks import schemas
from graphrag_tasks.artifacts import Folder
from graphrag_tasks.publish import build_manifest, publish
from graphrag_tasks.snapshots import ARROW_TABLES, SNAPSHOT_TABLES, Manifest, Store, write_table

EMBEDDING = {"model": "m", "max_tokens": 8, "fingerprint": "f", "dimension": 4}


def staged(store: Store, fingerprint: str = "one", **about: Any) -> tuple[Folder, Manifest]:
    """Write an empty but complete snapshot into staging."""
    folder = store.staging / "runs" / f"run-{fingerprint}" / "snapshot"
    tables = {}
    for name in (*SNAPSHOT_TABLES, *ARROW_TABLES):
        schema = schemas.schema_of(name) or schemas.vectors_schema(4)
        tables[name] = write_table(folder, name, schema.empty_table(), fingerprint=fingerprint)
    manifest = build_manifest(
        tables, embedding=EMBEDDING, parent_id=store.current_id(),
        fingerprints={"load": fingerprint}, sources={}, collections={}, **about,
    )  # fmt: skip
    return folder, manifest


def published(store: Store, fingerprint: str, now: datetime) -> str:
    """Publish a snapshot and return its id."""
    folder, manifest = staged(store, fingerprint, now=now)
    publish(store, folder, manifest)
    (store.staging / "runs" / f"run-{fingerprint}").delete()
    return manifest.snapshot_id
