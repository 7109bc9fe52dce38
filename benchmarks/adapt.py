"""What tuning on some of the questions gains on the others, of one set of questions.

    python -m benchmarks.adapt --store STORE --questions questions.jsonl --share .4 \
        --kind reranker --model MODEL

The store must be embedded with the encoder that the trial begins as. Takes as long as the training:
half an hour for 110 questions on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import asdict

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.workbench.evaluation.gold import locate
from graphrag_tasks.workbench.evaluation.questions import read_questions
from graphrag_tasks.workbench.tuning.held_out import EncoderJudge, Fold, Judge, RerankerJudge, judge_folds
from graphrag_tasks.workbench.tuning.learning import Tunable, TunableEncoder, TunableReranker, Tuner, make_examples


def main() -> None:
    """Tune on a share of the questions, and print the gain on the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--kind", choices=["encoder", "reranker"], required=True)
    parser.add_argument("--model", required=True, help="what it begins as")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    index = open_index(options.store)
    gold = locate(read_questions(options.questions), index.snapshot, strict=False)
    examples, gold = make_examples(index, gold)
    order = list(range(len(examples)))
    random.Random(options.seed).shuffle(order)  # noqa: S311 - sampling, no secret
    cut = int(options.share * len(order))
    fold = Fold(tuple(order[:cut]), tuple(sorted(order[cut:])))
    own: Judge
    tunable: Tunable
    if options.kind == "encoder":
        own, tunable = EncoderJudge(index, gold), TunableEncoder(options.model)
    else:
        own, tunable = RerankerJudge(index, gold), TunableReranker(options.model)
    before = own.figures(options.model, range(len(examples)))
    started = time.perf_counter()
    tuner = Tuner.of(tunable, examples)
    gain, _ = judge_folds(own, tuner, examples, before, [fold], print)
    seconds = round(time.perf_counter() - started)
    print(json.dumps({"tuned_on": cut, "seconds": seconds, **asdict(gain)}, indent=2))


if __name__ == "__main__":
    main()
