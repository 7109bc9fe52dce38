"""An entity as a reader sees it, and a planned change to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.core.near import did_you_mean
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.language.overrides import Overrides, read_overrides
from graphrag_tasks.operations.overrides import Override, Section
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.view.visibility import VisibleSnapshot

Change = Literal["rename", "merge", "split"]

_SECTION: Mapping[Change, Section] = {"rename": "rename", "merge": "same", "split": "different"}


@dataclass(frozen=True)
class Entity:
    """An entity of a snapshot.

    Attributes:
        aliases: Its names, with the number of mentions, most frequent first.
        is_partial: Whether only some of the documents are visible.
    """

    id: str
    name: str
    mentions: int
    aliases: Mapping[str, int]
    relations: int
    is_partial: bool

    @cached_property
    def by_key(self) -> dict[str, str]:
        """Its most frequent name for each key."""
        return {entity_key(alias): alias for alias in reversed(list(self.aliases))}

    @property
    def given(self) -> str:
        """Its name in an overrides file: a name that documents use."""
        if not self.aliases or entity_key(self.name) in self.by_key:
            return self.name
        return next(iter(self.aliases))

    @property
    def others(self) -> list[str]:
        """Names that can be split off."""
        own = entity_key(self.given)
        return [one for key, one in reversed(self.by_key.items()) if key != own]


@dataclass(frozen=True)
class Plan:
    """A change of an entity that can be written to an overrides file."""

    change: Change
    entity: Entity
    other: str
    target: Entity | None
    override: Override

    @property
    def mentions(self) -> int:
        """Number of mentions that a split-off name has, in all spellings."""
        key, named = entity_key(self.other), self.entity.aliases.items()
        return sum(mentions for alias, mentions in named if entity_key(alias) == key)

    def added_to(self, text: str, where: str) -> str:
        """Return the text of an overrides file with the change."""
        try:
            if self.change == "rename":
                self._refuse_second_name(read_overrides(text, where), where)
            return self.override.added_to(text, where)
        except ConfigError as error:
            if not self.entity.is_partial:
                raise
            what = "the file says so already, says otherwise, or cannot be read"
            raise ConfigError(what, where, "Ask who may see all documents") from error

    def _refuse_second_name(self, said: Overrides, where: str) -> None:
        for key, name in said.rename.items():
            if key in self.entity.by_key:
                hint = "Change that line of the file"
                raise ConfigError(f"'{key}' is to be called '{name}' already", where, hint)
            if entity_key(name) == entity_key(self.other):
                hint = "Merge the two instead"
                raise ConfigError(f"'{key}' is to be called '{name}'", where, hint)


def find_entity(index: Index, name: str) -> Entity:
    """Return the entity of this name; display names take precedence."""
    entities = index.snapshot.table("entities", ["entity_id", "name", "mentions"])
    aliases = index.snapshot.table("aliases")
    found = entities.filter(_is(entities["name"], name))
    for spelling in (name, entity_key(name)):
        if not found.num_rows:
            ids = aliases.filter(_is(aliases["alias"], spelling))["entity_id"].combine_chunks()
            found = entities.filter(pc.is_in(entities["entity_id"], value_set=ids))
    if found.num_rows > 1:
        exact = found.filter(pc.equal(found["name"], name.strip()))
        found = exact if exact.num_rows == 1 else found
    rows = found.to_pylist()
    if not rows:
        hint = did_you_mean(entity_key(name), aliases["alias"].to_pylist())
        raise QueryError(f"there is no entity called '{name}'", "", hint)
    if len(rows) > 1:
        names = ", ".join(sorted(row["name"] for row in rows))
        raise QueryError(f"several entities are called '{name}'", "", f"Take one of: {names}")
    return _entity(index, aliases, rows[0]["entity_id"], rows[0]["name"], rows[0]["mentions"])


def plan(index: Index, entity: Entity, change: Change, other: str) -> Plan:
    """Return a change of an entity: a new name, an entity to merge with, or a name to split off."""
    other, target = other.strip(), None
    if change == "merge":
        target = find_entity(index, other)
        if target.id == entity.id:
            raise QueryError(f"'{entity.name}' and '{other}' are one entity already")
    if change == "rename":
        _refuse_taken(index, entity, other)
    elif change == "split" and other not in entity.others:
        hint = f"Take one of: {', '.join(entity.others)}" if entity.others else ""
        raise QueryError(f"'{other}' is no other name of '{entity.name}'", "", hint)
    written = target.given if target else other
    return Plan(change, entity, other, target, Override(_SECTION[change], entity.given, written))


def said_of(overrides: Overrides, entity: Entity, index: Index) -> Iterator[str]:
    """Yield a file's entries about an entity, without names that the reader may not see."""
    own = {*entity.by_key, entity_key(entity.name)}
    for words, pairs in (("the same as", overrides.same), ("not", overrides.different)):
        for pair in pairs:
            one, other = (pair.left, pair.right) if pair.left in own else (pair.right, pair.left)
            if one in own and _may_tell(other, entity, index):
                yield f"“{one}” is {words} “{other}” (line {pair.line})"
    yield from (f"“{one}” is called “{new}”" for one, new in overrides.rename.items() if one in own)


def _may_tell(key: str, entity: Entity, index: Index) -> bool:
    if not entity.is_partial:
        return True
    aliases = index.snapshot.table("aliases", ["alias"])["alias"]
    return bool(pc.any(_is(aliases, key)).as_py())


def _entity(index: Index, aliases: pa.Table, id: str, name: str, mentions: int) -> Entity:
    order = [("mentions", "descending"), ("alias", "ascending")]
    own = aliases.filter(pc.equal(aliases["entity_id"], id)).sort_by(order)
    relations = index.snapshot.table("relations", ["head_id", "tail_id"])
    ends = pc.or_(pc.equal(relations["head_id"], id), pc.equal(relations["tail_id"], id))
    return Entity(
        id=id,
        name=name,
        mentions=mentions,
        aliases=dict(zip(own["alias"].to_pylist(), own["mentions"].to_pylist(), strict=True)),
        relations=pc.sum(ends).as_py() or 0,
        is_partial=isinstance(index.snapshot, VisibleSnapshot),
    )


def _refuse_taken(index: Index, entity: Entity, name: str) -> None:
    if name == entity.name:
        raise QueryError(f"it is called '{name}' already")
    for table, column in (("entities", "name"), ("aliases", "alias")):
        rows = index.snapshot.table(table, ["entity_id", column])
        taken = pc.and_(_is(rows[column], name), pc.not_equal(rows["entity_id"], entity.id))
        if pc.any(taken).as_py():
            raise QueryError(f"another entity is called '{name}'", "", "Merge the two instead")


def _is(names: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    return pc.equal(pc.utf8_lower(names), name.strip().lower())
