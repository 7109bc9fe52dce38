"""An expert's schema of the graph: which relations there are, and between what.

Source: paper, section 3.2 (an optional schema by domain experts filters triples). None by default.
A file in YAML::

    entity_types:
      table: [TABLE]            # entity labels that are of this type
      program: [PROGRAM, CLASS]
    relations:
      be replaced by:
        domain: [table]         # types its head may have; any without this line
        range: [table]          # types its tail may have; any without this line
        synonyms: [be superseded by]
        inverses: [replace, supersede]   # the same relation, read from its tail
    on_violation: drop          # drop, keep or map
    map_to: be related to       # what a relation becomes under map
    untyped: accept             # accept or refuse ends without an entity label
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import fingerprint

UNKNOWN_RELATION, WRONG_HEAD, WRONG_TAIL = "schema_relation", "schema_domain", "schema_range"
VIOLATIONS = (UNKNOWN_RELATION, WRONG_HEAD, WRONG_TAIL)
"""Reasons why a triple violates the schema; the first that applies counts."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RelationType(_Strict):
    """A relation of the schema: the types of its ends, and its other wordings."""

    domain: list[str] | None = Field(None, description="types its head may have")
    range: list[str] | None = Field(None, description="types its tail may have")
    synonyms: list[str] = Field([], description="other relations that mean it")
    inverses: list[str] = Field([], description="relations that mean it with the ends exchanged")


class GraphSchema(_Strict):
    """The contents of a schema file; `GraphSchema()` allows everything."""

    entity_types: dict[str, list[str]] = Field({}, description="entity labels of each type")
    relations: dict[str, RelationType] = Field({}, description="relation types by name")
    on_violation: Literal["drop", "keep", "map"] = "drop"
    map_to: str = Field("be related to", description="what a relation becomes under map")
    untyped: Literal["accept", "refuse"] = "accept"

    @property
    def fingerprint(self) -> str:
        """Hash of the schema's contents, without layout and comments."""
        return fingerprint(self.model_dump(mode="json"))

    def rules(self) -> list[dict[str, Any]]:
        """Return a row for each wording: `wording`, `canonical`, `inverse`, `heads`, `tails`.

        `heads` and `tails` are the entity labels allowed at the canonical relation's ends, None for any.
        """
        return [
            {
                "wording": wording,
                "canonical": name,
                "inverse": inverse,
                "heads": self._labels(relation.domain),
                "tails": self._labels(relation.range),
            }
            for name, relation in self.relations.items()
            for wordings, inverse in (([name, *relation.synonyms], False), (relation.inverses, True))
            for wording in wordings
        ]

    def _labels(self, types: Sequence[str] | None) -> list[str] | None:
        if types is None:
            return None
        return sorted({label for one in types for label in self.entity_types[one]})


def read_schema(text: str, where: str) -> GraphSchema:
    """Parse a schema file."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return GraphSchema()
        _refuse_twins(root, where)
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ConfigError(f"not readable as YAML: {error}", where) from error
    try:
        schema = GraphSchema.model_validate(values)
    except ValidationError as error:
        raise _as_config_error(error, root, where) from error
    _refuse_unknown_types(schema, root, where)
    _refuse_shared_wordings(schema, root, where)
    return schema


def _refuse_twins(node: yaml.Node, where: str) -> None:
    """Refuse a duplicate key in a mapping: YAML would silently drop the first."""
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConfigError("a key must be a text", f"{where}, line {_line(key)}")
            if key.value in lines:
                what = f"'{key.value}' stands on line {lines[key.value]} and on line {_line(key)}"
                raise ConfigError(what, where, "Remove one of the lines")
            lines[key.value] = _line(key)
            _refuse_twins(value, where)


def _as_config_error(error: ValidationError, root: yaml.Node, where: str) -> ConfigError:
    first = error.errors()[0]
    place = f"{where}, line {_line(_node_at(root, first['loc']))}"
    name = ".".join(map(str, first["loc"]))
    if first["type"] != "extra_forbidden":
        return ConfigError(f"{name}: {first['msg']} (got {first['input']!r})", place)
    model = GraphSchema if len(first["loc"]) == 1 else RelationType
    hint = _suggestion(str(first["loc"][-1]), model.model_fields)
    return ConfigError(f"unknown key '{first['loc'][-1]}'", place, hint)


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}"


def _refuse_unknown_types(schema: GraphSchema, root: yaml.Node, where: str) -> None:
    for name, relation in schema.relations.items():
        for side, types in (("domain", relation.domain), ("range", relation.range)):
            for number, one in enumerate(types or ()):
                if one not in schema.entity_types:
                    what = f"'{name}' has a {side} of type '{one}', which is none of entity_types"
                    line = _line(_node_at(root, ("relations", name, side, number)))
                    hint = _suggestion(one, schema.entity_types)
                    raise ConfigError(what, f"{where}, line {line}", hint)


def _refuse_shared_wordings(schema: GraphSchema, root: yaml.Node, where: str) -> None:
    owners: dict[str, str] = {}
    for rule in schema.rules():
        wording, name = rule["wording"], rule["canonical"]
        if wording in owners:
            first, second = (
                f"'{one}' (line {_line(_node_at(root, ('relations', one)))})" for one in (owners[wording], name)
            )
            what = f"'{wording}' is a wording of {first} and of {second}"
            raise ConfigError(what, where, "Leave it with one of them")
        owners[wording] = name


def _node_at(root: yaml.Node, path: Sequence[str | int]) -> yaml.Node:
    """Return the last existing node on a path; in a mapping, the key."""
    found, node = root, root
    for part in path:
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
            if str(part) not in pairs:
                break
            found, node = pairs[str(part)]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            found = node = node.value[part]
    return found


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
