"""The reference says what the code says, and every setting, column and option has its words."""

import re
import tomllib
from pathlib import Path

import pytest

from benchmarks.tools.reference import FOLDER, pages, undescribed
from graphrag_tasks.core.config import Config


def test_every_setting_column_and_option_has_a_description() -> None:
    assert undescribed() == []


@pytest.mark.parametrize("name", ["settings.md", "tables.md", "cli.md", "api.md"])
def test_the_reference_is_that_of_the_code(name: str) -> None:
    made = pages()[name]
    assert (FOLDER / name).read_text("utf-8") == made, "run make reference"
    assert pages()[name] == made


def test_the_page_of_settings_is_a_file_of_the_defaults() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", pages()["settings.md"], re.DOTALL)
    plain = "".join(one for one in blocks if "[[" not in one and " = …" not in one)
    assert Config.model_validate(tomllib.loads(plain)) == Config()


def test_the_reference_names_no_place_of_this_machine() -> None:
    text = "".join(pages().values())
    assert str(Path.home()) not in text
    assert " object at 0x" not in text
