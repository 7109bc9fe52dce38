"""Configuration: one small frozen value object per stage, and the one loader for all of them."""

from graphrag_tasks.core.config.access import LABEL_PATTERN, AccessConfig, AccessRule
from graphrag_tasks.core.config.documents import (
    ChunkConfig,
    CollectConfig,
    ExtractConfig,
    ParseConfig,
    PlanConfig,
    SentencesConfig,
)
from graphrag_tasks.core.config.graph import (
    CommunitiesConfig,
    EmbedConfig,
    GazetteerConfig,
    GraphConfig,
    MentionConfig,
    NormalizeConfig,
    RelateConfig,
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
    "CollectConfig",
    "CommunitiesConfig",
    "Config",
    "EmbedConfig",
    "ExtractConfig",
    "GazetteerConfig",
    "GraphConfig",
    "LoadConfig",
    "MentionConfig",
    "NormalizeConfig",
    "PagesConfig",
    "ParseConfig",
    "PlanConfig",
    "QualityConfig",
    "RelateConfig",
    "ResolveConfig",
    "RetentionConfig",
    "RetrievalConfig",
    "SentencesConfig",
    "SqlConfig",
    "WalkConfig",
    "load_config",
]
