"""Every statement of the corpus stages gives the same rows on DuckDB and on Spark."""

import ast
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

from graphrag_tasks.core.config import RelationshipsConfig, SqlConfig, load_config
from graphrag_tasks.entities.resolve.selection import names_of, statements_of
from graphrag_tasks.graph.relationships.stage import relationships
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage import sql
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.storage.spark_dialect import to_spark
from graphrag_tasks.storage.spark_sql import spark_connection
from graphrag_tasks.workbench.ontology.facts import facts_of
from tests.spark.both import Both, Seen
from tests.spark.conftest import COUNTED

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "graphrag_tasks"
DOCUMENTS = (
    "csv/simplified-tables.csv", "docx/mrp-live-planning.docx", "md/sales-function-successors.md",
)  # fmt: skip
GLOSSARY = """\
# Glossary

- Spooler: what the Gateway replaced, when printing was new
- Gateway: a server that the Portal asks for pages
- Élan-Σύστημα: a name that no ASCII letter begins

The Advanced Planning Board (APB) is a tool. The ΟΔΟΣ is a road. The table ORDER is a table.
"""


def modules() -> list[ModuleType]:
    """The modules that have statements in files beside them."""
    folders = sorted({file.parent for file in PACKAGE.rglob("*.sql")})
    names = (
        ".".join((*folder.relative_to(ROOT).parts, one.name))
        for folder in folders
        for one in iter_modules([str(folder)])
    )
    return [
        one for name in names if isinstance(getattr(one := import_module(name), "_SQL", None), dict)
    ]


STATEMENTS = {
    f"{one.__name__}: {name}": text for one in modules() for name, text in one._SQL.items()
}


def written_in_code() -> set[str]:
    """Statements that stand as text in calls of a connection."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        if file.parent.name == "storage":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("sql", "execute")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """What both engines did when a small corpus was indexed, and its snapshot read."""
    folder = tmp_path_factory.mktemp("corpus")
    for name in DOCUMENTS:
        shutil.copy(ROOT / "examples" / "corpus" / name, folder)
    (folder / "glossary.md").write_text(GLOSSARY)
    told, database = Seen(), sql._database

    @contextmanager
    def both(config: SqlConfig) -> Iterator[Both]:
        with database(config) as duck, spark_connection(config) as spark:
            yield Both(duck, spark, told)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sql, "_database", both)
        config = load_config(
            overrides={
                "sources": [str(folder)],
                "store": str(folder.parent / "store"),
                "relationships": {"schema_file": str(ROOT / "examples" / "migration_schema.yaml")},
                "load": {"vector_store": "none"},
            }
        )
        run_index(config, workers=1)
        read_further(config.store)
        yield told


def read_further(store: str) -> None:
    """Run what a run without a language model and with a schema does not."""
    snapshot = Store(store).open()
    inputs = {one.name: snapshot.table(one.name) for one in relationships.reads}
    relationships(*inputs.values(), config=RelationshipsConfig(), sql=SqlConfig()).collected()
    with facts_of(snapshot) as facts:
        facts.patterns()
        facts.in_chunks(snapshot.table("chunks")["chunk_id"].to_pylist()[:3])
    tables = {
        name: snapshot.table(name) for name in ("triples", "entity_dictionary", "surface_forms")
    }
    with sql.sql_over(tables, SqlConfig()) as connection:
        statements_of(connection, tables["surface_forms"]["key"].to_pylist()[:20])
        names_of(connection, tables["triples"]["document_id"].unique().to_pylist()[:1])


def test_every_statement_gives_the_same_rows(seen: Seen, pytestconfig: pytest.Config) -> None:
    counts = f"{len(seen.statements)} statements, {seen.rows:,} rows on both engines"
    pytestconfig.stash[COUNTED] = counts
    assert not seen.differences, "\n\n".join(seen.differences)


def test_every_statement_was_run(seen: Seen) -> None:
    missed = [name for name, text in STATEMENTS.items() if not was_run(text, seen)]
    missed += [text for text in written_in_code() if not was_run(text, seen)]
    assert not missed


def was_run(text: str, seen: Seen) -> bool:
    """Whether a statement was run, with any value put for a parameter."""
    pattern = re.compile(r"\w+".join(map(re.escape, text.split("$untyped"))))
    return any(map(pattern.fullmatch, seen.statements))


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_can_be_translated(name: str) -> None:
    assert to_spark(STATEMENTS[name]).kind in ("table", "view", "rows")
