"""The reference says what the code says, and every setting, column and option has its words."""

from pathlib import Path

import pytest

from tools.reference import FOLDER, pages, undescribed


def test_every_setting_column_and_option_has_a_description() -> None:
    assert undescribed() == []


@pytest.mark.parametrize("name", ["settings.md", "tables.md", "cli.md", "errors.md", "api.md"])
def test_the_reference_is_that_of_the_code(name: str) -> None:
    made = pages()[name]
    assert (FOLDER / name).read_text("utf-8") == made, "run make reference"
    assert pages()[name] == made


def test_the_reference_names_no_place_of_this_machine() -> None:
    text = "".join(pages().values())
    assert str(Path.home()) not in text
    assert " object at 0x" not in text
