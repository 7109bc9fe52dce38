"""Translate DuckDB's SQL to Spark's: sqlglot, with rules for what it does not know.

Statements are written so that both engines accept them; the rules handle where the engines give
different rows for the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphrag_tasks.core.extras import brought_by

if TYPE_CHECKING:
    from sqlglot import exp

Rule: TypeAlias = "Callable[[exp.Expression], exp.Expression]"

_REGEX_PART = re.compile(r"\\[pP]\{\w+\}|\\.|[][$&]", re.DOTALL)
_WORD = "[0-9A-Za-z_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_SPACES, _NO_SPACES = r"\t\n\f\r ", r"[^\t\n\f\r ]"


@dataclass(frozen=True)
class SparkStatement:
    """A statement for Spark.

    Attributes:
        kind: Whether it creates a table or view, drops one, or reads rows.
        name: Name of the table or view; empty if rows are read.
        query: The rows of the table, or those read; empty if a table is dropped.
    """

    kind: Literal["table", "view", "drop", "rows"]
    name: str
    query: str


def to_spark(query: str, values: Mapping[str, object] | None = None) -> SparkStatement:
    """Translate a DuckDB statement, with values for its parameters (`$name`).

    Raises:
        MissingDependencyError: The extra `spark` is not installed.
        sqlglot.errors.SqlglotError: It cannot be translated.
    """
    with brought_by("spark"):
        import sqlglot
    tree = _changed(_parsed(query).copy(), lambda node: _filled(node, values or {}))
    kind, name = _made(tree)
    read = tree.expression if kind in ("table", "view") else tree
    if kind == "drop":
        return SparkStatement("drop", name, "")
    for rule in _RULES:
        read = _changed(read, rule)
    text = read.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
    return SparkStatement(kind, name, text)


@lru_cache(maxsize=256)
def _parsed(query: str) -> exp.Expression:
    import sqlglot

    tree: exp.Expression = sqlglot.parse_one(query, read="duckdb")
    return tree


def _changed(tree: exp.Expression, rule: Rule) -> exp.Expression:
    """Apply a rule to every node, inner nodes first."""
    for node in reversed(list(tree.walk())):
        changed = rule(node)
        if changed is not node:
            if node is tree:
                return changed
            node.replace(changed)
    return tree


def _made(tree: exp.Expression) -> tuple[Literal["table", "view", "drop", "rows"], str]:
    from sqlglot import exp

    if isinstance(tree, exp.Create):
        return ("view" if tree.kind == "VIEW" else "table"), tree.this.name
    return ("drop", tree.find(exp.Table).name) if isinstance(tree, exp.Drop) else ("rows", "")


def _filled(node: exp.Expression, values: Mapping[str, object]) -> exp.Expression:
    from sqlglot import exp

    if isinstance(node, (exp.Parameter, exp.Placeholder)) and node.name in values:
        filled: exp.Expression = exp.convert(values[node.name])
        return filled
    return node


def java_pattern(pattern: str) -> str:
    r"""Translate an RE2 pattern, as in DuckDB, so that Java matches the same.

    RE2's `.` excludes only line feeds, its `$` matches only at the very end, its `\b` and `\s` are
    ASCII, and case-insensitive letters cover all of Unicode.
    """
    inside = False

    def part(match: re.Match[str]) -> str:
        nonlocal inside
        found = match[0]
        if found in "[]":
            escaped = inside and found == "["
            inside = found == "[" or (inside and found != "]")
            return r"\[" if escaped else found
        if found == r"\s":
            return _SPACES if inside else f"[{_SPACES}]"
        if inside:
            return r"\&" if found == "&" else found  # two are an intersection
        return {"$": r"\z", r"\b": _BOUNDARY, r"\S": _NO_SPACES}.get(found, found)

    text = _REGEX_PART.sub(part, pattern).replace("(?i)", "(?iu)")
    return f"(?d){text}"


def _patterns(node: exp.Expression) -> exp.Expression:
    """Translate regular expressions to Java's; Spark has no full match, and other group numbers."""
    from sqlglot import exp

    if isinstance(node, exp.RegexpFullMatch):
        pattern = exp.Literal.string(java_pattern(f"^(?:{node.expression.this})$"))
        return exp.RegexpLike(this=node.this, expression=pattern)
    others = (exp.RegexpLike, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpSplit)
    if isinstance(node, others) and not str(node.expression.this).startswith("(?d)"):
        node.set("expression", exp.Literal.string(java_pattern(node.expression.this)))
    if isinstance(node, exp.RegexpExtract) and node.args.get("group") is None:
        node.set("group", exp.Literal.number(0))
    return node


def _counts(node: exp.Expression) -> exp.Expression:
    """Count distinct values over a window as the size of their set."""
    from sqlglot import exp

    if isinstance(node, exp.Window) and isinstance(node.this, exp.Count):
        counted = node.this.this
        if isinstance(counted, exp.Distinct):
            window = node.copy()
            window.set("this", exp.Anonymous(this="collect_set", expressions=counted.expressions))
            return exp.Anonymous(this="size", expressions=[window])
    return node


def _lists(node: exp.Expression) -> exp.Expression:
    """Translate list functions: `len`, and the position of a missing item."""
    from sqlglot import exp

    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name == "list_extract":  # both count from one; there is an error that is none in DuckDB
        items, place = node.expressions
        number = exp.Cast(this=place, to=exp.DataType.build("int"))
        return exp.Anonymous(this="try_element_at", expressions=[items, number])
    if name in _NAMES:
        return exp.Anonymous(this=_NAMES[name], expressions=node.expressions)
    if name == "list_position":
        place = exp.Anonymous(this="array_position", expressions=node.expressions)
        return exp.Nullif(this=place, expression=exp.Literal.number(0))
    return node


_NAMES = {
    "list_slice": "slice",  # of a length, not to an end: the same where they begin with the first
    "md5_number": "md5",  # only asked whether two are equal
    "strlen": "octet_length",
}


def _lower_case(node: exp.Expression) -> exp.Expression:
    """Lower-case letter by letter: Java treats sigma by context, and splits a dotted I."""
    from sqlglot import exp

    if isinstance(node, exp.Lower) and not isinstance(node.this, exp.Translate):
        letters = (exp.Literal.string("Σ\u0130"), exp.Literal.string("σi"))  # noqa: RUF001 - sigma
        node.set("this", exp.func("translate", node.this, *letters))
    return node


_RULES: tuple[Rule, ...] = (_patterns, _counts, _lists, _lower_case)
