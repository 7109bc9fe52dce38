"""Runs: the stages on artifacts, from a plan to a published snapshot.

A `Run` is what Airflow tasks, the command line and tests share. It is found again by its folder
alone, so every task opens it anew; what it was configured with, and the snapshot it builds on, are
frozen in `run.json` when the plan is made.

::

    STORE/staging/runs/<run id>/run.json, sources.parquet, <stage>.receipt.json
    STORE/staging/runs/<run id>/snapshot/        becomes STORE/snapshots/<snapshot id>
    STORE/staging/shards/<shard fingerprint>/    tables and receipts of parse ... extract

Run and shard folders are named by content: when a run is killed, the next one with the same inputs
finds the finished work by its receipts and does only the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks import embed as embedding
from graphrag_tasks import schemas
from graphrag_tasks.artifacts import Folder, Receipt
from graphrag_tasks.collect import collect, empty_corpus
from graphrag_tasks.config import Config
from graphrag_tasks.coref.protocol import load_resolver
from graphrag_tasks.cost import measured
from graphrag_tasks.errors import SnapshotError
from graphrag_tasks.extract import ParseRecorder, extract, make_extractor, resolve_mentions
from graphrag_tasks.fingerprints import Fingerprints
from graphrag_tasks.ids import content_id
from graphrag_tasks.parse.pdf.engines import check_pdf_engine
from graphrag_tasks.plan import plan, shards_of
from graphrag_tasks.publish import build_manifest, publish
from graphrag_tasks.resolve import load_overrides
from graphrag_tasks.snapshots import ARROW_TABLES, Manifest, Snapshot, Store, write_table
from graphrag_tasks.sources import SourceReader, SourceRoot, list_sources, source_roots
from graphrag_tasks.stage import StageResult, dependency_versions
from graphrag_tasks.summary import summarize

log = logging.getLogger(__name__)

SHARD_STAGES: Final = ("parse", "chunk", "filter_sentences", "extract")
"""Stages that see the documents of one shard, in order."""

CORPUS_STAGES: Final = (
    "collect",
    "normalize",
    "resolve",
    "relate",
    "communities",
    "embed",
    "load",
)
"""Stages that see the whole corpus, in order."""

_RUN_FILE = "run.json"


@dataclass(frozen=True)
class Published:
    """How a run ended.

    Attributes:
        manifest: The snapshot that is current now.
        changed: Whether this run published it; False where the content was current already.
    """

    manifest: Manifest
    changed: bool


class Run:
    """One reindex, identified by its folder.

    Args:
        folder: What `Run.start` made and `Run.uri` names.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        state = folder.read_json(_RUN_FILE)
        self.config = Config.model_validate(state["config"])
        self.parent_id: str | None = state["parent_id"]
        self.roots = tuple(SourceRoot(**root) for root in state["roots"])
        self.fingerprints = Fingerprints(**state["fingerprints"])
        self.store = Store(self.config.store)
        self._staged = folder / "snapshot"

    @property
    def uri(self) -> str:
        """The run's folder: what tasks hand on."""
        return self.folder.uri

    @classmethod
    def open(cls, uri: str) -> Run:
        """Open a run that was started before.

        Raises:
            ArtifactError: There is no such run; plan again.
        """
        return cls(Folder(uri))

    @classmethod
    def start(cls, config: Config) -> tuple[Run, Receipt]:
        """Plan a run: list the sources, compare them with what is published, cut shards.

        Args:
            config: Everything the run needs.

        Returns:
            The run and the receipt of its plan.

        Raises:
            SourceError: A source is missing, lists nothing, or lost too much.
            ConfigError: Two sources have one name, or there is no such extractor.
            MissingDependencyError: Packages or models that the configuration asks for are absent.
        """
        with measured() as cost:
            roots = source_roots(config.sources)
            make_extractor(config.extract)  # refuses a wrong name or model before any work
            check_pdf_engine(config.parse)
            store = Store(config.store)
            parent = store.open() if store.current_id() else None
            listed = list_sources(roots)
            fingerprints = Fingerprints.of(config, listed)
            result = plan(
                listed,
                parent.table("documents") if parent else schemas.empty("documents"),
                config=config.plan,
                reprocess=parent is not None
                and parent.manifest.extraction_fingerprint != fingerprints.extraction,
            )
            parent_id = parent.snapshot_id if parent else None
            run_id = content_id(
                "run", fingerprints.load, str(parent_id), int(config.plan.full_refresh)
            )
            folder = store.staging / "runs" / run_id
            folder.write_json(
                _RUN_FILE,
                {
                    "config": config.model_dump(mode="json"),
                    "parent_id": parent_id,
                    "roots": [asdict(root) for root in roots],
                    "fingerprints": asdict(fingerprints),
                },
            )
            table = folder.write_table(
                "sources", result.tables["sources"], fingerprint=fingerprints.collect
            )
        receipt = Receipt(
            stage="plan",
            uri=folder.uri,
            fingerprint=fingerprints.collect,
            tables={"sources": table},
            stats=dict(result.stats),
            seconds=cost.seconds,
            peak_memory_bytes=cost.peak_memory_bytes,
        )
        folder.write_receipt(receipt)
        return cls(folder), receipt

    @cached_property
    def sources(self) -> pa.Table:
        """The plan's rows."""
        return self.folder.read_table("sources")

    @cached_property
    def shards(self) -> list[int]:
        """Numbers of the shards there is work for."""
        return shards_of(self.sources)

    @cached_property
    def parent(self) -> Snapshot | None:
        """The snapshot this run builds on."""
        return self.store.open(self.parent_id) if self.parent_id else None

    def process(self, stage: str, shard: int) -> Receipt:
        """Run one of `SHARD_STAGES` on one shard.

        Args:
            stage: Name of the stage; the one before it must have run.
            shard: Number from `shards`.
        """
        folder = self._shard_folder(shard)
        work: Callable[[], StageResult] = {
            "parse": lambda: self._parse(shard),
            "chunk": lambda: self._chunk(folder),
            "filter_sentences": lambda: self._filter_sentences(folder),
            "extract": lambda: self._extract(folder),
        }[stage]
        return self._finish(stage, folder, work, self.fingerprints.extraction)

    def _shard_rows(self, shard: int) -> pa.Table:
        return self.sources.filter(pc.equal(self.sources["shard"], shard))

    def _shard_folder(self, shard: int) -> Folder:
        rows = self._shard_rows(shard).select(["document_id", "content_sha256"]).to_pylist()
        parts = [str(value) for row in rows for value in row.values()]
        name = content_id("shard", self.fingerprints.extraction, *parts)
        return self.store.staging / "shards" / name

    def _parse(self, shard: int) -> StageResult:
        from graphrag_tasks.parse import parse

        reader = SourceReader(self.roots)
        return parse(self._shard_rows(shard), config=self.config.parse, fetch=reader.fetch)

    def _chunk(self, folder: Folder) -> StageResult:
        from graphrag_tasks.chunk import chunk

        return chunk(
            folder.read_table("documents", ["document_id", "uri", "source", "path"]),
            folder.read_table("blocks"),
            config=self.config.chunk,
        )

    def _filter_sentences(self, folder: Folder) -> StageResult:
        from graphrag_tasks.filter_sentences import filter_sentences

        return filter_sentences(
            folder.read_table("documents", ["document_id", "language"]),
            folder.read_table("blocks"),
            folder.read_table("chunks"),
            config=self.config.sentences,
        )

    def _extract(self, folder: Folder) -> StageResult:
        config, recorder = self.config.extract, ParseRecorder()
        extractor = make_extractor(config, on_parse=recorder.record)
        sentences = folder.read_table("sentences")
        return resolve_mentions(
            extract(
                folder.read_table("blocks"),
                folder.read_table("cells"),
                sentences,
                extractor=extractor,
                config=config,
            ),
            folder.read_table("documents", ["document_id", "title"]),
            folder.read_table("chunks", ["chunk_id", "heading_path"]),
            sentences,
            parses=recorder.parses,
            resolver=load_resolver(config.coref),
            min_confidence=config.coref_min_confidence,
        )

    def collect(self) -> Receipt:
        """Join the shards' rows with the rows carried over from the parent snapshot."""

        def work() -> StageResult:
            corpus = empty_corpus()
            folders = [self._shard_folder(shard) for shard in self.shards]
            processed = {
                name: pa.concat_tables([empty, *(one.read_table(name) for one in folders)])
                for name, empty in corpus.items()
            }
            published = (
                {name: self.parent.table(name) for name in corpus} if self.parent else corpus
            )
            return collect(self.sources, processed, published, config=self.config.collect)

        return self._corpus_stage("collect", work)

    def normalize(self) -> Receipt:
        """Turn the heads and tails of triples into names."""
        from graphrag_tasks.normalize import normalize

        return self._corpus_stage(
            "normalize",
            lambda: normalize(
                self._staged.scan_table("triples"),
                config=self.config.normalize,
                sql=self.config.sql,
            ),
        )

    def resolve(self) -> Receipt:
        """Decide which names are one entity."""
        from graphrag_tasks.resolve import resolve

        return self._corpus_stage(
            "resolve",
            lambda: resolve(
                self._staged.scan_table("triples"),
                self._staged.read_table("surfaces"),
                self._staged.read_table("names"),
                config=self.config.resolve,
                sql=self.config.sql,
                overrides=load_overrides(self.config.resolve.overrides),
            ),
        )

    def relate(self) -> Receipt:
        """Turn triples into relations between entities."""
        from graphrag_tasks.relate import relate

        return self._corpus_stage(
            "relate",
            lambda: relate(
                self._staged.scan_table("triples"),
                self._staged.read_table("surfaces"),
                self._staged.read_table("resolved"),
                sql=self.config.sql,
            ),
        )

    def communities(self) -> Receipt:
        """Find the communities of the graph and summarise them."""
        from graphrag_tasks import communities as finding

        def work() -> StageResult:
            return finding.communities(
                {name: self._staged.read_table(name) for name in finding.REQUIRES},
                config=self.config.communities,
                graph=self.config.graph,
                summarizer=finding.ExtractiveSummarizer(),
                published=self.parent.table("communities") if self.parent else None,
            )

        return self._corpus_stage("communities", work)

    def embed(self) -> Receipt:
        """Embed chunks, entities and relations, reusing the parent's vectors by text."""

        def work() -> StageResult:
            embedder = embedding.make_embedder(self.config.embed)
            reusable: dict[str, pa.Table] = {}
            if self.parent and self.parent.manifest.embedding == self._embedding():
                reusable = {name: self.parent.table(name) for name in embedding.PRODUCES}
            return embedding.embed(
                self._staged.read_table("chunks", ["chunk_id", "text", "heading_path"]),
                self._staged.read_table("entities", ["entity_id", "name"]),
                self._staged.read_table("relations", ["relation_id", "text"]),
                embedder=embedder,
                heading_path=self.config.embed.heading_path,
                reusable=reusable,
            )

        return self._corpus_stage("embed", work)

    def _embedding(self) -> dict[str, Any]:
        """Return what vectors depend on: two runs that agree in it may share them."""
        embedder = embedding.make_embedder(self.config.embed)
        return {
            "model": self.config.embed.model,
            "max_tokens": self.config.embed.max_tokens,
            "fingerprint": embedder.fingerprint,
            "dimension": embedder.dimension,
            "libraries": dependency_versions(embedding.DEPENDENCIES),
        }

    def load(self) -> Receipt:
        """Build the graph's arrays and copy the vectors to the vector server, if there is one."""
        from graphrag_tasks.load import load

        def work() -> StageResult:
            result = load(
                self._staged.read_table(
                    "chunks", ["chunk_id", "document_id", "next_id", "ordinal"]
                ),
                self._staged.read_table("entities", ["entity_id"]),
                self._staged.read_table("relations"),
                self._staged.read_table("mentions", ["entity_id", "chunk_id"]),
                self._staged.read_table("links"),
                self._staged.read_table("anchors"),
                config=self.config.load,
            )
            return replace(
                result, stats={**result.stats, "vectors_inserted": self._serve_vectors()}
            )

        return self._corpus_stage("load", work)

    def _collections(self) -> dict[str, str]:
        """Return the physical collection of each kind of vector."""
        from graphrag_tasks.load.vector_store import collection_name

        if self.config.load.vector_store == "none":
            return {}
        model = embedding.make_embedder(self.config.embed).fingerprint
        return {
            name: collection_name(name.removesuffix("_vectors"), model)
            for name in schemas.VECTOR_TABLES
        }

    def _serve_vectors(self) -> int:
        from graphrag_tasks.load import open_vector_store

        server = open_vector_store(self.store.folder, self.config.load)
        if server is None:
            return 0
        try:
            return sum(
                server.insert_new(collection, self._staged.open_arrow(ARROW_TABLES[name]))
                for name, collection in self._collections().items()
            )
        finally:
            server.close()

    def publish(self) -> Published:
        """Check the staged snapshot, make it current, and remove the run's staging folders.

        Raises:
            SnapshotError: Another run published since this one was planned, a table is missing
                or damaged; `CURRENT` is left alone.
        """
        current = self.store.current_id()
        receipts = self._receipts()
        tables = {name: table for one in receipts for name, table in one.tables.items()
                  if one.stage in CORPUS_STAGES}  # fmt: skip
        manifest = build_manifest(
            tables,
            embedding=self._embedding(),
            parent_id=self.parent_id,
            fingerprint=self.fingerprints.load,
            extraction_fingerprint=self.fingerprints.extraction,
            sources={root.name: root.uri for root in self.roots},
            collections=self._collections(),
            stats=summarize(receipts, corpus_stages=("plan", *CORPUS_STAGES)),
        )
        if current not in (self.parent_id, manifest.snapshot_id):
            raise SnapshotError(
                f"another run published {current} since this one was planned on {self.parent_id}",
                "publish",
                "Run again: the work of this run is found and reused",
            )
        changed = publish(self.store, self._staged, manifest)
        for shard in self.shards:
            self._shard_folder(shard).delete()
        self.folder.delete()
        return Published(self.store.open().manifest, changed)

    def _receipts(self) -> list[Receipt]:
        """Return the receipts of the run so far, in the order of the stages."""
        folders = [self._shard_folder(shard) for shard in self.shards]
        wanted = [(self.folder, "plan")]
        wanted += [(folder, stage) for stage in SHARD_STAGES for folder in folders]
        wanted += [(self.folder, stage) for stage in CORPUS_STAGES]
        found = [folder.read_receipt(stage) for folder, stage in wanted]
        missing = [stage for (_, stage), one in zip(wanted, found, strict=True) if one is None]
        if missing:
            raise SnapshotError(f"stages have not finished: {', '.join(missing)}", "publish")
        return [one for one in found if one is not None]

    def _corpus_stage(self, stage: str, work: Callable[[], StageResult]) -> Receipt:
        fingerprint = self.fingerprints.of_stage(stage)
        return self._finish(stage, self.folder, work, fingerprint, tables_in=self._staged)

    def _finish(
        self,
        stage: str,
        folder: Folder,
        work: Callable[[], StageResult],
        fingerprint: str,
        tables_in: Folder | None = None,
    ) -> Receipt:
        """Do the work unless its receipt says that it is done, and leave a receipt."""
        tables_in = tables_in or folder
        done = folder.read_receipt(stage)
        if done and not self.config.plan.full_refresh and done.fingerprint == fingerprint:
            return replace(done, reused=True)
        with measured() as cost:
            result = work()
            tables = {
                name: write_table(tables_in, name, rows, fingerprint=fingerprint)
                for name, rows in result.tables.items()
            }
        receipt = Receipt(
            stage=stage,
            uri=tables_in.uri,
            fingerprint=fingerprint,
            tables=tables,
            stats=dict(result.stats),
            seconds=cost.seconds,
            peak_memory_bytes=cost.peak_memory_bytes,
        )
        folder.write_receipt(receipt)
        log.info("%s: %s in %.1f s", stage, dict(receipt.stats), receipt.seconds)
        return receipt
