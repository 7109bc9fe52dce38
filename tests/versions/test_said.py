"""Versions, and filters, by what documents themselves say of their release, date and forerunner."""

from __future__ import annotations

import logging

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index, open_index

SAME = "The report shows the open orders. The operator starts the export. The queue sends messages."
PAGE = f"<title>Backup \u2014 Acme {{release}} documentation</title><h1>Backup</h1><p>It keeps {{days}} days. {SAME}"
MAIL = f"From: {{0}} <{{0}}@x.org>\nDate: {{1}} Mar 2024 10:00:00 +0100\nSubject: Orders\n\n{SAME}\n"
BUILT = "<meta name=date content=2020-05-0{day}><p>{name} is here."
FILES = {
    "a/backup.html": PAGE.format(release="5.9", days=90),
    "b/backup.html": PAGE.format(release="5.10", days=180),
    "intro/one.md": "---\ndate: 2023-01-01\n---\n# Introduction\n\nApples are ripe in autumn.\n",
    "intro/two.md": "---\ndate: 2024-01-01\n---\n# Introduction\n\nThe crane lifts ten tons.\n",
    "pump-1.0/pump.md": "# Pump\n\nThe pump runs 90 hours. " + SAME,
    "pump-2.0/pump.md": "# Pump\n\nThe pump runs 180 hours. " + SAME,
    "pump-1.0/pump.md.meta.yaml": "date: 2024-03-02\n",
    "pump-2.0/pump.md.meta.yaml": "date: 2024-03-02\n",
    "travel.md": "# Travel\n\nTrains are booked by the clerk. Meals cost ten euros.\n",
    "trips.md": "---\nreplaces: travel.md\n---\n# Trips\n\nFlights need a signature.\n",
    "tours.md": "---\nsupersedes: Trips\n---\n# Tours\n\nBuses need no signature.\n",
    "left.md": "---\nreplaces: right.md\n---\n# Left\n\nThe left door is open.\n",
    "right.md": "---\nreplaces: left.md\n---\n# Right\n\nThe right door is open.\n",
    "lost.md": "---\nreplaces: nowhere.md\n---\n# Lost\n\nThe lamp is lit.\n",
    "one.eml": MAIL.format("a", 1),
    "two.eml": MAIL.format("b", 2),
    "same.html": f"<meta name=date content=2024-03-01><h1>Twin</h1><p>{SAME}",
    "copy.html": f"<meta name=date content=2025-03-01><h1>Twin</h1><p>{SAME} It is saved.",
    **{f"built/{name}.html": BUILT.format(name=name, day=1 + (name == "e")) for name in "abcde"},
    "built/f.html": "<meta name=date content=2021-05-01><p>This one was written.",
    "built/g.md": "---\ndate: 2020-05-01\n---\n\nThis date is meant.\n",
}


@pytest.fixture(scope="module")
def told() -> list[str]:
    return []


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, told: list[str]) -> Index:
    made = tmp_path_factory.mktemp("said")
    for name, text in FILES.items():
        (made / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (made / "docs" / name).write_text(text)
    overrides = {"store": str(made / "store"), "sources": [str(made / "docs")], "load": {"vector_store": "none"}}
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("graphrag_tasks.versions")
    logger.addHandler(handler)
    run_index(load_config(overrides=overrides, environ={}), workers=1)
    logger.removeHandler(handler)
    return open_index(str(made / "store"))


def test_titles_and_words_make_chains_and_nothing_else_does(index: Index, told: list[str]) -> None:
    uris = {row["document_id"]: row["uri"] for row in index.snapshot.table("documents").to_pylist()}
    chains: dict[str, list[tuple[str, str]]] = {}
    for row in index.snapshot.table("versions").to_pylist():
        found = (row["release"], uris[row["document_id"]].removeprefix("docs/"))
        chains.setdefault(row["chain_id"], []).append(found)
    assert list(chains.values()) == [
        [("5.9", "a/backup.html"), ("5.10", "b/backup.html")],
        [("1.0", "pump-1.0/pump.md"), ("2.0", "pump-2.0/pump.md")],
        [("travel", "travel.md"), ("trips", "trips.md"), ("tours", "tours.md")],
    ]
    assert any("circle: docs/left.md, docs/right.md" in one for one in told)
    assert any("docs/lost.md replaces 'nowhere.md'" in one for one in told)


def test_what_files_say_is_a_filter_without_the_dates_of_builds(index: Index) -> None:
    rows = index.snapshot.table("documents").to_pylist()
    dates = {row["path"]: one["value"] for row in rows for one in row["metadata"] or () if one["key"] == "date"}
    assert {path: date for path, date in dates.items() if path.startswith("built")} == {
        "built/f.html": "2021-05-01", "built/g.md": "2020-05-01",
    }  # fmt: skip
    found = index.search("What is here?", k=30, filters={"date": ">=2024-03"})
    assert {one.uri for one in found.chunks} == {
        "docs/one.eml", "docs/two.eml", "docs/same.html", "docs/copy.html",
        "docs/pump-2.0/pump.md",
    }  # fmt: skip
    found = index.search("What does it keep?", k=30, filters={"release": "5.10"})
    assert {one.uri for one in found.chunks} == {"docs/b/backup.html"}
