"""What people are to a document, read from the labels of its head."""

import pytest

from graphrag_tasks.extract.linear.patterns import roles
from graphrag_tasks.extract.triples import derive_triples


def told(line: str) -> list[str]:
    found = [one for frame in roles(line, "Day") for one in derive_triples(frame)]
    assert all(line[one.head_start : one.head_end] == one.head for one in found)
    return [f"{one.head} {one.phrase} {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Present: Ruth Calder (chair, minutes), Owen Tait Apologies: Dr Beth Nolan (ill). Place: North Yard",
         ["Ruth Calder attends Day", "Owen Tait attends Day", "Dr Beth Nolan is absent from Day"]),
        ("From: Dafydd Roe <d@a.example>\nTo: Gwen Marsh; Anil Pai\nDate: 3 Apr\nSubject: Re: Gate",
         ["Dafydd Roe sends Gate", "Gwen Marsh receives Gate", "Anil Pai receives Gate"]),
        ("Present: all of the committee. From: 9 am to: Main Hall", []),
    ],
)  # fmt: skip
def test_labels_of_a_head_tell_what_people_are_to_the_document(line: str, expected: list[str]) -> None:
    assert told(line) == expected
