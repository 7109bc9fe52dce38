"""The default embedder: a BERT sentence encoder on the CPU, without a deep-learning framework.

Invariant: a text's vector does not depend on the other texts of the call, the batch size, threads or earlier calls, so
an incremental index equals a clean one (see `windows` and `bert_onnx`). It holds for one version of ONNX Runtime on one
kind of CPU; elsewhere the last bits differ. Dynamic int8 quantisation would break it, because its scales depend on the
batch.

ONNX Runtime and the tokenizer are imported on first use.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import EmbedConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.embed.engine import ATTENTION_MASK, GRAPH_VERSION, INPUT_IDS, Engine
from graphrag_tasks.embed.model_files import (
    DEFAULT_MODEL,
    BertConfig,
    ModelFiles,
    file_sha256,
    find_model,
    load_tokenizer,
    load_weights,
    read_config,
    read_prompts,
    verify_weights,
)
from graphrag_tasks.embed.protocol import Encoded

if TYPE_CHECKING:
    from onnx import ModelProto
    from tokenizers import Tokenizer


MAX_TOKENS = 512  # Tokens of the longest window: as many as encoders of the BERT family read at once.
PADDING_MULTIPLE = 4  # Padded window lengths are multiples of this many tokens.


@dataclass(frozen=True)
class Window:
    """Consecutive tokens of a text (given by its position), special tokens included.

    `weight` is the number of the text's own tokens, the window's weight in the mean.
    """

    text: int
    tokens: Sequence[int]
    weight: int


@dataclass(frozen=True)
class Batch:
    """Windows of one padded length, as the encoder's inputs.

    Attributes:
        windows: Positions of the windows, one per row.
        input_ids: Token ids, int64, shape (rows, padded length).
        attention_mask: 1 for tokens and 0 for padding, int64, same shape.
    """

    windows: list[int]
    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]


def split(text: int, tokens: Sequence[int], *, first: Sequence[int], last: int, max_tokens: int) -> list[Window]:
    """Split a text's tokens into consecutive windows; a text without tokens gets one window.

    `max_tokens` includes the tokens `first` and `last` around each window.
    """
    size = max_tokens - len(first) - 1
    pieces = [tokens[start : start + size] for start in range(0, len(tokens), size)] or [[]]
    return [Window(text, [*first, *piece, last], len(piece)) for piece in pieces]


def padded_length(tokens: int, longest: int) -> int:
    """Return a window's padded length: the next multiple, at most the encoder's longest input."""
    return min(-(-tokens // PADDING_MULTIPLE) * PADDING_MULTIPLE, longest)


def batches(windows: Sequence[Window], *, batch_tokens: int, longest: int, pad_token_id: int) -> Iterator[Batch]:
    """Group windows of equal padded length, short ones first.

    Args:
        windows: Windows of any texts.
        batch_tokens: Most tokens of a batch, padding included; a longer window goes alone.
        longest: Longest input of the encoder.
        pad_token_id: Token to pad with.
    """
    by_length: dict[int, list[int]] = {}
    for position, window in enumerate(windows):
        by_length.setdefault(padded_length(len(window.tokens), longest), []).append(position)
    for length, positions in sorted(by_length.items()):
        rows = max(1, batch_tokens // length)
        for start in range(0, len(positions), rows):
            chosen = positions[start : start + rows]
            input_ids = np.full((len(chosen), length), pad_token_id, np.int64)
            attention_mask = np.zeros((len(chosen), length), np.int64)
            for row, position in enumerate(chosen):
                tokens = windows[position].tokens
                input_ids[row, : len(tokens)] = tokens
                attention_mask[row, : len(tokens)] = 1
            yield Batch(chosen, input_ids, attention_mask)


def merge(windows: Sequence[Window], vectors: NDArray[np.float32], texts: int) -> NDArray[np.float32]:
    """Return one unit vector per text: its window's, or the weighted mean of its windows'.

    Args:
        windows: Windows in the order of their texts, at least one for each.
        vectors: Unit vectors of the windows, shape (len(windows), dimension).
        texts: Number of texts.
    """
    counts = np.bincount([window.text for window in windows], minlength=texts)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    merged = vectors[starts]
    for text in np.flatnonzero(counts > 1):
        own = slice(int(starts[text]), int(starts[text] + counts[text]))
        weights = np.array([window.weight for window in windows[own]], np.float32)
        # Not a matrix product: its order of additions is the BLAS library's.
        total = np.add.reduce(vectors[own] * weights[:, None], axis=0)
        norm = np.sqrt(np.add.reduce(total * total))
        merged[text] = total / np.maximum(norm, np.finfo(np.float32).tiny)
    return merged


__all__ = ["DEFAULT_MODEL", "Encoded", "LocalEmbedder", "verify_weights"]

log = logging.getLogger(__name__)

_DECISIVE = ("hidden_size", "layers", "heads", "layer_norm_eps", "max_positions", "pad_token_id")
_SHORTEST_WINDOW = 3  # one token between the two special ones
_TEXTS_AT_ONCE = 4096  # texts tokenised and sorted together: bounds memory, not results


class LocalEmbedder:
    """Embeds texts with a BERT-type sentence encoder on the CPU.

    A text longer than `max_tokens` is never cut: it is split into consecutive windows, and its vector is the normalised
    mean of theirs, weighted by their numbers of tokens. Several threads may use it.

    Args:
        model: Import name of a package with a `model` folder, or a sentence-transformers folder of a BERT encoder with
            mean pooling.
        setting: The setting that names it, for errors.
        max_tokens: Longest window, with its two special tokens; shorter where the model reads less.
        threads: 0 for as many as the process has cores.
        engine: `auto`, `openvino` or `onnxruntime`.
        batch_tokens: Most tokens of one batch, padding included: affects speed and memory alone.
    """

    def __init__(
        self,
        model: str | Path = DEFAULT_MODEL,
        *,
        setting: str = "embed.model",
        max_tokens: int = MAX_TOKENS,
        threads: int = 0,
        engine: str = "auto",
        batch_tokens: int = 2048,
    ) -> None:
        self._files: ModelFiles = find_model(model, setting)
        self._config: BertConfig = read_config(self._files)
        self.max_tokens = min(max_tokens, self._config.longest)
        if self.max_tokens < _SHORTEST_WINDOW:
            what = f"reads {self.max_tokens} tokens at once, at least {_SHORTEST_WINDOW} are needed"
            raise ConfigError(f"{model} {what}", setting)
        self._prompts = read_prompts(self._files)
        self._batch_tokens = batch_tokens
        self._engine = Engine(self._graph, lambda: self.fingerprint, engine, threads)

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return self._config.hidden_size

    @cached_property
    def fingerprint(self) -> str:
        """Hash of weights, tokenizer, architecture, window settings and graph version.

        Threads and batch size cannot change a vector. Vectors of two versions of ONNX Runtime or the tokenizer library
        lie in one space; whether to mix them is for the caller to decide.
        """
        weights = [file_sha256(file) for file in self._files.weights]
        parts: dict[str, object] = {
            "weights": weights[0] if len(weights) == 1 else weights,
            "tokenizer": file_sha256(self._files.tokenizer),
            "config": {name: getattr(self._config, name) for name in _DECISIVE},
            "max_tokens": self.max_tokens,
            "padding_multiple": PADDING_MULTIPLE,
            "graph_version": GRAPH_VERSION,
        }
        if self._config.takes_first:
            parts["takes_first"] = True
        if any(self._prompts):
            parts["prompts"] = self._prompts
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def engine(self) -> str:
        """The engine that computes the vectors."""
        return str(self._engine)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions as rows, shape (len(texts), dimension)."""
        return self._encoded(texts, self._prompts.question).vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count texts and windows."""
        return self._encoded(texts, self._prompts.passage)

    def _encoded(self, texts: Sequence[str], prompt: str) -> Encoded:
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        unique = list(rows)
        vectors = np.empty((len(unique), self.dimension), np.float32)
        progress = Progress(log, "embed", len(unique), "texts")
        windowed = total = 0
        for start in range(0, len(unique), _TEXTS_AT_ONCE):
            part = unique[start : start + _TEXTS_AT_ONCE]
            windows = self._windows(part, prompt)

            def tell(share: float, start: int = start, texts: int = len(part)) -> None:
                progress.reach(start + int(share * texts))

            encoded = self._encode_windows(windows, tell)
            vectors[start : start + len(part)] = merge(windows, encoded, len(part))
            total += len(windows)
            counts = Counter(window.text for window in windows)
            windowed += sum(count > 1 for count in counts.values())
        order = np.fromiter((rows[text] for text in texts), np.intp, len(texts))
        return Encoded(vectors[order], len(unique), windowed, total)

    def _graph(self) -> ModelProto:
        from graphrag_tasks.embed.bert_onnx import build_encoder

        return build_encoder(load_weights(self._files.weights), self._config)

    def _windows(self, texts: Sequence[str], prompt: str) -> list[Window]:
        first, last = self._special_tokens
        before = self._tokenizer.encode(prompt.strip(), add_special_tokens=False).ids
        cut = partial(split, first=[first, *before], last=last, max_tokens=self.max_tokens)
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [window for text, encoding in enumerate(encodings) for window in cut(text, encoding.ids)]

    def _encode_windows(self, windows: Sequence[Window], tell: Callable[[float], None]) -> NDArray[np.float32]:
        """Return the windows' unit vectors, shape (len(windows), dimension).

        `tell` is called after each batch with the finished share.
        """
        vectors = np.empty((len(windows), self.dimension), np.float32)
        longest, pad = self._config.longest, self._config.pad_token_id
        done = 0
        for batch in batches(windows, batch_tokens=self._batch_tokens, longest=longest, pad_token_id=pad):
            inputs = {INPUT_IDS: batch.input_ids, ATTENTION_MASK: batch.attention_mask}
            vectors[batch.windows] = self._engine.run(inputs)
            done += len(batch.windows)
            tell(done / len(windows))
        return vectors

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._files)

    @cached_property
    def _special_tokens(self) -> tuple[int, int]:
        """The tokens around every input, which are the tokens of the empty text."""
        tokens = self._tokenizer.encode("").ids
        if len(tokens) != 2:
            what = f"encloses a text in {len(tokens)} special tokens, expected 2 ([CLS] and [SEP])"
            raise ConfigError(what, str(self._files.tokenizer))
        return tokens[0], tokens[1]


def make_local_embedder(config: EmbedConfig, _: object = None) -> LocalEmbedder:
    """Return the embedder for the settings, one per process."""
    return _made(config)


@cache
def _made(config: EmbedConfig) -> LocalEmbedder:
    return LocalEmbedder(config.model, threads=config.threads, engine=config.engine)
