"""What people are to a document, read from the labels of its head."""

import pytest

from graphrag_tasks.extract.linear import linear_frames
from graphrag_tasks.extract.triples import derive_triples


def roles(line: str) -> list[str]:
    found = [one for frame in linear_frames(line, "Spring meeting") for one in derive_triples(frame)]
    assert all(line[one.head_start : one.head_end] == one.head for one in found)
    assert all(one.tail_start == one.tail_end for one in found)
    return [f"{one.head} {one.phrase} {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Present: Ruth Calder (chair, minutes), Owen Tait Apologies: Dr Beth Nolan (ill). Place: North Yard",
         ["Ruth Calder attends Spring meeting", "Owen Tait attends Spring meeting",
          "Dr Beth Nolan is absent from Spring meeting"]),
        ("From: Dafydd Roe <dr@firm.example>\nTo: Gwen Marsh; Anil Pai\nDate: Thu, 03 Apr 2025",
         ["Dafydd Roe sends Spring meeting", "Gwen Marsh receives Spring meeting", "Anil Pai receives Spring meeting"]),
        ("From: Lucy Farrant\nSubject: Bar notice", ["Lucy Farrant sends Bar notice"]),
        ("Owner: Carol Whitmore, practice manager.", ["Carol Whitmore is owner of Spring meeting"]),
        ("Present: all of the committee. From: 9 am to: Main Hall", []),
    ],
)  # fmt: skip
def test_labels_of_a_head_tell_what_people_are_to_the_document(line: str, expected: list[str]) -> None:
    assert roles(line) == expected
