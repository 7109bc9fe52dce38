"""The graph against the same forward pass written in plain numpy."""

import math
from dataclasses import replace

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.bert_onnx import EMBEDDING, SCORE, build_cross_encoder, build_encoder
from graphrag_tasks.embed.engine import ATTENTION_MASK, INPUT_IDS, TOKEN_TYPES
from graphrag_tasks.embed.model_files import BertConfig, Head, find_head

CONFIG = BertConfig(
    hidden_size=16, layers=2, heads=4, layer_norm_eps=1e-12, max_positions=32, pad_token_id=0
)
Array = NDArray[np.float64]
Weights = dict[str, NDArray[np.float32]]


def reference(weights: Weights, tokens: list[int]) -> Array:
    """Return the vector of one text without padding, in float64."""
    mean = hidden_states(weights, tokens, [0] * len(tokens)).mean(axis=0)
    return mean / np.linalg.norm(mean)


def hidden_states(weights: Weights, tokens: list[int], types: list[int]) -> Array:
    """Return the hidden states of one text without padding, in float64; heads one by one."""
    named = {name: tensor.astype(np.float64) for name, tensor in weights.items()}

    def dense(x: Array, name: str) -> Array:
        return x @ named[f"{name}.weight"].T + named[f"{name}.bias"]

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * named[f"{name}.weight"] + named[f"{name}.bias"]

    def gelu(x: Array) -> Array:
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))

    x = named["embeddings.word_embeddings.weight"][tokens]
    x = x + named["embeddings.position_embeddings.weight"][: len(tokens)]
    x = norm(x + named["embeddings.token_type_embeddings.weight"][types], "embeddings.LayerNorm")
    for layer in range(2):
        prefix = f"encoder.layer.{layer}"
        query, key, value = (
            dense(x, f"{prefix}.attention.self.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for start in range(0, 16, 4):
            part = slice(start, start + 4)
            scores = np.exp(query[:, part] @ key[:, part].T / math.sqrt(4))
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, part])
        attended = dense(np.concatenate(heads, axis=1), f"{prefix}.attention.output.dense")
        x = norm(attended + x, f"{prefix}.attention.output.LayerNorm")
        inner = gelu(dense(x, f"{prefix}.intermediate.dense"))
        x = norm(dense(inner, f"{prefix}.output.dense") + x, f"{prefix}.output.LayerNorm")
    return x


def run(model: onnx.ModelProto, rows: list[list[int]], length: int) -> NDArray[np.float32]:
    import onnxruntime

    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.int64)
    for index, tokens in enumerate(rows):
        ids[index, : len(tokens)] = tokens
        mask[index, : len(tokens)] = 1
    return np.asarray(session.run([EMBEDDING], {INPUT_IDS: ids, ATTENTION_MASK: mask})[0])


def test_graph_is_valid_onnx_with_standard_operators_only(tiny_weights: Weights) -> None:
    model = build_encoder(tiny_weights, CONFIG)
    onnx.checker.check_model(model, full_check=True)
    assert {node.domain for node in model.graph.node} == {""}


@pytest.mark.parametrize("length", [5, 8, 32])
def test_graph_equals_a_numpy_forward_pass(tiny_weights: Weights, length: int) -> None:
    tokens = [2, 7, 8, 9, 3]
    found = run(build_encoder(tiny_weights, CONFIG), [tokens], length)
    np.testing.assert_allclose(found[0], reference(tiny_weights, tokens), atol=1e-5)


def test_the_first_token_can_stand_for_the_sentence(tiny_weights: Weights) -> None:
    tokens = [2, 9, 10, 3]
    state = hidden_states(tiny_weights, tokens, [0] * 4)[0]
    found = run(build_encoder(tiny_weights, replace(CONFIG, takes_first=True)), [tokens], 8)
    np.testing.assert_allclose(found[0], state / np.linalg.norm(state), atol=1e-5)


