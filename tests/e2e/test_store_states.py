"""A store lives through anything in any order, and loses nothing unseen.

Hypothesis draws what happens: documents come, change, go and are renamed, a source is emptied, files of the store are
damaged, runs are killed, settings and labels change, snapshots are rolled back and removed. A model beside the store
says what each published snapshot holds.

What must hold:
  * A run publishes the documents that lie in the sources, no more and no fewer, or stops and
    leaves `CURRENT` alone. It stops rather than lose a source, or most documents, unasked.
  * The tables equal those of a clean build.
  * A snapshot that can be read is always there once one was.
  * A reader stays on its snapshot, graph and documents alike.
"""

import os
import random
import shutil
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import GraphragError, SnapshotError, SourceError
from graphrag_tasks.operations.retention import collect_garbage, rollback
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.index import Index
from graphrag_tasks.storage.snapshots.store import CURRENT_FILE, Snapshot, Store
from tests.e2e.warm_runs import index as index_in_process
from tests.e2e.warm_runs import kill_after

HISTORIES = int(os.environ.get("STORE_HISTORIES", "60"))
SOURCES = ("one", "two")
NAMES = ("a", "b", "sub-1.0/c", "sub-2.0/c")
FACTS = (
    "The report ZSALES{0} reads the table VBB{0}.",
    "SAP replaced the table VBB{0} with the table VBBE.",
    "The transaction MD0{0} shows the stock. It locks the table MARD{0}.",
)
RULE = {"path": "a.txt", "labels": ["hr"], "optional": True}
HIDES = {"enabled": True, "default": ["public"], "rules": [RULE]}
QUESTION = "Which table replaced VBB1?"

counted: Counter[str] = Counter()

documents = st.tuples(st.sampled_from(SOURCES), st.sampled_from(NAMES))


def of_source(source: str, uris: set[str]) -> set[str]:
    return {uri for uri in uris if uri.startswith(f"{source}/")}


def is_little(before: set[str], after: set[str]) -> bool:
    """Return whether no source is empty, and none lost more than half of its documents."""
    return all(
        of_source(one, after) and 2 * len(of_source(one, before - after)) <= len(of_source(one, before))
        for one in SOURCES
    )


def uris_of(snapshot: Snapshot) -> set[str]:
    """Return the documents of a snapshot, without metadata that name none."""
    rows = snapshot.table("documents", ["uri", "error_code"]).to_pylist()
    return {row["uri"] for row in rows if row["error_code"] != "no_document"}


