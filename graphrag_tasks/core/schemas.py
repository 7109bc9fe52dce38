"""Table schemas: one `pa.schema` per table, every column with its meaning.

Raise `SCHEMA_VERSION` with every change of a column, and say so in the CHANGELOG. Tables are cast to their schema on
write and validated on read (see `storage.artifacts`).

`char_start` and `char_end` count code points of the *document text*: the document's block texts joined by
`BLOCK_SEPARATOR`. `start` and `end` count those of the *sentence text*; they are equal for a name that the sentence
does not contain. All ends are exclusive. Pages count from 1; null if there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa

SCHEMA_VERSION = 21
BLOCK_SEPARATOR = "\n\n"
_ROWS_AT_ONCE = 10_000
FACT_CELL, GIVEN, TABLE = "fact", "given", "table"
"""Value type of the cells of a file of facts, whose rows are triples as they stand, and the extractor of these."""
CELL_SEPARATOR = " | "

VECTOR_TABLES = ("chunk_vectors", "entity_vectors", "relation_vectors")
"""Tables of `vectors_schema`, one per kind, so that each can be memory-mapped as a matrix."""


def _column(name: str, type_: pa.DataType, meaning: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, type_, nullable=nullable, metadata={"meaning": meaning})


def _nullable(name: str, type_: pa.DataType, meaning: str) -> pa.Field:
    return _column(name, type_, meaning, nullable=True)


def _table(*columns: pa.Field) -> pa.Schema:
    return pa.schema(columns)


STRING = pa.string()
INT = pa.int32()
LONG = pa.int64()
FLOAT = pa.float32()
DOUBLE = pa.float64()
BOOL = pa.bool_()
STRINGS = pa.list_(STRING)

BBOX = pa.struct([(side, FLOAT) for side in ("left", "top", "right", "bottom")])
"""A bounding box on a page, in points; the origin is the top left."""

DOCUMENT_ID = _column("document_id", STRING, "the document: id of its uri")
CHUNK_ID = _column("chunk_id", STRING, "the chunk: id of document, position and text")
_SENTENCE = (_column("sentence_id", STRING, "the sentence: id of chunk, position and text"), CHUNK_ID, DOCUMENT_ID)
_CHARACTERS = (
    _column("char_start", INT, "first character in the document text"),
    _column("char_end", INT, "its end there"),
)
_ORIGIN = (
    _column("rule", STRING, "rule that fired"),
    _column("extractor", STRING, "extractor that produced it"),
    _column("confidence", FLOAT, "0 to 1"),
)

LEFT_OUT = pa.struct([("reason", STRING), ("count", INT)])
"""Number of parts that a reader left out of a document for one reason (`core.left_out`)."""

LABELS = (
    _nullable("labels", STRINGS, "access labels, sorted; empty: nobody sees it; null: off"),
    _nullable("labels_error", STRING, "why its access file could not be read"),
)

METADATA = _nullable(
    "metadata",
    pa.list_(pa.struct([("key", STRING), ("value", STRING)])),
    "what files beside it say of it, by key; null: nothing",
)

BESIDE, PROPERTIES, MESSAGE = "beside", "properties", "message"
"""Where metadata stand: in files of metadata, in a file's properties, which programs write, or in a message's
header. Others are meant by authors: front matter, header, publication, title."""

_SAID = pa.list_(pa.struct([("key", STRING), ("value", STRING), ("origin", STRING)]))

VALIDITY = (
    _nullable("valid_kind", STRING, "from, until, range, at, changed, deprecated or ended"),
    _nullable("valid_from", STRING, "date or release since when it holds; null: not said"),
    _nullable("valid_to", STRING, "date or release until when it holds; null: not said"),
)

ADDED, CHANGED, UNCHANGED, REMOVED = "added", "changed", "unchanged", "removed"
"""Change of a document since the published snapshot; documents that stages process are `changed`."""

SOURCES = _table(
    DOCUMENT_ID,
    _column("uri", STRING, "source name and path inside it: stable across machines"),
    _column("source", STRING, "name of the source root"),
    _column("path", STRING, "posix path below the source root"),
    _column("media_type", STRING, "kind of file; 'unknown' is skipped, 'include' is part of pages"),
    _column("size_bytes", LONG, "size when listed"),
    _nullable("content_sha256", STRING, "hash of the bytes when planned, includes too"),
    _nullable("includes", STRINGS, "paths of the files whose text it takes"),
    *LABELS,
    METADATA,
    _nullable("problem", STRING, "why a file of metadata is listed: it names no document"),
    _column("change", STRING, "added, changed, unchanged or removed"),
    _nullable("shard", INT, "shard that processes it"),
    _nullable("first_stage", STRING, "stage of shards that works on it first"),
)

DOCUMENTS = _table(
    DOCUMENT_ID,
    _column("uri", STRING, "source name and path inside it"),
    _column("source", STRING, "name of the source root"),
    _column("path", STRING, "posix path below the source root"),
    _column("media_type", STRING, "kind of file"),
    _column("size_bytes", LONG, "size of the file, with what it includes"),
    _nullable("content_sha256", STRING, "document version: hash of its bytes, includes too"),
    _column("title", STRING, "metadata title, else first heading, else file name"),
    _column("title_source", STRING, "metadata, heading or file_name"),
    _nullable("language", STRING, "ISO 639 code where it is certain"),
    _nullable("pages_in", INT, "pages the file has"),
    _nullable("pages_out", INT, "pages that gave text"),
    _column("characters", INT, "length of the document text"),
    _column("cells", INT, "cells of its tables; `cells` has the first million"),
    _nullable("left_out", pa.list_(LEFT_OUT), "what no block has, by reason; null: nothing known"),
    _nullable("encoding", STRING, "codecs of its text, joined by +; null: no text file"),
    _nullable("encoding_confidence", FLOAT, "1: certain; less: the detector's; null: no encoding"),
    _column("status", STRING, "parsed, partial (pages or an end lost), empty, failed or skipped"),
    _nullable("error_code", STRING, "one of errors.DOCUMENT_ERROR_CODES"),
    _nullable("error_message", STRING, "what went wrong and what to do"),
    *LABELS,
    _nullable("said", _SAID, "what the file says of itself, by key, and where; null: nothing"),
    _nullable("metadata", _SAID, "what files beside it say, else the file itself; null: nothing"),
)

BLOCKS = _table(
    DOCUMENT_ID,
    _column("ordinal", INT, "position in reading order, from 0"),
    _column("kind", STRING, "title, heading, paragraph, list_item, table, code or caption"),
    _nullable("level", INT, "heading level from 1"),
    _column("text", STRING, "text as it stands in the document text"),
    *_CHARACTERS,
    _nullable("page", INT, "page it begins on"),
    _nullable("bbox", BBOX, "box on that page"),
    _column("has_link", BOOL, "a part of its text is a hyperlink; of tables it is not told"),
)

CELLS = _table(
    DOCUMENT_ID,
    _column("ordinal", INT, "block of its table"),
    _nullable("sheet", STRING, "sheet of a workbook it lies on"),
    _nullable("reference", STRING, "its address on the sheet, such as B7"),
    _column("row", INT, "its first row, from 0"),
    _column("column", INT, "its first column, from 0"),
    _column("row_span", INT, "rows it covers"),
    _column("col_span", INT, "columns it covers"),
    _column("is_header", BOOL, "it names columns"),
    _column("is_row_header", BOOL, "it names its row, where the format says so"),
    _nullable("header", STRING, "headers above, outermost first; null: none, or it spans columns"),
    _column("text", STRING, "its text in one line, never empty"),
    _column(
        "value_type",
        STRING,
        "text, integer, number, percent, boolean, date, datetime, time or error; fact: a cell of a "
        "given fact (0 head, 1 relation, 2 tail, 3 and 4 their types, 5 there if it is denied, 6 "
        "and 7 since and until when)",
    ),
    _nullable("number", DOUBLE, "value of numbers, percents (25 % is 0.25) and booleans (1 or 0)"),
    _nullable("iso", STRING, "value of date, datetime and time in ISO 8601"),
    _nullable("char_start", INT, "its first character in the document text"),
    _nullable("char_end", INT, "its end there"),
    _nullable("page", INT, "page its table begins on"),
)
"""One row per non-empty table cell; a merged cell is one row with its spans."""

CHUNKS = _table(
    CHUNK_ID,
    DOCUMENT_ID,
    _column("ordinal", INT, "position in the document, from 0"),
    _column("heading_path", STRINGS, "headings above it, outermost first"),
    _column("text", STRING, "the document text from char_start to char_end"),
    *_CHARACTERS,
    _nullable("page_start", INT, "first page"),
    _nullable("page_end", INT, "last page"),
    _column("is_reference", BOOL, "most of it is contents, index or bibliography: found last"),
    _nullable("previous_id", STRING, "chunk before it in the document"),
    _nullable("next_id", STRING, "chunk after it in the document"),
)

ARGUMENT = pa.struct(
    [
        ("role", STRING),
        ("text", STRING),
        ("start", INT),
        ("end", INT),
        ("preposition", STRING),
        ("entity_type", STRING),
        ("head_start", INT),
        ("head_end", INT),
        ("core_text", STRING),
        ("core_start", INT),
        ("core_end", INT),
        ("slot", INT),
        ("behind", STRING),
        ("is_restricted", BOOL),
        ("is_alternative", BOOL),
    ]
)
"""An argument of a frame, as in `extract.frames.Argument`: role, text, head and core."""

SENTENCES = _table(
    *_SENTENCE,
    _column("ordinal", INT, "position in the chunk, from 0"),
    _column("text", STRING, "sentence, inner whitespace runs kept"),
    *_CHARACTERS,
    _nullable("page", INT, "page it begins on"),
    _column("has_verb", BOOL, "whether extraction reads it (paper: sentence filter)"),
)

FRAMES = _table(
    _column("frame_id", STRING, "id of sentence, rule and spans"),
    *_SENTENCE,
    _column("predicate", STRING, "surface with auxiliaries, negation, particles"),
    _column("predicate_lemma", STRING, "canonical relation form"),
    _column("start", INT, "first character of its head"),
    _column("end", INT, "its end"),
    _column("arguments", pa.list_(ARGUMENT), "n-ary arguments, subject first"),
    _column("negated", BOOL, "the sentence denies it"),
    _nullable("modality", STRING, "modal verb or condition marker"),
    _column("passive", BOOL, "passive voice"),
    _column("condition", STRING, "the clause under which it holds; empty for none"),
    _column("is_believed", BOOL, "it is only what somebody believes or claims"),
    *_ORIGIN,
)

TRIPLES = _table(
    _column("triple_id", STRING, "id of frame, spans and relation"),
    _column("frame_id", STRING, "frame it was derived from; its sentence, if it was given"),
    *_SENTENCE,
    _column("head", STRING, "surface of the head"),
    _column("relation", STRING, "canonical relation form, with its preposition"),
    _column("phrase", STRING, "the relation as a person reads it: tense, voice, modality, not"),
    _column("tail", STRING, "surface of the tail"),
    _column("head_start", INT, "first character in the sentence"),
    _column("head_end", INT, "its end"),
    _column("tail_start", INT, "first character in the sentence"),
    _column("tail_end", INT, "its end"),
    _nullable("head_type", STRING, "its entity label, PRON for pronouns"),
    _nullable("tail_type", STRING, "its entity label, PRON for pronouns"),
    _nullable("head_resolved", STRING, "name that it stands for"),
    _nullable("tail_resolved", STRING, "name that it stands for"),
    _column("negated", BOOL, "the sentence denies it"),
    _column("conditional", BOOL, "it stands in a condition and asserts nothing"),
    _column("said", LONG, "hash of the sentence: copies are one witness"),
    _column("worth", FLOAT, "0 to 1, whether a reader is glad to have it: from a bound on it is a fact"),
    *_ORIGIN,
    *VALIDITY,
)

COREFERENCES = _table(
    *_SENTENCE,
    _column("start", INT, "first character of the mention"),
    _column("end", INT, "its end"),
    _column("surface", STRING, "the mention: a pronoun, or a noun with its article"),
    _column("antecedent", STRING, "name that it stands for"),
    _column("source", STRING, "where the antecedent stands: text, heading, title or key"),
    _nullable("antecedent_sentence_id", STRING, "its sentence; null outside the text"),
    _nullable("antecedent_start", INT, "its first character there"),
    _nullable("antecedent_end", INT, "its end there"),
    _column("kind", STRING, "pronoun or definite"),
    _column("rule", STRING, "what resolved it"),
    _column("confidence", FLOAT, "0 to 1"),
)

WINDOWS = _table(
    _column("window_id", STRING, "the window: id of its first sentence and its texts"),
    DOCUMENT_ID,
    _column("chunk_id", STRING, "the chunk it stands in"),
    _column("sentence_ids", STRINGS, "its sentences, in order"),
    _column("keys", STRINGS, "for each: what names its row, in a cell of prose; null: nothing"),
    _column("leads", STRINGS, "for each: the text that leads to its list; null: none"),
    _column("pack", INT, "windows of a document with the same number are one request"),
    _column("reason", STRING, "why it is read: all or weak"),
)
"""Windows that a language model reads; in shards only."""

_OF_REQUEST = (_column("request_key", STRING, "the request: hash of what was asked, of whom"), DOCUMENT_ID)
_COSTS = (
    _column("provider", STRING, "who was asked: the endpoint's host"),
    _column("model", STRING, "the model as the endpoint names it"),
    _column("prompt_tokens", INT, "as the endpoint counted them; 0 without an answer"),
    _column("completion_tokens", INT, "likewise of the answer"),
)

REPLIES = _table(
    *_OF_REQUEST,
    _column(
        "windows",
        pa.list_(pa.struct([("window_id", STRING), ("sentence_ids", STRINGS)])),
        "the windows that were shown",
    ),
    _column("sentence_ids", STRINGS, "their sentences as they were numbered, from 1"),
    _column("status", STRING, "what came of it: as in answers, without silent"),
    *_COSTS,
    _column("text", STRING, "the answer as it came, or why there is none"),
)
"""Replies of a language model; in shards only."""

ANSWERS = _table(
    *_OF_REQUEST,
    _column(
        "windows",
        pa.list_(pa.struct([("window_id", STRING), ("sentence_ids", STRINGS), ("status", STRING)])),
        "the windows that were shown, each with what came of it: answered, silent (no fact, where "
        "the rules have some), invalid, refused, truncated, empty, too_long, excluded, over_budget",
    ),
    _column("status", STRING, "what came of the request: the same, without silent"),
    *_COSTS,
    _column("told", INT, "facts in the answer"),
    _column("adopted", INT, "facts of it that its sentences support"),
)
"""One row per request that a language model was sent, or would have been."""

DECLINED = _table(
    *_OF_REQUEST,
    _nullable("sentence_id", STRING, "the sentence that the fact names; null: there is none"),
    _column("head", STRING, "as told"),
    _column("relation", STRING, "as told"),
    _column("tail", STRING, "as told"),
    _column("reason", STRING, "why it is no triple"),
)
"""Facts of a language model that its sentences do not support."""

ENTITY_DICTIONARY = _table(
    _column("surface", STRING, "title, heading, key or term as it stands"),
    _column("name", STRING, "a name that it gives"),
    _column("form", STRING, "full, base (no brackets), first (up to a comma) or acronym"),
    _column("source", STRING, "title, heading, key (of a table) or term (of definitions)"),
    DOCUMENT_ID,
    _column("chunk_id", STRING, "a chunk below it, or the one that it stands in"),
    _nullable("header", STRING, "header of the column of a key"),
    _nullable("problem", STRING, "why it is no name"),
)

SURFACE_FORMS = _table(
    _column("surface", STRING, "head or tail as a triple has it"),
    _column("type", STRING, "its entity label; empty for none"),
    _column("key", STRING, "the name it is normalised to: what names are joined by"),
    _column("name", STRING, "the surface without noise"),
    _nullable("problem", STRING, "why it is no node"),
)

NAME_SOURCES = USER, SHAPE, KIND, WORDS, LABEL = "user", "shape", "kind", "words", "label"
"""Evidence for an entity type, from the name itself: a user's list, its pattern, a kind beside it, its words (a first
name, "Road"), or the model's label where the name bears it out."""
DOUBTED = "doubted"  # A label that nothing bears out: the name is one, of no type.
PART, COLUMN, ROLE = "part", "column", "role"
"""Evidence for an entity type, from other names: a longer name of a person has it, those in its column, or people have
a role in it."""
KEY = "key"  # Evidence for an entity type, from the corpus: the header of the column of keys.

