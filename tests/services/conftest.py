"""Servers that several modules use."""

import signal
import urllib.request
from collections.abc import Iterator

import pytest

from tests.services.processes import SERVERS, Process, answers, free_port

BUCKET = "graphrag"


def pytest_configure() -> None:
    """Let servers be stopped where the tests are: SIGTERM ends them as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def s3_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """An S3 server with an empty bucket, and the environment that leads to it."""
    port = free_port()
    log = tmp_path_factory.mktemp("s3") / "log"
    server = Process([SERVERS / "moto_server", "-H", "127.0.0.1", "-p", str(port)], log)
    try:
        server.wait_until(lambda: answers(port), 60, "S3 server")
        url = f"http://127.0.0.1:{port}"
        make = urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT")
        urllib.request.urlopen(make, timeout=30).close()  # noqa: S310
        yield {
            "AWS_ACCESS_KEY_ID": "of-the-test",
            "AWS_SECRET_ACCESS_KEY": "of-the-test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": url,
            "AWS_ALLOW_HTTP": "true",
        }
    finally:
        server.stop()


@pytest.fixture
def s3(s3_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The URI of a prefix that no other test uses."""
    for name, value in s3_environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{request.node.name}"
