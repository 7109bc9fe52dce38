"""Overrides: read with the lines they stand on, and refused where they contradict themselves."""

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.language.domain import Overrides, Pair, read_overrides, with_override

FILE = "overrides.yaml"


def test_names_are_read_as_keys_with_their_lines() -> None:
    text = """same:
  - [SAP BTP, the Business Technology Platform]
different:
  - [data object, data objects]
rename:
  sap btp: SAP Business Technology Platform
"""
    assert read_overrides(text, FILE) == Overrides(
        same=(Pair("sap btp", "business technology platform", 2),),
        different=(Pair("data object", "data objects", 4),),
        rename={"sap btp": "SAP Business Technology Platform"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("same: [", "not readable as YAML"),
        ("- same", "must have sections"),
        ("sme:\n  - [a1, b1]", "overrides.yaml, line 1: unknown section 'sme'.*mean 'same'"),
        ("same:\n  - [a1]", "overrides.yaml, line 2: an entry must be a pair of names"),
        ("same: yes", "line 1: this section must hold a list of pairs"),
        ("rename:\n  a1: ''", "line 2: a new name must be a text"),
        ("same:\n  - [a1, b1]\ndifferent:\n  - [b1, a1]", "different by line 4.*by line 2"),
        ("same:\n  - [a1, b1]\n  - [b1, c1]\ndifferent:\n  - [a1, c1]", "different by line 5.*by line 2, 3"),
        ("rename:\n  a1: B\n  A1: C", "'a1' is renamed by line 2 and by line 3"),
        ("different:\n  - [a1, A1]", "line 2 says that 'a1' differs from itself"),
    ],
)
def test_wrong_files_are_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s){message}"):
        read_overrides(text, FILE)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", 'same:\n  - ["p1", "q1"]\n'),
        ("same:\n- [a1, b1]", 'same:\n- [a1, b1]\n- ["p1", "q1"]\n'),
        (
            "# ours\nsame:\n    - [a1, b1]  # seen\ndifferent:\n    - [c1, d1]\n",
            '# ours\nsame:\n    - [a1, b1]  # seen\n    - ["p1", "q1"]\ndifferent:\n    - [c1, d1]\n',
        ),
        ("same:\ndifferent:\n", 'same:\n  - ["p1", "q1"]\ndifferent:\n'),
    ],
)
def test_an_entry_is_added_where_its_section_ends(text: str, changed: str) -> None:
    assert with_override(text, "same", '["p1", "q1"]', FILE) == changed


@pytest.mark.parametrize("text", ["same: [[a1, b1]]\n", "rename: {a1: B1}\n"])
def test_a_section_in_brackets_is_left_to_its_author(text: str) -> None:
    section, entry = ("rename", "p1: Q1") if text.startswith("rename") else ("same", "[p1, q1]")
    with pytest.raises(ConfigError, match=r"line 1: section .* is written in brackets"):
        with_override(text, section, entry, FILE)
