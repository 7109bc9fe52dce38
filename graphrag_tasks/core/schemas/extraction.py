"""Tables of what was understood: sentences, frames, triples and resolved mentions."""

from __future__ import annotations

import pyarrow as pa

from graphrag_tasks.core.schemas.columns import (
    BOOL,
    CHAR_END,
    CHAR_START,
    CHUNK_ID,
    DOCUMENT_ID,
    FLOAT,
    INT,
    SENTENCE_ID,
    STRING,
    column,
)

ARGUMENT = pa.struct(
    [
        pa.field("role", STRING),
        pa.field("text", STRING),
        pa.field("start", INT),
        pa.field("end", INT),
        pa.field("preposition", STRING),
        pa.field("entity_type", STRING),
        pa.field("head_start", INT),
        pa.field("head_end", INT),
        pa.field("core_text", STRING),
        pa.field("core_start", INT),
        pa.field("core_end", INT),
        pa.field("slot", INT),
    ]
)
"""One argument of a frame, as in `extract.frames.Argument`: role, surface, head and noun core."""

SENTENCES = pa.schema(
    [
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("ordinal", INT, "position in the chunk, from 0"),
        column("text", STRING, "sentence, inner whitespace runs kept"),
        CHAR_START,
        CHAR_END,
        column("page", INT, "page it begins on", nullable=True),
        column("has_verb", BOOL, "whether extraction reads it (paper: sentence filter)"),
    ]
)

FRAMES = pa.schema(
    [
        column("frame_id", STRING, "id of sentence, rule and spans"),
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("predicate", STRING, "surface with auxiliaries, negation, particles"),
        column("predicate_lemma", STRING, "canonical relation form"),
        column("start", INT, "first character of the predicate's head in the sentence"),
        column("end", INT, "one past its last character"),
        column("arguments", pa.list_(ARGUMENT), "n-ary arguments, subject first"),
        column("negated", BOOL, "whether the sentence denies it"),
        column("modality", STRING, "modal verb or condition marker", nullable=True),
        column("passive", BOOL, "whether the predicate is passive"),
        column("rule", STRING, "rule that fired"),
        column("extractor", STRING, "extractor that produced it"),
        column("confidence", FLOAT, "0 to 1"),
    ]
)

TRIPLES = pa.schema(
    [
        column("triple_id", STRING, "id of frame, spans and relation"),
        column("frame_id", STRING, "frame it was derived from"),
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("head", STRING, "surface of the head"),
        column("relation", STRING, "canonical relation form, with its preposition"),
        column("tail", STRING, "surface of the tail"),
        column("head_start", INT, "first character of the head in the sentence"),
        column("head_end", INT, "one past its last character"),
        column("tail_start", INT, "first character of the tail in the sentence"),
        column("tail_end", INT, "one past its last character"),
        column("head_type", STRING, "entity label of the head, PRON for pronouns", nullable=True),
        column("tail_type", STRING, "entity label of the tail, PRON for pronouns", nullable=True),
        column("head_resolved", STRING, "name that the head stands for", nullable=True),
        column("tail_resolved", STRING, "name that the tail stands for", nullable=True),
        column("negated", BOOL, "whether the sentence denies it"),
        column("rule", STRING, "rule that fired"),
        column("extractor", STRING, "extractor that produced it"),
        column("confidence", FLOAT, "0 to 1"),
    ]
)

COREFERENCES = pa.schema(
    [
        SENTENCE_ID,
        CHUNK_ID,
        DOCUMENT_ID,
        column("start", INT, "first character of the mention in the sentence"),
        column("end", INT, "one past its last character"),
        column("surface", STRING, "the mention: a pronoun, or a noun with its article"),
        column("antecedent", STRING, "name that it stands for"),
        column("source", STRING, "where the antecedent stands: text, heading, title or key"),
        column(
            "antecedent_sentence_id", STRING, "its sentence; null outside the text", nullable=True
        ),
        column("antecedent_start", INT, "its first character there", nullable=True),
        column("antecedent_end", INT, "one past its last character there", nullable=True),
        column("kind", STRING, "pronoun or definite"),
        column("rule", STRING, "what resolved it"),
        column("confidence", FLOAT, "0 to 1"),
    ]
)

TABLES = {
    "sentences": SENTENCES,
    "frames": FRAMES,
    "triples": TRIPLES,
    "coreferences": COREFERENCES,
}
"""By artifact name."""
