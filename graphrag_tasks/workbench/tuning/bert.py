"""BERT, as in `embed.bert_onnx`, as functions of its weights that JAX can differentiate.

Shapes: b rows, s tokens, h hidden size, n heads, l layers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.embed.model_files import (
    BertConfig,
    Head,
    ModelFiles,
    find_head,
    find_model,
    load_weights,
    read_config,
    read_tensor,
)

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
