"""A random BERT of a few kilobytes, written as a sentence-transformers folder."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

HIDDEN, INNER, LAYERS, MAX_POSITIONS = 16, 32, 2, 32
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz"]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": MAX_POSITIONS,
    "pad_token_id": 0,
}


Weights = dict[str, NDArray[np.float32]]
WriteModel = Callable[..., Path]


def _weights() -> Weights:
    random = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": (MAX_POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        dense = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
        dense["attention.output.dense"] = (HIDDEN, HIDDEN)
        dense["intermediate.dense"] = (INNER, HIDDEN)
        dense["output.dense"] = (HIDDEN, INNER)
        for name, shape in dense.items():
            shapes[f"{prefix}.{name}.weight"] = shape
            shapes[f"{prefix}.{name}.bias"] = shape[:1]
        norms += [f"{prefix}.attention.output.LayerNorm", f"{prefix}.output.LayerNorm"]
    for name in norms:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (HIDDEN,)
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(
        WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]")  # noqa: S106
    )
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # As in the real model's file: both must be switched off by the embedder.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


@pytest.fixture(scope="session")
def tiny_weights() -> Weights:
    return _weights()


@pytest.fixture(scope="session")
def write_model(tmp_path_factory: pytest.TempPathFactory, tiny_weights: Weights) -> WriteModel:
    def write(prefix: str = "", further: Mapping[str, tuple[int, ...]] | None = None, **changes: object) -> Path:
        folder = tmp_path_factory.mktemp("model")
        random = np.random.default_rng(8)
        added = {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in (further or {}).items()}
        save_file(
            {prefix + name: tensor for name, tensor in (tiny_weights | added).items()}, folder / "model.safetensors"
        )
        (folder / "config.json").write_text(json.dumps(CONFIG | changes))
        _tokenizer().save(str(folder / "tokenizer.json"))
        return folder

    return write


@pytest.fixture(scope="session")
def tiny_model(write_model: WriteModel) -> Path:
    return write_model()
