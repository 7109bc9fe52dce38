"""Domain files: what is read, and what is refused with its place."""

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.language.domain import Domain, default_domain, read_domain, with_gazetteers


def test_the_default_domain_knows_its_kinds() -> None:
    domain = default_domain()
    assert domain.typed_kinds["function module"] == "FUNCTION_MODULE"
    assert domain.type_by_shape("BAPI_PO_CREATE1") == "FUNCTION_MODULE"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kinds: [", "not readable as YAML"),
        ("- a list", "valid dictionary"),
        ("kindz: {a: B}", "kindz"),
        ("kinds: {Service: SERVICE}", "small letters"),
        ("kinds: {service: 3}", "valid string"),
        ("shapes: [[TICKET]]", "a type and a regular expression"),
        ("shapes: [[TICKET, '(']]", "no regular expression"),
        ("shapes: ['MV *']", "a simple shape"),
        ("names: {vessel: [Ever Given], berth: [ever given]}", "two types.*ever given"),
        ("names: {vessel: ['']}", "is no name"),
    ],
)
def test_a_file_that_is_no_domain_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"mine.yaml.*{said}"):
        read_domain(text, "mine.yaml")


def test_a_gazetteer_that_contradicts_another_is_refused() -> None:
    files = {"vessel.txt": "Titanic", "film.txt": "Titanic"}
    with pytest.raises(ConfigError, match=r"lists.*two types.*titanic"):
        with_gazetteers(Domain(), files, "lists")
