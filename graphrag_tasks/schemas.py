"""Artifact schemas: one `pa.schema` per table, every column with its meaning.

Bump `SCHEMA_VERSION` with every change of a column, and say so in the CHANGELOG. Tables are cast
to their schema on write and validated on read (see `artifacts`).

Character offsets named `char_start`/`char_end` count code points of the *document text*, which is
the document's block texts joined by `BLOCK_SEPARATOR`; `start`/`end` count code points of the
*sentence text*; both are equal for a name that is not in the sentence (a list item leaves it to the
lead, a table row to another row). All ends are exclusive. Pages count from 1 and are null where a
format has none.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 3
BLOCK_SEPARATOR = "\n\n"


def _column(name: str, type_: pa.DataType, meaning: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, type_, nullable=nullable, metadata={"meaning": meaning})


_STRING = pa.string()
_INT = pa.int32()
_LONG = pa.int64()
_FLOAT = pa.float32()
_DOUBLE = pa.float64()
_BOOL = pa.bool_()

BBOX = pa.struct([pa.field(side, _FLOAT) for side in ("left", "top", "right", "bottom")])
"""A box on a page in points, origin at the top left."""

ARGUMENT = pa.struct(
    [
        pa.field("role", _STRING),
        pa.field("text", _STRING),
        pa.field("start", _INT),
        pa.field("end", _INT),
        pa.field("preposition", _STRING),
        pa.field("entity_type", _STRING),
        pa.field("head_start", _INT),
        pa.field("head_end", _INT),
        pa.field("core_text", _STRING),
        pa.field("core_start", _INT),
        pa.field("core_end", _INT),
        pa.field("slot", _INT),
    ]
)
"""One argument of a frame, as in `extract.frames.Argument`: role, surface, head and noun core."""

LINK_SPAN = pa.struct([pa.field("start", _INT), pa.field("end", _INT), pa.field("href", _STRING)])
"""A hyperlink in a block: the span of its text there, and what it refers to, as written."""

_DOCUMENT_ID = _column("document_id", _STRING, "the document: id of its uri")
_CHUNK_ID = _column("chunk_id", _STRING, "the chunk: id of document, position and text")
_SENTENCE_ID = _column("sentence_id", _STRING, "the sentence: id of chunk, position and text")
_CHAR_START = _column("char_start", _INT, "first character in the document text")
_CHAR_END = _column("char_end", _INT, "one past the last character in the document text")

SOURCES = pa.schema(
    [
        _DOCUMENT_ID,
        _column("uri", _STRING, "source name and path inside it: stable across machines"),
        _column("source", _STRING, "name of the source root"),
        _column("path", _STRING, "posix path below the source root"),
        _column("media_type", _STRING, "kind of file, from its ending; 'unknown' is skipped"),
        _column("size_bytes", _LONG, "size when listed"),
        _column("content_sha256", _STRING, "hash of the bytes when planned", nullable=True),
        _column("change", _STRING, "added, changed, unchanged or removed"),
        _column(
            "shard", _INT, "shard that processes it; null when nothing is to do", nullable=True
        ),
    ]
)

DOCUMENTS = pa.schema(
    [
        _DOCUMENT_ID,
        _column("uri", _STRING, "source name and path inside it"),
        _column("source", _STRING, "name of the source root"),
        _column("path", _STRING, "posix path below the source root"),
        _column("media_type", _STRING, "kind of file"),
        _column("size_bytes", _LONG, "size of the file"),
        _column("content_sha256", _STRING, "document version: hash of its bytes", nullable=True),
        _column("title", _STRING, "metadata title, else first heading, else file name"),
        _column("title_source", _STRING, "metadata, heading or file_name"),
        _column("language", _STRING, "ISO 639 code where it is certain", nullable=True),
        _column("pages_in", _INT, "pages the file has", nullable=True),
        _column("pages_out", _INT, "pages that gave text", nullable=True),
        _column("characters", _INT, "length of the document text"),
        _column("cells", _INT, "cells of its tables; `cells` has the first parse.max_cells"),
        _column("status", _STRING, "parsed, partial (some pages lost), empty, failed or skipped"),
        _column("error_code", _STRING, "one of errors.DOCUMENT_ERROR_CODES", nullable=True),
        _column("error_message", _STRING, "what went wrong and what to do", nullable=True),
    ]
)

BLOCKS = pa.schema(
    [
        _DOCUMENT_ID,
        _column("ordinal", _INT, "position in reading order, from 0"),
        _column("kind", _STRING, "title, heading, paragraph, list_item, table, code or caption"),
        _column("level", _INT, "heading level from 1; null for other kinds", nullable=True),
        _column("text", _STRING, "text as it stands in the document text"),
        _CHAR_START,
        _CHAR_END,
        _column("page", _INT, "page it begins on", nullable=True),
        _column("bbox", BBOX, "box on that page", nullable=True),
        _column("links", pa.list_(LINK_SPAN), "hyperlinks in it; null: none", nullable=True),
        _column("anchors", pa.list_(_STRING), "ids that links name; null: none", nullable=True),
    ]
)

CELLS = pa.schema(
    [
        _DOCUMENT_ID,
        _column("ordinal", _INT, "block of its table"),
        _column("sheet", _STRING, "sheet of a workbook it lies on", nullable=True),
        _column("reference", _STRING, "its address on the sheet, such as B7", nullable=True),
        _column("row", _INT, "first row it covers, from 0 at the table's first"),
        _column("column", _INT, "first column it covers, from 0 at the table's first"),
        _column("row_span", _INT, "rows it covers"),
        _column("col_span", _INT, "columns it covers"),
        _column("is_header", _BOOL, "whether it names columns"),
        _column("is_row_header", _BOOL, "whether it names its row, where the format says so"),
        _column(
            "header",
            _STRING,
            "text of the header cells above it, outermost first; null for headers, where there "
            "are none, and for cells over several columns",
            nullable=True,
        ),
        _column("text", _STRING, "its text in one line, never empty"),
        _column(
            "value_type",
            _STRING,
            "text, integer, number, percent, boolean, date, datetime, time or error",
        ),
        _column(
            "number",
            _DOUBLE,
            "value of integer, number, percent (25 % is 0.25) and boolean (1 or 0)",
            nullable=True,
        ),
        _column("iso", _STRING, "value of date, datetime and time in ISO 8601", nullable=True),
        _column(
            "char_start",
            _INT,
            "first character in the document text, at its first place there; null where it has "
            "none, such as the header of an empty column",
            nullable=True,
        ),
        _column(
            "char_end", _INT, "one past the last character in the document text", nullable=True
        ),
        _column("page", _INT, "page its table begins on", nullable=True),
    ]
)
"""One row per cell that has text, of every table; a merged cell is one row with its spans."""

CHUNKS = pa.schema(
    [
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("ordinal", _INT, "position in the document, from 0"),
        _column("heading_path", pa.list_(_STRING), "headings above it, outermost first"),
        _column("text", _STRING, "the document text from char_start to char_end"),
        _CHAR_START,
        _CHAR_END,
        _column("page_start", _INT, "first page", nullable=True),
        _column("page_end", _INT, "last page", nullable=True),
        _column("previous_id", _STRING, "chunk before it in the document", nullable=True),
        _column("next_id", _STRING, "chunk after it in the document", nullable=True),
    ]
)

LINKS = pa.schema(
    [
        _column("chunk_id", _STRING, "the first chunk that holds the link's text"),
        _DOCUMENT_ID,
        _column("anchor", _STRING, "text of the link"),
        _CHAR_START,
        _CHAR_END,
        _column("href", _STRING, "what it refers to, as written"),
        _column("kind", _STRING, "internal, external, or outside (of the source: never followed)"),
        _column("target", _STRING, "uri of the document, or the external address", nullable=True),
        _column("fragment", _STRING, "place in the document it refers to", nullable=True),
        _column(
            "target_document_id",
            _STRING,
            "id of the target's uri, whether or not it is in the corpus; null for other kinds",
            nullable=True,
        ),
    ]
)

ANCHORS = pa.schema(
    [
        _DOCUMENT_ID,
        _column("name", _STRING, "id of an element, or a heading as GitHub names it in links"),
        _CHUNK_ID,
    ]
)

RENDITIONS = pa.schema(
    [
        _DOCUMENT_ID,
        _column(
            "docling_json",
            pa.large_string(),
            "the document as a DoclingDocument; null beyond parse.max_rendition_characters",
            nullable=True,
        ),
        _column(
            "markdown",
            pa.large_string(),
            "the document as Markdown; null beyond parse.max_rendition_characters",
            nullable=True,
        ),
    ]
)

SENTENCES = pa.schema(
    [
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("ordinal", _INT, "position in the chunk, from 0"),
        _column("text", _STRING, "sentence, inner whitespace runs kept"),
        _CHAR_START,
        _CHAR_END,
        _column("page", _INT, "page it begins on", nullable=True),
        _column("has_verb", _BOOL, "whether extraction reads it (paper: sentence filter)"),
    ]
)

FRAMES = pa.schema(
    [
        _column("frame_id", _STRING, "id of sentence, rule and spans"),
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("predicate", _STRING, "surface with auxiliaries, negation, particles"),
        _column("predicate_lemma", _STRING, "canonical relation form"),
        _column("start", _INT, "first character of the predicate's head in the sentence"),
        _column("end", _INT, "one past its last character"),
        _column("arguments", pa.list_(ARGUMENT), "n-ary arguments, subject first"),
        _column("negated", _BOOL, "whether the sentence denies it"),
        _column("modality", _STRING, "modal verb or condition marker", nullable=True),
        _column("passive", _BOOL, "whether the predicate is passive"),
        _column("rule", _STRING, "rule that fired"),
        _column("extractor", _STRING, "extractor that produced it"),
        _column("confidence", _FLOAT, "0 to 1"),
    ]
)

TRIPLES = pa.schema(
    [
        _column("triple_id", _STRING, "id of frame, spans and relation"),
        _column("frame_id", _STRING, "frame it was derived from"),
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("head", _STRING, "surface of the head"),
        _column("relation", _STRING, "canonical relation form, with its preposition"),
        _column("tail", _STRING, "surface of the tail"),
        _column("head_start", _INT, "first character of the head in the sentence"),
        _column("head_end", _INT, "one past its last character"),
        _column("tail_start", _INT, "first character of the tail in the sentence"),
        _column("tail_end", _INT, "one past its last character"),
        _column("head_type", _STRING, "entity label of the head, PRON for pronouns", nullable=True),
        _column("tail_type", _STRING, "entity label of the tail, PRON for pronouns", nullable=True),
        _column("head_resolved", _STRING, "name that the head stands for", nullable=True),
        _column("tail_resolved", _STRING, "name that the tail stands for", nullable=True),
        _column("negated", _BOOL, "whether the sentence denies it"),
        _column("rule", _STRING, "rule that fired"),
        _column("extractor", _STRING, "extractor that produced it"),
        _column("confidence", _FLOAT, "0 to 1"),
    ]
)

COREFERENCES = pa.schema(
    [
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("start", _INT, "first character of the mention in the sentence"),
        _column("end", _INT, "one past its last character"),
        _column("surface", _STRING, "the mention: a pronoun, or a noun with its article"),
        _column("antecedent", _STRING, "name that it stands for"),
        _column("source", _STRING, "where the antecedent stands: text, heading or title"),
        _column(
            "antecedent_sentence_id", _STRING, "its sentence; null outside the text", nullable=True
        ),
        _column("antecedent_start", _INT, "its first character there", nullable=True),
        _column("antecedent_end", _INT, "one past its last character there", nullable=True),
        _column("kind", _STRING, "pronoun or definite"),
        _column("rule", _STRING, "what resolved it"),
        _column("confidence", _FLOAT, "0 to 1"),
    ]
)

SURFACES = pa.schema(
    [
        _column("surface", _STRING, "head or tail as a triple has it"),
        _column("type", _STRING, "its entity label; empty for none"),
        _column("key", _STRING, "the name it is normalised to: what names are joined by"),
        _column("name", _STRING, "the surface without noise"),
        _column("problem", _STRING, "why it is no node; null where it is one", nullable=True),
    ]
)

NAMES = pa.schema(
    [
        _column("key", _STRING, "normalised name"),
        _column("name", _STRING, "its most frequent surface without noise"),
        _column("type", _STRING, "its most frequent entity label", nullable=True),
        _column("mentions", _LONG, "how often it occurs"),
    ]
)

MERGES = pa.schema(
    [
        _column("left", _STRING, "key of the more frequent name"),
        _column("right", _STRING, "key of the other"),
        _column("rules", pa.list_(_STRING), "rules that tie them"),
        _column("score", _FLOAT, "probability that they are one thing, by the rules"),
        _column("guard", _STRING, "what keeps them apart all the same", nullable=True),
        _column("verdict", _STRING, "same, different or unsure"),
        _column("by", _STRING, "rules or override"),
    ]
)

RESOLVED = pa.schema(
    [
        _column("key", _STRING, "normalised name"),
        _column("entity_id", _STRING, "its entity"),
        _column("centre", _STRING, "the most frequent name of that entity"),
        _column("name", _STRING, "display name of the entity"),
        _column("type", _STRING, "entity label by vote", nullable=True),
    ]
)

ENTITIES = pa.schema(
    [
        _column("entity_id", _STRING, "node: id of its key"),
        _column("key", _STRING, "normalised name that mentions are joined by"),
        _column("name", _STRING, "display name: its most frequent alias"),
        _column("type", _STRING, "most frequent entity label", nullable=True),
        _column("mentions", _INT, "number of mentions"),
        _column("chunks", _INT, "number of chunks that mention it"),
    ]
)

ALIASES = pa.schema(
    [
        _column("entity_id", _STRING, "node"),
        _column("alias", _STRING, "a surface form"),
        _column("mentions", _INT, "how often it occurs"),
    ]
)

MENTIONS = pa.schema(
    [
        _column("entity_id", _STRING, "node"),
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("start", _INT, "first character in the sentence"),
        _column("end", _INT, "one past the last character in the sentence"),
    ]
)

RELATIONS = pa.schema(
    [
        _column("relation_id", _STRING, "edge: id of head, relation, tail and negation"),
        _column("head_id", _STRING, "entity it starts at"),
        _column("relation", _STRING, "canonical relation form"),
        _column("tail_id", _STRING, "entity it ends at"),
        _column("text", _STRING, "head, relation and tail in words: what is embedded"),
        _column("negated", _BOOL, "whether the sources deny it"),
        _column("weight", _FLOAT, "number of triples that support it"),
        _column("confidence", _FLOAT, "1 - product of (1 - confidence) over its evidence"),
    ]
)

EVIDENCE = pa.schema(
    [
        _column("relation_id", _STRING, "edge"),
        _column("triple_id", _STRING, "triple that supports it"),
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("confidence", _FLOAT, "confidence of that triple"),
    ]
)

ATTRIBUTES = pa.schema(
    [
        _column("entity_id", _STRING, "entity that has it"),
        _column("relation", _STRING, "canonical relation form"),
        _column("value", _STRING, "the number, date or other value as it stands"),
        _column("type", _STRING, "entity label of the value; empty for none"),
        _column("negated", _BOOL, "whether the sentence denies it"),
        _column("triple_id", _STRING, "triple it comes from"),
        _SENTENCE_ID,
        _CHUNK_ID,
        _DOCUMENT_ID,
        _column("confidence", _FLOAT, "confidence of that triple"),
    ]
)

DROPPED = pa.schema(
    [
        _column("triple_id", _STRING, "triple that is no edge and no attribute"),
        _DOCUMENT_ID,
        _column("reason", _STRING, "what is wrong with it"),
    ]
)

COMMUNITIES = pa.schema(
    [
        _column("community_id", _STRING, "community: id of its level and members"),
        _column("level", _INT, "0 is the coarsest"),
        _column("parent_id", _STRING, "community of the level above it lies in", nullable=True),
        _column("title", _STRING, "what it is about, in a line"),
        _column("summary", _STRING, "what it is about, with sources"),
        _column("size", _INT, "number of entities"),
        _column("member_sha256", _STRING, "hash of its members"),
        _column("summary_key", _STRING, "hash of what the summary was written from, and by what"),
    ]
)

MEMBERS = pa.schema(
    [
        _column("community_id", _STRING, "community"),
        _column("entity_id", _STRING, "entity in it; one community a level at most"),
        _column("centrality", _FLOAT, "weight of its relations inside the community"),
    ]
)

NODES = pa.schema(
    [
        _column("kind", _STRING, "entity or chunk"),
        _column("id", _STRING, "entity_id or chunk_id; the row number is the node number"),
    ]
)

EDGES = pa.schema(
    [
        _column("source", _INT, "row in nodes"),
        _column("target", _INT, "row in nodes"),
        _column(
            "kind",
            _STRING,
            "relation (entity to entity), mention (entity to chunk), next or link (chunk to chunk)",
        ),
        _column("row", _INT, "row in relations; null for other kinds", nullable=True),
        _column("weight", _FLOAT, "support: count of evidence, mentions or links; 1 for next"),
    ]
)


def vectors_schema(dimension: int) -> pa.Schema:
    """Return the schema of one kind's embeddings.

    Args:
        dimension: Length of each vector.
    """
    return pa.schema(
        [
            _column("id", _STRING, "chunk_id, entity_id or relation_id"),
            _column("text_sha256", _STRING, "hash of the embedded text: what reuse is keyed by"),
            _column("vector", pa.list_(_FLOAT, dimension), "unit vector"),
        ]
    )


SCHEMAS: dict[str, pa.Schema] = {
    "sources": SOURCES,
    "documents": DOCUMENTS,
    "blocks": BLOCKS,
    "cells": CELLS,
    "renditions": RENDITIONS,
    "chunks": CHUNKS,
    "links": LINKS,
    "anchors": ANCHORS,
    "sentences": SENTENCES,
    "frames": FRAMES,
    "triples": TRIPLES,
    "coreferences": COREFERENCES,
    "entities": ENTITIES,
    "aliases": ALIASES,
    "mentions": MENTIONS,
    "relations": RELATIONS,
    "evidence": EVIDENCE,
    "surfaces": SURFACES,
    "names": NAMES,
    "merges": MERGES,
    "resolved": RESOLVED,
    "attributes": ATTRIBUTES,
    "dropped": DROPPED,
    "communities": COMMUNITIES,
    "members": MEMBERS,
    "nodes": NODES,
    "edges": EDGES,
}
"""Every table with a fixed schema, by artifact name."""

VECTOR_TABLES = ("chunk_vectors", "entity_vectors", "relation_vectors")
"""Tables of `vectors_schema`: one per kind, so that each can be memory-mapped as one matrix."""


def schema_of(table: str) -> pa.Schema | None:
    """Return a table's fixed schema, or None for the vector tables, whose dimension varies."""
    if table in VECTOR_TABLES:
        return None
    return SCHEMAS[table]


def empty(table: str) -> pa.Table:
    """Return a valid table of no rows."""
    return SCHEMAS[table].empty_table()
