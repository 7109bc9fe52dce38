"""Names: noise goes, what belongs to them stays, and keys join what differs in noise only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.language.names import clean_name, entity_key, is_code


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("the  Custom Code", "Custom Code"),
        ("“VBBS”,", "VBBS"),
        ("an SAP Note's", "SAP Note"),
        ("its own\u200b\ntable ", "own table"),
        ("S/4HANA", "S/4HANA"),
        ("C++", "C++"),
        ("method SELECT(x),", "method SELECT(x)"),
        ("(MRP)", "MRP"),
        ('C " C', "C C"),
        ("\ufb01eld", "field"),
        ("The", "The"),
        ("No longer filled", "No longer filled"),
        ("***", ""),
        ("$ git", "git"),
        ("git-config(1", "git-config"),
        ('Command "Decompose', "Command Decompose"),
        ('the "big" pixel', "big pixel"),
        ("git-config(1)", "git-config(1)"),
        ("capital gain/loss transaction(s", "capital gain/loss transaction"),
        ("printer {Printername", "printer"),
        ("file} macro:///[Library.Module]", "macro:///[Library.Module]"),
        ("[Python Markdown][python-markdown]", "Python Markdown"),
        ("the [Python Markdown](https://x.example/a", "Python Markdown"),
        ("line[0](x)", "line[0](x)"),
        ("x{m", "x{m"),
        ("${property.uniqueID}", "${property.uniqueID}"),
        ("protector {arg1} {arg2", "protector {arg1}"),
    ],
)
def test_names_lose_noise_and_keep_what_belongs_to_them(surface: str, name: str) -> None:
    assert clean_name(surface) == name


@given(st.text('abc ([{}])$#>C"', max_size=12))
def test_a_clean_name_is_clean(surface: str) -> None:
    name = clean_name(surface)
    assert clean_name(name) == name


def test_keys_ignore_case_and_determiners() -> None:
    assert entity_key("The Table VBBS") == entity_key("table VBBS")
    assert entity_key("VBBS") != entity_key("VBBE")


@pytest.mark.parametrize("name", ["VBBS_OLD", "S/4HANA", "->", "a=b", "if_oo~run"])
def test_identifiers_paths_and_formulas_are_code(name: str) -> None:
    assert is_code(name)


@pytest.mark.parametrize("name", ["VBBS", "custom code", "non-class-based", "test system(s)"])
def test_words_are_none(name: str) -> None:
    assert not is_code(name)
