"""What listwise reading is worth at best, and what it costs where the model returns noise.

    python -m benchmarks.listwise --sap STORE --set STORE QUESTIONS [--set STORE QUESTIONS]

`--sap` is an index of the SAP documents, whose questions of the splits dev and tune are asked;
`--set` an index of passages with a file of questions, of which the first hundred are asked. No
model is asked: one that knows the gold passages (`oracle`) picks for each needed item the best
passage of those it is shown; one that picks a random number of random passages (`noise`) and one
that always picks the first five places (`places`) know nothing. Prints JSON. `all gold@8` of the
oracle is to be the ceiling, the share of questions whose gold is all among the passages that are
read; Recall@5 of the others is to be that without listwise reading.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from graphrag_tasks.answer.listwise import MOST_PICKED, ListwiseReranker
from graphrag_tasks.answer.model import Model
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

Pick = Callable[[list[str]], list[int]]
"""Returns the numbers that a model picks of the texts it is shown."""

_NUMBER = re.compile(r"^\[\d+\]\n", re.MULTILINE)


class PickingModel(Model):
    """A model that picks by a function, and is never asked over the network."""

    def __init__(self, index: Index, pick: Pick, most: int) -> None:
        config = LlmConfig.model_validate({"model": "none", "answers": {"rerank": most}})
        super().__init__(Client(config), index)
        self._pick = pick

    def filled(self, form: type[Form], requests: Sequence[Request], _: str) -> list[Form | None]:
        """Return the picks of each request."""
        return [
            form.model_validate({"numbers": self._pick(shown_texts(one.user))}) for one in requests
        ]


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


def shown_texts(prompt: str) -> list[str]:
    """Return the passages of a prompt, without quotation marks and line breaks."""
    _, *blocks = _NUMBER.split(prompt.rpartition("\n\nQuestion: ")[0])
    return [plain(re.sub(r"^> ?", "", one, flags=re.MULTILINE)) for one in blocks]


def plain(text: str) -> str:
    """Return a text with one space between words."""
    return " ".join(text.split())


def oracle(target: Target, texts: dict[str, str]) -> Pick:
    """Return a model that picks the first passage of each gold item that no other one has.

    Args:
        target: The question.
        texts: Headings and text of the gold chunks, by id.
    """

    def items(shown: str) -> frozenset[int]:
        held = (target.items(one) for one, text in texts.items() if is_part(shown, text))
        return frozenset().union(*held)

    def pick(shown: list[str]) -> list[int]:
        picked: list[int] = []
        missing = set(range(len(target.gold)))
        found = {number: items(text) for number, text in enumerate(shown, 1)}
        while missing and len(picked) < MOST_PICKED:
            best = max(found, key=lambda number: len(found[number] & missing))
            if not found[best] & missing:
                break
            picked.append(best)
            missing -= found[best]
        return picked

    return pick


def is_part(shown: str, chunk: str) -> bool:
    """Tell whether a passage is a part of a chunk below its headings."""
    headings, _, text = chunk.partition("\n")
    start = plain(headings)
    return any(
        shown.startswith(cut) and plain(shown.removeprefix(cut)) in plain(text)
        for cut in (start, start[: len(start) // 2], "")
    )


def noise(seed: int, question: Question) -> Pick:
    """Return a model that picks a random number of random passages."""
    draw = random.Random(f"{seed} {question.id}")  # noqa: S311 - no secret

    def pick(shown: list[str]) -> list[int]:
        most = min(MOST_PICKED, len(shown))
        return draw.sample(range(1, len(shown) + 1), draw.randint(0, most))

    return pick


def first_places(shown: list[str]) -> list[int]:
    """Pick the first places, whatever stands there."""
    return list(range(1, min(PLACES, len(shown)) + 1))


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
    by_id = {
        row["chunk_id"]: f"{' > '.join(row['heading_path'])}\n{row['text']}"
        for row in index.snapshot.table("chunks", ["chunk_id", "heading_path", "text"]).to_pylist()
    }
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
        texts = {one: by_id[one] for ids in target.chunks for one in ids}
        for name, pick in models(target, texts):
            count(name, target, searched(target, pick))
    figures = {
        name: {metric: round(mean(values), 3) for metric, values in metrics.items()}
        for name, metrics in found.items()
    }
    return {"questions": len(gold.targets), "read": read, **figures}


def models(target: Target, texts: dict[str, str]) -> Iterator[tuple[str, Pick]]:
    """Yield the models that are tried, noise with several seeds."""
    yield "oracle", oracle(target, texts)
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
