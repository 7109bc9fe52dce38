"""A BERT sentence encoder as an ONNX graph, built in memory from its weights.

The encoder is BERT (Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers",
NAACL 2019) with the mean pooling of Sentence-BERT (Reimers & Gurevych, EMNLP 2019). Dropout and
the pooler of the pre-training task are left out, and token types are all 0.

Only standard operators are used: the fusions of ONNX Runtime's optimiser reach the speed of its
own contributed operators. Sums over tokens are matrix products: `ReduceSum` adds in another order
when the batch has one row, which would let the batch size into the result.

Shapes: b rows, s tokens, h hidden size, n heads, d = h / n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.model_files import BertConfig

GRAPH_VERSION = 1
"""Raised with every change of the graph that can change a vector."""

INPUT_IDS = "input_ids"
ATTENTION_MASK = "attention_mask"
EMBEDDING = "embedding"

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9  # the one of that opset: readable by every runtime that has it
_MASKED = -10_000.0  # exp() of any score plus this is exactly 0 in float32

Weights = Mapping[str, NDArray[np.float32]]


class _Graph:
    """Nodes and constants of a graph under construction; values go by their names."""

    def __init__(self, weights: Weights, config: BertConfig) -> None:
        self.weights = weights
        self.config = config
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: NDArray[np.float32]) -> str:
        """Add a float32 constant and return its name."""
        contiguous = np.ascontiguousarray(value, np.float32)
        self.constants[name] = numpy_helper.from_array(contiguous, name)
        return name

    def integers(self, *values: int) -> str:
        """Return the name of an int64 vector: axes, shapes."""
        name = "integers_" + "_".join(map(str, values))
        self.constants[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def apply(
        self, operator: str, *inputs: str, output: str = "", **attributes: float | Sequence[int]
    ) -> str:
        """Add a node and return the name of its output."""
        output = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], name=output)
        node.attribute.extend(helper.make_attribute(key, attributes[key]) for key in attributes)
        self.nodes.append(node)
        return output

    def dense(self, hidden: str, name: str, factor: np.float32 | None = None) -> str:
        """Return `factor` * (hidden @ W.T + bias); checkpoints hold W as (outputs, inputs)."""
        matrix, bias = self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"]
        if factor is not None:
            matrix, bias = matrix * factor, bias * factor
        product = self.apply("MatMul", hidden, self.constant(f"{name}.weight", matrix))
        return self.apply("Add", product, self.constant(f"{name}.bias", bias))

    def layer_norm(self, hidden: str, name: str) -> str:
        """Return the normalised hidden states."""
        scale, bias = (
            self.constant(f"{name}.{part}", self.weights[f"{name}.{part}"])
            for part in ("weight", "bias")
        )
        epsilon = self.config.layer_norm_eps
        return self.apply("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=epsilon)


def build_encoder(weights: Mapping[str, NDArray[np.generic]], config: BertConfig) -> ModelProto:
    """Build the graph from token ids to unit sentence vectors.

    Its inputs `input_ids` and `attention_mask` are int64, shape (b, s), s at most
    `config.max_positions`; its output `embedding` is float32, shape (b, h).

    Args:
        weights: Tensors under their names in a BERT checkpoint, with or without the prefix
            `bert.`, of any floating-point type.
        config: The architecture.

    Raises:
        ConfigError: A tensor is missing.
    """
    named = {
        name.removeprefix("bert."): tensor.astype(np.float32, copy=False)
        for name, tensor in weights.items()
    }
    graph = _Graph(named, config)
    try:
        hidden = _embeddings(graph)
        bias = _attention_bias(graph)
        for layer in range(config.layers):
            hidden = _attention_layer(graph, hidden, bias, f"encoder.layer.{layer}.attention")
            hidden = _feed_forward_layer(graph, hidden, f"encoder.layer.{layer}")
    except KeyError as error:
        raise ConfigError(f"the weights have no tensor {error}", "embed.model") from error
    _mean_pooling(graph, hidden)
    return _model(graph)


def _model(graph: _Graph) -> ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"])
        for name in (INPUT_IDS, ATTENTION_MASK)
    ]
    size = graph.config.hidden_size
    output = helper.make_tensor_value_info(EMBEDDING, TensorProto.FLOAT, ["b", size])
    constants = list(graph.constants.values())
    return helper.make_model(
        helper.make_graph(graph.nodes, "bert_sentence_encoder", inputs, [output], constants),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )


def _embeddings(graph: _Graph) -> str:
    """Return normalised word + position + token type embeddings, shape (b, s, h)."""
    weights = graph.weights
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    # Every token has type 0, so its row is added to the position table once.
    of_type = weights["embeddings.token_type_embeddings.weight"][0]
    table = weights["embeddings.position_embeddings.weight"] + of_type
    positions = graph.constant("positions", table)
    zero, one, two = graph.integers(0), graph.integers(1), graph.integers(2)
    length = graph.apply("Slice", graph.apply("Shape", INPUT_IDS), one, two)
    gathered = graph.apply("Gather", words, INPUT_IDS)
    total = graph.apply("Add", gathered, graph.apply("Slice", positions, zero, length, zero))
    return graph.layer_norm(total, "embeddings.LayerNorm")


def _attention_bias(graph: _Graph) -> str:
    """Return 0 for tokens and a large negative score for padding, shape (b, 1, 1, s)."""
    mask = graph.apply("Cast", ATTENTION_MASK, to=TensorProto.FLOAT)
    padding = graph.apply("Sub", graph.constant("one", np.array(1, np.float32)), mask)
    masked = graph.constant("masked", np.array(_MASKED, np.float32))
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


def _mean_pooling(graph: _Graph, hidden: str) -> None:
    """Make the unit mean over tokens without padding the output, shape (b, s, h) to (b, h)."""
    mask = graph.apply("Cast", ATTENTION_MASK, to=TensorProto.FLOAT)
    one = graph.integers(1)
    # Counts are whole numbers below 2 ** 24: their sum is exact in any order.
    count = graph.apply("ReduceSum", mask, one, keepdims=1)
    shares = graph.apply("Unsqueeze", graph.apply("Div", mask, count), one)  # (b, 1, s)
    mean = graph.apply("Squeeze", graph.apply("MatMul", shares, hidden), one)
    graph.apply("LpNormalization", mean, output=EMBEDDING, axis=-1, p=2)
