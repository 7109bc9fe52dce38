"""The logins of the containers: the commands of docker-compose.yaml make an admin."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.platform

ROOT = Path(__file__).parents[2]
PASSWORD = "admin-Zx91Kq"  # noqa: S105


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yaml").read_text())["services"]
    return found


@pytest.fixture(scope="module")
def environment(services: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of Airflow with the manager of the containers, in SQLite."""
    name = "AIRFLOW__CORE__AUTH_MANAGER"
    return os.environ | {
        "AIRFLOW_ADMIN_PASSWORD": PASSWORD,
        "AIRFLOW_HOME": str(tmp_path_factory.mktemp("airflow")),
        "AIRFLOW__API__SECRET_KEY": "secret-Zx92Kq",
        "AIRFLOW__API_AUTH__JWT_SECRET": "jwt-Zx93Kq-long-enough-for-its-algorithm",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins")]),
        name: services["api-server"]["environment"][name],
    }


@pytest.fixture(scope="module")
def seen(services: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
    """What the admin and others get from Airflow's application."""
    shell, option, command = services["airflow-init"]["command"]
    command = command.replace("$$", "$")
    for again in ("", " again"):
        done = subprocess.run(  # noqa: S603
            [shell, option, command], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, again + done.stdout[-2000:] + done.stderr[-3000:]
    line = [sys.executable, "-m", "tests.platform.log_in", PASSWORD]
    done = subprocess.run(  # noqa: S603
        line, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = [one for one in done.stdout.splitlines() if one.startswith("RESULT ")]
    assert found and done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    told: dict[str, Any] = json.loads(found[0].removeprefix("RESULT "))
    return told


def test_the_manager_is_fabs(seen: dict[str, Any]) -> None:
    assert seen["manager"] == "FabAuthManager"


def test_the_admin_can_log_in_and_nobody_else(seen: dict[str, Any]) -> None:
    assert seen["right"] == 201
    assert seen["wrong"] == 401
    assert seen["stranger"] == 401


def test_the_admin_may_do_everything_and_sees_the_pages(seen: dict[str, Any]) -> None:
    assert seen["pools"] == 200
    assert seen["pages"] == 200


def test_strangers_see_nothing(seen: dict[str, Any]) -> None:
    assert seen["pools of strangers"] == 401
    assert seen["pages of strangers"] == 401


def test_every_option_of_the_containers_is_airflows(services: dict[str, Any], environment: dict[str, str]) -> None:
    image = (ROOT / "docker" / "Dockerfile").read_text().replace("=", " ").split()
    names = {name for one in services.values() for name in one.get("environment", {})} | {*image}
    options = [name.split("__")[1:] for name in names if name.startswith("AIRFLOW__")]
    assert len(options) >= 10
    script = (
        "import json, sys; from airflow.configuration import conf\n"
        "known = {(section, option) for section, one in conf.configuration_description.items() "
        "for option in one['options']}\n"
        "print([one for one in json.loads(sys.argv[1]) if tuple(one) not in known])"
    )
    known = {name: value for name, value in environment.items() if "AIRFLOW__" not in name}
    # Celery's are of a provider that only the image has.
    wanted = [[part.lower() for part in one] for one in options if one[0] != "CELERY"]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, json.dumps(wanted)], env=known, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
