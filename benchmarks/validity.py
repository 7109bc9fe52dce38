"""How often the time of a sentence is found and right (`extract.certainty`).

    python -m benchmarks.validity

`benchmarks/gold/validity.jsonl` has sentences with a time and sentences that only look like it: `known` from the
manuals of Django and Sphinx (BSD), pip and pytest (MIT) and Celery (CC BY-SA 4.0), `apart` from fields of
`strangers.sh`; both were labelled before the patterns were written. *Right* wants the same kind and the same ends. Of
*firings*, those where no time is are wrong.
"""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from graphrag_tasks.extract.certainty import validity_of

GOLD = Path(__file__).parent / "gold" / "validity.jsonl"


def main() -> None:
    """Print a line for each set."""
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    for name, of_set in groupby(rows, itemgetter("set")):
        told = [((row["kind"], row["from"], row["to"]), validity_of(row["text"])) for row in of_set]
        timed = [said == wanted for wanted, said in told if wanted[0] and said]
        fired = [said == wanted for wanted, said in told if said]
        wanted = sum(bool(gold[0]) for gold, _ in told)
        print(
            f"{name}: {len(told)} sentences, {wanted} with a time: found {len(timed) / wanted:.2f},"
            f" of these right {sum(timed) / len(timed):.2f}; of {len(fired)} firings right"
            f" {sum(fired) / len(fired):.2f}"
        )


if __name__ == "__main__":
    main()
