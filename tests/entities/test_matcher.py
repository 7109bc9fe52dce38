"""The matcher: longest names at token boundaries, whatever their case, accents and number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.entities.link_mentions.matcher import NameMatcher
from graphrag_tasks.entities.link_mentions.spelling import ANY, CAPITAL, Spelling, spelling_of


def found(text: str, *names: str | tuple[str, Spelling]) -> list[str]:
    matcher = NameMatcher()
    for number, name in enumerate(names):
        key, spelling = name if isinstance(name, tuple) else (name, ANY)
        matcher.add(key.casefold(), number, spelling)
    return matcher.find([text]).alias


@pytest.mark.parametrize(
    ("text", "names", "matches"),
    [
        ("The migration cockpit runs.", ["migration", "migration cockpit"], ["migration cockpit"]),
        ("The migration went on.", ["migration", "migration cockpit"], ["migration"]),
        ("classic and subclass", ["class"], []),
        ("VBBE's rows and VBBE’s keys", ["vbbe"], ["VBBE", "VBBE"]),
        ("Internal tables are read.", ["internal table"], ["Internal tables"]),
        ("an internal table", ["internal tables"], ["internal table"]),
        ("René Cassin, Rene Cassin", ["rené cassin"], ["René Cassin", "Rene Cassin"]),
        ("a façade", ["facade"], ["façade"]),
        ("The CL_ABAP_TYPEDESCR class", ["abap"], []),
        ("S/4HANA, s/4hana", ["s/4hana"], ["S/4HANA", "s/4hana"]),
        ("see https://example.com/vbbe there", ["vbbe"], []),
        ("C++ and C", ["c++"], ["C++"]),
        ("the rows of VBBE", ["rows of vbbe", "vbbe"], ["rows of VBBE", "VBBE"]),
        ("the Duke of York", ["duke of york", "york"], ["Duke of York"]),
        ("", ["x"], []),
        ("🚀 launch", ["🚀"], ["🚀"]),
    ],
)  # fmt: skip
def test_names_in_texts(text: str, names: list[str], matches: list[str]) -> None:
    assert found(text, *names) == matches


def test_names_do_not_overlap_and_the_left_one_wins() -> None:
    assert found("data type object", "data type", "type object") == ["data type"]


def test_a_shorter_name_is_found_where_spelling_forbids_the_longer() -> None:
    names = (("print server", CAPITAL), "print")
    assert found("a print server", *names) == ["print"]
    assert found("a Print Server", *names) == ["Print Server"]


def test_of_names_that_fold_alike_the_first_is_found() -> None:
    matcher = NameMatcher()
    matcher.add("resume", 1, ANY)
    matcher.add("résumé", 2, ANY)
    assert matcher.find(["Résumé"]).name.tolist() == [1]


def is_word(word: str) -> bool:
    return word in {"report", "queen", "select", "it", "help", "sap"}


def spelled(*forms: str, named: bool = False, title: bool = False) -> Spelling | None:
    return spelling_of(forms, is_named=named or title, is_title=title, is_known=is_word)


@pytest.mark.parametrize(
    ("forms", "options", "text", "opening", "allowed"),
    [
        (("Report",), {"title": True}, "report", False, False),
        (("Report",), {"title": True}, "Report", False, True),
        (("Report", "report"), {"title": True}, "Report", True, True),
        (("Queen",), {"named": True}, "Queen", False, True),
        (("Queen",), {"named": True}, "Queen", True, False),
        (("SELECT",), {}, "SELECT", True, True),
        (("SELECT",), {}, "Select", False, False),
        (("Zugspitze",), {}, "zugspitze", False, False),
        (("Zugspitze",), {}, "ZUGSPITZE", False, True),
        (("internal table",), {}, "Internal Table", True, True),
        (("Migration Cockpit", "migration cockpit"), {}, "migration cockpit", False, True),
        (("Migration Cockpit",), {}, "migration cockpit", False, False),
    ],
)  # fmt: skip
def test_case_tells(
    forms: tuple[str, ...], options: dict[str, bool], text: str, opening: bool, allowed: bool
) -> None:
    spelling = spelled(*forms, **options)
    assert spelling is not None
    assert spelling.allows(text, opening=opening) is allowed


@pytest.mark.parametrize("forms", [("report",), ("report", "REPORT"), ("Report",), ("x",)])
def test_common_words_are_not_looked_for(forms: tuple[str, ...]) -> None:
    assert spelled(*forms) is None


WORDS = ("the", "rows", "row", "of", "in", "VBBE", "vbbe", "data", "Objects", "é", "C++", "-")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=6)
SPELLINGS = st.sampled_from([ANY, CAPITAL, Spelling(forms=frozenset(["VBBE"]), opens=False)])


@given(TEXTS, st.lists(st.tuples(TEXTS.map(" ".join), SPELLINGS), max_size=9))
def test_texts_together_have_the_names_that_each_has_alone(
    texts: list[str], names: list[tuple[str, Spelling]]
) -> None:
    matcher = NameMatcher()
    for number, (name, spelling) in enumerate(names):
        matcher.add(name.casefold(), number, spelling)
    together = matcher.find(texts)
    alone = [(one, matcher.find([text])) for one, text in enumerate(texts)]
    assert list(zip(*(field.tolist() for field in together[:4]), strict=True)) == [
        (one, *place)
        for one, found in alone
        for place in zip(*(field.tolist() for field in found[1:4]), strict=True)
    ]
    assert together.alias == [alias for _, found in alone for alias in found.alias]
