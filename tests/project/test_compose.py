"""docker-compose.yaml: valid, on loopback only, and without a known password."""

import re
import runpy
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yaml"
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|KEY$", re.IGNORECASE)


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    target = tmp_path / ".env"
    assert runpy.run_path(str(ROOT / "docker" / "make_env.py"))["main"](target) == 0
    return target


def test_every_service_is_there(services: dict[str, Any]) -> None:
    assert set(services) == {
        "airflow-init", "api-server", "scheduler", "dag-processor", "triggerer", "worker-1",
        "worker-2", "postgres", "redis", "etcd", "minio", "milvus",
    }  # fmt: skip


def test_ports_are_on_loopback(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_lasting_service_says_whether_it_is_well(services: dict[str, Any]) -> None:
    assert [name for name, one in services.items() if "healthcheck" not in one] == ["airflow-init"]


def test_no_secret_has_a_default(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for key, value in service.get("environment", {}).items():
            if SECRET.search(key) and not key.endswith("_FILE") and not key.endswith("KEY_ID"):
                handed_on = value is None
                assert handed_on or ":?" in str(value), f"{name}: {key} has a value of its own"
    assert not re.search(r"\$\{[A-Z_]*(PASSWORD|SECRET|KEY)[A-Z_]*:-", COMPOSE.read_text())


def test_generated_secrets_differ_and_are_private(env_file: Path) -> None:
    values = [line.split("=", 1)[1] for line in env_file.read_text().splitlines() if "=" in line]
    assert all(values)
    assert len({one for one in values if len(one) > 30}) == 7
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600
    before = env_file.read_text()
    runpy.run_path(str(ROOT / "docker" / "make_env.py"))["main"](env_file)
    assert env_file.read_text() == before


def compose_client() -> list[str] | None:
    """Return the command of a client that is installed: the plugin, or the older program."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]):
            done = subprocess.run([*command, "version"], capture_output=True, check=False)  # noqa: S603
            if done.returncode == 0:
                return command
    return None


def test_the_compose_client_accepts_it(env_file: Path) -> None:
    command = compose_client()
    if command is None:
        pytest.skip("no docker compose client is installed")
    arguments = [*command, "--env-file", str(env_file), "-f", str(COMPOSE), "config"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    env_file.write_text("")
    unset = [*command, "--env-file", str(env_file), "-f", str(COMPOSE), "config"]
    refused = subprocess.run(unset, capture_output=True, text=True, check=False)  # noqa: S603
    assert refused.returncode != 0
    assert "run make env" in refused.stderr
