"""What listwise reading is worth at best, and what it costs where the model returns noise.

    python -m benchmarks.listwise --sap STORE --set STORE QUESTIONS [--set STORE QUESTIONS]

`--sap` is an index of the SAP documents, whose questions of the splits dev and tune are asked;
`--set` an index of passages with a file of questions, of which the first hundred are asked. No
model is asked. One that knows what is gold (`oracle`) picks the passages that hold it; one that
picks a random number of random passages (`noise`) and one that always picks the first five places
(`places`) know nothing. Prints JSON. `all gold@8` of the oracle is to be the ceiling, the share of
questions whose gold is all among the passages that are read; Recall@5 of the others is to be that
of the cross-encoder alone.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from graphrag_tasks.answering.listwise import MOST_PICKED, ListwiseReranker, two_orders
from graphrag_tasks.answering.model import Model
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.evaluate import Question, read_questions
from graphrag_tasks.evaluate.gold import Target, locate
from graphrag_tasks.evaluate.metrics import all_gold_at_k, recall_at_k
from graphrag_tasks.llm import Client, Request
from graphrag_tasks.llm.schema import Form
from graphrag_tasks.retrieval import ChunkHit, Context, Index, open_index
from graphrag_tasks.retrieval.reranker import Passage, Reranker
from graphrag_tasks.retrieval.view.arrays import Floats

SAP = ("sap_questions.jsonl", "sap_tuning_questions.jsonl")
SPLITS = ("dev", "tune")
MOST_QUESTIONS = 100
READ = 50
DEPTH = 30
SEEDS = range(5)
PLACES = 5

Pick = Callable[[Sequence[int]], list[int]]
"""Returns the numbers that a model picks, given which passage of the first reading each one is."""

_NUMBER = re.compile(r"^\[\d+\]$", re.MULTILINE)


class PickingModel(Model):
    """A model that picks by a function, and is never asked over the network."""

    def __init__(self, index: Index, pick: Pick, most: int) -> None:
        config = LlmConfig.model_validate({"model": "none", "answers": {"rerank": most}})
        super().__init__(Client(config), index)
        self._pick = pick

    def filled(self, form: type[Form], requests: Sequence[Request], _: str) -> list[Form | None]:
        """Return the picks of each request."""
        orders = two_orders(len(_NUMBER.findall(requests[0].user)))
        return [form.model_validate({"numbers": self._pick(order)}) for order in orders]


class Remembering:
    """A reranker that reads each passage once: the questions are asked again and again."""

    def __init__(self, inner: Reranker) -> None:
        self.fingerprint = inner.fingerprint
        self._inner = inner
        self._known: dict[tuple[str, Passage], float] = {}

    def scores(self, question: str, passages: Sequence[Passage]) -> Floats:
        """Return the inner reranker's scores."""
        new = [one for one in dict.fromkeys(passages) if (question, one) not in self._known]
        found = self._inner.scores(question, new).tolist() if new else []
        self._known |= {(question, one): score for one, score in zip(new, found, strict=True)}
        return np.array([self._known[question, one] for one in passages], np.float32)


def oracle(target: Target, read: Mapping[str, float]) -> Pick:
    """Return a model that picks passages until each gold item that can be read is in one.

    Args:
        target: The question.
        read: The scores of the chunks that are read, by id.
    """
    found = [target.items(one) for one in sorted(read, key=lambda one: -read[one])]

    def pick(order: Sequence[int]) -> list[int]:
        picked: list[int] = []
        missing = set(range(len(target.gold)))
        while len(picked) < MOST_PICKED:
            best = max(order, key=lambda place: (len(found[place] & missing), -place))
            if not found[best] & missing:
                break
            picked.append(order.index(best) + 1)
            missing -= found[best]
        return picked

    return pick


def noise(seed: int, question: Question) -> Pick:
    """Return a model that picks a random number of random passages."""
    draw = random.Random(f"{seed} {question.id}")  # noqa: S311 - no secret

    def pick(order: Sequence[int]) -> list[int]:
        most = min(MOST_PICKED, len(order))
        return draw.sample(range(1, len(order) + 1), draw.randint(0, most))

    return pick


def first_places(order: Sequence[int]) -> list[int]:
    """Pick the first places, whatever stands there."""
    return list(range(1, min(PLACES, len(order)) + 1))


def ranked(target: Target, context: Context) -> list[frozenset[int]]:
    """Return the gold items at each place: of a chunk, or of a document where those are gold."""
    hits: Sequence[ChunkHit] = context.chunks
    if not target.by_chunk:
        hits = list({hit.document_id: hit for hit in reversed(hits)}.values())[::-1]
    return [target.items(hit.chunk_id) for hit in hits]


def judge(index: Index, questions: Sequence[Question], read: int) -> dict[str, Any]:
    """Return the figures of one corpus."""
    gold = locate(questions, index.snapshot)
    reranker = Remembering(index.reranker)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def searched(target: Target, pick: Pick | None) -> Context:
        reading: Reranker = reranker
        if pick is not None:
            reading = ListwiseReranker(reranker, PickingModel(index, pick, read))
        asked = target.question.question
        return index.reranked_by(reading).search(asked, k=DEPTH, rerank=read)

    def count(name: str, target: Target, context: Context) -> None:
        places = ranked(target, context)
        found[name]["recall@5"].append(recall_at_k(places, len(target.gold), 5))
        found[name]["all gold@8"].append(all_gold_at_k(places, len(target.gold), 8))

    for target in gold.targets:
        base = searched(target, None)
        count("cross-encoder alone", target, base)
        held = frozenset().union(*(target.items(one) for one in base.read))
        found["ceiling"]["all gold read"].append(len(held) == len(target.gold))
        for name, pick in models(target, base.read):
            count(name, target, searched(target, pick))
    figures = {
        name: {metric: round(mean(values), 3) for metric, values in metrics.items()}
        for name, metrics in found.items()
    }
    return {"questions": len(gold.targets), "read": read, **figures}


def models(target: Target, read: Mapping[str, float]) -> Iterator[tuple[str, Pick]]:
    """Yield the models that are tried, noise with several seeds."""
    yield "oracle", oracle(target, read)
    yield "places", first_places
    for seed in SEEDS:
        yield "noise", noise(seed, target.question)


def main() -> None:
    """Judge every corpus that there is an index of."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sap")
    parser.add_argument("--set", nargs=2, action="append", default=[], dest="sets")
    parser.add_argument("--read", type=int, default=READ)
    parser.add_argument("--most", type=int, default=MOST_QUESTIONS, help="questions of a set")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    if given.sap:
        folder = Path(__file__).parent / "gold"
        asked = [one for name in SAP for one in read_questions(folder / name)]
        chosen = [one for one in asked if one.split in SPLITS]
        figures["sap"] = judge(open_index(given.sap), chosen, given.read)
    for store, path in given.sets:
        chosen = read_questions(path)[: given.most]
        figures[path] = judge(open_index(store), chosen, given.read)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
