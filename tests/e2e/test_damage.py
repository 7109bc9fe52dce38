"""Whatever lies on disk: damage ends in an error of the project or in correct work.

A case is a kind of damage and a seed: `KINDS[kind][0](bench, Random(f"{kind}-{seed}"))` runs it again.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from graphrag_tasks.cli.output import CONSOLE, print_summary
from graphrag_tasks.cli.snapshots import show
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.entities.resolve import read_overrides
from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.operations.quality import graph_figures
from graphrag_tasks.operations.retention import collect_garbage, rollback, verify_all
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, STAGES_OF_SHARDS
from graphrag_tasks.pipeline.state import Basis, RunState, UserFiles
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.sources.labels import read_labels
from graphrag_tasks.sources.listing import SourceRoot
from graphrag_tasks.storage import locks
from graphrag_tasks.storage.artifacts import Folder, Receipt, Table
from graphrag_tasks.storage.snapshots.publish import headline, time_of_publish
from graphrag_tasks.storage.snapshots.store import (
    ARROW_TABLES,
    SNAPSHOT_TABLES,
    Store,
    content_snapshot_id,
    file_of,
    last_readable,
)
from graphrag_tasks.workbench.evaluation.questions import read_questions
from tests.e2e.mutations import altered, damaged
from tests.retrieval.labelled_worlds import Document, Fact
from tests.retrieval.labelled_worlds import publish as publish_world
from tests.retrieval.small_worlds import FakeEmbedder

FAST_CASES, SLOW_CASES = 300, 10_000
WORLD = [
    Document("guide", "Gateway Guide", (
        Fact("the Gateway", "replace", "the Spooler", head_type="PRODUCT"),
        Fact("the Spooler", "use", "the Driver"),
    ), None),
    Document("tables", "Tables", (Fact("the Driver", "read", "the Spooler"),), None),
]  # fmt: skip
CONFIG = b"""store = "store"
sources = ["docs", "name=/x"]
[plan]
shard_bytes = 1000
full_refresh = false
[access]
enabled = true
default = ["x"]
rules = [{path = "a/**", labels = ["b"]}]
"""
ACCESS = b"labels:\n  - hr\n  - 'board'\n"
OVERRIDES = b"""same:
  - [SAP BTP, Business Technology Platform]
different:
  - [data object, data objects]
rename:
  SAP BTP: SAP Business Technology Platform
"""
SCHEMA = b"""entity_types:
  table: [TABLE]
relations:
  be replaced by:
    domain: [table]
    synonyms: [be superseded by]
