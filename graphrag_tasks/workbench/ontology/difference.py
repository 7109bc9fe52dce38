"""Differences between a proposed ontology and the one in force, for approval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from graphrag_tasks.core.commands import command
from graphrag_tasks.graph.relationships import GraphSchema
from graphrag_tasks.graph.relationships.graph_schema import RelationType
from graphrag_tasks.workbench.ontology.consolidate import RELATION, TYPE
from graphrag_tasks.workbench.ontology.proposal import Proposal, Report

NEW, GONE, CHANGED, SAME = "new", "gone", "changed", "same"
_MOST_ROWS = 200  # Most rows of a difference in Markdown, which Airflow shows in one form.


class Change(NamedTuple):
    """A type or relation, its change, and its (old) meaning."""

    kind: str
    name: str
    change: str
    meaning: str


def changes(before: GraphSchema, after: GraphSchema) -> list[Change]:
    """Return the change of each type and relation, unchanged ones last."""
    types = _compared(
        TYPE,
        {name: ", ".join(labels) for name, labels in before.entity_types.items()},
        {name: ", ".join(labels) for name, labels in after.entity_types.items()},
    )
    relations = _compared(
        RELATION,
        {name: _meaning(relation_type) for name, relation_type in before.relations.items()},
        {name: _meaning(relation_type) for name, relation_type in after.relations.items()},
    )
    return sorted([*types, *relations], key=lambda change: change.change == SAME)


def _compared(kind: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[Change]:
    for name in sorted({*before, *after}):
        if name not in before:
            yield Change(kind, name, NEW, after[name])
        elif name not in after:
            yield Change(kind, name, GONE, before[name])
        else:
            same = before[name] == after[name]
            yield Change(kind, name, SAME if same else CHANGED, after[name])


def _meaning(one: RelationType) -> str:
    domain, range_ = (", ".join(ends or ["anything"]) for ends in (one.domain, one.range))
    others = [*one.synonyms, *(f"reverse: {name}" for name in one.inverses)]
    return f"{domain} → {range_}" + (f"; also {', '.join(others)}" if others else "")


def summary(report: Report) -> list[tuple[str, str]]:
    """Return the figures for an approval, each with its explanation."""
    asked = f"{report.asked:,}, {report.distinct:,} different"
    if report.left_out:
        asked += f", {report.left_out:,} more left out"
    by_model = ""
    if report.by_model or report.not_by_model or report.unsent:
        failed = [f"{count} {kind}" for kind, count in sorted(report.not_by_model.items())]
        failed += [f"{report.unsent} not sent"] if report.unsent else []
        by_model = f", {report.by_model} by a model" + (f" ({', '.join(failed)})" if failed else "")
    rows = {
        "questions": asked,
        "questions covered": f"{report.covered:,} of {report.searched:,} searched",
        "clusters": f"{report.clusters:,}{by_model}",
        "triples inside": f"{report.triples_covered:,} of {report.triples:,}",
        "types": f"{sum(kept.kind == TYPE for kept in report.kept)}",
        "relations": f"{sum(kept.kind == RELATION for kept in report.kept)}",
        "proposed, not kept": f"{sum(not one.into for one in report.dropped):,}",
    }
    return list(rows.items())


def to_markdown(proposal: Proposal, before: GraphSchema) -> str:
    """Return the figures and differences to the ontology in force, as Markdown."""
    found = changes(before, proposal.schema)
    shown = [change for change in found if change.change != SAME]
    lines = ["| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in summary(proposal.report)]
    lines += ["", f"{len(found) - len(shown)} stay as they are.", ""]
    lines += ["| | name | change | |", "|---|---|---|---|"]
    lines += [
        f"| {change.kind} | `{change.name}` | {change.change} | {change.meaning} |" for change in shown[:_MOST_ROWS]
    ]
    if len(shown) > _MOST_ROWS:
        lines += ["", f"{len(shown) - _MOST_ROWS} more: {command('ontology', 'show', proposal.id)}"]
    return "\n".join(lines)
