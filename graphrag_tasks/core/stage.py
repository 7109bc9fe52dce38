"""The stage contract.

A stage is a pure function on Arrow tables, declared by `stage`:

    @stage(
        per="corpus",
        reads=(scan("triples"), table("documents", "document_id", "title")),
        makes=("names",),
        settings={"config": "normalize"},
        libraries=("duckdb",),
    )
    def normalize(triples, documents, *, config) -> StageResult: ...

Reading and writing are the caller's (`pipeline`), so a task, the command line, a notebook and a test all call the same
function. `pipeline.state` lists the stages in order. What a run does, what its fingerprints cover and what the DAG
shows follow from the declarations.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, update_wrapper
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, ParamSpec, Self

import pyarrow as pa


def code_text(tree: ast.Module) -> str:
    """Return a module's code as Python writes it: without comments and standalone strings, which the tree loses."""
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [one for one in body if not (isinstance(one, ast.Expr) and _is_string(one.value))]
    return ast.unparse(tree)


def _is_string(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@dataclass(frozen=True)
class StageResult:
    """What a stage returns.

    A table that may exceed memory is a stream: it can be read once, one stream at a time. The reader closes the result
    afterwards.

    Attributes:
        tables: Rows by table name; exactly what the stage `makes`.
        stats: Counts for receipts and summaries; those of streams are complete after reading.
        resources: Open connections and files that the streams read from.
    """

    tables: Mapping[str, pa.Table | pa.RecordBatchReader]
    stats: Mapping[str, int | float] = field(default_factory=dict)
    resources: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401 - as of every context
        self.resources.__exit__(*error)

    def collected(self) -> StageResult:
        """Return the result with its streams read into memory, and close its resources."""
        with self:
            tables = {
                name: rows if isinstance(rows, pa.Table) else rows.read_all() for name, rows in self.tables.items()
            }
            return StageResult(tables, self.stats)


P = ParamSpec("P")


@dataclass(frozen=True)
class Read:
    """A table that a stage reads: all or some columns; streamed if it may exceed memory."""

    name: str
    columns: tuple[str, ...] = ()
    streamed: bool = False


def table(name: str, *columns: str) -> Read:
    """Declare that a stage reads a table, or some of its columns, into memory."""
    return Read(name, columns)


def scan(name: str) -> Read:
    """Declare that a stage streams a table."""
    return Read(name, streamed=True)


@dataclass(eq=False, kw_only=True)
class Stage(Generic[P]):
    """A stage's function with its declaration; made by `stage`, and called like the function.

    Attributes:
        function: The work. Its name is also the `name` of tasks and receipts, and the first line of its docstring their
            `doc`.
        per: Whether it sees the documents of one shard, or the whole corpus.
        reads: Tables, in the order of its parameters.
        makes: Names of the tables in its result.
        settings: Parameters that are sections of the configuration, with the sections' names.
        given: Parameters that the pipeline computes (`pipeline.inputs`).
        libraries: Distributions whose version can change its tables.
        reusable: Whether its published tables may be reused; not if it has side effects.
        divisible: Whether it may run earlier on parts of its input rows, selected by the id in their first columns; it
            gets those results as `done`.
    """

    function: Callable[P, StageResult]
    per: Literal["shard", "corpus"]
    reads: tuple[Read, ...]
    makes: tuple[str, ...]
    settings: Mapping[str, str]
    given: tuple[str, ...]
    libraries: tuple[str, ...]
    reusable: bool
    divisible: bool

    def __post_init__(self) -> None:
        self.name = self.function.__name__
        self.doc = (self.function.__doc__ or "").partition("\n")[0].rstrip(".")
        # The module or package whose code, with what it imports, the tables depend on.
        self.module = self.function.__module__.removesuffix(".stage")
        update_wrapper(self, self.function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> StageResult:
        """Call the function."""
        return self.function(*args, **kwargs)


def stage(
    *,
    per: Literal["shard", "corpus"],
    reads: tuple[Read, ...],
    makes: tuple[str, ...],
    settings: Mapping[str, str] = MappingProxyType({}),
    given: tuple[str, ...] = (),
    libraries: tuple[str, ...] = (),
    reusable: bool = True,
    divisible: bool = False,
) -> Callable[[Callable[P, StageResult]], Stage[P]]:
    """Declare a function as a stage; see `Stage` for the arguments."""
    return lambda function: Stage(
        function=function, per=per, reads=reads, makes=makes, settings=settings, given=given,
        libraries=libraries, reusable=reusable, divisible=divisible,
    )  # fmt: skip


_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
"""Fields of syntax trees that hold statements, hence imports."""

_SETTINGS = "graphrag_tasks.core.config"

DATA_SUFFIXES = frozenset({".json", ".sql", ".yaml"})  # Of data files beside modules.


@cache
def code_version(module: str) -> str:
    """Return a hash of the code that a module runs, so that changed code re-runs its stage.

    It covers the module or package, every project module that it imports, directly or not, and data files beside them,
    such as learned weights. Typing-only imports, comments and docstrings do not count, nor do settings modules:
    settings are a separate part of the fingerprint. No module is imported.
    """
    names = (name for name in code_of(module) if not name.startswith(_SETTINGS))
    sources = {source for name in names if (source := _source_of(name))}
    folders = {path.parent for path in sources}
    data = {file for folder in folders for file in folder.iterdir() if file.suffix in DATA_SUFFIXES}
    root = min(sources, key=lambda file: len(file.parts)).parent
    digest = hashlib.sha256()
    for file in sorted(sources | data):
        digest.update(file.relative_to(root).as_posix().encode())
        digest.update(_read(file).text if file in sources else file.read_bytes())
    return digest.hexdigest()


def code_of(module: str) -> set[str]:
    """Return the dotted names of the modules that `code_version` covers."""
    if _source_of(module) is None:
        raise ModuleNotFoundError(module)
    root, found = module.partition(".")[0], set[str]()
    waiting = {module, *_below(module)}
    while waiting:
        name = waiting.pop()
        found.add(name)
        packages = {name.rsplit(".", count)[0] for count in range(1, name.count(".") + 1)}
        source = _source_of(name)
        imported = _read(source).imports if source else ()
        named = packages | {one for one in imported if one.partition(".")[0] == root}
        waiting |= {one for one in named - found if _source_of(one) is not None}
    return found


def _below(package: str) -> Iterator[str]:
    source = _source_of(package)
    if source is not None and source.name == "__init__.py":
        for file in source.parent.rglob("*.py"):
            parts = file.relative_to(source.parent).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__")))


@cache
def _source_of(module: str) -> Path | None:
    root, *parts = module.split(".")
    spec = importlib.util.find_spec(root)
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent.joinpath(*parts)
    files = (place / "__init__.py", place.with_suffix(".py")) if parts else (Path(spec.origin),)
    return next((file for file in files if file.is_file()), None)


class _Code(NamedTuple):
    """Code text of a module, and the names that it imports at run time."""

    text: bytes
    imports: frozenset[str]


@cache
def _read(source: Path) -> _Code:
    tree = ast.parse(source.read_text("utf-8"))
    imports = frozenset(_imports(tree))
    return _Code(code_text(tree).encode(), imports)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module imports at run time, also inside functions.

    `from a import b` may name a module or an object in it: both are yielded.
    """
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and _is_for_types(node.test):
            waiting += node.orelse
        else:
            for block in _BLOCKS:
                waiting += getattr(node, block, ())


def _is_for_types(test: ast.expr) -> bool:
    names = (getattr(node, "id", getattr(node, "attr", None)) for node in ast.walk(test))
    return "TYPE_CHECKING" in names


_version_of = cache(version)  # reading one takes milliseconds, and a run asks often


def dependency_versions(distributions: Sequence[str]) -> dict[str, str]:
    """Return the installed version of each distribution."""
    return {name: _version_of(name) for name in distributions}