NAMES = _table(
    _column("key", STRING, "normalised name"),
    _column("name", STRING, "its most frequent surface without noise"),
    _nullable("type", STRING, "what the name and its surroundings tell, or its label, by vote"),
    _nullable("type_source", STRING, "what tells it: user, shape, kind, words, label or doubted (a label)"),
    _nullable("kind", STRING, "entity type by the header of its column of keys"),
    _column("mentions", LONG, "how often it occurs"),
    _column("is_term", BOOL, "a term of the corpus: by contrast or by definition"),
)

MERGES = _table(
    _column("left", STRING, "key of the more frequent name"),
    _column("right", STRING, "key of the other"),
    _column("rules", STRINGS, "rules that tie them"),
    _column("score", FLOAT, "probability that they are one thing, by the rules"),
    _nullable("guard", STRING, "what keeps them apart all the same"),
    _column("verdict", STRING, "same, different or unsure"),
    _column("by", STRING, "rules, override or confirmer"),
)

RESOLVED = _table(
    _column("key", STRING, "normalised name"),
    _column("entity_id", STRING, "its entity"),
    _column("centre", STRING, "the most frequent name of that entity"),
    _column("name", STRING, "display name of the entity"),
    _nullable("type", STRING, "entity type by vote"),
    _nullable("type_source", STRING, "what tells it, as in names; null: no type"),
    _column("is_named", BOOL, "whether one of its names tells its type or has a label"),
    _column("is_term", BOOL, "whether a name of the entity is a term of the corpus"),
)

