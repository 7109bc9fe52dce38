"""Tables of the graph: names, entities, relations, communities, arrays and vectors."""

from __future__ import annotations

import pyarrow as pa

from graphrag_tasks.core.schemas.columns import (
    BOOL,
    CHUNK_ID,
    DOCUMENT_ID,
    FLOAT,
    INT,
    LONG,
    SENTENCE_ID,
    STRING,
    column,
)

ENTITY_DICTIONARY = pa.schema(
    [
        column("surface", STRING, "title, heading, key or term as it stands"),
        column("name", STRING, "a name that it gives"),
        column("form", STRING, "full, base (no brackets), first (up to a comma) or acronym"),
        column(
            "source", STRING, "title, heading, key (of a table) or term (of a list of definitions)"
        ),
        DOCUMENT_ID,
        column("chunk_id", STRING, "a chunk below it, or the one that it stands in"),
        column("problem", STRING, "why it is no name; null where it is one", nullable=True),
    ]
)

SURFACE_FORMS = pa.schema(
    [
        column("surface", STRING, "head or tail as a triple has it"),
        column("type", STRING, "its entity label; empty for none"),
        column("key", STRING, "the name it is normalised to: what names are joined by"),
        column("name", STRING, "the surface without noise"),
        column("problem", STRING, "why it is no node; null where it is one", nullable=True),
    ]
)

NAMES = pa.schema(
    [
        column("key", STRING, "normalised name"),
        column("name", STRING, "its most frequent surface without noise"),
        column("type", STRING, "its most frequent entity label", nullable=True),
        column("mentions", LONG, "how often it occurs"),
    ]
)

MERGES = pa.schema(
    [
        column("left", STRING, "key of the more frequent name"),
        column("right", STRING, "key of the other"),
        column("rules", pa.list_(STRING), "rules that tie them"),
        column("score", FLOAT, "probability that they are one thing, by the rules"),
        column("guard", STRING, "what keeps them apart all the same", nullable=True),
        column("verdict", STRING, "same, different or unsure"),
        column("by", STRING, "rules, override or confirmer"),
    ]
)

RESOLVED = pa.schema(
    [
        column("key", STRING, "normalised name"),
        column("entity_id", STRING, "its entity"),
        column("centre", STRING, "the most frequent name of that entity"),
        column("name", STRING, "display name of the entity"),
        column("type", STRING, "entity label by vote", nullable=True),
    ]
)

ENTITIES = pa.schema(
    [
        column("entity_id", STRING, "node: id of its key"),
        column("key", STRING, "normalised name that mentions are joined by"),
        column("name", STRING, "display name: its most frequent alias"),
        column("type", STRING, "most frequent entity label", nullable=True),
        column("mentions", INT, "number of mentions; 0 for one that only titles name"),
        column("chunks", INT, "number of chunks that mention it"),
    ]
)

ALIASES = pa.schema(
    [
        column("entity_id", STRING, "node"),
        column("alias", STRING, "a surface form"),
        column("mentions", INT, "how often it occurs"),
    ]
)

MENTIONS = pa.schema(
    [
        column("entity_id", STRING, "node"),
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("start", INT, "first character in the sentence"),
        column("end", INT, "one past the last character in the sentence"),
        column("alias", STRING, "the surface form, without noise"),
        column("type", STRING, "entity label it has here", nullable=True),
        column("source", STRING, "extracted (an end of a triple) or name (found in the text)"),
    ]
)

TITLES = pa.schema(
    [
        column("entity_id", STRING, "node"),
        CHUNK_ID,
        DOCUMENT_ID,
        column("alias", STRING, "the form of the name that it gives"),
        column("source", STRING, "title (of the document) or heading (above the chunk)"),
    ]
)

