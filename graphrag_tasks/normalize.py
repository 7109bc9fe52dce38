"""Normalise stage: triples become entities, relations and the evidence for each.

Paper, section 3.2: strip noise, standardise names, deduplicate, and drop heads and tails under two
characters and stop words. Mentions are joined by a *key*; the display name of an entity is its most
frequent alias. What depends on counting breaks ties by text, so no input order shows.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.config import NormalizeConfig
from graphrag_tasks.ids import content_id
from graphrag_tasks.stage import StageResult

REQUIRES = ("triples",)
PRODUCES = ("entities", "aliases", "mentions", "relations", "evidence")
DEPENDENCIES = ("spacy",)

PRONOUN = "PRON"
_DETERMINERS = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "all"}
    | {"my", "your", "his", "her", "its", "our", "their", "both", "no", "such", "another", "other"}
)
_SPACE = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"['’]s?$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]")
_EDGE_PUNCTUATION = " \t.,;:!?\"'“”‘’`´()[]{}<>«»*•·–—-_=+|\\/"
_OPENING = {")": "(", "]": "["}
_SUFFIX_SIGNS = "+#"
"""Signs that end names ("C++", "C#")."""


@dataclass
class _Entity:
    aliases: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    mentions: set[tuple[str, str, str, int, int]] = field(default_factory=set)


@dataclass
class _Relation:
    evidence: list[dict[str, Any]] = field(default_factory=list)


def clean_name(surface: str) -> str:
    """Return a surface form without noise: what is shown, before keys ignore its case.

    Unicode NFKC, control characters out, whitespace runs to one space, quotes and punctuation off
    the edges, a leading determiner and a trailing possessive dropped.
    """
    text = unicodedata.normalize("NFKC", _CONTROL.sub(" ", surface))
    text = _strip_edges(_SPACE.sub(" ", text))
    words = text.split(" ")
    while len(words) > 1 and words[0].casefold() in _DETERMINERS:
        words = words[1:]
    return _strip_edges(_POSSESSIVE.sub("", " ".join(words)))


def _strip_edges(text: str) -> str:
    text = text.lstrip(_EDGE_PUNCTUATION)
    while text and text[-1] in _EDGE_PUNCTUATION and not _ends_a_name(text):
        text = text[:-1]
    return text


def _ends_a_name(text: str) -> bool:
    """Return whether the last sign belongs to the name: "C++", "SELECT(x)"."""
    last = text[-1]
    if last in _SUFFIX_SIGNS:
        return text[-2:-1] not in ("", " ")
    return last in _OPENING and text.count(_OPENING[last]) >= text.count(last)


@lru_cache(maxsize=200_000)
def entity_key(surface: str) -> str:
    """Return what two surface forms must share to be one entity."""
    return clean_name(surface).casefold()


def normalize(triples: pa.Table, *, config: NormalizeConfig) -> StageResult:
    """Join the heads and tails of triples to entities, and equal triples to relations.

    Args:
        triples: Rows of `schemas.TRIPLES`.
        config: Lengths a head or tail may have.

    Returns:
        `entities`, `aliases`, `mentions`, `relations` and `evidence`, each sorted by its ids.
    """
    entities: dict[str, _Entity] = defaultdict(_Entity)
    relations: dict[tuple[str, str, str, bool], _Relation] = defaultdict(_Relation)
    dropped = Counter[str]()
    for triple in triples.to_pylist():
        reason = _drop_reason(triple, config)
        if reason:
            dropped[reason] += 1
            continue
        head, tail = (_mention(entities, triple, end) for end in ("head", "tail"))
        relations[head, triple["relation"], tail, triple["negated"]].evidence.append(triple)
    ids = {key: content_id("entity", key) for key in entities}
    names = {key: _most_frequent(entity.aliases) for key, entity in entities.items()}
    relation_rows, evidence_rows = _relation_rows(relations, ids, names)
    tables = {
        "entities": _table("entities", _entity_rows(entities, ids, names), "entity_id"),
        "aliases": _table("aliases", _alias_rows(entities, ids), "entity_id", "alias"),
        "mentions": _table(
            "mentions", _mention_rows(entities, ids), "entity_id", "sentence_id", "start", "end"
        ),
        "relations": _table("relations", relation_rows, "relation_id"),
        "evidence": _table("evidence", evidence_rows, "relation_id", "triple_id"),
    }
    stats = {name: table.num_rows for name, table in tables.items()}
    stats |= {f"dropped_{reason}": dropped[reason] for reason in _DROP_REASONS}
    return StageResult(tables, stats)


_DROP_REASONS = ("pronoun", "short", "long", "stop_word", "no_letter", "same_ends")


def _drop_reason(triple: dict[str, Any], config: NormalizeConfig) -> str | None:
    for end in ("head", "tail"):
        reason = _name_problem(_name(triple, end), _type(triple, end), config)
        if reason:
            return reason
    if entity_key(_name(triple, "head")) == entity_key(_name(triple, "tail")):
        return "same_ends"
    return None


def _name(triple: dict[str, Any], end: str) -> str:
    """Return the name of an end's node: what it stands for, where that is known."""
    return str(triple[f"{end}_resolved"] or triple[end])


