"""Entity types: technical ones by shape and kind, and labels where they may hold."""

import pytest

from graphrag_tasks.core.config import LanguageConfig
from graphrag_tasks.entities.normalize.kinds import NameTypes
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.language.domain import Domain, default_domain


def is_word(word: str) -> bool:
    return word in {"cloud", "integration", "string", "will", "json"}


TYPES = NameTypes(default_domain(), is_word)


def type_of(name: str, label: str = "", types: NameTypes = TYPES) -> str | None:
    found = types.of(name, label)
    return found and found[0]


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("table VBBE", "TABLE"),
        ("old transparent table KONV", "TABLE"),
        ("VBBE_OLD table", "TABLE"),
        ("HTML table", None),
        ("READ TABLE", None),
        ("table type", None),
        ("transaction SE38", "TRANSACTION"),
        ("MD04 transaction", "TRANSACTION"),
        ("report ZSALES", "PROGRAM"),
        ("CL_ABAP_TYPEDESCR", "CLASS"),
        ("zcl_demo_abap", "CLASS"),
        ("CX_SY_ZERODIVIDE", "CLASS"),
        ("IF_OO_ADT_CLASSRUN", "INTERFACE"),
        ("BAPI_PO_CREATE1", "FUNCTION_MODULE"),
        ("function module DB_ROLLBACK", "FUNCTION_MODULE"),
        ("BADI_SORTER", "BADI"),
        ("I_SalesOrder", "CDS_VIEW"),
        ("cl_abap_typedescr=>kind_elem", "COMPONENT"),
        ("SAP Note 2214409", "NOTE"),
        ("release 7.5", "VERSION"),
        ("sy-subrc", "FIELD"),
        ("https://example.com/a", "URL"),
        ("/usr/sap/trans", "PATH"),
        ("SAP_BR_ADMINISTRATOR", "ROLE"),
        ("S/4HANA", None),
        ("and/or", None),
        ("class action", None),
        ("Table Edges", None),
        ("parse_args()", "CODE"),
        ("Ctrl+Shift+X", "CODE"),
        ("F-102", "CODE"),
        ("WM.1926.14", "CODE"),
        ("noreply@example.org", "CODE"),
    ],
)
def test_technical_types(name: str, type_: str | None) -> None:
    assert type_of(name) == type_


@pytest.mark.parametrize(
    ("name", "label", "type_"),
    [
        ("Gerald Ford", "PERSON", "PERSON"),
        ("Will Smith", "PERSON", "PERSON"),
        ("Cloud Integration", "PERSON", None),
        ("JSON", "PERSON", None),
        ("XSLT", "GPE", None),
        ("USA", "GPE", "GPE"),
        ("Berlin", "GPE", "GPE"),
        ("internal table", "ORG", None),
        ("standard API", "ORG", None),
        ("NATO", "ORG", "ORG"),
        ("ZBADI_DEMO", "DATE", "CODE"),
        ("string", "PERSON", None),
    ],
)
def test_labels_that_cannot_hold_are_passed_over(name: str, label: str, type_: str | None) -> None:
    assert type_of(name, label) == type_


@pytest.mark.parametrize(
    ("name", "label", "told"),
    [
        ("Ruth Calder", "PERSON", ("PERSON", "words")),
        ("Claire L. Koch", "", ("PERSON", "words")),
        ("Mr Gilchrist", "PERSON", ("PERSON", "words")),
        ("Edit Symbol Fields", "", None),
        ("Victoria Station", "ORG", ("ORG", "doubted")),
        ("Ruth", "PERSON", ("PERSON", "label")),
        ("Handbook", "PERSON", None),
        ("Quarry Road 40", "PERSON", ("GPE", "words")),
        ("Yen Chau District", "PERSON", ("GPE", "words")),
        ("Mexico", "ORG", ("GPE", "words")),
        ("Dillenburg", "GPE", ("GPE", "label")),
        ("Telephoning", "GPE", ("GPE", "doubted")),
        ("Stegwerk GmbH", "PERSON", ("ORG", "words")),
        ("Noise on Orchard Close", "", None),
    ],
)
def test_people_places_and_organisations(name: str, label: str, told: tuple[str, str] | None) -> None:
    assert NameTypes(default_domain(), known_words(LanguageConfig().model)).of(name, label) == told


def test_a_label_of_a_language_model_needs_no_proof() -> None:
    types = NameTypes(default_domain(), is_word)
    assert types.of("Norwood Timber", "ORG") == ("ORG", "doubted")
    assert types.of("Norwood Timber", "ORG", is_sure=True) == ("ORG", "label")


def test_another_domain_has_other_kinds_and_shapes() -> None:
    domain = Domain(
        kinds={"service": "SERVICE", "incident": "INCIDENT", "api": None},
        qualifiers=["internal"],
        shapes=[["TICKET", r"[A-Z]+-\d+"]],
    )
    types = NameTypes(domain, is_word)
    assert type_of("internal service AUTH_2", "", types=types) == "SERVICE"
    assert type_of("JIRA-4711", "ORG", types=types) == "TICKET"
    assert type_of("incident INC-7", "", types=types) == "INCIDENT"
    assert type_of("https://example.com/a", "", types=types) == "URL"
    assert type_of("table VBBE", "", types=types) is None
    assert type_of("CL_ABAP_TYPEDESCR", "", types=types) == "CODE"
    assert {"SERVICE", "TICKET", "URL", "VERSION"} <= domain.types
    assert "TABLE" not in domain.types


LISTED = NameTypes(
    Domain(
        kinds={"table": "TABLE"},
        shapes=["MV * = vessel", "berth * = berth", ["TICKET", r"[A-Z]+-\d+"]],
        names={"vessel": ["Ever Given", "table VBBE"], "Shipping line": ["maersk"]},
    ),
    is_word,
)


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("MV Ever Ace", ("VESSEL", "shape")),
        ("MV", None),
        ("berth twelve", ("BERTH", "shape")),
        ("BERTH twelve", None),
        ("Ever Given", ("VESSEL", "user")),
        ("ever given", ("VESSEL", "user")),
        ("Ever Ace", None),
        ("Maersk", ("SHIPPING_LINE", "user")),
        ("table VBBE", ("VESSEL", "user")),
        ("table VBBS", ("TABLE", "kind")),
    ],
)
def test_lists_and_simple_shapes(name: str, type_: tuple[str, str] | None) -> None:
    assert LISTED.of(name, "") == type_
