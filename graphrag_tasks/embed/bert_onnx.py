"""A BERT sentence encoder or cross-encoder as an ONNX graph, built in memory from its weights.

Both are BERT (Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019) without dropout. The
sentence encoder has the mean pooling of Sentence-BERT (Reimers & Gurevych, EMNLP 2019). The cross-encoder scores a
question and a passage as one input (Nogueira & Cho, "Passage Re-ranking with BERT", 2019).

Only standard operators are used: the fusions of ONNX Runtime's optimiser reach the speed of its own contributed
operators. Sums over tokens are matrix products, as `ReduceSum` adds in another order when the batch has one row, so the
result would depend on the batch size.

Shapes: b rows, s tokens, h hidden size, n heads, d = h / n.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.engine import ATTENTION_MASK, INPUT_IDS, TOKEN_TYPES, Products, overflows
from graphrag_tasks.embed.model_files import BertConfig, Head, read_tensor

EMBEDDING = "embedding"
SCORE = "score"

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9  # the one of that opset: readable by every runtime that has it
_MIDDLE, _MOST = 128, 127  # of a byte: what stands for 0, and the most steps from it
_MASKED = -10_000.0  # exp() of any score plus this is exactly 0 in float32

Weights = Mapping[str, NDArray[np.generic]]
"""Tensors by their names in a checkpoint; `NAME#q` holds int8 rows and `NAME#s` their scales."""


class _Graph:
    """Nodes and constants of a graph under construction; values are referred to by name."""

    def __init__(self, weights: Weights, config: BertConfig, products: Products) -> None:
        self.weights = {name.removeprefix(config.prefix): weights[name] for name in weights}
        self.config = config
        self.products = products
        self.as_bytes: dict[str, tuple[str, str]] = {}
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def tensor(self, name: str) -> NDArray[np.float32]:
        return read_tensor(self.weights, name)

    def constant(self, name: str, value: NDArray[np.float32]) -> str:
        contiguous = np.ascontiguousarray(value, np.float32)
        self.constants[name] = numpy_helper.from_array(contiguous, name)
        return name

    def rows(self, name: str, indices: str) -> str:
        """Return rows of a table; int8 rows are scaled after the lookup, to save memory."""
        if f"{name}#q" not in self.weights:
            return self.apply("Gather", self.constant(name, self.tensor(name)), indices)
        packed, scales = f"{name}#q", self.weights[f"{name}#s"]
        self.constants[packed] = numpy_helper.from_array(self.weights[packed], packed)
        values = self.apply("Cast", self.apply("Gather", packed, indices), to=TensorProto.FLOAT)
        column = self.constant(f"{name}#s", scales.astype(np.float32)[:, None])
        return self.apply("Mul", values, self.apply("Gather", column, indices))

    def integers(self, *values: int) -> str:
        """Return the name of an int64 vector, for axes and shapes."""
        name = "integers_" + "_".join(map(str, values))
        self.constants[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def integer(self, value: int) -> str:
        self.constants[f"integer_{value}"] = numpy_helper.from_array(np.array(value, np.int64), f"integer_{value}")
        return f"integer_{value}"

    def apply(self, operator: str, *inputs: str, output: str = "", **attributes: float | Sequence[int]) -> str:
        """Add a node and return the name of its output."""
        output = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], name=output)
        node.attribute.extend(helper.make_attribute(key, attributes[key]) for key in attributes)
        self.nodes.append(node)
        return output

    def dense(self, hidden: str, name: str, factor: np.float32 | None = None) -> str:
        """Return `factor` * (hidden @ W.T + bias); checkpoints hold W as (outputs, inputs)."""
        factor = np.float32(1) if factor is None else factor
        is_stored = f"{name}.weight#q" in self.weights
        if is_stored and self.products is Products.INTEGERS:
            product = self.product_of_bytes(hidden, f"{name}.weight", factor)
        elif is_stored and self.products is Products.PACKED:
            product = self.apply("MatMul", hidden, self.packed(f"{name}.weight", factor))
        else:
            matrix = self.tensor(f"{name}.weight").T * factor
            product = self.apply("MatMul", hidden, self.constant(f"{name}.weight", matrix))
        bias = self.constant(f"{name}.bias", self.tensor(f"{name}.bias") * factor)
        return self.apply("Add", product, bias)

    def packed(self, name: str, factor: np.float32) -> str:
        """Return `factor` * W.T, where W is stored as int8 rows: engines keep it so."""
        rows = self.weights[f"{name}#q"]
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(rows.T), name)
        scales = self.constant(f"{name}#s", self.weights[f"{name}#s"].astype(np.float32) * factor)
        zeros = f"{name}#zero"
        self.constants[zeros] = numpy_helper.from_array(np.zeros(len(rows), np.int8), zeros)
        return self.apply("DequantizeLinear", name, scales, zeros, axis=1)

    def product_of_bytes(self, hidden: str, name: str, factor: np.float32) -> str:
        """Return `factor` * hidden @ W.T, where W is stored as int8 rows.

        Each token's state is rounded to 255 values by its own scale, independent of the other tokens. Sums are of
        integers, so every processor gets the same; where products of signed bytes may overflow, W is shifted by 128,
        which is subtracted again.
        """
        if hidden not in self.as_bytes:
            self.as_bytes[hidden] = self.rounded(hidden)
        read, scale = self.as_bytes[hidden]
        middle = self.byte(_MIDDLE)
        rows = np.ascontiguousarray(self.weights[f"{name}#q"].T)
        zeros = [middle]
        if overflows():
            rows = (rows.astype(np.int16) + _MIDDLE).astype(np.uint8)
            zeros.append(middle)
        self.constants[name] = numpy_helper.from_array(rows, name)
        total = self.apply("MatMulInteger", read, name, *zeros)
        scales = self.constant(f"{name}#s", self.weights[f"{name}#s"].astype(np.float32) * factor)
        product = self.apply("Mul", self.apply("Cast", total, to=TensorProto.FLOAT), scales)
        return self.apply("Mul", product, scale)

    def rounded(self, hidden: str) -> tuple[str, str]:
        """Return the states as bytes around 128, and each token's step size."""
        largest = self.apply("ReduceMax", self.apply("Abs", hidden), self.integers(-1), keepdims=1)
        largest = self.apply("Max", largest, self.number("tiny", float(np.finfo(np.float32).tiny)))
        step = self.apply("Mul", largest, self.number("step", 1 / _MOST))
        steps = self.apply("Round", self.apply("Div", hidden, step))
        above_zero = self.apply("Add", steps, self.number("middle", _MIDDLE))
        return self.apply("Cast", above_zero, to=TensorProto.UINT8), step

    def byte(self, value: int) -> str:
        """Return the name of a uint8 scalar."""
        name = f"byte_{value}"
        self.constants[name] = numpy_helper.from_array(np.array(value, np.uint8), name)
        return name

    def number(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, np.float32))

    def layer_norm(self, hidden: str, name: str) -> str:
        scale, bias = (self.constant(f"{name}.{part}", self.tensor(f"{name}.{part}")) for part in ("weight", "bias"))
        epsilon = self.config.layer_norm_eps
        return self.apply("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=epsilon)


def build_encoder(weights: Weights, config: BertConfig) -> ModelProto:
    """Build the graph from token ids to unit sentence vectors.

    Its inputs `input_ids` and `attention_mask` are int64, shape (b, s), s at most `config.longest`; its output
    `embedding` is float32, shape (b, h).
    """
    graph = _Graph(weights, config, Products.FLOATS)
    with _complete("embed.model"):
        hidden = _hidden_states(graph, [INPUT_IDS, ATTENTION_MASK])
        pooled = _first(graph, hidden) if config.takes_first else _mean(graph, hidden)
        graph.apply("LpNormalization", pooled, output=EMBEDDING, axis=-1, p=2)
    return _model(graph, [INPUT_IDS, ATTENTION_MASK], EMBEDDING, ["b", config.hidden_size])


def build_cross_encoder(weights: Weights, config: BertConfig, head: Head, products: Products) -> ModelProto:
    """Build the graph that scores a question and a passage in one input.

    Inputs are those of `build_encoder`, and `token_type_ids` where the model has two types; the output `score` is
    float32, shape (b,). A model with a head `span` gives shape (b, s + 1, 3): of each token the log-odds that the
    answer begins, ends or is there, and behind them the score, three times.
    """
    inputs = [INPUT_IDS, ATTENTION_MASK, *([TOKEN_TYPES] if config.token_types > 1 else [])]
    graph = _Graph(weights, config, products)
    with _complete("retrieval.reranker"):
        hidden = _hidden_states(graph, inputs)
        first = _first(graph, hidden)
        pooled = graph.apply("Add", _mean(graph, hidden), first) if head.mean else first
        inner = graph.apply("Tanh", graph.dense(pooled, head.inner))
        score = graph.dense(inner, head.outer)  # (b, 1)
        if "span.weight" not in weights:
            graph.apply("Squeeze", score, graph.integers(1), output=SCORE)
            return _model(graph, inputs, SCORE, ["b"])
        last = graph.apply("Unsqueeze", graph.apply("Concat", score, score, score, axis=1), graph.integers(1))
        graph.apply("Concat", graph.dense(hidden, "span"), last, output=SCORE, axis=1)
    return _model(graph, inputs, SCORE, ["b", "s + 1", 3])


@contextmanager
def _complete(setting: str) -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise ConfigError(f"the weights have no tensor {error}", setting) from error


def _hidden_states(graph: _Graph, inputs: Sequence[str]) -> str:
    """Return the hidden states of the last layer, shape (b, s, h)."""
    hidden = _embeddings(graph, TOKEN_TYPES in inputs)
    bias = _attention_bias(graph)
    for layer in range(graph.config.layers):
        hidden = _attention_layer(graph, hidden, bias, f"encoder.layer.{layer}.attention")
        hidden = _feed_forward_layer(graph, hidden, f"encoder.layer.{layer}")
    return hidden


def _model(graph: _Graph, inputs: Sequence[str], output: str, shape: Sequence[str | int]) -> ModelProto:
    read = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in inputs]
    made = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
    constants = list(graph.constants.values())
    return helper.make_model(
        helper.make_graph(graph.nodes, "bert", read, [made], constants),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )


