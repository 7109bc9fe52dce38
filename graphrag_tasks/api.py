"""What a program calls: index documents, open what was published, ask it.

    >>> import graphrag_tasks as graphrag
    >>> index = graphrag.index("examples/corpus", "store")
    >>> print(graphrag.answer(index, "Which table replaces VBBS?"))

The names of `graphrag_tasks.__all__` stay as they are within a minor version (docs/reference/api.md); all others may
change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from graphrag_tasks import retrieval
from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import AccessError

if TYPE_CHECKING:
    from graphrag_tasks.answering import Reply
    from graphrag_tasks.inspect.pages.graph_file import GraphPage
    from graphrag_tasks.integrations.langchain import GraphRAGRetriever
    from graphrag_tasks.llm import Client
    from graphrag_tasks.retrieval.graph.filters import Filters

__all__ = ["Config", "Index", "index", "load_config", "open_index", "picture"]


class Index(retrieval.Index):
    """An opened snapshot, to search and to ask; `len` counts its documents. Safe to share between threads.

    Later publishes are seen only after opening the index again. `open_index` opens it.
    """

    @overload
    def answer(self, question: str, client: Client | None = None, **options: Any) -> Reply: ...  # noqa: ANN401
    @overload
    def answer(
        self,
        question: Sequence[str],
        client: Client | None = None,
        **options: Any,  # noqa: ANN401
    ) -> list[Reply]: ...
    def answer(
        self, question: str | Sequence[str], client: Client | None = None, **options: Any
    ) -> Reply | list[Reply]:
        """Answer a question, or each of several, with the options of `graphrag_tasks.answer`."""
        from graphrag_tasks.answering import answer

        if isinstance(question, str):
            return answer(self, question, client, **options)
        return [answer(self, one, client, **options) for one in question]

    ask = answer

    async def aanswer(self, question: str, client: Client | None = None, **options: Any) -> Reply:  # noqa: ANN401
        """Answer a question in a thread, for `await`."""
        from graphrag_tasks.answering import answer

        return await asyncio.to_thread(answer, self, question, client, **options)

    def as_retriever(
        self, *, k: int | None = None, mode: str = "auto", filters: Filters | None = None
    ) -> GraphRAGRetriever:
        """Return a LangChain retriever of passages."""
        from graphrag_tasks.integrations.langchain import GraphRAGRetriever

        return GraphRAGRetriever(index=self, k=k, mode=mode, filters=filters)

    def __len__(self) -> int:
        return len(self.snapshot.table("documents", ["document_id"]))

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: what an index holds goes with it."""


open_index = Index.open


def index(
    sources: str | Path | Sequence[str | Path],
    store: str | Path,
    *,
    config: str | Path | Config | None = None,
    principals: Sequence[str] | None = None,
    workers: int = 1,
    **settings: Any,  # noqa: ANN401 - sections of settings
) -> Index:
    """Index documents into a store, publish a snapshot, and return it opened.

    Documents that did not change since the last snapshot are taken over from it. One that cannot be read stops nothing:
    `Index.table("documents")` names it.

    Args:
        sources: Folders or URIs; one, or several.
        store: Folder or URI; it is made where it is not there.
        config: Settings, as a TOML file or as a `Config`.
        principals: Access labels that the reader of the returned index holds, where the settings have labels.
        workers: Processes. With more than one, the calling script must do so below `if __name__ == "__main__":`, for
            workers import it.
        settings: Sections of settings that win over `config`, as in `index("docs", "store", extract={"extractor":
            "hybrid"})`: docs/reference/settings.md.

    Raises:
        MissingDependencyError: The packages for indexing are not installed.
        ConfigError: A setting is unknown or wrong.
        SourceError: A source is missing or empty.
        AccessError: The settings have labels and no principals are given, or the other way round.
        QualityError: The new snapshot is worse than the published one, which stays.
        TransientError: Another process works on the store, or a server is away: call again.
    """
    from graphrag_tasks.operations.runner import run_index

    several = [sources] if isinstance(sources, str | Path) else list(sources)
    given = {"sources": [str(source) for source in several], "store": str(store), **settings}
    if isinstance(config, Config):
        merged = config.model_dump(exclude_unset=True)
        found = load_config(None, environ={}, overrides=_merged(merged, given))
    else:
        found = load_config(config, overrides=given)
    if found.access.enabled != (principals is not None):
        what = "with labels a reader needs principals, and only with labels"
        raise AccessError(what, "access.enabled", "Give index(…, principals=[…]) or switch them off")
    run_index(found, workers=workers)
    return open_index(
        found.store, principals=principals, config=found.retrieval, language=found.language, load=found.load
    )


def picture(index: retrieval.Index, name: str, most: int = 20, *, all_kinds: bool = False) -> GraphPage:
    """Return the entity of this name and its neighbours along facts as a page without a server.

    A notebook shows it in a frame, and written into a file any browser does.

    Args:
        index: An opened index.
        name: Any name of the entity.
        most: Number of neighbours, most strongly tied first.
        all_kinds: Whether associations and conditions are drawn too.
    """
    from graphrag_tasks.inspect.pages.graph_file import graph_page
    from graphrag_tasks.retrieval.graph.parts import around

    rows = index.entity_rows(name)
    part = around(index.snapshot, index.graph, rows, most, all_kinds=all_kinds)
    return graph_page(index.snapshot, part)


def _merged(into: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return settings with others in their place, section by section."""
    result = dict(into)
    for name, value in values.items():
        before = result.get(name)
        both = isinstance(before, dict) and isinstance(value, dict)
        result[name] = _merged(before, value) if both else value  # type: ignore[arg-type]
    return result
