"""Entity types: technical ones by shape, kind and header, and labels where they may hold."""

import pytest

from graphrag_tasks.entities.normalize.types import _KINDS, _SHAPES, type_of
from graphrag_tasks.language.names import TECHNICAL_TYPES


def is_word(word: str) -> bool:
    return word in {"cloud", "integration", "string", "will", "json"}


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
        ("Table Mountain", None),
    ],
)
def test_technical_types(name: str, type_: str | None) -> None:
    assert type_of(name, "", None, is_word) == type_


def test_a_header_tells_the_type_of_codes_below_it() -> None:
    assert type_of("VA01", "ORG", "have transaction code", is_word) == "TRANSACTION"
    assert type_of("Create order", "", "have transaction code", is_word) is None


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
        ("ZBADI_DEMO", "DATE", None),
        ("string", "PERSON", None),
    ],
)
def test_labels_that_cannot_hold_are_passed_over(name: str, label: str, type_: str | None) -> None:
    assert type_of(name, label, None, is_word) == type_


def test_all_technical_types_are_declared() -> None:
    assert {*_KINDS.values(), *(type_ for _, type_ in _SHAPES)} <= TECHNICAL_TYPES
