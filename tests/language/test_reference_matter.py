"""Contents, indexes and bibliographies are told by their form, and nothing else is taken."""

from collections.abc import Sequence
from time import process_time

import pytest

from graphrag_tasks.language.reference_matter import reference_matter

LEADERS = [
    "Preface . . . . . . . . . . . . . . . . . . . . . . . . . . . . v",
    "1 Introduction and preliminaries . . . . . . . . . . . . . . . . . 2",
    "1.1 The R environment . . . . . . . . . . . . . . . . . . . . . . . 2",
    "2 Simple manipulations; numbers and vectors . . 8",
    "2.1 Replacing the old table ........................ 8",
    "2.1.1 Arrays........11",
    "2.2 How the server is started ………… 12",
    "3 Objects, their modes and attributes . . . . . . . . . . 14",
    "3.1 Getting",
    "and setting attributes . . . . . . . . . . . . . . . . . . . . . . 15",
    "A Sample session . . . . . . . . . . . . . . . . . . . . . . . . . 86",
    "Appendix B Invoking the program . . . . . . . . . . . . . . . . . . 90",
]
NUMBERED = [
    "1 Introduction 1",
    "1.1 Installing the server 3",
    "1.2 Replacing the old table 3",
    "2 Reports 12",
    "2.1 Running a report in the background 14",
    "3 Glossary 21",
]
TERMS = [
    "A",
    "abort, 12",
    "access control, 12, 45–47",
    "access control, labels of, 48",
    "archiving, see also deleting, 3, 15",
    "backup, 3ff",
    "bank transfer, 101, 102",
    "batch input, 7-9",
    "C",
    "cluster, 5, 9",
    "custom code, 88n",
    "data element, 31, 32, 40-44",
    "domain, 31",
]
REFERENCES = [
    "D. M. Bates and D. G. Watts (1988), Nonlinear Regression Analysis and Its Applications. "
    "John Wiley & Sons, New York.",
    "Richard A. Becker, John M. Chambers and Allan R. Wilks (1988), The New S Language. "
    'Chapman & Hall, New York. This book is often called the "Blue Book".',
    'John M. Chambers (1998) Programming with Data. Springer, New York. This is also called the "Green Book".',
    "Horn, B. K. P. (1981). Hill Shading and the Reflectance Map, Proceedings of the IEEE, 69(1):14-47.",
    "Mitasova, H. and Hofierka, J., 1993: Interpolation by Regularized Spline with Tension, "
    "Mathematical Geology 25, 657-669. Journal of the IAMG.",
    "[12] D. E. Knuth, The Art of Computer Programming, vol. 1. Addison-Wesley, 1997.",
    '[RAG] P. Lewis, E. Perez, et al., "Retrieval-Augmented Generation", in Proceedings of NeurIPS, 2020.',
    "3. Codd, E. F. A Relational Model of Data for Large Shared Data Banks. Commun. ACM 13(6): 377-387, 1970.",
    "Neteler, M. (2001): Volume modelling of soils. In: Brovelli, M. (ed.), Workbook, "
    "Politecnico di Milano, Italy. ISSN 1591-092X.",
    "K. Müller-Lüdenscheidt and Ö. Çelik (2004) Über Tabellen. Springer Verlag, Berlin.",
]
PROSE = [
    "The report was published in 1998 by Springer, New York.",
    "J. Smith wrote the parser, and A. Jones (1998) the printer.",
    "John M. Chambers (1998) says that the table is read twice.",
    "The table VBBS was replaced by VBBE in S/4HANA 1610 (2016).",
    "Version 4.2.2, October 2022: the server starts faster. It no longer reads VBBS.",
    "[3] The field is empty if the order was closed before 2016.",
    "[FIXED] The report no longer stops, 12.03.2019",
    "1. Choose the table, then the version 2016.",
    "The function takes any number of arguments ...",
    "Matching continues with ... and so on . . . as before.",
    "See the notes on pages 12, 45–47",
    "The server listens on ports 8080, 8443",
    "Release 7",
    "Berlin, 3",
    "get_table(name, 12)",
    "In Berlin, on 3 May 2019, the workshop of the journal ended (see volume 3).",
    "Table 12",
]


def taken(texts: Sequence[str], heading: str | None = None) -> list[str]:
    blocks = [{"kind": "paragraph", "text": text} for text in texts]
    if heading is not None:
        blocks.insert(0, {"kind": "heading", "text": heading})
    return [blocks[number]["text"] for number in sorted(reference_matter(blocks))]


@pytest.mark.parametrize("heading", [None, "Table of Contents"])
def test_entries_with_dots_are_taken(heading: str | None) -> None:
    assert taken(LEADERS, heading) == LEADERS


def test_entries_without_dots_are_taken_below_their_heading_only() -> None:
    assert taken(NUMBERED, "Contents") == NUMBERED
    assert taken(NUMBERED) == []
    assert taken(NUMBERED[::-1], "Contents") == []


@pytest.mark.parametrize("heading", [None, "Appendix E Concept index"])
def test_terms_with_pages_are_taken(heading: str | None) -> None:
    assert taken(TERMS, heading) == TERMS[1:]


@pytest.mark.parametrize("text", REFERENCES)
def test_a_reference_is_taken(text: str) -> None:
    assert taken([text]) == [text]


@pytest.mark.parametrize("text", PROSE)
@pytest.mark.parametrize("heading", [None, "Contents", "Index", "References"])
def test_prose_lists_and_numbers_stay(text: str, heading: str | None) -> None:
    assert taken([text], heading) == []


@pytest.mark.parametrize("text", ["." * 300_000, "A. Bb, " * 80, "Aa Bb Cc and " * 45, "a, 1 " * 20_000])
def test_the_time_is_linear(text: str) -> None:
    started = process_time()
    taken([text])
    assert process_time() - started < 1


def test_a_table_of_contents_is_taken_below_its_heading_only() -> None:
    pages = {"Preface": 1, "Backup": 4, "Reports": 9, "Restore": 12}
    for rows in (NUMBERED, [f"Section: {one} | Page: {page}" for one, page in pages.items()]):
        table = {"kind": "table", "text": "\n".join(rows)}
        for heading, entries in (("Contents", {1}), ("Ports", set()), ("Index", set())):
            assert reference_matter([{"kind": "heading", "text": heading}, table]) == entries
        table["text"] = "\n".join(rows[::-1])
        assert not reference_matter([{"kind": "heading", "text": "Contents"}, table])


def test_a_chapter_on_references_stays() -> None:
    texts = ["A reference points to a table.", "[1] Field symbols are none.", "It is bound in 1998."]
    assert taken(texts, "References") == []
