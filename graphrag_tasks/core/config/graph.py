"""Settings of the stages that see the whole corpus: names, relations, communities, vectors."""

from __future__ import annotations

from pydantic import Field, model_validator

from graphrag_tasks.core.config.base import BaseConfig, LanguageConfig


class DictionaryConfig(BaseConfig):
    """Which titles and headings are names."""

    repeated_documents: int = Field(
        5, gt=1, description="documents from which on a heading they share names nothing"
    )


class DomainConfig(BaseConfig):
    """What the technical names of the documents' field look like."""

    changes_no_row = frozenset({"file"})  # what it says is counted

    file: str | None = Field(None, description="YAML file or URI; SAP and ABAP by default")


class NormalizeConfig(LanguageConfig):
    """Which triples become edges (paper: heads and tails under 2 characters are dropped)."""

    min_characters: int = Field(2, ge=1)
    max_characters: int = Field(120, ge=1, description="longer heads and tails are clauses")
    max_words: int = Field(8, ge=1, description="heads and tails of more words are clauses")
    generic_share: float = Field(
        0.05, gt=0, le=1, description="share of documents from which on a bare noun names nothing"
    )
    generic_documents: int = Field(5, ge=1, description="documents it must be in at least")


class ResolveConfig(LanguageConfig):
    """When two names are one entity."""

    changes_no_row = frozenset({"overrides"})  # what the file says is counted

    same_score: float = Field(0.8, gt=0, le=1, description="pairs from this score on are merged")
    unsure_score: float = Field(
        0.5, gt=0, le=1, description="pairs from this score on are listed as unsure"
    )
    overrides: str | None = Field(None, description="YAML file or URI with the user's last word")


class LinkConfig(LanguageConfig):
    """What is a mention of an entity, beside the ends of triples."""

    names: bool = Field(True, description="also find the known names in the text")


class RelationshipsConfig(BaseConfig):
    """Which relations there may be."""

    schema_file: str | None = Field(None, description="YAML file or URI with an expert's schema")


class SqlConfig(BaseConfig):
    """What the stages that see the whole corpus may use; more is spilled to disk."""

    changes_no_row = frozenset({"memory_bytes", "threads"})

    memory_bytes: int = Field(3_000_000_000, ge=100_000_000, description="memory of one query")
    threads: int = Field(2, gt=0, description="threads of one query")


class GraphConfig(BaseConfig):
    """How edges are weighed."""

    degree_cap: int = Field(
        200, gt=0, description="relations of an entity beyond which each counts for less"
    )


class CommunitiesConfig(BaseConfig):
    """Leiden communities of the entity graph, and what their summaries may draw on."""

    resolutions: tuple[float, ...] = Field(
        (0.5, 2.0, 8.0), min_length=1, description="rising: coarse communities first"
    )
    min_members: int = Field(3, gt=0, description="smaller communities are left out")
    seed: int = Field(0, ge=0, description="of the algorithm's random moves")
    summarizer: str = Field("extractive", description="a name from the registry of summarizers")
    max_entities: int = Field(8, gt=0, description="entities a summary names")
    max_relations: int = Field(6, gt=0, description="relations a summary names")
    max_sentences: int = Field(3, gt=0, description="sentences a summary quotes")

    @model_validator(mode="after")
    def _resolutions_rise(self) -> CommunitiesConfig:
        if list(self.resolutions) != sorted(set(self.resolutions)) or self.resolutions[0] <= 0:
            raise ValueError("resolutions must be positive and rise")
        return self


class EmbedConfig(BaseConfig):
    """The embedding model of chunks, entities and relations."""

    changes_no_row = frozenset({"threads"})

    embedder: str = Field("local", description="a name from the registry of embedders")
    model: str = Field("technical_minilm", description="built-in model, model package or folder")
    max_tokens: int = Field(512, ge=8, description="longer texts are embedded in windows")
    threads: int = Field(0, ge=0, description="0: as many as there are cores")
    heading_path: bool = Field(
        True, description="embed chunks with the headings above them that they do not hold"
    )


class GraphSections(BaseConfig):
    """Sections of the stages that see the whole corpus."""

    entity_dictionary: DictionaryConfig = DictionaryConfig()
    domain: DomainConfig = DomainConfig()
    normalize: NormalizeConfig = NormalizeConfig()
    resolve: ResolveConfig = ResolveConfig()
    link_mentions: LinkConfig = LinkConfig()
    relationships: RelationshipsConfig = RelationshipsConfig()
    sql: SqlConfig = SqlConfig()
    graph: GraphConfig = GraphConfig()
    communities: CommunitiesConfig = CommunitiesConfig()
    embed: EmbedConfig = EmbedConfig()
