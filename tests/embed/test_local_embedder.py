"""The embedder on a tiny model: what it returns, and that its bytes depend on nothing else."""

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed import local
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.embed.protocol import Embedder

WriteModel = Callable[..., Path]
TEXTS = st.lists(st.text("ab c🙂", max_size=70), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def embedder(tiny_model: Path) -> LocalEmbedder:
    return LocalEmbedder(tiny_model, max_tokens=16, threads=1)


@pytest.fixture(scope="module")
def others(tiny_model: Path) -> list[LocalEmbedder]:
    return [
        LocalEmbedder(tiny_model, max_tokens=16, threads=threads, batch_tokens=tokens)
        for threads, tokens in ((1, 1), (2, 32), (2, 100_000))
    ]


def test_unit_rows_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    backend: Embedder = embedder
    texts = ["d", "a b c d e f g", "a", "a b", "d"]
    vectors = backend.encode(texts)
    assert vectors.shape == (5, backend.dimension) == (5, 16)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors.tobytes() == b"".join(embedder.encode([text]).tobytes() for text in texts)


def test_no_texts_give_no_rows(embedder: LocalEmbedder) -> None:
    assert embedder.encode([]).shape == (0, 16)


@given(TEXTS)
def test_bytes_depend_on_the_text_alone(
    embedder: LocalEmbedder, others: list[LocalEmbedder], texts: list[str]
) -> None:
    together = embedder.encode(texts)
    assert together.tobytes() == embedder.encode(texts[::-1])[::-1].tobytes()
    assert together.tobytes() == b"".join(embedder.encode([text]).tobytes() for text in texts)
    for other in others:
        assert together.tobytes() == other.encode(texts).tobytes()


def test_bytes_do_not_depend_on_where_the_texts_are_cut(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [" ".join("abcdefg"[: index % 7]) + "z" * (index % 3) for index in range(40)]
    whole = embedder.encode(texts)
    monkeypatch.setattr(local, "_TEXTS_AT_ONCE", 7)
    assert whole.tobytes() == embedder.encode(texts).tobytes()


def test_progress_counts_the_texts(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, progress_told: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(local, "_TEXTS_AT_ONCE", 4)
    embedder = LocalEmbedder(tiny_model, max_tokens=16, threads=1, batch_tokens=1)
    embedder.encode(["a", "b", "c", "d", "a", "e", "f"])
    assert progress_told() == [f"embed: {done} / 6 texts" for done in range(1, 6)]


def test_equal_texts_are_encoded_once_and_long_ones_in_windows(embedder: LocalEmbedder) -> None:
    long = " ".join("abcdefghijklmnopqrstuvwxyz" * 2)  # 52 tokens: 14 + 14 + 14 + 10
    encoded = embedder.encode_detailed(["a", long, "a", "b"])
    assert (encoded.unique, encoded.windowed, encoded.windows) == (3, 1, 6)
    assert encoded.vectors[0].tobytes() == encoded.vectors[2].tobytes()


def test_a_long_text_is_the_weighted_mean_of_its_windows(embedder: LocalEmbedder) -> None:
    words = list("abcdefghijklmnopqrstuvw")  # 23 tokens: 14 + 9
    parts = embedder.encode([" ".join(words[:14]), " ".join(words[14:])])
    mean = 14 * parts[0] + 9 * parts[1]
    found = embedder.encode([" ".join(words)])[0]
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=1e-6)


def test_the_end_of_a_very_long_text_counts(embedder: LocalEmbedder) -> None:
    one, other = embedder.encode(["a " * 20_000 + "b " * 2000, "a " * 20_000 + "c " * 2000])
    assert np.isfinite(one).all()
    assert np.abs(one - other).max() > 1e-4


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "🙂👩‍👩‍👧", "\x00", "[PAD]"])
def test_texts_without_words_have_unit_vectors(embedder: LocalEmbedder, text: str) -> None:
    assert np.linalg.norm(embedder.encode([text])[0]) == pytest.approx(1, abs=1e-6)


def test_whitespace_is_no_token(embedder: LocalEmbedder) -> None:
    empty, blank = embedder.encode(["", "  \n "])
    assert empty.tobytes() == blank.tobytes()


def test_windows_may_be_as_long_as_the_position_table(tiny_model: Path) -> None:
    longest = LocalEmbedder(tiny_model, max_tokens=32).encode_detailed(["a " * 30])
    assert longest.windows == 1
    assert LocalEmbedder(tiny_model).max_tokens == 32
    with pytest.raises(ConfigError, match="2 tokens at once"):
        LocalEmbedder(tiny_model, max_tokens=2)


def test_the_fingerprint_covers_what_can_change_a_vector(
    write_model: WriteModel, tiny_model: Path
) -> None:
    fingerprint = LocalEmbedder(tiny_model, max_tokens=16).fingerprint
    same = LocalEmbedder(write_model(), max_tokens=16, threads=2, batch_tokens=1)
    assert same.fingerprint == fingerprint
    folder = write_model()
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    changed = {
        LocalEmbedder(tiny_model, max_tokens=17).fingerprint,
        LocalEmbedder(write_model(layer_norm_eps=1e-6), max_tokens=16).fingerprint,
        LocalEmbedder(write_model(prefix="bert."), max_tokens=16).fingerprint,
        LocalEmbedder(folder, max_tokens=16).fingerprint,
    }
    assert len(changed | {fingerprint}) == 5


def test_a_tokenizer_without_special_tokens_is_refused(write_model: WriteModel) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece

    folder = write_model()
    Tokenizer(WordPiece({"[UNK]": 0}, unk_token="[UNK]")).save(str(folder / "tokenizer.json"))  # noqa: S106
    with pytest.raises(ConfigError, match="special tokens"):
        LocalEmbedder(folder, max_tokens=16).encode(["a"])


def test_nothing_is_fetched(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> NoReturn:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    LocalEmbedder(tiny_model, max_tokens=16).encode(["a"])


def test_the_module_imports_no_runtime() -> None:
    code = (
        "import sys; from graphrag_tasks.embed.local import LocalEmbedder; "
        "heavy = {'torch', 'onnx', 'onnxruntime', 'openvino', 'tokenizers', 'safetensors'}; "
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
