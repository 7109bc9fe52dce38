"""Where each stage lives, in the order of a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MODULES: Mapping[str, str] = MappingProxyType(
    {
        "parse": "graphrag_tasks.parse",
        "chunk": "graphrag_tasks.chunk",
        "filter_sentences": "graphrag_tasks.chunk.filter_sentences",
        "extract": "graphrag_tasks.extract",
        "collect": "graphrag_tasks.pipeline.merge",
        "gazetteer": "graphrag_tasks.entities.dictionary",
        "normalize": "graphrag_tasks.entities.normalize",
        "resolve": "graphrag_tasks.entities.resolve",
        "mention": "graphrag_tasks.entities.link_mentions",
        "relate": "graphrag_tasks.graph.relationships",
        "communities": "graphrag_tasks.graph.communities",
        "embed": "graphrag_tasks.embed",
        "load": "graphrag_tasks.graph.load",
    }
)