on_violation: drop
map_to: be related to
"""
SPAN = {"path": "a.md", "char_start": 1, "char_end": 9, "sha": "0123456789abcdef"}
QUESTIONS = [
    {"id": "1", "question": "What?", "gold_ids": ["a"], "type": "t", "split": "dev"},
    {"id": "2", "question": "Who?", "gold": [SPAN | {"alternatives": [SPAN]}]},
]
COUNTED = {
    "triples": 3, "sentences_kept": 3, "orphan_share": 0.1, "largest_component_share": 1.0,
    "merges_same": 1, "names": 3, "documents": 2,
}  # fmt: skip
STATS = {
    "counts": COUNTED,
    "by_stage": {"merge_shards": {"documents": 2}},
    "stages": [{"stage": "plan", "tasks": 1, "seconds": 0.1, "cpu_seconds": 0.1, "peak_memory_bytes": 9}],
    "quality": {"merge_rate": 0.1},
}


class Bench:
    """A store of two snapshots, and the other files that are read, all of them whole.

    Args:
        root: Where they lie.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(str(root / "store"))
        self.old = self._publish(WORLD[:1], "2026-01-01T00:00:00+00:00")
        self.new = self._publish(WORLD, "2026-01-02T00:00:00+00:00")
        basis = Basis(
            load_config(overrides={"store": self.store.folder.uri}, environ={}),
            parent_id=self.new,
            carried_id=self.new,
            up_to_date=False,
            roots=(SourceRoot("docs", "/docs"),),
            fingerprints=dict.fromkeys([*STAGES_OF_SHARDS, *CORPUS_STAGES], "f"),
            files=UserFiles(),
            engine="",
        )
        self.run = RunState.freeze(basis).folder
        tables = {"sources": Table(1, "0" * 64)}
        self.run.write_receipt(Receipt("plan", "/x", "f", tables, {"added": 1}, 0.1, 0.1, 9))

    def _publish(self, documents: list[Document], created_at: str) -> str:
        publish_world(self.root / "store", documents)
        made = self.store.open()
        values = made.manifest.as_dict()
        values |= {"snapshot_id": content_snapshot_id(made.manifest.tables, values["embedding"])}
        values |= {"created_at": created_at, "stats": STATS, "collections": {"x": "y"}}
        folder = Path(made.folder.path()).rename(self.root / "store" / "snapshots" / values["snapshot_id"])
        Folder(folder).write_json("manifest.json", values)
        self.store.set_current(values["snapshot_id"], instead_of=None)
        return str(values["snapshot_id"])

    def manifest(self, snapshot_id: str) -> Path:
        return Path(self.store.snapshot_folder(snapshot_id).path("manifest.json"))

    @contextmanager
    def holding(self, file: Path, data: bytes) -> Iterator[None]:
        """Let a file have other bytes, and what it had before afterwards."""
        before = file.read_bytes() if file.exists() else None
        current = (self.root / "store" / "CURRENT").read_bytes()
        file.write_bytes(data)
        try:
            yield
        finally:
            (self.root / "store" / "CURRENT").write_bytes(current)
            if before is None:
                file.unlink()
            else:
                file.write_bytes(before)


def tried(*calls: Callable[[], object]) -> None:
    """Make each call; errors of the project are as good as an answer."""
    for call in calls:
        with suppress(GraphragError):
            call()


def use_store(bench: Bench) -> None:
    """Do what users and runs do with a store, but for what removes snapshots."""
    store, uri = bench.store, bench.store.folder.uri
    tried(store.open, store.snapshot_ids, store.damaged, lambda: time_of_publish(store))
    tried(
        lambda: last_readable(store),
        lambda: print_summary(store.open().manifest),
        lambda: graph_figures(store.open().manifest),
        lambda: headline(store.open()),
        lambda: show(store=uri, json=True),
        lambda: show(store=uri),
        lambda: Reader(load_config(overrides={"store": uri}, environ={})).snapshots(),
        lambda: collect_garbage(store, keep=0, staging_age=timedelta(days=9), dry_run=True),
        lambda: verify_all(store),
        lambda: search(bench),
        lambda: rollback(store),
    )
    assert last_readable(store) is not None  # of two snapshots, damage is in one at most


def search(bench: Bench) -> None:
    index = open_index(bench.store.folder.uri, embedder=FakeEmbedder(), noun_phrases=lambda text: [text])
    index.search("What replaced the Spooler?", "ranked", k=3)


def manifest(bench: Bench, random: Random) -> None:
    snapshot_id = random.choice((bench.old, bench.new))
    file = bench.manifest(snapshot_id)
    with bench.holding(file, either(file, random)):
        use_store(bench)


def current(bench: Bench, random: Random) -> None:
    file = bench.root / "store" / "CURRENT"
    with bench.holding(file, damaged(file.read_bytes(), random)):
        use_store(bench)


def table(bench: Bench, random: Random) -> None:
    """No table of wrong bytes is read, and no search answers from one."""
    name = random.choice((*SNAPSHOT_TABLES, *ARROW_TABLES))
    file = Path(bench.store.snapshot_folder(bench.new).path(file_of(name)))
    before = file.read_bytes()
    data = damaged(before, random)
    with bench.holding(file, data):
        if data != before:
            with pytest.raises(GraphragError):
                bench.store.open().table(name)
            with pytest.raises(GraphragError):
                bench.store.open().verify()
            assert bench.store.open(bench.old).table(name) is not None
        tried(lambda: search(bench))


