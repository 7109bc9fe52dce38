"""Training loops for an encoder and a reranker, on `Example`s.

The encoder learns by contrast with the other passages of its batch (Karpukhin et al., 2020, section 3.2); the result is
averaged with the original model, so that it forgets less (Wortsman et al., "Robust fine-tuning of zero-shot models",
CVPR 2022). The reranker learns to score the gold passage above the others of its question.

Every batch has the same number of rows, and lengths are rounded up, since JAX compiles a program for each shape. With a
fixed seed, the same examples give the same weights on the same machine.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.model_files import (
    BertConfig,
    Head,
    ModelFiles,
    find_head,
    find_model,
    load_tokenizer,
    load_weights,
    read_config,
    read_prompts,
    read_tensor,
)
from graphrag_tasks.embed.stage import text_below_headings
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.reranker.cross_encoder import CrossEncoder
from graphrag_tasks.workbench.evaluation.gold import Gold, Target

Parameters = dict[str, jax.Array]  # Tensors by name; those of layers are stacked, shape (l, …), under `layer.NAME`.

Batch = Mapping[str, NDArray[np.int32]]  # `ids`, `mask` and `types`, each of shape (b, s).

_LAYER = "encoder.layer."
_STACKED = "layer."
_MASKED = -10_000.0  # Added to attention logits of padding, whose weight becomes 0; as in BERT's own code.
_INDICES = "position_ids"  # An integer buffer that some checkpoints have among the weights.


@dataclass(frozen=True)
class Bert:
    """A model to tune: files, architecture, and the head of a cross-encoder."""

    files: ModelFiles
    config: BertConfig
    head: Head | None
    parameters: Parameters

    def hidden_states(self, parameters: Parameters, batch: Batch) -> jax.Array:
        """Return the last layer's hidden states, shape (b, s, h)."""
        ids = batch["ids"]
        start = self.config.first_position
        hidden = parameters["embeddings.word_embeddings.weight"][ids]
        hidden += parameters["embeddings.position_embeddings.weight"][start : start + ids.shape[1]]
        hidden += parameters["embeddings.token_type_embeddings.weight"][batch["types"]]
        hidden = self._normalised(parameters, "embeddings.LayerNorm", hidden)
        bias = jnp.asarray(1 - batch["mask"][:, None, None, :]) * _MASKED
        layers = {
            name.removeprefix(_STACKED): tensor for name, tensor in parameters.items() if name.startswith(_STACKED)
        }

        def apply(hidden: jax.Array, layer: Parameters) -> tuple[jax.Array, None]:
            return self._layer(layer, hidden, bias), None

        last, _ = jax.lax.scan(apply, hidden, layers)
        return last

    def embeddings(self, parameters: Parameters, batch: Batch) -> jax.Array:
        """Return unit vectors, shape (b, h)."""
        hidden = self.hidden_states(parameters, batch)
        pooled = hidden[:, 0] if self.config.takes_first else _mean(hidden, batch)
        unit: jax.Array = pooled / jnp.linalg.norm(pooled, axis=1, keepdims=True)
        return unit

    def scores(self, parameters: Parameters, batch: Batch) -> jax.Array:
        """Return a score for each pair of question and passage, shape (b,)."""
        if self.head is None:
            raise ValueError("an encoder gives no scores")
        hidden = self.hidden_states(parameters, batch)
        pooled = hidden[:, 0] + (_mean(hidden, batch) if self.head.mean else 0)
        inner = jnp.tanh(_dense(parameters, self.head.inner, pooled))
        return _dense(parameters, self.head.outer, inner)[:, 0]

    def _layer(self, layer: Parameters, hidden: jax.Array, bias: jax.Array) -> jax.Array:
        rows, tokens, size = hidden.shape
        heads = (rows, tokens, self.config.heads, size // self.config.heads)

        def project(part: str) -> jax.Array:
            projected = _dense(layer, f"attention.self.{part}", hidden)
            return projected.reshape(heads).transpose(0, 2, 1, 3)  # (b, n, s, h / n)

        scores = project("query") @ project("key").transpose(0, 1, 3, 2) / math.sqrt(heads[-1])
        context = jax.nn.softmax(scores + bias, axis=-1) @ project("value")
        joined = context.transpose(0, 2, 1, 3).reshape(hidden.shape)
        hidden += _dense(layer, "attention.output.dense", joined)
        hidden = self._normalised(layer, "attention.output.LayerNorm", hidden)
        inner = jax.nn.gelu(_dense(layer, "intermediate.dense", hidden), approximate=False)
        hidden += _dense(layer, "output.dense", inner)
        return self._normalised(layer, "output.LayerNorm", hidden)

    def _normalised(self, tensors: Parameters, name: str, hidden: jax.Array) -> jax.Array:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        scaled = centred * jax.lax.rsqrt(variance + self.config.layer_norm_eps)
        return scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    def tensors(self, parameters: Parameters) -> dict[str, NDArray[np.float16]]:
        """Return parameters under their checkpoint names, as float16."""
        found: dict[str, NDArray[np.float16]] = {}
        for name, tensor in parameters.items():
            rows = np.asarray(tensor, np.float16)
            if name.startswith(_STACKED):
                part = name.removeprefix(_STACKED)
                found |= {f"{_LAYER}{layer}.{part}": row for layer, row in enumerate(rows)}
            else:
                found[name] = rows
        return found


def load_bert(model: str | Path, *, is_reranker: bool) -> Bert:
    """Load a model of the BERT or XLM-RoBERTa family."""
    files = find_model(model)
    config = read_config(files)
    weights = load_weights(files.weights)
    head = find_head(weights, str(files.config.parent)) if is_reranker else None
    plain = {
        name.removeprefix(config.prefix): read_tensor(weights, name)
        for name in sorted({name.partition("#")[0] for name in weights})
        if not name.endswith(_INDICES)
    }
    if head is None:
        plain = {name: plain[name] for name in plain if name.startswith(("embeddings.", _LAYER))}
    parameters = {name: jnp.asarray(tensor) for name, tensor in plain.items() if not name.startswith(_LAYER)}
    for part in sorted(name.removeprefix(f"{_LAYER}0.") for name in plain if f"{_LAYER}0." in name):
        rows = [plain[f"{_LAYER}{layer}.{part}"] for layer in range(config.layers)]
        parameters[_STACKED + part] = jnp.stack(rows)
    return Bert(files, config, head, parameters)


def _dense(tensors: Parameters, name: str, hidden: jax.Array) -> jax.Array:
    """Return hidden @ W.T + bias; checkpoints store W as (outputs, inputs)."""
    return hidden @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def _mean(hidden: jax.Array, batch: Batch) -> jax.Array:
    """Return the mean over tokens without padding, shape (b, h)."""
    mask = batch["mask"][:, :, None]
    mean: jax.Array = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
    return mean


# Training examples: questions, answering passages, and hard negatives.

FEWEST = 30  # Fewest questions for tuning: with fewer, a gain could be chance.
_CANDIDATES = 50  # Chunks of a search considered as hard negatives; chosen.


@dataclass(frozen=True)
class Example:
    """A question with its passages.

    Attributes:
        gold: For each needed fact, the passages that contain it.
        others: Hard negatives, best first.
        documents: The documents of the gold.
        folder: The first folder of the first of them.
    """

    question: str
    gold: tuple[tuple[Passage, ...], ...]
    others: tuple[Passage, ...]
    documents: frozenset[str]
    folder: str


def make_examples(index: Index, gold: Gold) -> tuple[list[Example], Gold]:
    """Return an example for each question with a gold chunk and a hard negative.

    The returned gold has the same questions in the same order.
    """
    wanted = {chunk for target in gold.targets for item in target.chunks for chunk in item}
    columns = ["chunk_id", "document_id", "heading_path", "text"]
    chunks = {
        row["chunk_id"]: row for row in index.snapshot.table("chunks", columns).to_pylist() if row["chunk_id"] in wanted
    }
    made = {target: one for target in gold.targets if (one := _example(index, target, chunks))}
    if len(made) < FEWEST:
        what = f"{len(made)} questions have a chunk that answers them, {FEWEST} are needed"
        raise ConfigError(what, "adapt", "Write more questions, or index their documents")
    if len({document for example in made.values() for document in example.documents}) == 1:
        hint = "Ask about several documents: what is learned from one could not be judged"
        raise ConfigError("all questions are about one document", "adapt", hint)
    return list(made.values()), replace(gold, targets=tuple(made))


def _example(index: Index, target: Target, chunks: dict[str, dict[str, Any]]) -> Example | None:
    question = target.question.question
    found = index.search(question, "hybrid", _CANDIDATES, rerank=0).chunks
    gold = tuple(tuple(_passage(chunks[chunk]) for chunk in sorted(item)) for item in target.chunks if item)
    others = tuple(Passage(" > ".join(hit.heading_path), hit.text) for hit in found if not target.items(hit.chunk_id))
    if not gold or not others:
        return None
    documents = frozenset(chunks[chunk]["document_id"] for item in target.chunks for chunk in item)
    return Example(question, gold, others, documents, target.gold[0].partition("/")[0])


def _passage(chunk: dict[str, Any]) -> Passage:
    return Passage(" > ".join(chunk["heading_path"]), chunk["text"])


SCALE = 20.0  # Factor of a cosine before the softmax, as in sentence-transformers.

_LENGTHS = 64  # lengths are multiples of this
_QUESTION_TOKENS = 64  # Tokens of a question, the rest is cut; a multiple of `_LENGTHS`. Chosen.
_FIRST_OTHERS = 4  # hard negatives that are always among those drawn


@dataclass(frozen=True)
class Recipe:
    """How a model is tuned.

    Attributes:
        epochs: Number of passes over the questions.
        rate: Peak learning rate, after `warmup` steps; it then falls to 0.
        decay: Weight decay.
        questions: Questions per batch.
        others: Hard negatives per question.
        tokens: Longest passage (encoder) or input (reranker).
        kept: Weight of the tuned model in the average with the original.
        seed: Random seed.
    """

    epochs: int
    rate: float
    decay: float
    questions: int
    others: int
    tokens: int
    kept: float
    warmup: int = 20
    seed: int = 0

    def steps(self, examples: int) -> int:
        """Return the number of batches."""
        return self.epochs * -(-examples // self.questions)


class Tunable(Protocol):
    """A tunable model: makes batches, and computes its loss."""

    bert: Bert
    recipe: Recipe

    def batch(self, examples: Sequence[Example], draw: random.Random) -> dict[str, Batch]:
        """Return a batch: a gold passage for each example, and hard negatives."""

    def loss(self, parameters: Parameters, batch: dict[str, Batch]) -> jax.Array:
        """Return the mean loss of a batch."""


class TunableEncoder:
    """A sentence encoder: the gold passage should be the nearest of its batch."""

    RECIPE = Recipe(epochs=10, rate=2e-5, decay=0.01, questions=8, others=5, tokens=256, kept=0.6)

    def __init__(self, model: str | Path, recipe: Recipe = RECIPE) -> None:
        self.bert = load_bert(model, is_reranker=False)
        self.recipe = recipe
        self._tokenizer = load_tokenizer(self.bert.files)
        self._prompts = read_prompts(self.bert.files)

    def batch(self, examples: Sequence[Example], draw: random.Random) -> dict[str, Batch]:
        """Return `questions`, `passages`, and as `answers` which passages answer a question."""
        texts, answers = [], []
        for example in examples:
            drawn = [draw.choice(draw.choice(example.gold)), *_others(example, self.recipe.others, draw)]
            texts += [_text(passage) for passage in drawn]
        for example in examples:
            known = {_text(passage) for item in example.gold for passage in item}
            answers.append([text in known for text in texts])
        asked = [self._prompts.question + example.question for example in examples]
        said = [self._prompts.passage + text for text in texts]
        return {
            "questions": self._padded(asked, _QUESTION_TOKENS),
            "passages": self._padded(said, self.recipe.tokens),
            "answers": {"mask": np.array(answers, np.int32)},
        }

    def loss(self, parameters: Parameters, batch: dict[str, Batch]) -> jax.Array:
        """Return the cross-entropy of each question's gold passage; other answers are masked."""
        asked = self.bert.embeddings(parameters, batch["questions"])
        said = self.bert.embeddings(parameters, batch["passages"])
        own = jnp.arange(len(asked)) * (len(said) // len(asked))
        also = batch["answers"]["mask"] - jax.nn.one_hot(own, len(said))
        logits = asked @ said.T * SCALE - jnp.clip(also, 0) * 1e4
        chances = jax.nn.log_softmax(logits, axis=1)
        return -jnp.take_along_axis(chances, own[:, None], axis=1).mean()

    def _padded(self, texts: Sequence[str], longest: int) -> Batch:
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        cut = [row if len(row) <= longest else [*row[: longest - 1], row[-1]] for row in rows]
        return padded(cut, self.bert.config.pad_token_id)


class TunableReranker:
    """A cross-encoder: the gold passage should score highest for its question."""

    RECIPE = Recipe(epochs=8, rate=3e-5, decay=0.05, questions=4, others=9, tokens=192, kept=1.0)

    def __init__(self, model: str | Path, recipe: Recipe = RECIPE) -> None:
        self.bert = load_bert(model, is_reranker=True)
        self.recipe = recipe
        self._reader = CrossEncoder(model, max_tokens=recipe.tokens, engine="onnxruntime")

    def batch(self, examples: Sequence[Example], draw: random.Random) -> dict[str, Batch]:
        """Return `inputs`: for each example, the gold passage and then the hard negatives."""
        rows: list[list[int]] = []
        asked: list[int] = []
        for example in examples:
            drawn = [draw.choice(draw.choice(example.gold)), *_others(example, self.recipe.others, draw)]
            length, inputs = self._reader.inputs(example.question, drawn)
            rows += inputs
            asked += [length] * len(inputs)
        return {"inputs": padded(rows, self.bert.config.pad_token_id, asked)}

    def loss(self, parameters: Parameters, batch: dict[str, Batch]) -> jax.Array:
        """Return the cross-entropy of each question's first passage."""
        scores = self.bert.scores(parameters, batch["inputs"])
        logits = scores.reshape(-1, 1 + self.recipe.others)
        return -jax.nn.log_softmax(logits, axis=1)[:, 0].mean()


def padded(rows: Sequence[Sequence[int]], pad_token_id: int, first: Sequence[int] | None = None) -> Batch:
    """Return token rows as a padded batch; tokens from `first` on have type 1."""
    longest = -(-max(map(len, rows)) // _LENGTHS) * _LENGTHS
    ids = np.full((len(rows), longest), pad_token_id, np.int32)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
        if first:
            types[place, first[place] : len(row)] = 1
    return {"ids": ids, "mask": mask, "types": types}


@dataclass(frozen=True)
class Tuner:
    """Tunes a model on examples; the program is compiled once for all trainings.

    `seconds` is the time of a step after the first.
    """

    model: Tunable
    seconds: float
    _step: Callable[..., tuple[Parameters, optax.OptState]]

    @classmethod
    def of(cls, model: Tunable, examples: Sequence[Example]) -> Tuner:
        """Compile the program and time a step."""

        @jax.jit
        def step(
            parameters: Parameters, state: optax.OptState, batch: dict[str, Batch], rate: float
        ) -> tuple[Parameters, optax.OptState]:
            gradients = jax.grad(model.loss)(parameters, batch)
            updates, state = _optimizer(model.recipe).update(gradients, state, parameters)
            moved = jax.tree.map(lambda one, update: one + rate * update, parameters, updates)
            return moved, state

        draw = random.Random(0)  # noqa: S311 - sampling, no secret
        batch = model.batch(_filled(examples, model.recipe.questions), draw)
        seconds = 0.0
        for _ in range(2):
            state = _optimizer(model.recipe).init(model.bert.parameters)
            started = time.perf_counter()
            moved, _ = step(model.bert.parameters, state, batch, 0.0)
            jax.block_until_ready(moved)  # type: ignore[no-untyped-call]
            seconds = time.perf_counter() - started
        return cls(model, seconds, step)

    def tune(self, examples: Sequence[Example]) -> Bert:
        """Return the model tuned on examples."""
        recipe, bert = self.model.recipe, self.model.bert
        draw = random.Random(recipe.seed)  # noqa: S311 - sampling, no secret
        parameters, state = bert.parameters, _optimizer(recipe).init(bert.parameters)
        per_epoch = recipe.steps(len(examples)) // recipe.epochs
        total = recipe.epochs * per_epoch
        order = list(examples)
        for step in range(total):
            place = step % per_epoch
            if place == 0:
                draw.shuffle(order)
            part = order[place * recipe.questions : (place + 1) * recipe.questions]
            batch = self.model.batch(_filled(part, recipe.questions, order), draw)
            rate = recipe.rate * min(1.0, (step + 1) / recipe.warmup) * (1 - step / (total + 1))
            parameters, state = self._step(parameters, state, batch, rate)
        kept = jax.tree.map(lambda old, new: old + recipe.kept * (new - old), bert.parameters, parameters)
        return replace(bert, parameters=kept)


def _optimizer(recipe: Recipe) -> optax.GradientTransformation:
    """Return AdamW with a rate of 1; each step's rate is multiplied in later."""
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1.0, weight_decay=recipe.decay))


def _filled(part: Sequence[Example], size: int, order: Sequence[Example] | None = None) -> list[Example]:
    """Return `size` examples: those of a part, filled up from the first on."""
    filled = list(part[:size])
    for example in order or part:
        if len(filled) == size:
            break
        filled.append(example)
    return filled


def _others(example: Example, number: int, draw: random.Random) -> list[Passage]:
    """Return hard negatives: the best, and random others, repeated if there are too few."""
    best = min(_FIRST_OTHERS, number)
    first, rest = example.others[:best], example.others[best:]
    drawn = [*first, *draw.sample(rest, min(number - len(first), len(rest)))]
    return [drawn[place % len(drawn)] for place in range(number)]


def _text(passage: Passage) -> str:
    """Return a passage's text as the embed stage composes it."""
    headings = passage.headings.split(" > ") if passage.headings else []
    return text_below_headings(headings, passage.text)
