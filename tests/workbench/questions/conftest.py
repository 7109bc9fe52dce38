"""A small corpus that has something for every rule, indexed once."""

from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from graphrag_tasks.workbench.questions.corpus import Corpus

DOCUMENTS = {
    "tables.md": """# Tables

The Delivery Monitor lists open deliveries for every shipping point. The table VBBE replaces the
table VBBS in release 1511. A shipping point is a location that handles outgoing deliveries.

The Delivery Monitor is used to find late deliveries.
""",
    "reports.md": """# Reports

The Stock Report starts the Delivery Monitor. The Stock Report does not read the table VBBS.

The Delivery Monitor writes an entry into the Shipping Log for every delivery.

MIGO posts every goods movement of the central warehouse.

## Importing the delivery notes

Open the menu of the Stock Report and choose the file. You can then select the shipping point and
press the button to import the delivery notes.
""",
    "board/pump.md": """# Pump

The Zephyr Pump controls the pressure of the cooling circuit.

The Zephyr Pump supports the following pressure levels:

* low: 2 bar
* medium: 6 bar
* high: 12 bar
""",
    "transactions.md": """# Transactions

| Transaction | Purpose | Successor |
|---|---|---|
| XD01 | create a customer | BP |
| XD02 | change a customer | BP |
| FK01 | create a vendor | BP |
| MB01 | post goods receipt | MIGO |
| MB02 | change goods receipt | MIGO |
| VA99 | archive sales orders |  |
""",
}


def indexed(folder: Path, documents: dict[str, str], **given: object) -> Snapshot:
    """Return the snapshot of some documents."""
    for name, text in documents.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = {
        "store": str(folder / "store"), "sources": [str(folder / "corpus")],
        "load": {"vector_store": "none"}, **given,
    }  # fmt: skip
    run_index(load_config(overrides=settings, environ={}), workers=1)
    return Store(str(folder / "store")).open()


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    indexed(folder, DOCUMENTS)
    return folder / "store"


@pytest.fixture(scope="package")
def snapshot(store: Path) -> Snapshot:
    return Store(str(store)).open()


@pytest.fixture(scope="package")
def corpus(snapshot: Snapshot) -> Corpus:
    return Corpus(snapshot)