def test_rows_of_a_batch_do_not_see_each_other_or_the_padding(tiny_weights: Weights) -> None:
    rows = [[2, 3], [2, 10, 3], [2, *range(4, 20), 3]]
    found = run(build_encoder(tiny_weights, CONFIG), rows, 20)
    for vector, tokens in zip(found, rows, strict=True):
        np.testing.assert_allclose(vector, reference(tiny_weights, tokens), atol=1e-5)


def test_what_stands_under_the_mask_changes_no_bit(tiny_weights: Weights) -> None:
    import onnxruntime

    session = onnxruntime.InferenceSession(
        build_encoder(tiny_weights, CONFIG).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    mask = np.array([[1, 1, 1, 0, 0]], np.int64)
    found = [
        session.run([EMBEDDING], {INPUT_IDS: np.array([ids], np.int64), ATTENTION_MASK: mask})[0]
        for ids in ([2, 9, 3, 0, 0], [2, 9, 3, 17, 22])
    ]
    assert found[0].tobytes() == found[1].tobytes()


def test_half_precision_and_prefixed_checkpoints_are_read(tiny_weights: Weights) -> None:
    halves = {f"bert.{name}": tensor.astype(np.float16) for name, tensor in tiny_weights.items()}
    found = run(build_encoder(halves, CONFIG), [[2, 7, 3]], 3)
    np.testing.assert_allclose(found[0], reference(tiny_weights, [2, 7, 3]), atol=1e-2)


def test_a_missing_tensor_is_named(tiny_weights: Weights) -> None:
    name = "encoder.layer.1.output.dense.bias"
    rest = {key: value for key, value in tiny_weights.items() if key != name}
    with pytest.raises(ConfigError, match=name):
        build_encoder(rest, CONFIG)


def with_head(weights: Weights, inner: str, outer: str) -> Weights:
    random = np.random.default_rng(9)
    shapes = {
        f"{inner}.weight": (16, 16), f"{inner}.bias": (16,),
        f"{outer}.weight": (1, 16), f"{outer}.bias": (1,),
    }  # fmt: skip
    added = {name: random.normal(0, 0.5, shape) for name, shape in shapes.items()}
    return weights | {name: tensor.astype(np.float32) for name, tensor in added.items()}


HEADS = [
    Head("mid", "out", mean=True),
    Head("pooler.dense", "classifier"),
    Head("classifier.dense", "classifier.out_proj"),
]


@pytest.mark.parametrize("head", HEADS)
def test_a_cross_encoder_equals_a_numpy_forward_pass(tiny_weights: Weights, head: Head) -> None:
    import onnxruntime

    weights = with_head(tiny_weights, head.inner, head.outer)
    assert find_head(weights, "model") == head
    tokens, types = [2, 7, 3, 8, 9, 3], [0, 0, 0, 1, 1, 1]
    states = hidden_states(tiny_weights, tokens, types)
    pooled = states[0] + states.mean(axis=0) if head.mean else states[0]
    inner = np.tanh(weights[f"{head.inner}.weight"] @ pooled + weights[f"{head.inner}.bias"])
    expected = weights[f"{head.outer}.weight"] @ inner + weights[f"{head.outer}.bias"]

    model = build_cross_encoder(weights, CONFIG, head)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    padding = [0, 0]
    inputs = {
        INPUT_IDS: np.array([tokens + padding, tokens + padding]),
        ATTENTION_MASK: np.array([[1] * 6 + padding] * 2),
        TOKEN_TYPES: np.array([types + padding] * 2),
    }
    found = session.run([SCORE], inputs)[0]
    np.testing.assert_allclose(found, [expected[0]] * 2, atol=1e-5)


def test_rows_of_int8_are_multiplied_as_they_are_read(tiny_weights: Weights) -> None:
    name = "embeddings.word_embeddings.weight"
    rows = np.arange(-128, 128, dtype=np.int8)[: 30 * 8].reshape(30, 8).repeat(2, axis=1)
    scales = np.linspace(0.001, 0.01, 30, dtype=np.float32)
    whole = tiny_weights | {name: rows.astype(np.float32) * scales[:, None]}
    packed = {key: tensor for key, tensor in whole.items() if key != name}
    packed |= {f"{name}#q": rows, f"{name}#s": scales}
    texts = [[2, 7, 8, 3], [2, 20, 9, 3]]
    found = [run(build_encoder(weights, CONFIG), texts, 4) for weights in (whole, packed)]
    assert found[0].tobytes() == found[1].tobytes()


def packed_layers(weights: Weights, most: int) -> dict[str, NDArray[np.generic]]:
    """Return weights with the layers' matrices as rows of int8 between `-most` and `most`."""
    found: dict[str, NDArray[np.generic]] = {}
    for name, tensor in weights.items():
        if name.startswith("encoder") and name.endswith(".weight") and tensor.ndim == 2:
            scales = np.abs(tensor).max(axis=1) / most
            found[f"{name}#q"] = np.round(tensor / scales[:, None]).astype(np.int8)
            found[f"{name}#s"] = scales
        else:
            found[name] = tensor
    return found


def scored(model: onnx.ModelProto, texts: list[list[int]]) -> NDArray[np.float32]:
    import onnxruntime

    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    ids = np.array(texts)
    inputs = {INPUT_IDS: ids, ATTENTION_MASK: np.ones_like(ids), TOKEN_TYPES: np.zeros_like(ids)}
    scores: NDArray[np.float32] = session.run([SCORE], inputs)[0]
    return scores


@pytest.mark.parametrize("overflows", [False, True])
def test_products_of_bytes_are_near_those_of_floats_and_alike_on_all_processors(
    tiny_weights: Weights, overflows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = packed_layers(with_head(tiny_weights, "mid", "out"), most=60)  # overflows nowhere
    texts = [[2, 7, 8, 3], [2, 20, 9, 3], [2, 20, 9, 11]]
    monkeypatch.setattr("graphrag_tasks.embed.bert_onnx.overflows", lambda: not overflows)
    other = scored(build_cross_encoder(weights, CONFIG, HEADS[0], by_bytes=True), texts)
    monkeypatch.setattr("graphrag_tasks.embed.bert_onnx.overflows", lambda: overflows)
    model = build_cross_encoder(weights, CONFIG, HEADS[0], by_bytes=True)
    onnx.checker.check_model(model, full_check=True)
    found = scored(model, texts)
    assert found.tobytes() == other.tobytes()
    exact = scored(build_cross_encoder(weights, CONFIG, HEADS[0]), texts)
    assert np.abs(found - exact).max() < 0.1
    assert not np.array_equal(found, exact)


def test_a_score_by_bytes_does_not_depend_on_the_batch(tiny_weights: Weights) -> None:
    weights = packed_layers(with_head(tiny_weights, "mid", "out"), most=60)
    model = build_cross_encoder(weights, CONFIG, HEADS[0], by_bytes=True)
    texts = [[2, 7, 8, 3], [2, 20, 9, 3], [2, 20, 9, 11]]
    alone = [scored(model, [text])[0] for text in texts]
    np.testing.assert_allclose(scored(model, texts), alone, atol=1e-6)


@pytest.mark.parametrize("missing", ["mid.weight", "out.weight"])
def test_a_model_without_a_head_is_refused(tiny_weights: Weights, missing: str) -> None:
    weights = with_head(tiny_weights, "mid", "out")
    del weights[missing]
    with pytest.raises(ConfigError, match="no head that makes a score"):
        find_head(weights, "model")


def test_a_head_of_several_scores_is_refused(tiny_weights: Weights) -> None:
    weights = with_head(tiny_weights, "pooler.dense", "classifier")
    weights["classifier.weight"] = np.ones((3, 16), np.float32)
    with pytest.raises(ConfigError, match="gives 3 scores"):
        find_head(weights, "model")
