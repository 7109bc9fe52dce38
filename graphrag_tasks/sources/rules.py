"""Access rules: which rule labels a path, and checks that each rule has an effect.

A rule that matches nothing is a mistake that would expose documents. So is a rule that matches only if case is ignored:
`hr/**` beside a folder `HR`. Both stop the run. To match `hr` and `HR`, write two rules; a rule for a folder that may
be empty is `optional`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from graphrag_tasks.core.config import AccessConfig, AccessRule
from graphrag_tasks.core.errors import AccessError
from graphrag_tasks.core.globs import fits, folded, named, nearly_fits, nfc, unused

DEFAULT = "access.default"  # Origin of the labels of a document that no file and no rule labels.

_UNCHANGED = "Nothing was changed"


def first_rule(rules: Sequence[AccessRule], source: str, path: str) -> int | None:
    """Return the index of the first rule that matches a path of a source."""
    fitting = (place for place, rule in enumerate(rules) if _fits(rule, source, path))
    return next(fitting, None)


def name_of_rule(place: int, rule: AccessRule) -> str:
    """Return the display name of a rule: its number, from 1, and its pattern."""
    return f"rule {place + 1}: {rule.path}"


def check_rules(access: AccessConfig, listed: pa.Table) -> None:
    """Refuse rules that are mistakes; `listed` are rows of `listing.LISTED`."""
    columns = ("source", "path", "labels_from")
    rows = listed.select(columns).to_pylist() if access.rules else []
    sources = sorted({row["source"] for row in rows})
    for place, rule in enumerate(access.rules):
        _refuse_other_source(place, rule, sources)
    for row in rows:
        _refuse_near(access.rules, row)
    for place, rule in enumerate(access.rules):
        if not rule.optional and not any(_fits(rule, row["source"], row["path"]) for row in rows):
            where = f"access.rules, {name_of_rule(place, rule)}"
            raise unused(rule.path, (row["path"] for row in rows), where)


def _fits(rule: AccessRule, source: str, path: str) -> bool:
    return _is_of(rule, source) and fits(path, rule.path)


def _is_of(rule: AccessRule, source: str) -> bool:
    return rule.source is None or nfc(rule.source) == nfc(source)


def _refuse_near(rules: Sequence[AccessRule], row: Mapping[str, Any]) -> None:
    """Refuse a rule that would label a document earlier if case were ignored."""
    source, path, labels_from = row["source"], row["path"], row["labels_from"]
    first = first_rule(rules, source, path)
    chosen = DEFAULT if first is None else name_of_rule(first, rules[first])
    if labels_from != chosen:  # its own access file labels it
        return
    said = {folded(rule.path) for rule in rules if _fits(rule, source, path)}
    for place, rule in enumerate(rules[:first]):
        is_said = not _is_of(rule, source) or folded(rule.path) in said
        if not is_said and nearly_fits(path, rule.path):
            raise AccessError(
                f"it fits {named([path])} only where case is ignored, and {chosen} would label that",
                f"access.rules, {name_of_rule(place, rule)}",
                f"{_UNCHANGED}. Write the path as the folder is named, or one rule for each",
            )


def _refuse_other_source(place: int, rule: AccessRule, sources: Iterable[str]) -> None:
    """Refuse a rule whose source is not in the run, or differs in case from one that is."""
    if rule.source is None or any(_is_of(rule, source) for source in sources):
        return
    near = any(folded(source) == folded(rule.source) for source in sources)
    if near or not rule.optional:
        raise AccessError(
            f"no source of the run has documents and is called '{rule.source}'",
            f"access.rules, {name_of_rule(place, rule)}",
            f"{_UNCHANGED}. The sources are {', '.join(sources) or 'empty'}: name one of them, or take the rule out",
        )
