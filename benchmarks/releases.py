"""Judge the changes that are told between releases of manuals.

    sh benchmarks/releases.sh FOLDER
    graphrag-tasks index FOLDER/pip FOLDER/sphinx FOLDER/pytest FOLDER/celery --store STORE
    python -m benchmarks.releases --store STORE

`gold/changes_judged.jsonl` has pairs that were drawn from what is told, each judged by a reader who had seen no rule:
real, wording, or not the same statement. `gold/changes_found.jsonl` has changed statements that such a reader found by
comparing the pages: the share that is told is the recall.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.versions.chains import pairs, plain
from graphrag_tasks.versions.told import MEANT

GOLD = Path(__file__).parent / "gold"
_MARKUP = re.compile(r":[\w:-]+:|[`*]|<[^>]*>")
_COVERED = 0.75  # Least share of a found sentence's words that a told one has in order.


def main() -> None:
    """Print shares of judged pairs that are still told, and of found changes that are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--store", required=True, help="store of the four manuals")
    store = Store(parser.parse_args().store).open()
    judged: dict[str, Counter[str]] = {}
    for row in _rows("changes_judged.jsonl"):
        found = list(pairs([row["older"]], [row["newer"]]))
        state = "told" if found and found[0].kind in MEANT else "left out"
        judged.setdefault(row["corpus"], Counter())[f"{row['judged']} {state}"] += 1
    for corpus, counts in judged.items():
        print(corpus, dict(sorted(counts.items())))
    told = _told(store.table("changes").to_pylist(), store.table("sentences").to_pylist())
    found_by_reading: dict[str, list[bool]] = {}
    for row in _rows("changes_found.jsonl"):
        is_told = any(_covers(row["older"], old) and _covers(row["newer"], new) for old, new in told)
        found_by_reading.setdefault(row["corpus"], []).append(is_told)
    for corpus, hits in found_by_reading.items():
        print(f"{corpus}: {sum(hits)} of {len(hits)} found by reading are told")


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (GOLD / name).read_text("utf-8").splitlines()]


def _told(changes: list[dict[str, str]], sentences: list[dict[str, str]]) -> list[tuple[str, str]]:
    texts = {row["sentence_id"]: row["text"] for row in sentences}
    return [(texts[row["older_sentence_id"]], texts[row["sentence_id"]]) for row in changes if row["kind"] in MEANT]


def _covers(found: str, told: str) -> bool:
    one, other = (plain(_MARKUP.sub("", text)).split() for text in (found, told))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= _COVERED * len(one)


if __name__ == "__main__":
    main()