ENTITIES = _table(
    _column("entity_id", STRING, "node: id of its key"),
    _column("key", STRING, "normalised name that mentions are joined by"),
    _column("name", STRING, "display name: its most frequent alias"),
    _nullable("type", STRING, "entity type"),
    _nullable("type_source", STRING, "what tells it: user, shape, kind, words, label, part, role, column or key"),
    _column("is_named", BOOL, "a name of it tells a type or has a label: no common noun"),
    _column("mentions", INT, "0 for one that only titles name"),
    _column("chunks", INT, "chunks that mention it"),
    _column("is_term", BOOL, "a term of the corpus, as `commit` is in git"),
)

ALIASES = _table(
    _column("entity_id", STRING, "node"),
    _column("alias", STRING, "a surface form"),
    _column("mentions", INT, "how often it occurs"),
)

MENTIONS = _table(
    _column("entity_id", STRING, "node"),
    *_SENTENCE,
    _column("start", INT, "first character in the sentence"),
    _column("end", INT, "its end there"),
    _column("alias", STRING, "the surface form, without noise"),
    _nullable("type", STRING, "entity label it has here"),
    _column("source", STRING, "extracted (an end of a triple) or name (found in the text)"),
)

TITLES = _table(
    _column("entity_id", STRING, "node"),
    CHUNK_ID,
    DOCUMENT_ID,
    _column("alias", STRING, "the form of the name that it gives"),
    _column("source", STRING, "title (of the document) or heading (above the chunk)"),
)

