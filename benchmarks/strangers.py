"""Draw facts of a store to judge by hand, and count the judgements.

Index a corpus of `benchmarks/strangers.sh`, draw, fill the two empty columns, and report:

    python -m benchmarks.strangers draw STORE --count 40 >law.tsv
    python -m benchmarks.strangers report law.tsv radio.tsv

A judge reads the sentence, and knows no rule that made the fact. `judgement` is one of:

- right: a reader of the sentence would say that the fact says what the sentence says, as an
  assertion without losing a condition that changes it, and its names are whole enough to know
  what is meant;
- partly: true, but a name is cut or a needed restriction is lost;
- wrong: not what the sentence says;
- nothing: it says nothing, as from a light verb or a heading.

`cause` says in a word or two, the same for the same, why a fact is not right. The report's upper % is the share right
in the upper half by confidence. A row without a judgement is not counted.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from graphrag_tasks.language.names import TAILS_PLACE
from graphrag_tasks.storage.snapshots.store import Store

JUDGEMENTS = ("right", "partly", "wrong", "nothing")
COLUMNS = ("head", "predicate", "tail", "confidence", "kind", "sentence", "judgement", "cause")
SHARES = ("right %", "wrong %", "upper %")
Row = dict[str, str]


def draw(store: str, count: int, seed: int, *, is_shown: bool) -> None:
    """Print relations of the store, each with its surest sentence; or what is shown, attributes too."""
    snapshot = Store(store).open()
    names = {one["entity_id"]: one["name"] for one in snapshot.table("entities").to_pylist()}
    texts = {one["sentence_id"]: one["text"] for one in snapshot.table("sentences").to_pylist()}
    evidence = snapshot.table("evidence").to_pylist()
    evidence.sort(key=lambda one: (one["confidence"], one["triple_id"]))
    surest = {one["relation_id"]: texts[one["sentence_id"]] for one in evidence}
    facts = snapshot.table("relations").to_pylist()
    if is_shown:
        facts = [one for one in facts if one["kind"] == "fact"]
        facts += [
            one | {"relation_id": one["triple_id"], "head_id": one["entity_id"], "kind": "attribute"}
            for one in snapshot.table("attributes").to_pylist()
            if one["is_told"]
        ]
        surest |= {one["triple_id"]: texts[one["sentence_id"]] for one in facts if one["kind"] == "attribute"}
    facts.sort(key=lambda one: one["relation_id"])
    chance = random.Random(seed)  # noqa: S311 - sampling, no secret
    print("\t".join(COLUMNS))
    for fact in chance.sample(facts, min(count, len(facts))):
        confidence = f"{fact['confidence']:.3f}"
        before, _, behind = fact["phrase"].partition(f" {TAILS_PLACE} ")
        tail = f"{fact.get('value') or names[fact['tail_id']]} {behind}"
        cells = [names[fact["head_id"]], before, tail, confidence]
        cells += [fact["kind"], surest[fact["relation_id"]], "", ""]
        print("\t".join(" ".join(cell.split()) for cell in cells))


def judged(path: Path) -> list[Row]:
    """Return the rows of a file that have a judgement."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = [row for row in lines if row["judgement"]]
    unknown = {row["judgement"] for row in rows}.difference(JUDGEMENTS)
    if unknown:
        raise SystemExit(f"{path}: no judgement is called {', '.join(sorted(unknown))}")
    return rows


def summary(name: str, rows: Sequence[Row]) -> str:
    """Return a line of counts and shares."""
    counts = Counter(row["judgement"] for row in rows)
    surest = sorted(rows, key=lambda row: -float(row["confidence"]))[: (len(rows) + 1) // 2]
    upper = Counter(row["judgement"] for row in surest)
    shares = ((counts, "right"), (counts, "wrong"), (upper, "right"))
    cells = [f"{counts[judgement]}" for judgement in JUDGEMENTS]
    cells += [f"{of[one] / of.total():.0%}" if rows else "-" for of, one in shares]
    return f"{name:<20}" + "".join(f"{cell:>9}" for cell in cells)


def report(paths: Sequence[Path]) -> None:
    """Print a line for each file and for all of them, and the causes of what is not right."""
    files = [(path.stem, judged(path)) for path in paths]
    rows = [row for _, each in files for row in each]
    print(" " * 20 + "".join(f"{name:>9}" for name in (*JUDGEMENTS, *SHARES)))
    for name, each in (*files, ("all", rows)):
        print(summary(name, each))
    for cause, count in Counter(row["cause"] for row in rows if row["cause"]).most_common():
        print(f"{count:>4}  {cause}")


def main() -> None:
    """Draw or report, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strangers")
    commands = parser.add_subparsers(dest="command", required=True)
    facts = commands.add_parser("draw", help="print facts of a store as TSV")
    facts.add_argument("store")
    facts.add_argument("--count", type=int, default=40)
    facts.add_argument("--seed", type=int, default=1)
    facts.add_argument("--shown", action="store_true", help="only what the pages show, attributes too")
    files = commands.add_parser("report", help="count the judgements of files")
    files.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "report":
        report(options.files)
    else:
        draw(options.store, options.count, options.seed, is_shown=options.shown)


if __name__ == "__main__":
    main()