def _embeddings(graph: _Graph, typed: bool) -> str:
    """Return normalised word + position + token type embeddings, shape (b, s, h)."""
    types = graph.tensor("embeddings.token_type_embeddings.weight")
    table = graph.tensor("embeddings.position_embeddings.weight")[graph.config.first_position :]
    # Where every token has type 0, its row is added to the position table once.
    positions = graph.constant("positions", table if typed else table + types[0])
    zero, one, two = graph.integers(0), graph.integers(1), graph.integers(2)
    length = graph.apply("Slice", graph.apply("Shape", INPUT_IDS), one, two)
    gathered = graph.rows("embeddings.word_embeddings.weight", INPUT_IDS)
    total = graph.apply("Add", gathered, graph.apply("Slice", positions, zero, length, zero))
    if typed:
        of_type = graph.apply("Gather", graph.constant("types", types), TOKEN_TYPES)
        total = graph.apply("Add", total, of_type)
    return graph.layer_norm(total, "embeddings.LayerNorm")


def _attention_bias(graph: _Graph) -> str:
    """Return 0 for tokens and a large negative score for padding, shape (b, 1, 1, s)."""
    mask = graph.apply("Cast", ATTENTION_MASK, to=TensorProto.FLOAT)
    padding = graph.apply("Sub", graph.number("one", 1), mask)
    masked = graph.number("masked", _MASKED)
    return graph.apply("Unsqueeze", graph.apply("Mul", padding, masked), graph.integers(1, 2))