RELATIONS = pa.schema(
    [
        column("relation_id", STRING, "edge: id of head, relation, tail and negation"),
        column("head_id", STRING, "entity it starts at"),
        column("relation", STRING, "canonical relation form"),
        column("tail_id", STRING, "entity it ends at"),
        column("text", STRING, "head, relation and tail in words: what is embedded"),
        column("negated", BOOL, "whether the sources deny it"),
        column("weight", FLOAT, "number of triples that support it"),
        column("confidence", FLOAT, "1 - product of (1 - confidence) over its evidence"),
    ]
)

EVIDENCE = pa.schema(
    [
        column("relation_id", STRING, "edge"),
        column("triple_id", STRING, "triple that supports it"),
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("confidence", FLOAT, "confidence of that triple"),
    ]
)

ATTRIBUTES = pa.schema(
    [
        column("entity_id", STRING, "entity that has it"),
        column("relation", STRING, "canonical relation form"),
        column("value", STRING, "the number, date or common noun as it stands"),
        column("type", STRING, "entity label of the value; empty for none"),
        column("negated", BOOL, "whether the sentence denies it"),
        column("triple_id", STRING, "triple it comes from"),
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("confidence", FLOAT, "confidence of that triple"),
    ]
)

REJECTED = pa.schema(
    [
        column("triple_id", STRING, "triple that is no edge and no attribute"),
        DOCUMENT_ID,
        column("reason", STRING, "what is wrong with it"),
    ]
)

COMMUNITIES = pa.schema(
    [
        column("community_id", STRING, "community: id of its level and members"),
        column("level", INT, "0 is the coarsest"),
        column("parent_id", STRING, "community of the level above it lies in", nullable=True),
        column("title", STRING, "what it is about, in a line"),
        column("summary", STRING, "what it is about, with sources"),
        column("size", INT, "number of entities"),
        column("member_sha256", STRING, "hash of its members"),
        column("summary_key", STRING, "hash of what the summary was written from, and by what"),
    ]
)

MEMBERS = pa.schema(
    [
        column("community_id", STRING, "community"),
        column("entity_id", STRING, "entity in it; one community a level at most"),
        column("centrality", FLOAT, "weight of its relations inside the community"),
    ]
)

NODES = pa.schema(
    [
        column("kind", STRING, "entity or chunk"),
        column("id", STRING, "entity_id or chunk_id; the row number is the node number"),
    ]
)

EDGES = pa.schema(
    [
        column("source", INT, "row in nodes"),
        column("target", INT, "row in nodes"),
        column(
            "kind",
            STRING,
            "relation (entity to entity), mention or title (entity to chunk), next or link (chunk "
            "to chunk)",
        ),
        column("row", INT, "row in relations; null for other kinds", nullable=True),
        column("support", FLOAT, "count of evidence, mentions or links; 1 for title and next"),
        column(
            "weight",
            FLOAT,
            "how strongly it ties its ends: from support and confidence, damped for hubs",
        ),
    ]
)

TERMS = pa.schema(
    [
        column("term", STRING, "a word as texts are searched by, sorted; each once"),
        column("end", LONG, "one past its last row in the postings; they begin where others end"),
    ]
)

POSTINGS = pa.schema(
    [
        column("row", INT, "row in chunks"),
        column("score", FLOAT, "BM25 score that the term gives the chunk"),
    ]
)


def vectors_schema(dimension: int) -> pa.Schema:
    """Return the schema of one kind's embeddings."""
    return pa.schema(
        [
            column("id", STRING, "chunk_id, entity_id or relation_id"),
            column("text_sha256", STRING, "hash of the embedded text: what reuse is keyed by"),
            column("vector", pa.list_(FLOAT, dimension), "unit vector"),
        ]
    )


TABLES = {
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
    "rejected": REJECTED,
    "communities": COMMUNITIES,
    "members": MEMBERS,
    "nodes": NODES,
    "edges": EDGES,
    "text_terms": TERMS,
    "text_postings": POSTINGS,
    "heading_terms": TERMS,
    "heading_postings": POSTINGS,
}
"""By artifact name."""