RELATIONS = _table(
    _column("relation_id", STRING, "edge: id of head, relation, tail and negation"),
    _column("head_id", STRING, "entity it starts at"),
    _column("relation", STRING, "canonical relation form"),
    _column("tail_id", STRING, "entity it ends at"),
    _column("text", STRING, "head, relation and tail in words: what is embedded"),
    _column("phrase", STRING, "the relation as most sources word it, for people"),
    _column("kind", STRING, "fact; association (is in, has, or no clause says it); condition (holds of some, or if)"),
    _column("negated", BOOL, "the sources deny it"),
    _column("weight", FLOAT, "number of sentences that support it; copies are one"),
    _column("confidence", FLOAT, "1 - product of (1 - confidence) over its evidence"),
)

EVIDENCE = _table(
    _column("relation_id", STRING, "edge"),
    _column("triple_id", STRING, "triple that supports it"),
    *_SENTENCE,
    _column("phrase", STRING, "the relation as this sentence words it"),
    _column("conditional", BOOL, "whether it stands in a condition there"),
    _column("said", LONG, "hash of the sentence: copies are one witness"),
    _column("confidence", FLOAT, "confidence of that triple"),
    *VALIDITY,
)

ATTRIBUTES = _table(
    _column("entity_id", STRING, "entity that has it"),
    _column("relation", STRING, "canonical relation form"),
    _column("phrase", STRING, "the relation in words"),
    _column("value", STRING, "the number, date, common noun or pronoun as it stands"),
    _column("type", STRING, "entity label of the value; empty for none"),
    _column("negated", BOOL, "the sentence denies it"),
    _column("is_head", BOOL, "whether the relation starts at the value: `value relation entity`"),
    _column("is_told", BOOL, "whether it is shown: a number or date, told as surely as a fact"),
    _column("triple_id", STRING, "triple it comes from"),
    *_SENTENCE,
    _column("confidence", FLOAT, "confidence of that triple"),
)

