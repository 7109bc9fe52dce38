"""How often each rule left a trace in stores: a rule is added only with this and what it gains.

    python -m benchmarks.count_firings STORE...

For each table of the current snapshot that says which rule made a row: rules, rows, and their rate in ten thousand.
A rule below ten on three stores of different documents is not worth its lines.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphrag_tasks.storage.snapshots.store import Store

Row = Mapping[str, Any]

RULES: tuple[tuple[str, tuple[str, ...], Callable[[Row], Iterable[object]]], ...] = (
    ("merges", ("rules", "verdict"), lambda row: ((rule, row["verdict"]) for rule in row["rules"] or ["no rule"])),
    ("merges", ("guard",), lambda row: [row["guard"]] if row["guard"] else []),
    ("coreferences", ("kind", "rule"), lambda row: [(row["kind"], row["rule"])]),
    ("frames", ("rule",), lambda row: [row["rule"]]),
    ("triples", ("rule",), lambda row: [row["rule"]]),
    ("frames", ("modality", "negated", "is_believed"), lambda row: [tuple(row.values())]),
    ("evidence", ("valid_kind",), lambda row: [row["valid_kind"]] if row["valid_kind"] else []),
    ("entities", ("type_source",), lambda row: [row["type_source"]]),
    ("entity_dictionary", ("source", "problem"), lambda row: [(row["source"], row["problem"])]),
    ("cells", ("value_type",), lambda row: [row["value_type"]]),
    ("documents", ("left_out",), lambda row: (one["reason"] for one in row["left_out"] or ())),
)
"""Table, the columns that name a rule, and the rules of a row."""


def main() -> None:
    """Print the firings of each store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="+")
    for uri in parser.parse_args().stores:
        snapshot = Store(uri).open()
        print(f"== {uri}")
        for name, columns, rules_of in RULES:
            rows = snapshot.table(name, list(columns)).to_pylist()
            counts = Counter(rule for row in rows for rule in rules_of(row))
            print(f"{name} ({', '.join(columns)}), {len(rows):,} rows")
            for rule, count in counts.most_common():
                print(f"  {count:8,}  {10_000 * count / max(len(rows), 1):8.1f}  {rule}")


if __name__ == "__main__":
    main()
