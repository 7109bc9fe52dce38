"""What a run knows: its frozen configuration, and where its tables lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.pipeline.plan import shards_of
from graphrag_tasks.pipeline.stages import EXTRACTION, STAGES
from graphrag_tasks.pipeline.user_files import UserFiles
from graphrag_tasks.snapshots.store import Snapshot, Store
from graphrag_tasks.sources.listing import SourceRoot
from graphrag_tasks.storage.artifacts import Folder

_RUN_FILE = "run.json"


class _State(TypedDict):
    """What the file of a run holds."""

    config: Config
    parent_id: str | None
    carried_id: str | None
    up_to_date: bool
    roots: list[SourceRoot]
    fingerprints: dict[str, str]
    files: UserFiles


_READER = TypeAdapter(_State)


def _read(folder: Folder) -> _State:
    try:
        return _READER.validate_json(folder.read_bytes(_RUN_FILE))
    except ValidationError as error:
        first = error.errors()[0]
        raise ArtifactError(
            f"is no plan of a run: {'.'.join(map(str, first['loc']))}: {first['msg']}",
            f"{folder.uri}/{_RUN_FILE}",
            "Plan again",
        ) from error


class RunState:
    """A run's folder, read.

    Args:
        folder: A folder that `RunState.freeze` wrote.

    Attributes:
        folder: The run's folder: plan and receipts.
        staged: Where the tables of the snapshot to be are written.
        config: The configuration the run was planned with.
        parent_id: The snapshot that is current, if there is one.
        carried_id: The snapshot that rows are taken over from: the current one, or the last that
            can be read.
        up_to_date: Whether the parent is what this run would publish: nothing is left to do.
        roots: Where the sources are.
        fingerprints: What each stage's output depends on.
        files: What the user's files said when the run was planned.
        store: Where the run will publish.

    Raises:
        ArtifactError: There is no such run, or its file is damaged; plan again.
    """

    def __init__(self, folder: Folder) -> None:
        state = _read(folder)
        self.folder = folder
        self.staged = folder / "snapshot"
        self.config = state["config"]
        self.parent_id: str | None = state["parent_id"]
        self.carried_id: str | None = state["carried_id"]
        self.up_to_date: bool = state["up_to_date"]
        self.roots = tuple(state["roots"])
        self.fingerprints = state["fingerprints"]
        self.files = state["files"]
        self.store = Store(self.config.store)

    @classmethod
    def freeze(
        cls,
        config: Config,
        *,
        parent_id: str | None,
        carried_id: str | None,
        up_to_date: bool,
        roots: Sequence[SourceRoot],
        fingerprints: Mapping[str, str],
        files: UserFiles,
    ) -> RunState:
        """Write what a run depends on into the folder that is named by it."""
        run_id = content_id(
            "run", fingerprints[STAGES[-1].name], str(parent_id), int(config.plan.full_refresh)
        )
        folder = Store(config.store).staging / "runs" / run_id
        folder.write_json(
            _RUN_FILE,
            {
                "config": config.model_dump(mode="json"),
                "parent_id": parent_id,
                "carried_id": carried_id,
                "up_to_date": up_to_date,
                "roots": [asdict(root) for root in roots],
                "fingerprints": dict(fingerprints),
                "files": asdict(files),
            },
        )
        return cls(folder)

    @cached_property
    def sources(self) -> pa.Table:
        """The plan's rows."""
        return self.folder.read_table("sources")

    @cached_property
    def shards(self) -> list[int]:
        """Numbers of the shards there is work for."""
        return shards_of(self.sources)

    @cached_property
    def parent(self) -> Snapshot | None:
        """The snapshot to take rows over from; None where none can be read."""
        return self.store.open(self.carried_id) if self.carried_id else None

    def shard_rows(self, shard: int) -> pa.Table:
        """Return the sources of one shard."""
        return self.folder.find_rows("sources", "shard", shard)

    def shard_folder(self, shard: int) -> Folder:
        """Return where a shard's tables lie: named by its documents and what reads them."""
        columns = ["document_id", "content_sha256", "size_bytes"]
        rows = self.shard_rows(shard).select(columns).to_pylist()
        parts = [str(value) for row in rows for value in row.values()]
        name = content_id("shard", self.fingerprints[EXTRACTION], *parts)
        return self.store.staging / "shards" / name