COMMUNITIES = _table(
    _column("community_id", STRING, "community: id of its level and members"),
    _column("level", INT, "0 is the coarsest"),
    _nullable("parent_id", STRING, "community of the level above it lies in"),
    _column("title", STRING, "what it is about, in a line"),
    _column("summary", STRING, "what it is about, with sources"),
    _column("size", INT, "number of entities"),
    _column("member_sha256", STRING, "hash of its members"),
    _column("summary_key", STRING, "hash of what the summary was written from, and by what"),
)

MEMBERS = _table(
    _column("community_id", STRING, "community"),
    _column("entity_id", STRING, "entity in it; one community a level at most"),
    _column("centrality", FLOAT, "weight of its relations inside the community"),
)

NODES = _table(
    _column("kind", STRING, "entity or chunk"),
    _column("id", STRING, "entity_id or chunk_id; the row number is the node number"),
)

EDGES = _table(
    _column("source", INT, "row in nodes"),
    _column("target", INT, "row in nodes"),
    _column("kind", STRING, "relation (a fact), association (other ones), mention, title or next"),
    _nullable("row", INT, "row in relations"),
    _column("support", FLOAT, "count of evidence or mentions; 1 for title and next"),
    _column("weight", FLOAT, "strength: from support and confidence, damped for hubs"),
)

