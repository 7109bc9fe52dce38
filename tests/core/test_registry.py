"""Exchangeable parts are found by their names, those of other packages by their entry points."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from graphrag_tasks.core import registry
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.protocol import EMBEDDERS
from graphrag_tasks.embed.vectors.vector_store import VECTOR_STORES
from graphrag_tasks.extract import EXTRACTORS
from graphrag_tasks.graph.communities.summaries import SUMMARIZERS
from graphrag_tasks.retrieval.reranker import RERANKERS

ALL = (EXTRACTORS, EMBEDDERS, SUMMARIZERS, VECTOR_STORES, RERANKERS)


class Mine:
    """Stands for a part of another package."""


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.kind)
def test_every_built_in_part_is_there(kind: registry.Registry[object]) -> None:
    assert kind.names == sorted(kind.built_in)
    assert all(callable(kind.factory(name)) for name in kind.names)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.kind)
def test_parts_of_other_packages_are_found(kind: registry.Registry[object], monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints([EntryPoint("mine", f"{__name__}:Mine", kind.group)])
    monkeypatch.setattr(registry, "entry_points", points.select)
    assert "mine" in kind.names
    assert kind.factory("mine") is Mine
    with pytest.raises(ConfigError, match=rf"there is no {kind.kind} 'mime'.*Did you mean 'mine'"):
        kind.factory("mime")