def _attention_layer(graph: _Graph, hidden: str, bias: str, name: str) -> str:
    """Add multi-head self-attention to the hidden states, shape (b, s, h) to (b, s, h)."""
    hidden_size, head_count = graph.config.hidden_size, graph.config.heads
    head_size = hidden_size // head_count
    scale = np.float32(1 / math.sqrt(head_size))
    heads = graph.integers(0, 0, head_count, head_size)

    def project(part: str, axes: Sequence[int], factor: np.float32 | float = 1.0) -> str:
        dense = graph.dense(hidden, f"{name}.self.{part}", np.float32(factor))
        return graph.apply("Transpose", graph.apply("Reshape", dense, heads), perm=axes)

    query = project("query", (0, 2, 1, 3), scale)  # (b, n, s, d); scaled here, not per score
    key = project("key", (0, 2, 3, 1))  # (b, n, d, s)
    value = project("value", (0, 2, 1, 3))  # (b, n, s, d)
    scores = graph.apply("Add", graph.apply("MatMul", query, key), bias)  # (b, n, s, s)
    context = graph.apply("MatMul", graph.apply("Softmax", scores, axis=-1), value)
    transposed = graph.apply("Transpose", context, perm=(0, 2, 1, 3))
    joined = graph.apply("Reshape", transposed, graph.integers(0, 0, hidden_size))
    residual = graph.apply("Add", graph.dense(joined, f"{name}.output.dense"), hidden)
    return graph.layer_norm(residual, f"{name}.output.LayerNorm")


def _feed_forward_layer(graph: _Graph, hidden: str, name: str) -> str:
    """Add the position-wise network with exact GELU, shape (b, s, h) to (b, s, h)."""
    inner = graph.apply("Gelu", graph.dense(hidden, f"{name}.intermediate.dense"))
    residual = graph.apply("Add", graph.dense(inner, f"{name}.output.dense"), hidden)
    return graph.layer_norm(residual, f"{name}.output.LayerNorm")


def _first(graph: _Graph, hidden: str) -> str:
    """Return the state of the first token, shape (b, s, h) to (b, h)."""
    return graph.apply("Gather", hidden, graph.integer(0), axis=1)


def _mean(graph: _Graph, hidden: str) -> str:
    """Return the mean over tokens without padding, shape (b, s, h) to (b, h)."""
    mask = graph.apply("Cast", ATTENTION_MASK, to=TensorProto.FLOAT)
    one = graph.integers(1)
    # Counts are whole numbers below 2 ** 24: their sum is exact in any order.
    count = graph.apply("ReduceSum", mask, one, keepdims=1)
    shares = graph.apply("Unsqueeze", graph.apply("Div", mask, count), one)  # (b, 1, s)
    return graph.apply("Squeeze", graph.apply("MatMul", shares, hidden), one)
