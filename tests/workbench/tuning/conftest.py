"""A corpus in a cipher: no question shares a word with its document, and each word has a partner.

48 documents in four folders each say two of twelve words; the question about a document asks with their partners.
Neither BM25 nor a random model finds anything; who has learned the pairs finds all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from graphrag_tasks.core.config import load_config
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation.questions import Question
from tests.corpora import made

SAID = ("amber", "basin", "cedar", "delta", "ember", "fjord")
SAID += ("grove", "heath", "inlet", "jetty", "knoll", "ledge")
ASKED = ("mango", "nylon", "olive", "pearl", "quilt", "robin")
ASKED += ("sugar", "tulip", "ultra", "velvet", "walnut", "yogurt")
PAIRS = tuple(combinations(range(12), 2))[:48]
HIDDEN, INNER, LAYERS, POSITIONS = 32, 64, 2, 96

ModelFolder = Callable[[bool], Path]


def document(place: int) -> str:
    return f"{'abcd'[place % 4]}/doc{place:02}.md"


def questions(count: int = len(PAIRS)) -> list[Question]:
    return [
        Question(id=f"q{place:02}", question=f"{ASKED[first]} near {ASKED[second]}?", gold_ids=(document(place),))
        for place, (first, second) in enumerate(PAIRS[:count])
    ]


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """Write a random two-layer BERT that knows the corpus's words, with or without a head."""

    def write(is_reranker: bool) -> Path:
        folder = tmp_path_factory.mktemp("model")
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "near", ".", "?", *SAID, *ASKED]
        tokenizer = Tokenizer(
            WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]")  # noqa: S106
        )
        tokenizer.pre_tokenizer = BertPreTokenizer()
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        tokenizer.save(str(folder / "tokenizer.json"))
        config = {
            "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
            "layer_norm_eps": 1e-12, "pad_token_id": 0, "max_position_embeddings": POSITIONS,
        }  # fmt: skip
        (folder / "config.json").write_text(json.dumps(config))
        save_file(_weights(len(words), is_reranker), folder / "model.safetensors")
        return folder

    return write


def _weights(words: int, is_reranker: bool) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    dense = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    dense |= {"attention.output.dense": (HIDDEN, HIDDEN)}
    dense |= {"intermediate.dense": (INNER, HIDDEN), "output.dense": (HIDDEN, INNER)}
    dense = {f"encoder.layer.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in dense.items()}
    if is_reranker:
        dense |= {"mid": (HIDDEN, HIDDEN), "out": (1, HIDDEN)}
    for name, shape in dense.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    drawn = {name: random.normal(0, 0.1, shape) for name, shape in shapes.items()}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        norms += [f"encoder.layer.{layer}.{part}.LayerNorm" for part in ("attention.output", "output")]
    for name in norms:
        drawn |= {f"{name}.weight": np.ones(HIDDEN), f"{name}.bias": np.zeros(HIDDEN)}
    return {name: tensor.astype(np.float32) for name, tensor in drawn.items()}


@pytest.fixture(scope="session")
def encoder(model_folder: ModelFolder) -> Path:
    return model_folder(False)


@pytest.fixture(scope="session")
def reranker(model_folder: ModelFolder) -> Path:
    return model_folder(True)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> Path:
    """The published corpus, embedded with the random encoder."""
    folder = tmp_path_factory.mktemp("cipher")
    texts = {
        document(place): f"The {SAID[first]} is near the {SAID[second]}.\n"
        for place, (first, second) in enumerate(PAIRS)
    }
    return Path(made(folder, texts, embed={"model": str(encoder)}).store)


@pytest.fixture
def index(store: Path, reranker: Path) -> Index:
    settings = load_config(None, overrides={"retrieval": {"rerank": {"model": str(reranker)}}})
    config = settings.retrieval.model_copy(
        update={"rerank": settings.retrieval.rerank.model_copy(update={"candidates": 48})}
    )
    return open_index(store, config=config)
