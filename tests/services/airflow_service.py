"""Airflow as it is deployed: PostgreSQL, Redis, CeleryExecutor, and two workers on this machine.

All of it on loopback, with ports, passwords and folders of its own; nothing of the system's PostgreSQL or Redis is
touched.
"""

import base64
import json
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.services.processes import ROOT, Process, answers, free_port

START_SECONDS = 240
DAGS = ("graphrag_reindex", "graphrag_evaluate")
WORKERS = ("one", "two")
_POSTGRES_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
_INSTALL = "apt-get install postgresql redis-server (or the packages of your system), then try again"


def _program(name: str) -> str:
    folders = os.pathsep.join([os.environ["PATH"], *map(str, _POSTGRES_PROGRAMS)])
    found = shutil.which(name, path=folders)
    if found is None:
        pytest.fail(f"{name} is not installed: {_INSTALL}")
    return found


class Deployment:
    """Airflow and what it needs.

    Args:
        folder: For databases, logs and Airflow's home; others must be able to enter it, as PostgreSQL does not run as
            root.
        settings: Environment of graphrag_tasks.

    Attributes:
        workers: The Celery workers, by name.
    """

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self._folder = folder
        self._settings = settings
        self._secret = secrets.token_urlsafe(24)
        self._ports = {name: free_port() for name in ("postgres", "redis", "api")}
        self._processes: list[Process] = []
        self._token = ""
        self.workers: dict[str, Process] = {}

    def start(self) -> None:
        """Start everything, and return once workers wait for tasks."""
        self._start_postgres()
        self._start_redis()
        self._airflow("db", "migrate")
        self._airflow("pools", "set", "graphrag_shards", "4", "Shards of graphrag_reindex")
        self._airflow("pools", "set", "graphrag_llm", "1", "Requests to a language model")
        api = self._start("api-server", "--host", "127.0.0.1", "--port", str(self._ports["api"]))
        self._start("scheduler")
        self._start("dag-processor")
        self._start("triggerer")
        for name in WORKERS:
            self.start_worker(name)
        api.wait_until(lambda: answers(self._ports["api"]), START_SECONDS, "API server")
        self._token = self._request("GET", "/auth/token")["access_token"]
        for worker in self.workers.values():
            worker.wait_until(lambda log=worker.log: " ready." in log.read_text(), START_SECONDS, "worker")
        api.wait_until(self._has_dags, START_SECONDS, "DAGs")
        for dag_id in DAGS:
            self._request("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": False})

    def start_worker(self, name: str) -> None:
        """Start a worker that takes one task at a time."""
        self.workers[name] = self._start(
            "celery", "worker", "--celery-hostname", f"{name}@localhost", "--concurrency", "1",
            "--skip-serve-logs", "--pid", str(self._folder / f"{name}.pid"),
            log=name, GRAPHRAG_WORKER=name,
            AIRFLOW__CORE__HOSTNAME_CALLABLE="tests.services.worker_name.name",
        )  # fmt: skip

    def kill_worker(self, name: str) -> None:
        """Kill a worker with all it started, tasks at work among them, by SIGKILL."""
        worker = self.workers.pop(name)
        for one in [*psutil.Process(worker.popen.pid).children(recursive=True), worker.popen]:
            one.kill()
        worker.popen.wait()

    def stop(self) -> None:
        """Stop everything, the last started first."""
        for process in reversed(self._processes):
            process.stop()

    def trigger(self, run_id: str, conf: dict[str, Any]) -> None:
        """Start a run of graphrag_reindex."""
        body = {"dag_run_id": run_id, "logical_date": None, "conf": conf}
        self._request("POST", "/api/v2/dags/graphrag_reindex/dagRuns", body)

    def answer(self, run_id: str, task_id: str, option: str) -> dict[str, Any]:
        """Choose what a task that waits for a person offers; return what it had asked."""
        task = f"/api/v2/dags/graphrag_reindex/dagRuns/{run_id}/taskInstances/{task_id}/-1"
        asked: dict[str, Any] = self._request("GET", f"{task}/hitlDetails")
        self._request("PATCH", f"{task}/hitlDetails", {"chosen_options": [option]})
        return asked

    def state(self, run_id: str) -> str:
        """Return the state of a run."""
        return str(self._rows("SELECT state FROM dag_run WHERE run_id = %s", run_id)[0][0])

    def states(self, dag_id: str) -> list[str]:
        """Return the states of all runs of a DAG."""
        return [row[0] for row in self._rows("SELECT state FROM dag_run WHERE dag_id = %s", dag_id)]

    def alerts(self) -> str:
        """Return what the triggerer has logged."""
        return (self._folder / "logs" / "triggerer").read_text()

    def note(self, run_id: str) -> str:
        """Return the note of a run, as Airflow's API gives it to the UI."""
        path = f"/api/v2/dags/graphrag_reindex/dagRuns/{run_id}"
        return str(self._request("GET", path)["note"])

    def tasks(self, run_id: str) -> list[tuple[str, int, str, str, int]]:
        """Return id, index, state, host and tries of each task of a run."""
        return self._rows(
            "SELECT task_id, map_index, state, hostname, try_number FROM task_instance "
            "WHERE run_id = %s ORDER BY task_id, map_index",
            run_id,
        )

    def _start_postgres(self) -> None:
        data = self._folder / "postgres"
        data.mkdir()
        password = self._folder / "password"
        password.write_text(self._secret)
        user = "postgres" if os.geteuid() == 0 else None
        if user:
            account = pwd.getpwnam(user)
            for path in (data, password):
                os.chown(path, account.pw_uid, account.pw_gid)
        make = [
            _program("initdb"), "--pgdata", str(data), "--username", "airflow",
            "--pwfile", str(password), "--auth", "scram-sha-256", "--no-sync", "--encoding", "UTF8",
        ]  # fmt: skip
        done = subprocess.run(make, user=user, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stderr
        command = [
            _program("postgres"), "-D", str(data), "-p", str(self._ports["postgres"]),
            "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off",
        ]  # fmt: skip
        server = Process(command, self._folder / "logs" / "postgres", user=user)
        self._processes.append(server)
        server.wait_until(lambda: answers(self._ports["postgres"]), START_SECONDS, "PostgreSQL")

    def _start_redis(self) -> None:
        settings = self._folder / "redis.conf"
        settings.write_text(
            f"bind 127.0.0.1\nport {self._ports['redis']}\nrequirepass {self._secret}\ndir {self._folder}\nsave ''\n"
        )
        settings.chmod(0o600)
        server = Process([_program("redis-server"), settings], self._folder / "logs" / "redis")
        self._processes.append(server)
        server.wait_until(lambda: answers(self._ports["redis"]), START_SECONDS, "Redis")

    def _start(self, *arguments: str, log: str = "", **environment: str) -> Process:
        process = Process(
            [sys.executable, "-m", "airflow", *arguments],
            self._folder / "logs" / (log or arguments[0]),
            environment=self._environment | environment,
        )
        self._processes.append(process)
        return process

    def _airflow(self, *arguments: str) -> None:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "airflow", *arguments],
            env=os.environ | self._environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    @property
    def _database(self) -> str:
        return f"airflow:{self._secret}@127.0.0.1:{self._ports['postgres']}/postgres"

    @property
    def _environment(self) -> dict[str, str]:
        api = f"http://127.0.0.1:{self._ports['api']}"
        return self._settings | {
            "AIRFLOW_HOME": str(self._folder / "airflow"),
            "AIRFLOW__API__BASE_URL": api,
            "AIRFLOW__API__SECRET_KEY": self._secret,
            "AIRFLOW__API_AUTH__JWT_SECRET": self._secret * 2,
            "AIRFLOW__CELERY__BROKER_URL": f"redis://:{self._secret}@127.0.0.1:{self._ports['redis']}/0",
            "AIRFLOW__CELERY__RESULT_BACKEND": f"db+postgresql://{self._database}",
            "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{api}/execution/",
            "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
            "AIRFLOW__CORE__FERNET_KEY": base64.urlsafe_b64encode(self._secret.encode()[:32]).decode(),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"postgresql+psycopg2://{self._database}",
            # a killed worker is noticed within the minute, and its tasks go to the other one
            "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "30",
            "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT": "60",
            "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "10",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }

    def _has_dags(self) -> bool:
        return all(self._rows("SELECT 1 FROM dag WHERE dag_id = %s", dag_id) for dag_id in DAGS)

    def _rows(self, query: str, *values: str) -> list[Any]:
        import psycopg2

        connection = psycopg2.connect(f"postgresql://{self._database}")
        try:
            with connection.cursor() as cursor:
                cursor.execute(query, values)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._ports['api']}{path}",
            data=json.dumps(body).encode() if body else None,
            method=method,
            headers={
                "Content-Type": "application/json",
                **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
            },
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return json.load(answer)