def parquet(bench: Bench, random: Random) -> None:
    """Tables that no manifest vouches for: staged ones, and a reader's with `verify=False`."""
    name = random.choice(SNAPSHOT_TABLES)
    folder = bench.store.snapshot_folder(bench.new)
    file = Path(folder.path(file_of(name)))
    data = damaged(file.read_bytes(), random)
    with bench.holding(file, data):
        tried(
            lambda: folder.read_table(name),
            lambda: folder.find_rows(name, "document_id", "guide"),
            lambda: folder.scan_table(name),
        )


def receipt(bench: Bench, random: Random) -> None:
    file = Path(bench.run.path("plan.receipt.json"))
    with bench.holding(file, either(file, random)):
        tried(lambda: bench.run.read_receipt("plan"))


def run_state(bench: Bench, random: Random) -> None:
    file = Path(bench.run.path("run.json"))
    with bench.holding(file, either(file, random)):
        tried(lambda: RunState(bench.run).parent)


def lease(bench: Bench, random: Random) -> None:
    values = {"holder": "process 1 on x", "until": "2026-01-01T00:00:00+00:00"}
    data = altered(values, random) if random.random() < 0.5 else damaged(as_json(values), random)
    with bench.holding(bench.root / "store" / locks.LEASE_FILE, data):
        tried(lambda: locks.Lease(bench.store.folder).release())


def config(bench: Bench, random: Random) -> None:
    file = bench.root / "graphrag.toml"
    with bench.holding(file, damaged(CONFIG, random)):
        tried(lambda: load_config(file, environ={}))


def variables(bench: Bench, random: Random) -> None:
    names = ("GRAPHRAG__STORE", "GRAPHRAG__PLAN__SHARD_BYTES", "GRAPHRAG__ACCESS__RULES")
    texts = ("x", "7", '["a"]', "[" * random.randrange(3000), '[{"path": "a", "labels": ["b"]}]')
    environ = {
        name + random.choice(("", "", "__X", "__")): damaged(random.choice(texts).encode(), random).decode(
            "utf-8", "surrogateescape"
        )
        for name in names
    }
    tried(lambda: load_config(bench.root / "none.toml", environ=environ))
    tried(lambda: load_config(environ=environ))


def access(bench: Bench, random: Random) -> None:
    tried(lambda: read_labels(damaged(ACCESS, random), "a.md.access.yaml"))


def overrides(bench: Bench, random: Random) -> None:
    text = damaged(OVERRIDES, random).decode("utf-8", random.choice(("replace", "ignore")))
    tried(lambda: read_overrides(text, "o.yaml").fingerprint)


def schema(bench: Bench, random: Random) -> None:
    text = damaged(SCHEMA, random).decode("utf-8", random.choice(("replace", "ignore")))
    tried(lambda: read_schema(text, "s.yaml").rules())


def user_files(bench: Bench, random: Random) -> None:
    file = bench.root / "overrides.yaml"
    values = {"resolve": {"overrides": str(file)}, "relationships": {"schema_file": str(file)}}
    with bench.holding(file, damaged(random.choice((OVERRIDES, SCHEMA)), random)):
        settings = load_config(overrides=values, environ={})
        tried(lambda: UserFiles.read(settings).parsed_overrides(settings))


def questions(bench: Bench, random: Random) -> None:
    file = bench.root / "questions.jsonl"
    lines = [as_json(one) for one in QUESTIONS]
    place = random.randrange(2)
    lines[place] = altered(QUESTIONS[place], random)
    data = b"\n".join(lines)
    if random.random() < 0.5:
        data = damaged(b"\n".join(as_json(one) for one in QUESTIONS), random)
    with bench.holding(file, data):
        tried(lambda: read_questions(file), lambda: read_questions(file, split="dev"))


def either(file: Path, random: Random) -> bytes:
    """Return a JSON file's bytes, damaged as bytes or as values."""
    data = file.read_bytes()
    return damaged(data, random) if random.random() < 0.5 else altered(json.loads(data), random)


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


