"""Secrets: they come from the environment, and go into no setting, log, artifact or message."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError, SourceError, TransientError
from graphrag_tasks.embed.vectors.milvus import MilvusStore

SECRETS = {
    "GRAPHRAG_MILVUS_TOKEN": "root:milvus-Zx81Kq",
    "OPENAI_API_KEY": "sk-openai-Zx82Kq",
    "AWS_ACCESS_KEY_ID": "AKIAZX83KQ",
    "AWS_SECRET_ACCESS_KEY": "s3-Zx84Kq",
}
ADDRESS = "http://reader:pw-Zx85Kq@127.0.0.1:9"


def everything_in(folder: Path) -> str:
    """Return the bytes of all files below a folder as text, those of Parquet unpacked."""
    found = []
    for file in folder.rglob("*"):
        if file.is_file():
            found.append(file.read_bytes().decode("utf-8", "replace"))
            if file.suffix == ".parquet":
                found += [str(pq.ParquetFile(file).metadata.metadata), str(pq.read_table(file))]
    return "\n".join(found)


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("secrets")
def test_a_run_leaves_no_secret_anywhere(
    tmp_path: Path,
    index: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    used = []

    def connect(uri: str, token: str, timeout: float) -> None:
        used.append(token)
        raise ConnectionRefused(f"cannot connect to {uri}")

    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus.MilvusClient", connect)
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._FAILURES", (ConnectionRefused,))
    server = {"vector_store": "milvus", "milvus_uri": "http://127.0.0.1:9"}
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 0.1)
    with caplog.at_level(logging.DEBUG):
        with pytest.raises(TransientError) as failed:
            index(load=server)
        half_done = everything_in(tmp_path)
        index()
    assert set(used) == {SECRETS["GRAPHRAG_MILVUS_TOKEN"]}
    told = caplog.text + "".join(capfd.readouterr()) + repr(failed.value) + str(failed.value)
    assert "VBBS" in half_done
    for secret in SECRETS.values():
        assert secret not in half_done
        assert secret not in everything_in(tmp_path)
        assert secret not in told


class ConnectionRefused(Exception):
    """What a Milvus client raises."""


@pytest.mark.parametrize(
    ("where", "values"),
    [
        ("load.milvus_uri", {"load": {"milvus_uri": ADDRESS}}),
        ("store", {"store": ADDRESS}),
        ("sources", {"sources": ["docs", f"named={ADDRESS}/docs"]}),
        ("resolve.overrides", {"resolve": {"overrides": ADDRESS}}),
        ("load.nonsense", {"load": {"nonsense": ADDRESS}}),
    ],
)
def test_a_setting_with_a_password_is_refused_and_not_repeated(where: str, values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="holds a password") as refused:
        load_config(overrides=values, environ={})
    assert refused.value.where == where
    assert "Zx85Kq" not in repr(refused.value) + str(refused.value)


def test_messages_hide_the_password_of_an_address() -> None:
    error = SourceError(f"{ADDRESS} is gone", ADDRESS, f"Look at {ADDRESS}/docs")
    assert "Zx85Kq" not in repr(error) + str(error) + str(error.args)
    assert error.where == "http://reader:***@127.0.0.1:9"


def test_a_server_that_does_not_answer_hides_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("_REQUEST", 0.2), ("_RETRY", 0)):
        monkeypatch.setattr(f"graphrag_tasks.embed.vectors.milvus.{name}_SECONDS", seconds)
    with pytest.raises(TransientError) as failed:
        MilvusStore(ADDRESS)
    assert "Zx85Kq" not in repr(failed.value) + str(failed.value)
    assert "reader:***@" in str(failed.value)


def test_a_secret_in_place_of_a_setting_is_not_repeated() -> None:
    with pytest.raises(ConfigError, match="unknown setting") as refused:
        load_config(environ={"GRAPHRAG__LOAD__TOKEN": "Zx86Kq"})
    assert "Zx86Kq" not in repr(refused.value) + str(refused.value)
