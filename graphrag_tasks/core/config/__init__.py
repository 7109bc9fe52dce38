"""Configuration: one small frozen value object per stage, and the one loader for all of them."""

from graphrag_tasks.core.config.access import LABEL_PATTERN, AccessConfig, AccessRule
from graphrag_tasks.core.config.documents import (
    ChunkConfig,
    ExtractConfig,
    MergeConfig,
    ParseConfig,
    PlanConfig,
    SentencesConfig,
)
from graphrag_tasks.core.config.graph import (
    CommunitiesConfig,
    DictionaryConfig,
    DomainConfig,
    EmbedConfig,
    GraphConfig,
    LinkConfig,
    NormalizeConfig,
    RelationshipsConfig,
    ResolveConfig,
    SqlConfig,
)
from graphrag_tasks.core.config.loader import (
    CONFIG_FILE_VARIABLE,
    DEFAULT_CONFIG_FILE,
    ENV_PREFIX,
    Config,
    load_config,
)
from graphrag_tasks.core.config.pages import PagesConfig
from graphrag_tasks.core.config.publishing import (
    LoadConfig,
    QualityConfig,
    RetentionConfig,
)
from graphrag_tasks.core.config.retrieval import (
    RetrievalConfig,
    WalkConfig,
)

__all__ = [
    "CONFIG_FILE_VARIABLE",
    "DEFAULT_CONFIG_FILE",
    "ENV_PREFIX",
    "LABEL_PATTERN",
    "AccessConfig",
    "AccessRule",
    "ChunkConfig",
    "CommunitiesConfig",
    "Config",
    "DictionaryConfig",
    "DomainConfig",
    "EmbedConfig",
    "ExtractConfig",
    "GraphConfig",
    "LinkConfig",
    "LoadConfig",
    "MergeConfig",
    "NormalizeConfig",
    "PagesConfig",
    "ParseConfig",
    "PlanConfig",
    "QualityConfig",
    "RelationshipsConfig",
    "ResolveConfig",
    "RetentionConfig",
    "RetrievalConfig",
    "SentencesConfig",
    "SqlConfig",
    "WalkConfig",
    "load_config",
]
