"""What is said where an extra is not installed: one line, with the command."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphrag_tasks.cli.output import report_errors
from graphrag_tasks.core.commands import MODULES, install_command

ROOT = Path(__file__).parents[2]
INSTALLED = {name: {one.replace("-", "_") for one in made_by} for name, made_by in packages_distributions().items()}


@pytest.mark.parametrize("extra", sorted(MODULES))
def test_each_package_of_an_extra_is_named_where_it_is_missing(extra: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {name for modules in MODULES.values() for name in modules}
    for package in {re.split(r"[\[<>=]", one)[0].replace("-", "_") for one in extras[extra]} - {"graphrag_tasks"}:
        modules = {name for name, made_by in INSTALLED.items() if package in made_by}
        assert not modules or modules & named, package


def test_a_command_says_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(**_: object) -> int:
        raise ModuleNotFoundError("No module named 'duckdb'", name="duckdb")

    with pytest.raises(SystemExit) as ended:
        report_errors(fails)
    assert ended.value.code == 1
    assert capsys.readouterr().err.strip() == f"error: index: duckdb is not installed. {install_command('index')}"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ('{"url": "file:///a%20b", "dir_info": {"editable": true}}', "pip install -e '/a b[s3]'"),
        ('{"url": "file:///w.whl", "archive_info": {}}', "pip install 'graphrag-tasks[s3] @ file:///w.whl'"),
        (None, "pip install 'graphrag-tasks[s3]'"),
    ],
)
def test_the_command_installs_from_where_the_package_came(
    origin: str | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(read_text=lambda _: origin)
    monkeypatch.setattr("graphrag_tasks.core.commands.distribution", lambda _: found)
    assert install_command("s3") == command