def _type(triple: dict[str, Any], end: str) -> str | None:
    """Return the entity label of an end; a resolved one's tells of its surface only."""
    return None if triple[f"{end}_resolved"] else triple[f"{end}_type"]


def _name_problem(surface: str, type_: str | None, config: NormalizeConfig) -> str | None:
    key = entity_key(surface)
    checks = {
        "pronoun": type_ == PRONOUN,
        "short": len(key) < config.min_characters,
        "long": len(key) > config.max_characters,
        "stop_word": key in _stop_words(),
        "no_letter": not any(character.isalpha() for character in key),
    }
    return next((reason for reason, holds in checks.items() if holds), None)


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)


def _mention(entities: dict[str, _Entity], triple: dict[str, Any], end: str) -> str:
    name, type_ = _name(triple, end), _type(triple, end)
    key = entity_key(name)
    entity = entities[key]
    mention = (
        triple["sentence_id"],
        triple["chunk_id"],
        triple["document_id"],
        triple[f"{end}_start"],
        triple[f"{end}_end"],
    )
    if mention not in entity.mentions:
        entity.mentions.add(mention)
        entity.aliases[clean_name(name)] += 1
        if type_:
            entity.types[type_] += 1
    return key


def _most_frequent(counts: Counter[str]) -> str:
    return min(counts, key=lambda item: (-counts[item], item))


def _entity_rows(
    entities: dict[str, _Entity], ids: dict[str, str], names: dict[str, str]
) -> Iterable[dict[str, Any]]:
    for key, entity in entities.items():
        yield {
            "entity_id": ids[key],
            "key": key,
            "name": names[key],
            "type": _most_frequent(entity.types) if entity.types else None,
            "mentions": len(entity.mentions),
            "chunks": len({mention[1] for mention in entity.mentions}),
        }


def _alias_rows(entities: dict[str, _Entity], ids: dict[str, str]) -> Iterable[dict[str, Any]]:
    for key, entity in entities.items():
        for alias, count in entity.aliases.items():
            yield {"entity_id": ids[key], "alias": alias, "mentions": count}


def _mention_rows(entities: dict[str, _Entity], ids: dict[str, str]) -> Iterable[dict[str, Any]]:
    columns = ("sentence_id", "chunk_id", "document_id", "start", "end")
    for key, entity in entities.items():
        for mention in entity.mentions:
            yield {"entity_id": ids[key], **dict(zip(columns, mention, strict=True))}


def _relation_rows(
    relations: dict[tuple[str, str, str, bool], _Relation],
    ids: dict[str, str],
    names: dict[str, str],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, evidence = [], []
    for (head, relation, tail, negated), found in relations.items():
        relation_id = content_id("relation", ids[head], relation, ids[tail], int(negated))
        words = (names[head], "not" if negated else "", relation, names[tail])
        rows.append(
            {
                "relation_id": relation_id,
                "head_id": ids[head],
                "relation": relation,
                "tail_id": ids[tail],
                "text": " ".join(word for word in words if word),
                "negated": negated,
                "weight": float(len(found.evidence)),
                "confidence": _joint_confidence(found.evidence),
            }
        )
        columns = ("triple_id", "sentence_id", "chunk_id", "document_id", "confidence")
        evidence += [
            {"relation_id": relation_id, **{name: triple[name] for name in columns}}
            for triple in found.evidence
        ]
    return rows, evidence


def _joint_confidence(evidence: list[dict[str, Any]]) -> float:
    """Return 1 - product of (1 - confidence), multiplied in sorted order to be exact in any."""
    wrong = 1.0
    for confidence in sorted(triple["confidence"] for triple in evidence):
        wrong *= 1.0 - confidence
    return 1.0 - wrong


def _table(name: str, rows: Iterable[dict[str, Any]], *keys: str) -> pa.Table:
    ordered = sorted(rows, key=lambda row: tuple(row[key] for key in keys))
    return pa.Table.from_pylist(ordered, schema=schemas.SCHEMAS[name])
