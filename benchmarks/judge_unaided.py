r"""What the judge without a model tells apart: modes of search, and true answers from false ones.

Two figures, on questions with gold spans:

* Kendall's tau between the order of five modes by the judge's coverage and by Recall@5 of the
  passages that the same answers were made from;
* the share of answers that get a lower verdict once a sentence of theirs has another number, or a
  "not" more or less.

    python -m benchmarks.judge_unaided --store STORE \
        --questions benchmarks/gold/sap_questions.jsonl --split dev --pairs 200
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean

from benchmarks.answer_checks import FALSE
from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import read_questions
from graphrag_tasks.workbench.evaluation.gold import Target, locate, recall_at_k
from graphrag_tasks.workbench.evaluation.unaided import UnaidedVerdict, figures, unaided

MODES = ("paper", "dense", "bm25", "hybrid", "ranked")


def kendall(one: Sequence[float], other: Sequence[float]) -> float:
    """Return tau-a of two orders: pairs in the same order less those in another, of all."""
    pairs = list(combinations(range(len(one)), 2))
    signs = [(one[a] - one[b]) * (other[a] - other[b]) for a, b in pairs]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def falsified(reply: Reply, draw: random.Random) -> Iterator[tuple[str, Reply]]:
    """Yield a reply with one sentence changed, for each way that changes one, and its name."""
    for kind, change in FALSE.items():
        places = [place for place, one in enumerate(reply.sentences) if one.is_best]
        draw.shuffle(places)
        for place in places:
            if text := change(reply.sentences[place].text, draw):
                sentences = list(reply.sentences)
                sentences[place] = replace(sentences[place], text=text)
                yield kind, replace(reply, sentences=tuple(sentences))
                break


def is_worse(after: UnaidedVerdict, before: UnaidedVerdict) -> bool:
    """Tell whether a verdict is lower in something, and higher in nothing."""
    return (after.coverage, after.citation_recall or 0) < (
        before.coverage, before.citation_recall or 0,
    )  # fmt: skip


def ordered(index: Index, targets: Sequence[Target]) -> dict[str, dict[str, float]]:
    """Return the judge's figures of each mode, with Recall@5 of the passages behind the answers."""
    found = {}
    for mode in MODES:
        replies = [answer(index, one.question.question, mode=mode) for one in targets]
        verdicts = [unaided(*pair) for pair in zip(targets, replies, strict=True)]
        recalls = [
            recall_at_k([one.items(hit.chunk_id) for hit in reply.context.chunks], len(one.gold), 5)
            for one, reply in zip(targets, replies, strict=True)
        ]
        found[mode] = figures(verdicts) | {"recall@5": fmean(recalls)}
    return found


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", required=True, action="append")
    parser.add_argument("--split")
    parser.add_argument("--most", type=int, default=10_000, help="questions")
    parser.add_argument("--pairs", type=int, default=200, help="changed answers")
    parser.add_argument("--no-modes", action="store_true", help="only the changed answers")
    options = parser.parse_args()
    index = open_index(options.store)
    asked = [one for path in options.questions for one in read_questions(path, split=options.split)]
    targets = locate(asked, index.snapshot).targets[: options.most]
    result: dict[str, object] = {"questions": len(targets)}
    if not options.no_modes:
        modes = ordered(index, targets)
        by_judge, by_recall = ([modes[mode][name] for mode in MODES] for name in ("coverage", "recall@5"))
        result |= {"modes": modes, "tau": round(kendall(by_judge, by_recall), 3)}
    seen: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for place, target in enumerate(targets):
        if made.total() >= options.pairs:
            break
        reply = answer(index, target.question.question)
        before = unaided(target, reply)
        draw = random.Random(place)  # noqa: S311 - made-up mistakes, no secret
        for kind, changed in falsified(reply, draw):
            made[kind] += 1
            seen[kind] += is_worse(unaided(target, changed), before)
    result["worse"] = {kind: [seen[kind], count] for kind, count in sorted(made.items())}
    result["worse_share"] = round(seen.total() / max(made.total(), 1), 3)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
