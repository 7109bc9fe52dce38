"""DuckDB and Spark side by side: the two stages that run on either, on synthetic triples.

Both run in this process, and Spark in its JVM, after a run on a small corpus that warms both up.
Times are from the first byte read to the last written; CPU seconds count all threads of both
processes. The files that both write must be equal. Every name is an entity of its own, so that
what is between the two stages need not run. Prints a table row by row.

    python -m benchmarks.spark --triples 100000 2500000
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from benchmarks.graph_corpus import write_corpus
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, RelationshipsConfig, SqlConfig
from graphrag_tasks.core.cost import Cost, measured
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.entities.normalize.stage import normalize
from graphrag_tasks.graph.relationships.stage import relationships
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.sql import id_of, sql_over

_WARM_UP = 2_000
"""Triples of the corpus that warms up; chosen."""
_ENGINES = ("duckdb", "spark")
_HEAD = """\
| triples | stage | engine | seconds | CPU seconds | files |
|---|---|---|---|---|---|"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, nargs="+", default=[100_000])
    parser.add_argument("--threads", type=int, default=SqlConfig().threads)
    parser.add_argument("--memory-bytes", type=int, default=SqlConfig().memory_bytes)
    options = parser.parse_args()
    settings = {"threads": options.threads, "memory_bytes": options.memory_bytes}
    folder = Path(tempfile.mkdtemp(prefix="graphrag-bench-"))
    try:
        for _ in measure(folder / "warm-up", _WARM_UP, settings):
            pass
        print(_HEAD)
        for triples in options.triples:
            for row in measure(folder / str(triples), triples, settings):
                print(row, flush=True)
    finally:
        shutil.rmtree(folder)


def measure(folder: Path, triples: int, settings: Mapping[str, int]) -> Iterator[str]:
    """Yield a row of the table for each stage and engine."""
    write_corpus(folder, triples)
    corpus = Folder(folder)
    corpus.write_table(
        "entity_dictionary", schemas.ENTITY_DICTIONARY.empty_table(), fingerprint="benchmark"
    )
    corpus.write_table("senses", schemas.SENSES.empty_table(), fingerprint="benchmark")
    for stage in (normalize, relationships):
        hashes: dict[str, list[str]] = {}
        for engine in _ENGINES:
            made = Folder(folder / engine)
            sql = SqlConfig.model_validate({**settings, "engine": engine})
            with measured() as cost, _result(stage.name, folder, sql) as result:
                hashes[engine] = [
                    made.write_table(name, rows, fingerprint="benchmark").sha256
                    for name, rows in result.tables.items()
                ]
            same = "equal" if hashes[engine] == hashes[_ENGINES[0]] else "DIFFER"
            yield _row(triples, stage.name, engine, cost, same)
        if stage is normalize:
            _resolve(folder)


def _result(stage: str, folder: Path, sql: SqlConfig) -> StageResult:
    def rows(name: str) -> ds.Dataset:
        return ds.dataset(folder / f"{name}.parquet")

    if stage == normalize.name:
        inputs = (rows(one.name) for one in normalize.reads)
        return normalize(*inputs, language=LanguageConfig(), sql=sql)
    return relationships(
        *(rows(one.name) for one in relationships.reads), config=RelationshipsConfig(), sql=sql
    )


def _resolve(folder: Path) -> None:
    """Put what normalize made beside the corpus, and make each name an entity."""
    made = folder / _ENGINES[0]
    shutil.copy(made / "surface_forms.parquet", folder)
    query = f"""
        SELECT key, {id_of("entity", "key")} AS entity_id, key AS centre, name, type, type_source,
            type IS NOT NULL AS is_named, is_term
        FROM names ORDER BY key
    """  # noqa: S608 - made of constants
    with sql_over({"names": ds.dataset(made / "names.parquet")}, SqlConfig()) as connection:
        found: pa.Table = connection.sql(query).to_arrow_table()
    Folder(folder).write_table("resolved", found, fingerprint="benchmark")


def _row(triples: int, stage: str, engine: str, cost: Cost, same: str) -> str:
    times = f"{cost.seconds:.1f} | {cost.cpu_seconds:.1f}"
    return f"| {triples:,} | {stage} | {engine} | {times} | {same} |"


if __name__ == "__main__":
    main()
