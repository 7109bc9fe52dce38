import pytest

from graphrag_tasks.extract.llm.match import Words, name_forms


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("The report ZFIN reads tables.", "the report ZFIN", ["report ZFIN"]),
        ("It fills the posting and payment run.", "posting run", ["posting run"]),
        ("SAP's ledgers are read.", "SAP ledger", ["SAP's ledgers"]),
        ("Table VBBS and table VBBE.", "table VBBS", ["Table VBBS"]),
        ("Table VBB and table VBBE.", "table VBBS", []),
        ("The ledger, which since 2019 stores every single posting, runs.", "ledger runs", []),
        ("Ledger, ledger.", "ledger", ["Ledger", "ledger"]),
        ("The run ends.", "...", []),
    ],
)
def test_a_name_is_found_by_its_words_in_order(text: str, name: str, found: list[str]) -> None:
    assert [place.text for place in Words(text).places(name)] == found


def test_a_place_covers_all_words_of_a_name() -> None:
    text = "It fills the posting and payment run."
    (place,) = Words(text).places("posting run")
    assert text[place.start : place.end] == "posting and payment run"


def test_determiners_are_no_words_of_a_name_unless_it_has_no_others() -> None:
    assert name_forms("each of the Tables") == ["of", "table"]
    assert name_forms("This") == ["this"]
