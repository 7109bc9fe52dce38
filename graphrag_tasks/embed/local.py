"""The default embedder: a BERT sentence encoder on the CPU, without a deep-learning framework.

Invariant: a text's vector does not depend on the other texts of the call, the batch size, threads
or earlier calls, so an incremental index equals a clean one (`windows` and `bert_onnx` say how).
It holds for one version of ONNX Runtime on one kind of CPU; elsewhere the last bits differ.
Dynamic int8 quantisation would break it, because its scales depend on the batch.

ONNX Runtime and the tokenizer are imported on first use.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import EmbedConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed.model_files import (
    DEFAULT_MODEL,
    BertConfig,
    ModelFiles,
    file_sha256,
    find_model,
    load_weights,
    read_config,
    verify_weights,
)
from graphrag_tasks.embed.protocol import Encoded
from graphrag_tasks.embed.windows import PADDING_MULTIPLE, Window, batches, merge, split

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["DEFAULT_MODEL", "Encoded", "LocalEmbedder", "verify_weights"]

_SHORTEST_WINDOW = 3  # one token between the two special ones
_TEXTS_AT_ONCE = 4096  # texts tokenised and sorted together: bounds memory, not results


class LocalEmbedder:
    """Embeds texts with a BERT-type sentence encoder through ONNX Runtime.

    A text longer than `max_tokens` is never cut: it is split into consecutive windows, and its
    vector is the normalised mean of theirs, weighted by their numbers of tokens. The session is
    created on first use, once per process (again after a fork), and several threads may use it.

    Args:
        model: Import name of a package with a `model` folder, or a sentence-transformers folder
            of a BERT encoder with mean pooling.
        max_tokens: Longest window, with its two special tokens.
        threads: Threads of ONNX Runtime; 0 for as many as the process has cores.
        batch_tokens: Most tokens of one batch, padding included: affects speed and memory alone.

    Raises:
        MissingDependencyError: The default model is not installed.
        ConfigError: The model is of another kind or incomplete, or `max_tokens` is outside what
            it can read.
    """

    def __init__(
        self,
        model: str | Path = DEFAULT_MODEL,
        *,
        max_tokens: int = 512,
        threads: int = 0,
        batch_tokens: int = 2048,
    ) -> None:
        self._files: ModelFiles = find_model(model)
        self._config: BertConfig = read_config(self._files)
        longest = self._config.max_positions
        if not _SHORTEST_WINDOW <= max_tokens <= longest:
            lengths = f"{_SHORTEST_WINDOW} to {longest}, the lengths this model reads"
            raise ConfigError(f"{max_tokens} is outside {lengths}", "embed.max_tokens")
        self.max_tokens = max_tokens
        self._threads = threads or _available_cores()
        self._batch_tokens = batch_tokens
        self._lock = Lock()
        self._session: Any = None
        self._session_process = 0

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return self._config.hidden_size

    @cached_property
    def fingerprint(self) -> str:
        """Hash of weights, tokenizer, architecture, window settings and graph version.

        Threads and batch size cannot change a vector. Vectors of two versions of ONNX Runtime or
        the tokenizer library lie in one space; whether to mix them is for the caller to decide.
        """
        from graphrag_tasks.embed.bert_onnx import GRAPH_VERSION

        weights = [file_sha256(file) for file in self._files.weights]
        parts = {
            "weights": weights[0] if len(weights) == 1 else weights,
            "tokenizer": file_sha256(self._files.tokenizer),
            "config": asdict(self._config),
            "max_tokens": self.max_tokens,
            "padding_multiple": PADDING_MULTIPLE,
            "graph_version": GRAPH_VERSION,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit rows in the order of the texts, shape (len(texts), dimension)."""
        return self.encode_detailed(texts).vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed texts as `encode` does, and count what was encoded and how."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        unique = list(rows)
        vectors = np.empty((len(unique), self.dimension), np.float32)
        windowed = total = 0
        for start in range(0, len(unique), _TEXTS_AT_ONCE):
            part = unique[start : start + _TEXTS_AT_ONCE]
            windows = self._windows(part)
            encoded = self._encode_windows(windows)
            vectors[start : start + len(part)] = merge(windows, encoded, len(part))
            total += len(windows)
            counts = Counter(window.text for window in windows)
            windowed += sum(count > 1 for count in counts.values())
        order = np.fromiter((rows[text] for text in texts), np.intp, len(texts))
        return Encoded(vectors[order], len(unique), windowed, total)

    def _windows(self, texts: Sequence[str]) -> list[Window]:
        first, last = self._special_tokens
        cut = partial(split, first=first, last=last, max_tokens=self.max_tokens)
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [window for text, one in enumerate(encodings) for window in cut(text, one.ids)]

    def _encode_windows(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """Return the windows' unit vectors, shape (len(windows), dimension)."""
        from graphrag_tasks.embed.bert_onnx import ATTENTION_MASK, EMBEDDING, INPUT_IDS

        session = self._ready_session()
        vectors = np.empty((len(windows), self.dimension), np.float32)
        longest, pad = self._config.max_positions, self._config.pad_token_id
        for batch in batches(
            windows, batch_tokens=self._batch_tokens, longest=longest, pad_token_id=pad
        ):
            inputs = {INPUT_IDS: batch.input_ids, ATTENTION_MASK: batch.attention_mask}
            vectors[batch.windows] = session.run([EMBEDDING], inputs)[0]
        return vectors

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._files.tokenizer))
        # The file may carry settings of its own, all-MiniLM-L6-v2's cuts at 128 tokens.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _special_tokens(self) -> tuple[int, int]:
        """The tokens that enclose every input: what the empty text consists of."""
        tokens = self._tokenizer.encode("").ids
        if len(tokens) != 2:
            what = f"encloses a text in {len(tokens)} special tokens, expected 2 ([CLS] and [SEP])"
            raise ConfigError(what, str(self._files.tokenizer))
        return tokens[0], tokens[1]

    def _ready_session(self) -> Any:  # noqa: ANN401 - an untyped library
        with self._lock:
            # A forked process has the session but none of its threads: waiting on them would hang.
            if self._session is None or self._session_process != os.getpid():
                self._session = _create_session(self._files, self._config, self._threads)
                self._session_process = os.getpid()
            return self._session


def _create_session(files: ModelFiles, config: BertConfig, threads: int) -> Any:  # noqa: ANN401
    import onnxruntime

    from graphrag_tasks.embed.bert_onnx import build_encoder

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # batches come in many shapes
    # Idle threads sleep instead of spinning: other tasks share the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = build_encoder(load_weights(files.weights), config)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_local_embedder(config: EmbedConfig) -> LocalEmbedder:
    """Return the embedder that the settings describe."""
    return LocalEmbedder(config.model, max_tokens=config.max_tokens, threads=config.threads)