TERMS = _table(
    _column("term", STRING, "a word as texts are searched by, sorted; each once"),
    _column("end", LONG, "end of its rows in the postings"),
)

POSTINGS = _table(
    _column("row", INT, "row in chunks, ascending within a term"),
    _column("score", FLOAT, "BM25 score that the term gives the chunk"),
)

SPELLINGS = _table(
    _column("spelling", STRING, "folded name, alias or code of an entity, sorted; each once"),
    _column("end", LONG, "end of its rows in spelled"),
    _nullable("name", INT, "row in name_nodes that it means"),
    _column("is_code", BOOL, "it stands behind a kind in a name, and no entity is called so"),
)

SPELLED = _table(_column("entity", INT, "row in entities that is spelled so, the most mentioned first"))

EVIDENCE_ROWS = _table(
    _column("relation", INT, "row in relations, sorted"),
    _column("sentence", INT, "row in sentences that states it, the surest first"),
    _column("chunk", INT, "row in chunks of that sentence"),
    _column("confidence", FLOAT, "0 to 1"),
    *VALIDITY,
)

NO_ROW = -1
ENTITY_ROWS = _table(_column("sentence", INT, "row in sentences of its first mention; -1 without one"))

NAME_NODES = _table(_column("entity", INT, "row in entities"), _column("is_title", BOOL, "a chunk is about it"))

NAME_EDGES = _table(
    _column("chunk", INT, "row in chunks, sorted"),
    _column("name", INT, "row in name_nodes that the chunk holds; each once, sorted"),
    _column("is_about", BOOL, "the chunk is about it"),
)


LEAST_CLUSTERED = 50_000
"""Chunks from which their vectors are clustered: comparing a question with all takes some 5 ms."""
CLUSTERED = _table(_column("row", INT, "row in chunks, by cluster and then ascending"))
VECTOR_CLUSTERS = _table(
    _column("end", INT, "end of the cluster's rows in clustered"),
    _column("centroid", pa.list_(FLOAT), "unit mean of its vectors"),
)
VECTOR_MOMENTS = _table(_column("numbers", pa.list_(FLOAT), "mean of the vectors, then of their outer products"))
CLUSTER_TABLES = ("clustered", "vector_clusters", "vector_moments")


def _some(schema: pa.Schema, *names: str) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


MAPPED_CHUNKS = _some(
    CHUNKS, "chunk_id", "document_id", "heading_path", "text", "char_start", "char_end",
    "page_start", "page_end",
)  # fmt: skip
MAPPED_SENTENCES = _some(SENTENCES, "sentence_id", "chunk_id", "document_id", "text", "char_start", "char_end", "page")
MAPPED_ENTITIES = _some(ENTITIES, "entity_id", "name", "type")
MAPPED_RELATIONS = _some(RELATIONS, "relation_id", "relation", "phrase", "kind", "negated", "weight", "confidence")
MAPPED = {name: f"mapped_{name}" for name in ("chunks", "sentences", "entities", "relations")}
"""Tables of which searches read a few rows of some columns, and the copies of these columns that readers map: a
column of Parquet is read and held whole."""


