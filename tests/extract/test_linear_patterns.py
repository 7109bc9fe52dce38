"""What people are to a document, read from the labels of its head."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Present: Ruth Calder (chair, minutes), Owen Tait Apologies: Dr Beth Nolan (ill). Place: North Yard",
         ["Ruth Calder attends d", "Owen Tait attends d", "Dr Beth Nolan is absent from d"]),
        ("From: Dafydd Roe <d@a.example>\nTo: Gwen Marsh; Anil Pai\nDate: 3 Apr\nSubject: Re: Gate",
         ["Dafydd Roe sends Gate", "Gwen Marsh receives Gate", "Anil Pai receives Gate"]),
        ("Present: all of the committee. From: 9 am to: Main Hall", []),
    ],
)  # fmt: skip
def test_labels_of_a_head_tell_what_people_are_to_the_document(
    blocks_of: Callable[..., list[dict[str, Any]]], read_documents: Callable[..., Any], line: str, expected: list[str]
) -> None:
    rows = read_documents(blocks_of("d", ["# Day", line])).tables["triples"].to_pylist()
    told = [f"{row['head']} {row['phrase']} {row['tail']}" for row in rows if row["rule"] == "role"]
    assert sorted(told) == sorted(expected)
