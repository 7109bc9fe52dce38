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
    write_env(target)
    return target


def write_env(target: Path) -> None:
    assert runpy.run_path(str(ROOT / "docker" / "make_env.py"))["main"](target) == 0


def test_ports_are_on_loopback(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


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
    assert len({one for one in values if len(one) > 30}) == 8
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600


def test_secrets_that_are_there_stay(env_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = env_file.read_text()
    write_env(env_file)
    assert env_file.read_text() == before
    assert "left alone" in capsys.readouterr().err


def test_it_is_told_where_the_admins_password_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / ".env"
    write_env(target)
    told = capsys.readouterr().err
    assert str(target) in told
    assert "user admin, password AIRFLOW_ADMIN_PASSWORD" in told
    (secret,) = [one for one in target.read_text().splitlines() if "ADMIN_PASSWORD" in one]
    assert secret.split("=", 1)[1] not in told


def test_every_image_is_an_exact_release(services: dict[str, Any]) -> None:
    release = re.compile(r":v?\d+\.\d+(\.\d+)?(-[a-z]+\d+\.\d+)?$|:RELEASE\.\d{4}-\d\d-\d\dT[\d-]+Z$")
    images = {one["image"] for one in services.values() if "build" not in one}
    assert len(images) == 5
    assert not [one for one in images if not release.search(one)]
    base = re.search(r"^FROM (.+)$", (ROOT / "docker" / "Dockerfile").read_text(), re.MULTILINE)
    assert base is not None
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-[a-z]+", base[1])


def test_milvus_comes_only_with_its_profile(services: dict[str, Any]) -> None:
    asked_for = {name for name, one in services.items() if one.get("profiles") == ["milvus"]}
    assert asked_for == {"milvus", "etcd", "minio"}
    for name in services.keys() - asked_for:
        assert asked_for.isdisjoint(services[name].get("depends_on", ()))


def test_no_container_gains_rights_or_fills_the_disk_with_logs(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["logging"]["options"]["max-size"]
        assert service.get("cap_drop") == ["ALL"] or "build" not in service


def test_any_user_of_the_group_0_may_run_airflow(services: dict[str, Any]) -> None:
    users = {one["user"] for one in services.values() if "build" in one}
    assert users == {"${AIRFLOW_UID:-50000}:0"}
    image = (ROOT / "docker" / "Dockerfile").read_text()
    assert "USER 50000:0" in image
    assert "chmod -R g=u /opt/airflow /store" in image


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
