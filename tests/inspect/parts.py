"""What tests of exports and pages share: small graphs with hostile names, corpora, and browsers."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.export import Provenance, Selection
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.storage.files import CACHE_VARIABLE
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.corpora import made

HIDDEN = "Zephyr"  # A name that documents of the board alone hold.
BOARD_AND_STAFF = [{"path": "board/*", "labels": ["board"], "optional": True}, {"path": "*", "labels": ["staff"]}]
TEXT, NUMBER = pa.string(), pa.float64()
ENTITIES = pa.schema({"entity_id": TEXT, "name": TEXT, "type": TEXT, "mentions": pa.int64(), "chunks": pa.int64()})
RELATIONS = pa.schema(
    {"relation_id": TEXT, "head_id": TEXT, "relation": TEXT, "phrase": TEXT, "kind": TEXT,
     "tail_id": TEXT, "negated": pa.bool_(), "support": NUMBER, "confidence": NUMBER,
     "weight": NUMBER}
)  # fmt: skip
HOSTILE = [
    "VBBE", "=HYPERLINK(\"http://e.org\")", "</node><script>alert(1)</script>", "a \"quoted\" & b",
    "line\nbreak", "\x00\x1bcontrol", "+1", "@cmd", "-2+3", "naïve 😀 é", "n" * 10_000,
]  # fmt: skip


def selection(names: list[str], pairs: list[tuple[int, int, str]], title: str = "T") -> Selection:
    ids = [f"e{number}" for number in range(len(names))]
    entities = [
        {"entity_id": f"e{number}", "name": name, "type": None if number % 2 else "ORG",
         "mentions": number, "chunks": 1}
        for number, name in enumerate(names)
    ]  # fmt: skip
    relations = [
        {"relation_id": f"r{number}", "head_id": ids[head], "relation": relation,
         "phrase": f"{'not ' * (number % 2)}{relation}", "kind": "fact", "tail_id": ids[tail],
         "negated": number % 2 == 1, "support": 2.0, "confidence": 0.5, "weight": 1.0 + number}
        for number, (head, tail, relation) in enumerate(pairs)
    ]  # fmt: skip
    return Selection(
        title, pa.Table.from_pylist(entities, schema=ENTITIES), pa.Table.from_pylist(relations, schema=RELATIONS)
    )


SMALL = selection(HOSTILE, [(0, 1, "needs"), (0, 1, "=reads"), (1, 0, "is <b>"), (2, 3, "has")])

CHUNK_TEXT = 'It\'s "quoted" in C:\\"\n\n| a;b | \u2028 \\'

_PROVENANCE = {
    "evidence": {"relation_id": TEXT, "sentence_id": TEXT, "chunk_id": TEXT},
    "mentions": {"entity_id": TEXT, "chunk_id": TEXT, "mentions": pa.int64()},
    "aliases": {"entity_id": TEXT, "alias": TEXT},
    "sentences": {"sentence_id": TEXT, "chunk_id": TEXT, "text": TEXT, "page": pa.int32()},
    "chunks": {"chunk_id": TEXT, "document_id": TEXT, "ordinal": pa.int32(),
               "heading_path": pa.list_(TEXT), "text": TEXT, "page_start": pa.int32(),
               "page_end": pa.int32()},
    "documents": {"document_id": TEXT, "title": TEXT, "uri": TEXT, "media_type": TEXT,
                  "content_sha256": TEXT},
}  # fmt: skip


def sources(of: Selection, title: str = "T") -> Provenance:
    """Return the provenance of a graph whose relations one document states, each in a sentence."""
    entities, relations = (
        table[key].to_pylist() for table, key in ((of.entities, "entity_id"), (of.relations, "relation_id"))
    )
    rows = {
        "evidence": [{"relation_id": one, "sentence_id": f"s{one}", "chunk_id": "c"}
                     for one in relations],
        "mentions": [{"entity_id": one, "chunk_id": "c", "mentions": 1} for one in entities],
        "aliases": [{"entity_id": one, "alias": f"<b>{one}</b>"} for one in entities],
        "sentences": [{"sentence_id": f"s{one}", "chunk_id": "c", "text": f"=It is {one}.",
                       "page": 3} for one in relations],
        "chunks": [{"chunk_id": "c", "document_id": "d", "ordinal": 0, "text": CHUNK_TEXT,
                    "heading_path": ["=One", "a;b"], "page_start": 3, "page_end": None}],
        "documents": [{"document_id": "d", "title": title, "uri": "docs/a b<c>.md",
                       "media_type": "md", "content_sha256": None}],
    }  # fmt: skip
    return Provenance(
        **{name: pa.Table.from_pylist(rows[name], schema=pa.schema(columns)) for name, columns in _PROVENANCE.items()}
    )


def made_once(name: str, make: Callable[[Path], object], folder: Path) -> Path:
    """Fill a folder with a copy of what is made once for all processes of the run."""
    whole = Path(os.environ[CACHE_VARIABLE]) / name
    whole.mkdir(exist_ok=True)
    with (whole / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (whole / "store" / "CURRENT").exists():
            make(whole)
    return shutil.copytree(whole, folder, dirs_exist_ok=True)


def indexed(folder: Path) -> Snapshot:
    """Return the snapshot of three small documents, one of which denies what another says."""
    made_once("three-documents", lambda whole: made(whole, THREE), folder)
    return Store(str(folder / "store")).open()


THREE = {
    "tables.md": "# Table changes\n\nThe table VBBE replaces the table VBBS. The transaction MD04 shows the "
    "table VBBE.\n\n## Readers\n\nThe report ZSALES reads the table VBBS.\n",
    "odd.md": "# </script><script>alert(1)</script>\n\nThe <b>Gateway</b> needs the table VBBS.\n",
    "denied.md": "# Denied\n\nThe report ZSALES does not read the table VBBE.\n",
}


_apps: dict[str, FastAPI] = {}


def app_of(config: Config) -> FastAPI:
    """Return the pages of a configuration for a reader who is let in, made once."""
    key = config.model_dump_json()
    if key not in _apps:
        _apps[key] = make_app(lambda: None, config)
    return _apps[key]


def client(config: Config, *principals: str) -> TestClient:
    """Return a browser that is let in, of somebody with these principals."""
    if principals:
        config = config.model_copy(update={"pages": config.pages.model_copy(update={"principals": principals})})
    return TestClient(app_of(config), follow_redirects=False)


def document_named(config: Config, path: str) -> str:
    """Return the id of a document."""
    rows = Store(config.store).open().table("documents", ["document_id", "path"]).to_pylist()
    return next(str(row["document_id"]) for row in rows if row["path"] == path)
