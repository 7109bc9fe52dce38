"""Statements in files: found by name, with the values that a module gives."""

from pathlib import Path

import pytest

from graphrag_tasks.storage.sql import label, statements, surface

FILE = """\
-- name: ends
-- Both ends of each triple.
SELECT {head_surface} AS surface, {head_label} AS type FROM triples WHERE rule = '{rule}'

-- name: short
SELECT name FROM names WHERE regexp_full_match(name, '[A-Z]{3,6}')
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "package_of_sql"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "steps.sql").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    return folder.name


def test_statements_have_names_and_values(package: str) -> None:
    found = statements(package, "steps.sql", rule="alias")
    assert list(found) == ["ends", "short"]
    assert f"SELECT {surface('head')} AS surface, {label('head')} AS type" in found["ends"]
    assert "rule = 'alias'" in found["ends"]
    assert "{3,6}" in found["short"]


def test_a_value_that_is_not_given_is_named(package: str) -> None:
    with pytest.raises(KeyError, match="rule"):
        statements(package, "steps.sql")