def vectors_schema(dimension: int) -> pa.Schema:
    """Return the schema of one kind's embeddings, for vectors of this length."""
    return _table(
        _column("id", STRING, "chunk_id, entity_id or relation_id"),
        _column("text_sha256", STRING, "hash of the embedded text: what reuse is keyed by"),
        _column("vector", pa.list_(FLOAT, dimension), "unit vector"),
    )


VERSIONS = _table(
    _column("chain_id", STRING, "the chain: id of its documents"),
    DOCUMENT_ID,
    _column("release", STRING, "release or date that tells it from others, else its file's name"),
)

CHANGES = _table(
    _column("chain_id", STRING, "the chain of versions"),
    _column("older_document_id", STRING, "the version before"),
    _column("document_id", STRING, "the version after"),
    _column("kind", STRING, "number, value, name or wording; added or removed: a whole sentence"),
    _nullable("older_sentence_id", STRING, "sentence of the version before; null: added"),
    _nullable("sentence_id", STRING, "sentence of the version after; null: removed"),
    _column("before", STRING, "words that went"),
    _column("after", STRING, "words that came"),
)

SCHEMAS: dict[str, pa.Schema] = {
    "sources": SOURCES,
    "documents": DOCUMENTS,
    "blocks": BLOCKS,
    "cells": CELLS,
    "chunks": CHUNKS,
    "sentences": SENTENCES,
    "frames": FRAMES,
    "triples": TRIPLES,
    "coreferences": COREFERENCES,
    "windows": WINDOWS,
    "replies": REPLIES,
    "adopted_frames": FRAMES,
    "adopted_triples": TRIPLES,
    "answers": ANSWERS,
    "declined": DECLINED,
    "entities": ENTITIES,
    "aliases": ALIASES,
    "mentions": MENTIONS,
    "titles": TITLES,
    "relations": RELATIONS,
    "evidence": EVIDENCE,
    "entity_dictionary": ENTITY_DICTIONARY,
    "surface_forms": SURFACE_FORMS,
    "names": NAMES,
    "merges": MERGES,
    "resolved": RESOLVED,
    "attributes": ATTRIBUTES,
    "versions": VERSIONS,
    "changes": CHANGES,
    "communities": COMMUNITIES,
    "members": MEMBERS,
    "nodes": NODES,
    "edges": EDGES,
    "evidence_rows": EVIDENCE_ROWS,
    "entity_rows": ENTITY_ROWS,
    "text_terms": TERMS,
    "text_postings": POSTINGS,
    "heading_terms": TERMS,
    "heading_postings": POSTINGS,
    "spellings": SPELLINGS,
    "spelled": SPELLED,
    "name_nodes": NAME_NODES,
    "name_edges": NAME_EDGES,
    "clustered": CLUSTERED,
    "vector_clusters": VECTOR_CLUSTERS,
    "vector_moments": VECTOR_MOMENTS,
    "mapped_chunks": MAPPED_CHUNKS,
    "mapped_sentences": MAPPED_SENTENCES,
    "mapped_entities": MAPPED_ENTITIES,
    "mapped_relations": MAPPED_RELATIONS,
}
"""Every table with a fixed schema, by name."""


OF_SHARDS_ONLY = ("windows", "replies", "adopted_frames", "adopted_triples")
"""Tables passed between the stages of a shard, not part of a snapshot."""


def schema_of(table: str) -> pa.Schema | None:
    """Return a table's fixed schema, or None for vector tables, whose dimension varies."""
    return None if table in VECTOR_TABLES else SCHEMAS[table]


def empty(table: str) -> pa.Table:
    """Return an empty table with this table's schema."""
    return SCHEMAS[table].empty_table()


def table_of(table: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return a table of rows; made late, only some of them are Python objects at a time."""
    left, made = iter(rows), [empty(table)]
    while some := list(islice(left, _ROWS_AT_ONCE)):
        made.append(pa.Table.from_pylist(some, schema=SCHEMAS[table]))
    return pa.concat_tables(made)
