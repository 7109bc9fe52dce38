"""Fingerprints of a run: what each stage's output depends on, as a chain of hashes.

A change of a stage's configuration, code, model or libraries changes the fingerprint of that stage
and of all behind it, and of none before it. Shard sizes, worker counts, guards and times are left
out: they cannot change a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from graphrag_tasks import language as nlp
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.stage import code_version, dependency_versions
from graphrag_tasks.embed import make_embedder
from graphrag_tasks.entities.resolve import Overrides
from graphrag_tasks.extract.coref.protocol import load_resolver
from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.pipeline.stages import MODULES


@dataclass(frozen=True)
class Fingerprints:
    """What the outputs of a run depend on.

    Attributes:
        extraction: Configuration, code and models of parse, chunk, filter_sentences and extract;
            documents processed under another one cannot be carried over.
        collect: That, and the documents' contents and access labels.
        gazetteer: That and the gazetteer stage.
        normalize: All before it and the normalise stage.
        resolve: All before it, the resolve stage and the user's overrides.
        mention: All before it and the mention stage.
        relate: All before it, the relate stage and the expert's schema.
        communities: All before it, the communities stage and how edges are weighed.
        embed: All before it and the embed stage.
        load: All before it and the load stage: the whole snapshot.
    """

    extraction: str
    collect: str
    gazetteer: str
    normalize: str
    resolve: str
    mention: str
    relate: str
    communities: str
    embed: str
    load: str

    @classmethod
    def of(
        cls, config: Config, listed: pa.Table, *, overrides: Overrides, schema: GraphSchema
    ) -> Fingerprints:
        """Compute the chain for a configuration, a listing of the sources and a user's files."""
        resolver = load_resolver(config.extract.coref)
        extraction = fingerprint(
            {
                "schema": schemas.SCHEMA_VERSION,
                "parse": _part("parse", config.parse.model_dump()),
                "chunk": _part("chunk", config.chunk.model_dump()),
                "filter_sentences": _part("filter_sentences", config.sentences.model_dump())
                | {"model": nlp.model_version(config.sentences.model)},
                "extract": _part("extract", config.extract.model_dump(exclude={"batch_size"}))
                | {"model": nlp.model_version(config.extract.model)},
                "resolver": [resolver.fingerprint, code_version(type(resolver).__module__)],
            }
        )
        collected_columns = ["document_id", "content_sha256", "labels", "labels_error"]
        documents = listed.select(collected_columns).to_pylist()
        collected = _chain(extraction, "collect", documents=documents)
        listed_names = _chain(
            collected,
            "gazetteer",
            config=config.gazetteer.model_dump(),
        )
        normalized = _chain(
            listed_names,
            "normalize",
            config=config.normalize.model_dump(),
            model=nlp.model_version(config.normalize.model),
        )
        resolved = _chain(
            normalized,
            "resolve",
            config=config.resolve.model_dump(exclude={"overrides"}),
            overrides=overrides.fingerprint,
            model=nlp.model_version(config.resolve.model),
        )
        mentioned = _chain(
            resolved,
            "mention",
            config=config.mention.model_dump(),
            model=nlp.model_version(config.mention.model),
        )
        related = _chain(mentioned, "relate", schema=schema.fingerprint)
        graph = config.graph.model_dump()
        grouped = _chain(
            related, "communities", config=config.communities.model_dump(), graph=graph
        )
        model = make_embedder(config.embed).fingerprint
        embedded = _chain(grouped, "embed", model=model, heading_path=config.embed.heading_path)
        # The vector server holds a copy of the snapshot: it changes nothing in it.
        loaded = _chain(embedded, "load", graph=graph)
        return cls(
            extraction, collected, listed_names, normalized, resolved, mentioned, related, grouped,
            embedded, loaded,
        )  # fmt: skip

    def by_stage(self) -> dict[str, str]:
        """Return the fingerprints by name: `extraction`, then each corpus stage, in order."""
        return asdict(self)


def _part(module: str, config: Mapping[str, Any]) -> dict[str, Any]:
    name = MODULES[module]
    dependencies = dependency_versions(import_module(name).DEPENDENCIES)
    return {"config": dict(config), "code": code_version(name), "dependencies": dependencies}


def _chain(before: str, module: str, **inputs: Any) -> str:  # noqa: ANN401 - any JSON
    return fingerprint({"before": before, **_part(module, {}), **inputs})
