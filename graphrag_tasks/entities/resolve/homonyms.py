"""Homonyms: each sense of a name becomes an entity, with the sense in its name.

The sense of most mentions keeps the entity and its id; the others get new ones. A long form that is
already an entity ("available-to-promise") is the sense of its acronym.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.entities.resolve.senses import Sense, find_senses
from graphrag_tasks.language.domain import type_label
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.language.overrides import Overrides
from graphrag_tasks.storage.sql import Connection

RULE = "homonym"
"""First rule in `schemas.MERGES` of two separate senses, before the evidence for the split."""

log = logging.getLogger(__name__)

_NAMED = pa.schema(
    [pa.field(one, pa.string()) for one in ("was", "sense_id", "sense_key", "sense_name", "kind")]
)
"""Schema of entities that are a sense of a name, with their new names."""
_FURTHER = pa.schema(
    [
        pa.field(one, pa.string())
        for one in ("alias", "homonym", "sense_id", "sense_key", "sense_name", "kind")
    ]
    + [pa.field("is_first", pa.bool_())]
)
"""Schema of aliases with the sense in brackets, which link to the senses of the name `homonym`."""


@dataclass(frozen=True, slots=True)
class _Entity:
    """A sense with its entity: id, key of its name, and name."""

    sense: Sense
    id: str
    key: str
    name: str

    @property
    def kind(self) -> str | None:
        return type_label(self.sense.kind) if self.sense.kind else None


@dataclass(frozen=True, slots=True)
class Homonyms:
    """The result of splitting names into senses.

    Attributes:
        senses: Rows of `schemas.SENSES`.
        decisions: Rows of `schemas.MERGES` that keep senses apart.
        named, further: Rows of `_NAMED` and `_FURTHER`.
        joined: Number of senses that the user's overrides merged into others.
    """

    senses: pa.Table
    decisions: list[dict[str, Any]]
    named: pa.Table
    further: pa.Table
    joined: int


def find_homonyms(
    connection: Connection,
    sql: Mapping[str, str],
    kinds: Iterable[str],
    overrides: Overrides,
) -> Homonyms:
    """Return the homonyms of a corpus; the connection knows the `chosen` entities of its names.

    Senses that the user declares the same are merged.
    """
    found = find_senses(connection, kinds)
    keys = {key for senses in found.values() for sense in senses for key in _keys_of(sense)}
    asked = {"entities": sorted(found), "keys": sorted(keys)}
    entity_of: dict[str, str] = {}
    centres: dict[str, tuple[str, str]] = {}
    for key, entity, centre, name in connection.execute(sql["asked"], asked).fetchall():
        entity_of[key] = entity
        centres[entity] = centre, name
    named: dict[str, dict[str, Any]] = {}
    further: dict[str, dict[str, Any]] = {}
    senses, decisions, joined = [], [], 0
    for entity, of_name in found.items():
        homonym, shown = centres[entity]
        first, *found_others = _entities(entity, homonym, of_name)
        others = [
            other for other in found_others if not _is_joined(other, first, homonym, overrides)
        ]
        joined += len(found_others) - len(others)
        if not others:
            continue
        for one in (first, *others):
            is_renamed = one is first and shown in overrides.rename.values()
            name = shown if is_renamed else overrides.rename.get(entity_key(one.name), one.name)
            about = {"sense_id": one.id, "sense_key": one.key, "sense_name": name, "kind": one.kind}
            known = [entity_of[key] for key in _keys_of(one.sense) if key in entity_of]
            for was in ([entity] if one is first else []) + known:
                if was == entity or was not in found:
                    named.setdefault(was, {"was": was} | about)
            alias = entity_key(one.name)
            further.setdefault(
                alias, {"alias": alias, "homonym": homonym, "is_first": one is first} | about
            )
        for other in others:
            senses += [
                {"entity_id": entity, "document_id": document, "sense_id": other.id}
                for document in other.sense.documents
            ]
            decisions.append(_decision(homonym, first, other))
        log.info(
            "'%s' is the name of several things: %s", homonym,
            "; ".join(f"{one.name}, {len(one.sense.documents)} documents, told by "
                      f"{one.sense.told_by or 'most mentions'}" for one in (first, *others)),
        )  # fmt: skip
    return Homonyms(
        pa.Table.from_pylist(senses, schema=schemas.SENSES).sort_by(
            [("entity_id", "ascending"), ("document_id", "ascending")]
        ),
        decisions,
        pa.Table.from_pylist(list(named.values()), schema=_NAMED),
        pa.Table.from_pylist(list(further.values()), schema=_FURTHER),
        joined,
    )


def _keys_of(sense: Sense) -> Iterator[str]:
    """Yield the keys of names for a sense: the name with the sense added, and the long form."""
    yield entity_key(sense.name)
    if sense.long:
        yield sense.long


def _entities(entity: str, homonym: str, senses: Iterable[Sense]) -> Iterator[_Entity]:
    for place, sense in enumerate(senses):
        key = entity_key(sense.name)
        if place == 0:
            yield _Entity(sense, entity, homonym, sense.name)
        else:
            yield _Entity(sense, content_id("entity", key), key, sense.name)


def _is_joined(one: _Entity, first: _Entity, homonym: str, overrides: Overrides) -> bool:
    firsts = {homonym, entity_key(first.name)}
    return any(
        (pair.left in firsts and pair.right == one.key)
        or (pair.right in firsts and pair.left == one.key)
        for pair in overrides.same
    )


def _decision(homonym: str, first: _Entity, one: _Entity) -> dict[str, Any]:
    return {
        "left": homonym, "right": one.key, "rules": [RULE, one.sense.told_by],
        "score": one.sense.shared, "guard": f"{first.sense.label} | {one.sense.label}",
        "verdict": "different", "by": "rules",
    }  # fmt: skip
