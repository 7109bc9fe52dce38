"""Relationships stage: triples between resolved names become relations with evidence.

Equal triples are one relation, however many sentences state it. A triple becomes an attribute where its tail is a
literal (a number, a date), one end is a common noun that names nothing, or the tail is a single word that is no term
("is visible"). Rejected triples are kept as rows with the reason. A relation that is less sure than the setting is
rejected. A schema may merge wordings of a relation and restrict its ends.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any, Literal

import pyarrow as pa
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_tasks.core.config import RelationshipsConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.graph.weights import ASSOCIATION, CONDITION, FACT, JOINT_CONFIDENCE, LEAST_WORTH
from graphrag_tasks.language.names import GENERIC, LITERAL, PROBLEMS
from graphrag_tasks.storage.sql import Connection, Rows, id_of, sql_over, statements, stream

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


_SAME_ENDS = "same_ends"  # Reason to drop a triple that relates an entity to itself.
_UNSURE = "unsure"  # Reason to drop the triples of a relation that is less sure than the setting.

_RELATED = "head_problem IS NULL AND tail_problem IS NULL AND head_id <> tail_id AND NOT refused AND NOT is_ascribed"
_ATTRIBUTED = (
    f"(head_problem IS NULL"
    f" AND (is_ascribed OR coalesce(tail_problem, '') IN ('{LITERAL}', '{GENERIC}'))"
    f" OR coalesce(head_problem, '') = '{GENERIC}' AND tail_problem IS NULL)"
)
_SQL = statements(
    __package__,
    "stage.sql",
    unknown_relation=UNKNOWN_RELATION,
    wrong_head=WRONG_HEAD,
    wrong_tail=WRONG_TAIL,
    same_ends=_SAME_ENDS,
    unsure=_UNSURE,
    related=_RELATED,
    attributed=_ATTRIBUTED,
    relation_id=id_of("relation", "head_id", "relation", "tail_id", "negated::INT::VARCHAR"),
    joint_confidence=JOINT_CONFIDENCE.strip(),
    fact=FACT,
    association=ASSOCIATION,
    condition=CONDITION,
    literal=LITERAL,
    least_worth=LEAST_WORTH,
)
_STRINGS = pa.list_(pa.string())
_RULES = pa.schema(
    {
        "wording": pa.string(), "canonical": pa.string(), "inverse": pa.bool_(),
        "heads": _STRINGS, "tails": _STRINGS,
    }
)  # fmt: skip
_REASONS = (*PROBLEMS, _SAME_ENDS, _UNSURE, *VIOLATIONS)


@stage(
    per="corpus",
    reads=(scan("triples"), scan("surface_forms"), scan("resolved")),
    makes=("relations", "evidence", "attributes"),
    settings={"config": "relationships"},
    given=("schema",),
    libraries=("duckdb", "pyyaml"),
)
def relationships(
    triples: Rows,
    surface_forms: Rows,
    resolved: Rows,
    *,
    config: RelationshipsConfig,
    schema: GraphSchema | None = None,
) -> StageResult:
    """Turn triples into relations between entities.

    The three tables are streams, each sorted by its ids. The stats count the rejected triples by reason, and the schema
    violations, rejected or not.
    """
    inputs = {
        "triples": triples, "surface_forms": surface_forms, "resolved": resolved,
    }  # fmt: skip
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs))
        for name in ("ends", "told"):
            connection.execute(_SQL[name])
        _make_facts(connection, schema)
        connection.execute(_SQL["witnesses"])
        connection.execute(_SQL["grouped"], {"least": config.min_confidence})
        for name in ("unrelated", "stated", "phrased", "named"):
            connection.execute(_SQL[name])
        stats: dict[str, int | float] = {}
        tables = {name: stream(connection, _SQL[name], name, stats) for name in relationships.makes}
        reasons, violations = (dict(connection.sql(_SQL[name]).fetchall()) for name in ("reasons", "violations"))
        stats |= {f"rejected_{reason}": reasons.get(reason, 0) for reason in _REASONS}
        stats |= {f"outside_{kind}": violations.get(kind, 0) for kind in VIOLATIONS}
        return StageResult(tables, stats, stack.pop_all())


def _make_facts(connection: Connection, schema: GraphSchema | None) -> None:
    """Create the table of facts: triples in the schema's wording, and whether they violate it."""
    if schema is None or not schema.relations:
        connection.execute(_SQL["all_facts"])
        return
    connection.register("rules", pa.Table.from_pylist(schema.rules(), schema=_RULES))
    untyped = "true" if schema.untyped == "accept" else "false"
    connection.execute(_SQL["judged"].replace("$untyped", untyped))
    action = schema.on_violation
    values = {"map": action == "map", "drop": action == "drop", "map_to": schema.map_to}
    connection.execute(_SQL["facts_of_schema"], values)