class StoreStates(RuleBasedStateMachine):
    """A store, its sources, and what is known of its snapshots."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="store-states-"))
        self.store = Store(str(self.place / "store"))
        self.held: dict[str, set[str]] = {}  # uris of each published snapshot, oldest first
        self.damaged: set[str] = set()
        self.readers: list[tuple[Index, set[str]]] = []
        self.chunk = 2048
        self.labelled = False

    def teardown(self) -> None:
        """Compare the last state with a clean build."""
        try:
            if self.held and self.on_disk():
                self.index_all()
                self.check_equals_a_clean_build()
        finally:
            shutil.rmtree(self.place)

    @initialize()
    def first_documents(self) -> None:
        for number, source in enumerate(SOURCES):
            for name in NAMES[: 3 - number]:
                self.write((source, name), number)

    # What people do to the sources

    @rule(document=documents, number=st.integers(0, 3))
    def write(self, document: tuple[str, str], number: int) -> None:
        counted["write"] += 1
        file = self.file(*document)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(fact.format(number) for fact in FACTS[: 1 + number % 3]) + "\n")

    @rule(document=documents)
    def delete(self, document: tuple[str, str]) -> None:
        counted["delete"] += 1
        self.file(*document).unlink(missing_ok=True)

    @rule(before=documents, after=documents)
    def rename(self, before: tuple[str, str], after: tuple[str, str]) -> None:
        if self.file(*before).exists():
            counted["rename"] += 1
            self.file(*after).parent.mkdir(parents=True, exist_ok=True)
            self.file(*before).rename(self.file(*after))

    @rule(source=st.sampled_from(SOURCES))
    def empty_a_source(self, source: str) -> None:
        counted["empty"] += 1
        for name in NAMES:
            self.file(source, name).unlink(missing_ok=True)

    @rule(document=documents, owner=st.sampled_from(("", "hr", "[")), in_table=st.booleans())
    def write_metadata(self, document: tuple[str, str], owner: str, in_table: bool) -> None:
        counted["metadata"] += 1
        file = self.file(*document)
        beside = file.with_name(f"{file.name}.meta.yaml")
        if in_table:
            table = self.place / document[0] / "metadata.csv"
            table.write_text(f"path,owner\n{document[1]}.txt,{owner}\n")
        elif owner:
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(f"owner: {owner}\n")
        else:
            beside.unlink(missing_ok=True)

    @rule(labels=st.booleans())
    def change_a_setting(self, labels: bool) -> None:
        counted["labels" if labels else "setting"] += 1
        if labels:
            self.labelled = not self.labelled
        else:
            self.chunk = 2048 if self.chunk == 40 else 40

    # What runs do

    @rule()
    def index(self) -> None:
        """Index as every night; a run that would lose too much must stop."""
        self.run(allowed=False)

    @rule()
    def index_all(self) -> None:
        """Index, and mean what is gone."""
        self.run(allowed=True)

    @rule(document=documents, number=st.integers(0, 3), gone=documents)
    def edit_and_index(self, document: tuple[str, str], number: int, gone: tuple[str, str]) -> None:
        self.delete(gone)
        self.write(document, number)
        self.run(allowed=False)

    def run(self, *, allowed: bool) -> None:
        pointer, found = self.pointer(), self.on_disk()
        may_go = self.may_go(found)  # beside what is current before the run
        try:
            made = run_index(self.config(allowed=allowed), workers=1)
        except SourceError:
            counted["stopped"] += 1
            assert not allowed
            assert self.pointer() == pointer
            assert not self.would_lose_little(found)
            return
        counted["published" if made.changed else "unchanged"] += 1
        assert allowed or may_go
        self.note(made.manifest.snapshot_id, found)

    def would_lose_little(self, found: set[str]) -> bool:
        """Return whether a run has nothing to stop for, whatever it compares the sources with."""
        bases = list(self.held.values()) or [set()]
        return bool(self.readable() or not self.held) and all(is_little(one, found) for one in bases)

    def may_go(self, found: set[str]) -> bool:
        """Return whether what a run took away unasked was little.

        It compares with the current snapshot; where that is damaged, with the last one whose documents can be read,
        which may be this one all the same.
        """
        bases = [self.held[one] for one in self.readable()[-1:]]
        if (current := self.current()) in self.held:
            bases = [self.held[current], *(bases if current in self.damaged else [])]
        return any(is_little(one, found) for one in bases or [set()])

    @precondition(lambda self: self.held)
    @rule(back=st.integers(0, 3))
    def roll_back(self, back: int) -> None:
        counted["rollback"] += 1
        wanted = list(self.held)[-1 - back % len(self.held)]
        try:
            rollback(self.store, wanted)
        except GraphragError:
            assert wanted in self.damaged
            return
        assert wanted not in self.damaged
        assert self.store.open().snapshot_id == wanted

    @precondition(lambda self: self.held)
    @rule(keep=st.integers(0, 2))
    def collect(self, keep: int) -> None:
        counted["gc"] += 1
        readable = self.readable()
        collect_garbage(self.store, keep=keep, staging_age=timedelta(days=1))
        there = set((self.store.folder / "snapshots").names())
        self.held = {one: uris for one, uris in self.held.items() if one in there}
        assert self.readable() or not readable, "the last readable snapshot was removed"

    # What happens to disks

    @precondition(lambda self: self.readable())
    @rule(seed=st.integers(0, 2**16))
    def flip_a_byte(self, seed: int) -> None:
        counted["flip"] += 1
        chosen = random.Random(seed)
        snapshot_id = chosen.choice(self.readable())
        folder = self.place / "store" / "snapshots" / snapshot_id
        file = chosen.choice(sorted(folder.rglob("*.parquet")))
        data = bytearray(file.read_bytes())
        data[chosen.randrange(len(data))] ^= 1 << chosen.randrange(8)
        file.write_bytes(data)
        self.damaged.add(snapshot_id)

    @precondition(lambda self: self.readable())
    @rule(text=st.sampled_from(["{}", "[]", "null", '{"snapshot_id": 1}', "", "\x00" * 9]))
    def spoil_a_manifest(self, text: str) -> None:
        counted["manifest"] += 1
        snapshot_id = self.readable()[0]
        folder = self.place / "store" / "snapshots" / snapshot_id
        (folder / "manifest.json").write_text(text)
        self.damaged.add(snapshot_id)

    @precondition(lambda self: self.held)
    @rule(data=st.sampled_from([None, b"", b"\x00" * 25, b"\xff\xfe\n", b"../x\n", b"0" * 24]))
    def spoil_the_pointer(self, data: bytes | None) -> None:
        counted["pointer"] += 1
        file = self.place / "store" / CURRENT_FILE
        file.unlink(missing_ok=True)
        if data is not None:
            file.write_bytes(data)

    # What readers see

    @precondition(lambda self: len(self.readers) < 3)
    @rule()
    def read(self) -> None:
        try:
            reader = open_index(self.place / "store", principals=["hr"] if self.labels() else None)
        except GraphragError:
            return
        counted["read"] += 1
        if reader.snapshot.snapshot_id not in self.damaged:
            self.readers.append((reader, self.held[reader.snapshot.snapshot_id]))

    @invariant()
    def readers_stay_on_their_snapshot(self) -> None:
        kept = []
        for reader, uris in self.readers:
            if reader.snapshot.snapshot_id in self.damaged:
                continue
            try:
                assert uris_of(reader.snapshot) == uris
                context = reader.search(QUESTION, mode="hybrid")
            except SnapshotError as error:
                assert "removed since" in str(error)
                continue
            assert {hit.uri for hit in context.chunks} <= uris
            kept.append((reader, uris))
        self.readers = kept

    @invariant()
    def what_can_be_read_stays(self) -> None:
        for snapshot_id in self.readable():
            snapshot = self.store.open(snapshot_id)
            assert uris_of(snapshot) == self.held[snapshot_id]

    # The model

    def file(self, source: str, name: str) -> Path:
        return self.place / source / f"{name}.txt"

    def on_disk(self) -> set[str]:
        return {
            str(path.relative_to(self.place)) for source in SOURCES for path in (self.place / source).rglob("*.txt")
        }

    def config(self, *, allowed: bool, store: str = "store") -> Config:
        values: dict[str, Any] = {
            "store": str(self.place / store),
            "sources": [str(self.place / source) for source in SOURCES],
            "plan": {"allow_mass_delete": allowed, "shard_bytes": 200},
            "chunk": {"max_characters": self.chunk, "overlap_characters": 0},
            "load": {"vector_store": "none"},
            "embed": {"threads": 1},
            "quality": {"allow_drop": True},
        }
        values["access"] = HIDES if self.labelled else {"allow_disable": True}
        return load_config(overrides=values, environ={})

    def pointer(self) -> bytes | None:
        file = self.place / "store" / CURRENT_FILE
        return file.read_bytes() if file.exists() else None

    def labels(self) -> bool:
        return self.store.open().table("documents")["labels"].null_count == 0

    def readable(self) -> list[str]:
        """Return the snapshots that nothing was done to, oldest first."""
        return [one for one in self.held if one not in self.damaged]

    def current(self) -> str:
        return (self.pointer() or b"").decode("latin-1").strip()

    def note(self, snapshot_id: str, found: set[str]) -> None:
        """Note what was published, once the store says the same."""
        snapshot = self.store.open()
        snapshot.verify()
        assert snapshot.snapshot_id == snapshot_id
        assert uris_of(snapshot) == found
        if snapshot_id in self.damaged:  # it is published anew, after all others
            self.damaged.remove(snapshot_id)
            del self.held[snapshot_id]
        self.held[snapshot_id] = found

    def check_equals_a_clean_build(self) -> None:
        clean = run_index(self.config(allowed=True, store="clean"), workers=1).manifest
        made = self.store.open().manifest
        assert made.tables == clean.tables
        counted["equal to a clean build"] += 1


class KilledStoreStates(StoreStates):
    """The same, with runs that are killed."""

    @rule(seconds=st.floats(0, 1.5))
    def kill_a_run(self, seconds: float) -> None:
        before, found = self.pointer(), self.on_disk()
        config = self.config(allowed=True)
        if not found:
            return
        counted["killed"] += kill_after(seconds, index_in_process, config.model_dump(mode="json"))
        if self.pointer() != before:
            self.note(self.store.open().snapshot_id, found)


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def explore(machine: type[StoreStates], examples: int, steps: int, *, seeded: bool) -> None:
    counted.clear()
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
            derandomize=seeded, suppress_health_check=CHECKS, print_blob=True,
            phases=[Phase.generate] if seeded else [Phase.generate, Phase.shrink],
        ),
    )  # fmt: skip
    print(dict(sorted(counted.items())))  # noqa: T201


def test_a_store_survives_a_few_histories() -> None:
    explore(StoreStates, 2, 12, seeded=True)


@pytest.mark.slow
def test_a_store_survives_many_histories() -> None:
    explore(KilledStoreStates, HISTORIES, 40, seeded=False)