KINDS: dict[str, tuple[Callable[[Bench, Random], None], int]] = {
    one.__name__: (one, share)
    for one, share in (
        (manifest, 6), (current, 3), (table, 12), (parquet, 15), (receipt, 10), (run_state, 8),
        (lease, 5), (config, 10), (variables, 5), (access, 8), (overrides, 10),
        (schema, 10), (user_files, 3), (questions, 10),
    )
}  # fmt: skip
"""What is damaged, and its share of the cases: those that open a store take longer."""

SHARES = sum(share for _, share in KINDS.values())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print nothing to the terminal, and keep leases on the local disk."""
    monkeypatch.setattr(CONSOLE, "quiet", True)
    monkeypatch.setattr("graphrag_tasks.cli.snapshots.print_json", json.dumps)
    monkeypatch.setattr(locks, "version", lambda _: "1")
    monkeypatch.setattr(locks, "write_if", lambda *_: "2")


def cases(kind: str, of: int) -> int:
    """Return how many of all cases are of a kind."""
    return -(-of * KINDS[kind][1] // SHARES)


def fuzz(bench: Bench, kind: str, seeds: range) -> list[str]:
    """Run the cases of some seeds, and return what went wrong."""
    wrong = []
    for seed in seeds:
        try:
            KINDS[kind][0](bench, Random(f"{kind}-{seed}"))
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - what is looked for
            wrong.append(f"{kind}, seed {seed}: {error!r}"[:300])
    return wrong


@pytest.mark.parametrize("kind", KINDS)
def test_damage_ends_in_an_error_of_the_project_or_in_correct_work(bench: Bench, kind: str) -> None:
    assert fuzz(bench, kind, range(cases(kind, FAST_CASES))) == []


@pytest.mark.slow
def test_ten_thousand_cases(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter({kind: cases(kind, SLOW_CASES) for kind in KINDS})
    wrong: list[str] = []
    for kind, count in counts.items():
        wrong += fuzz(bench, kind, range(10**6, 10**6 + count))
    with capsys.disabled():
        sys.stdout.write(f"\n{counts.total():,} cases: {dict(counts)}; {len(wrong)} went wrong\n")
    assert counts.total() >= SLOW_CASES
    assert wrong == []


def test_the_whole_files_are_read(bench: Bench) -> None:
    """What the cases damage is right before: else their errors would say nothing."""
    search(bench)
    assert verify_all(bench.store) == [bench.old, bench.new]
    assert bench.run.read_receipt("plan") is not None
    assert (parent := RunState(bench.run).parent) is not None
    assert parent.snapshot_id == bench.new
    assert headline(parent)["documents"] == COUNTED["documents"]
    assert graph_figures(parent.manifest)["triples_per_sentence"] == 1
    assert read_labels(ACCESS, "x") == ["hr", "board"]
    assert read_overrides(OVERRIDES.decode(), "x").rename
    assert read_schema(SCHEMA.decode(), "x").rules()
    file: Any = bench.root / "whole"
    file.write_bytes(b"\n".join(map(as_json, QUESTIONS)))
    assert len(read_questions(file)) == len(QUESTIONS)
    file.write_bytes(CONFIG)
    assert load_config(file, environ={}).access.enabled


@pytest.mark.parametrize("read", [read_overrides, read_schema])
@pytest.mark.parametrize(
    "text",
    ["[" * 5000, "a: " * 5000, "? [a]\n: b", "rename:\n  ? [a]\n  : b", "a: 2001-99-99",
     "&a {x: *a}", "same: &a [*a, *a]", "relations: &a {x: *a}", "entity_types: {1: [x]}", "- a",
     "x", "0: 1"],
)  # fmt: skip
def test_yaml_of_another_shape(read: Callable[[str, str], object], text: str) -> None:
    with pytest.raises(GraphragError):
        read(text, "a.yaml")


def test_a_manifest_that_lost_a_table_is_shown_as_damaged(bench: Bench) -> None:
    fuzz_seed = 1000017  # what ten thousand cases found first
    assert fuzz(bench, "manifest", range(fuzz_seed, fuzz_seed + 1)) == []
