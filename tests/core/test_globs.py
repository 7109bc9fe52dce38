"""Patterns of paths: what fits, in whatever form a name is stored."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.core.globs import fits, fits_any, folded, nearly_fits


@pytest.mark.parametrize(
    ("path", "glob", "wanted"),
    [
        ("hr/a.md", "hr/**", True),
        ("hr/x/a.md", "hr/*", False),
        ("Geha\u0308lter/a.md", "Geh\u00e4lter/**", True),
        ("Geh\u00e4lter/a.md", "Geha\u0308lter/**", True),
        ("e\u0301.md", "?.md", True),
        ("./hr/a\\xff.md", "hr/*", True),
        ("HR/a.md", "hr/**", False),
        ("a.md", "[ab].md", False),
    ],
)
def test_a_path_fits_in_any_unicode_form(path: str, glob: str, wanted: bool) -> None:
    assert fits(path, glob) is wanted
    assert fits_any(path, ("nothing", glob)) is wanted


@pytest.mark.parametrize(
    ("path", "glob"), [("HR/a.md", "hr/**"), ("stra\u00dfe/a", "STRASSE/*"), ("\uff28\uff32/a", "hr/**")]
)
def test_a_path_nearly_fits_where_case_and_look_alikes_are_ignored(path: str, glob: str) -> None:
    assert nearly_fits(path, glob)
    assert not fits(path, glob)
    assert not nearly_fits(path, f"other/{glob}")


TEXT = st.text(max_size=20).filter(lambda text: not text.startswith("./") and not {*"*?"} & {*text})


@given(TEXT, st.sampled_from(["NFC", "NFD"]), st.sampled_from(["NFC", "NFD"]))
def test_a_name_fits_itself_in_each_form(name: str, one: str, other: str) -> None:
    path, glob = (unicodedata.normalize(form, name) for form in (one, other))  # type: ignore[arg-type]
    assert fits(path, glob)
    assert nearly_fits(path.upper(), glob.lower()) or folded(path.upper()) != folded(glob.lower())
