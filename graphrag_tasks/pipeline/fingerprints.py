"""Fingerprints of a run: what each stage's output depends on, as a chain of hashes.

A change of a stage's configuration, code, model or libraries changes the fingerprints of that stage
and all later ones. Shard sizes, worker counts, guards and times cannot change a row, so they are
left out.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from graphrag_tasks import language
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.config.sections import LanguageConfig
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.stage import code_version, dependency_versions
from graphrag_tasks.pipeline.inputs import GIVEN
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, EXTRACTION, SHARD_STAGES, AnyStage
from graphrag_tasks.pipeline.user_files import UserFiles

_OF_SOURCES = ["document_id", "content_sha256", "labels", "labels_error"]


def fingerprints_of(config: Config, listed: pa.Table, files: UserFiles) -> dict[str, str]:
    """Return the fingerprint of each corpus stage, and of all stages of shards as `EXTRACTION`.

    Each covers all stages before it, so the last one names the whole snapshot.
    """
    parts = {name: _part(one, config, files) for name, one in SHARD_STAGES.items()}
    before = fingerprint({"schema": schemas.SCHEMA_VERSION, **parts})
    found = {EXTRACTION: before}
    for name, one in CORPUS_STAGES.items():
        part = _part(one, config, files) | {"before": before}
        if any(read.name == "sources" for read in one.reads):
            part["sources"] = listed.select(_OF_SOURCES).to_pylist()
        before = found[name] = fingerprint(part)
    return found


def _part(one: AnyStage, config: Config, files: UserFiles) -> dict[str, Any]:
    sections = {name: getattr(config, name) for name in one.settings.values()}
    models = {
        name: language.model_version(section.model)
        for name, section in sections.items()
        if isinstance(section, LanguageConfig)
    }
    return {
        "settings": {name: section.decisive() for name, section in sections.items()},
        "models": models,
        "given": {name: GIVEN[name].identity(config, files) for name in one.given},
        "code": code_version(one.module),
        "libraries": dependency_versions(one.libraries),
    }
