"""Configuration: one small frozen value object per stage, and the one loader for all of them."""

from graphrag_tasks.core.config.corpus import (
    CommunitiesConfig,
    DomainConfig,
    EmbedConfig,
    LoadConfig,
    MergeConfig,
    RelationshipsConfig,
    ResolveConfig,
)
from graphrag_tasks.core.config.llm import BudgetConfig, LlmConfig, ModelPrice
from graphrag_tasks.core.config.loader import load_config
from graphrag_tasks.core.config.reading import (
    HYBRID,
    LLM,
    ChunkConfig,
    ExtractConfig,
    LanguageConfig,
    ParseConfig,
    ShareRule,
    WindowConfig,
)
from graphrag_tasks.core.config.sections import (
    LABEL_PATTERN,
    AccessConfig,
    AccessRule,
    Config,
    PlanConfig,
    QualityConfig,
    RerankConfig,
    RetrievalConfig,
)

__all__ = [
    "HYBRID",
    "LABEL_PATTERN",
    "LLM",
    "AccessConfig",
    "AccessRule",
    "BudgetConfig",
    "ChunkConfig",
    "CommunitiesConfig",
    "Config",
    "DomainConfig",
    "EmbedConfig",
    "ExtractConfig",
    "LanguageConfig",
    "LlmConfig",
    "LoadConfig",
    "MergeConfig",
    "ModelPrice",
    "ParseConfig",
    "PlanConfig",
    "QualityConfig",
    "RelationshipsConfig",
    "RerankConfig",
    "ResolveConfig",
    "RetrievalConfig",
    "ShareRule",
    "WindowConfig",
    "load_config",
]
