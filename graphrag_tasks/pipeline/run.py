"""Run: plan a reindex, run its stages, publish.

::

    STORE/staging/runs/<run id>/run.json, sources.parquet, <stage>.receipt.json
    STORE/staging/runs/<run id>/snapshot/        becomes STORE/snapshots/<snapshot id>
    STORE/staging/shards/<fingerprint>/          tables and receipt of one stage on one shard

Run and shard folders are named by content: after a killed run, the next run with the same inputs finds the finished
work by its receipts, and does only the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from types import MappingProxyType

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import SnapshotError, TransientError
from graphrag_tasks.core.left_out import FailedDocuments
from graphrag_tasks.core.progress import Progress, measured, release
from graphrag_tasks.embed.protocol import KEPT_VECTORS
from graphrag_tasks.llm.request import Forecast
from graphrag_tasks.pipeline import vectors
from graphrag_tasks.pipeline.inputs import ask_groups, batch, call, price, spent_usd, what_was_asked
from graphrag_tasks.pipeline.outlook import look_ahead
from graphrag_tasks.pipeline.plan import lots
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, SHARD_STAGES, STAGES_OF_SHARDS, AnyStage, merge_shards
from graphrag_tasks.pipeline.state import RunState, carried_result, finished_receipt, published_receipt
from graphrag_tasks.storage.artifacts import Folder, Receipt
from graphrag_tasks.storage.locks import sole_run
from graphrag_tasks.storage.snapshots.manifests import Manifest, settings_of
from graphrag_tasks.storage.snapshots.publish import build_manifest, publish, summarize, time_of_publish
from graphrag_tasks.storage.snapshots.store import Snapshot, write_table

_DOCUMENTS = "documents"

log = logging.getLogger(__name__)

FEW_DOCUMENTS = 500
"""Most documents of a corpus whose run is small. Chosen: where one of 337 changed, all stages take 22 CPU seconds."""
MOST_TASKS = 256  # Mapped tasks of a stage, each of one shard or several; Airflow maps at most 1,024 by default.


@dataclass(frozen=True)
class Published:
    """Result of a run: the current snapshot, and whether this run changed it."""

    manifest: Manifest
    changed: bool


Gate = Callable[[Snapshot, Snapshot | None], Mapping[str, float]]
"""Returns figures of a staged snapshot, or raises if it is worse than the published one."""


class Run:
    """A reindex, identified by its folder."""

    def __init__(self, state: RunState) -> None:
        self.state = state

    @property
    def uri(self) -> str:
        """The run's folder, which tasks pass on."""
        return self.state.folder.uri

    @property
    def shards(self) -> list[int]:
        """Numbers of the shards with work."""
        return self.state.shards

    @property
    def is_up_to_date(self) -> bool:
        """Whether the current snapshot is what the run would publish."""
        return self.state.basis.up_to_date

    @property
    def is_small(self) -> bool:
        """Whether one task reads all that changed, in a corpus whose other stages take less than their tasks' start.

        If only settings changed it is not: all texts may have to be embedded again, which is done in parts.
        """
        return len(self.shards) == 1 and self.state.sources.num_rows <= FEW_DOCUMENTS

    @property
    def lots(self) -> list[list[int]]:
        """The shards' numbers, distributed to at most `MOST_TASKS` tasks."""
        return lots(self.shards, MOST_TASKS)

    @classmethod
    def open(cls, uri: str) -> Run:
        """Open a started run, or raise `ArtifactError` if there is none."""
        return cls(RunState(Folder(uri)))

    @classmethod
    def start(cls, config: Config) -> tuple[Run, Receipt]:
        """Plan a run, and return it with the plan's receipt; see `look_ahead`."""
        with measured() as cost:
            outlook = look_ahead(config)
            state = RunState.freeze(outlook)
            fingerprint = outlook.fingerprints[merge_shards.name]
            table = state.folder.write_table("sources", outlook.sources, fingerprint=fingerprint)
        tables, stats = {"sources": table}, dict(outlook.stats)
        receipt = Receipt("plan", state.folder.uri, fingerprint, tables, stats, **asdict(cost))
        state.folder.write_receipt(receipt)
        return cls(state), receipt

    def process_shard(self, stage: str, shard: int, made: Mapping[str, object] = MappingProxyType({})) -> Receipt:
        """Run a shard stage on one shard; the stage before must have run.

        Inputs already in `made` are not made again.
        """
        fingerprint = self.state.basis.fingerprints[stage]
        return self._finish(STAGES_OF_SHARDS[stage], fingerprint, shard, made=made)

    def process_lot(self, stage: str, shards: Sequence[int]) -> list[Receipt]:
        """Run a shard stage on several shards; log progress and failed documents."""
        receipts = []
        sizes = [self.state.shard_rows(shard).num_rows for shard in shards]
        progress = Progress(log, stage, sum(sizes), "documents")
        with FailedDocuments(log) as failed:
            for done, shard in zip(accumulate(sizes), shards, strict=True):
                receipts.append(self.process_shard(stage, shard))
                progress.reach(done)
                if _DOCUMENTS in STAGES_OF_SHARDS[stage].makes:
                    failed.tell(self.state.shard_tables(shard).read_table(_DOCUMENTS))
        return receipts

    @property
    def asks(self) -> bool:
        """Whether a language model reads: then `ask` runs after the shards, and `adopt` on each."""
        return self.state.config.extract.asks

    def ask(self, *, may_spend: bool = True) -> list[Receipt]:
        """Ask the language model about all shards, whose stages must have run.

        Without `may_spend`, unanswered requests count as over budget.
        """
        if may_spend and (under_way := self.batch()):
            what = f"{under_way:,} requests are under way in batches, which takes up to a day"
            raise TransientError(what, "ask", "Run again to take the answers")
        found = {shard: self._finished_shard("ask", shard) for shard in self.shards}
        waiting = [one for one, receipt in found.items() if receipt is None]
        for shards, reader in ask_groups(self.state, waiting, may_spend=may_spend):
            for shard in shards:
                found[shard] = self.process_shard("ask", shard, {"reader": reader})
        return [one for one in found.values() if one is not None]

    def batch(self) -> int:
        """Submit what `ask` would ask as batches, if the settings say so.

        Fetch answers and create batches; return the number of pending requests: call again until it is 0.
        """
        if self.state.config.llm.batch == "off":
            return 0
        return batch(self.state, self._unasked())

    def price(self) -> Forecast:
        """Return the forecast for `ask`; nothing is sent."""
        return price(self.state, self._unasked())

    def spent_usd(self) -> float | None:
        """Return the run's spending on language models; None without one, or without a price."""
        usd = spent_usd(self.state) if self.state.config.llm.model else None
        return None if usd is None else float(usd)

    def _unasked(self) -> list[int]:
        return [shard for shard in self.shards if not self._finished_shard("ask", shard)]

    def _finished_shard(self, stage: str, shard: int) -> Receipt | None:
        folder = self.state.shard_folder(shard, stage)
        if self.state.config.plan.full_refresh:
            return None
        return finished_receipt(stage, self.state.basis.fingerprints[stage], folder, folder)

    def process_corpus(self, stage: str) -> Receipt:
        """Run one of `CORPUS_STAGES`, unless its tables are current, after the earlier ones."""
        state, fingerprint = self.state, self.state.basis.fingerprints[stage]
        if state.basis.up_to_date:
            return Receipt(stage, state.store.folder.uri, fingerprint, tables={}, reused=True)
        return self._finish(CORPUS_STAGES[stage], fingerprint)

    def process_part(self, stage: str, part: int) -> Receipt | None:
        """Run a divisible stage on one of `plan.parts` parts of its rows; None without it."""
        if part not in self.state.parts:
            return None
        fingerprint = self.state.basis.fingerprints[stage]
        return self._finish(CORPUS_STAGES[stage], fingerprint, part=part)

    def _finish(
        self,
        stage: AnyStage,
        fingerprint: str,
        shard: int | None = None,
        part: int | None = None,
        made: Mapping[str, object] = MappingProxyType({}),
    ) -> Receipt:
        """Run a stage unless it is done, and write its receipt."""
        name, again = stage.name, self.state.config.plan.full_refresh
        receipts, tables = self.state.folder, self.state.staged
        if shard is not None:
            receipts = tables = self.state.shard_folder(shard, name)
        if part is not None:
            receipts = tables = self.state.part_folder(name, part)
        if not again and (done := finished_receipt(name, fingerprint, receipts, tables)):
            return done
        release()
        with measured() as cost:
            receipt = None if again else published_receipt(stage, fingerprint, self.state)
            if receipt is None:
                carried = None if shard is None else carried_result(stage, shard, self.state)
                with carried or call(stage, self.state, shard, part, made) as result:
                    written = {
                        table: write_table(tables, table, rows, fingerprint=fingerprint)
                        for table, rows in result.tables.items()
                    }
                stats, reused = dict(result.stats), carried is not None
                receipt = Receipt(name, tables.uri, fingerprint, written, stats, reused=reused)
        receipt = replace(receipt, **asdict(cost))
        receipts.write_receipt(receipt)
        verb = "taken over" if receipt.reused else "done"
        log.info("%s: %s in %.1f s, %s", name, verb, receipt.seconds, dict(receipt.stats))
        return receipt

    def publish(self, gate: Gate | None = None) -> Published:
        """Verify the staged snapshot, make it current, and remove the run's staging folders.

        The manifest keeps the gate's figures.
        """
        with sole_run(self.state.store.folder):
            return self._publish(gate)

    def _publish(self, gate: Gate | None) -> Published:
        state, basis = self.state, self.state.basis
        current = state.store.current_id()
        if basis.up_to_date:
            state.folder.delete()
            return Published(state.store.open().manifest, changed=False)
        receipts = self._receipts()
        of_corpus = [receipt for receipt in receipts if receipt.stage in CORPUS_STAGES]
        manifest = build_manifest(
            {name: table for one in of_corpus for name, table in one.tables.items()},
            embedding=vectors.identity(state.config, basis.engine),
            parent_id=basis.parent_id,
            now=time_of_publish(state.store),
            fingerprints=basis.fingerprints,
            settings=settings_of(state.config.communities),
            sources={root.name: root.whole for root in basis.roots},
            collections=vectors.collections(state.config),
            stats={
                **summarize(receipts, corpus_stages=("plan", *CORPUS_STAGES)),
                **({"llm": what_was_asked(state, receipts)} if self.asks else {}),
            },
        )
        if current not in (basis.parent_id, manifest.snapshot_id):
            raise SnapshotError(
                f"another run published {current} since this one was planned on {basis.parent_id}",
                "publish",
                "Run again: the work of this run is found and reused",
            )
        if gate is not None:
            staged = Snapshot.of(state.staged, manifest)
            quality = dict(gate(staged, state.parent))
            manifest = replace(manifest, stats={**manifest.stats, "quality": quality})
        changed = publish(state.store, state.staged, manifest)
        for shard in state.shards:
            for stage in self._stages_of_shards:
                state.shard_folder(shard, stage).delete()
        (state.store.staging / KEPT_VECTORS).delete()
        state.folder.delete()
        return Published(state.store.open().manifest, changed)

    def _receipts(self) -> list[Receipt]:
        folder, shards = self.state.folder, self.state.shards
        wanted = [(folder, "plan")]
        wanted += [
            (self.state.shard_folder(shard, stage), stage) for stage in self._stages_of_shards for shard in shards
        ]
        for stage in CORPUS_STAGES:
            wanted += [(part, stage) for part in self._finished_parts(stage)] + [(folder, stage)]
        found = [(stage, folder.read_receipt(stage)) for folder, stage in wanted]
        if missing := [stage for stage, receipt in found if receipt is None]:
            raise SnapshotError(f"stages have not finished: {', '.join(missing)}", "publish")
        return [receipt for _, receipt in found if receipt is not None]

    @property
    def _stages_of_shards(self) -> Mapping[str, AnyStage]:
        return STAGES_OF_SHARDS if self.asks else SHARD_STAGES

    def _finished_parts(self, stage: str) -> list[Folder]:
        folders = [self.state.part_folder(stage, part) for part in self.state.parts]
        return [folder for folder in folders if folder.read_receipt(stage) is not None]
