"""What is on the disk when the pointer moves: a power cut spares it."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from graphrag_tasks.operations.retention import rollback
from graphrag_tasks.storage.snapshots.publish import publish
from graphrag_tasks.storage.snapshots.store import Store
from tests.storage.snapshots.makers import published, staged


class Event(NamedTuple):
    """A file or folder that was brought to disk, or got its name."""

    what: str
    path: Path


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """What is asked of the system, in order."""
    seen: list[Event] = []
    fsync = os.fsync

    def to_disk(descriptor: int) -> None:
        fsync(descriptor)
        seen.append(Event("to disk", Path(f"/proc/self/fd/{descriptor}").readlink()))

    def renaming(rename: Callable[..., None]) -> Callable[..., None]:
        def renamed(source: str, target: str, **_: object) -> None:
            rename(source, target)
            seen.append(Event("renamed", Path(target)))

        return renamed

    monkeypatch.setattr(os, "fsync", to_disk)
    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, renaming(getattr(os, name)))
    return seen


def flip(events: list[Event], store: Path) -> int:
    (place,) = (i for i, one in enumerate(events) if one == ("renamed", store / "CURRENT"))
    return place


def test_the_pointer_moves_when_all_it_points_to_is_on_the_disk(tmp_path: Path, events: list[Event]) -> None:
    store = Store(str(tmp_path))
    folder, manifest = staged(store)
    events.clear()
    publish(store, folder, manifest)
    snapshot = Path(store.snapshot_folder(manifest.snapshot_id).path())
    moved, flipped = events.index(Event("renamed", snapshot)), flip(events, tmp_path)
    kept = {one.path for one in events[moved:flipped] if one.what == "to disk"}
    assert {snapshot.parent, snapshot, *snapshot.rglob("*")} <= kept
    assert tmp_path / "CURRENT.writing" in kept
    assert Event("to disk", tmp_path) in events[flipped:]


def test_a_rollback_is_on_the_disk_when_it_ends(tmp_path: Path, events: list[Event]) -> None:
    store = Store(str(tmp_path))
    for day in (1, 2):
        published(store, f"day {day}", datetime(2026, 1, day, tzinfo=UTC))
    events.clear()
    rollback(store)
    flipped = flip(events, tmp_path)
    assert Event("to disk", tmp_path / "CURRENT.writing") in events[:flipped]
    assert Event("to disk", tmp_path) in events[flipped:]
