"""Items of lists, read below the line that leads to them."""

import pytest

from graphrag_tasks.extract.linear import linear_frames
from graphrag_tasks.extract.triples import derive_triples


def triples(line: str, lead: str) -> list[str]:
    found = [one for frame in linear_frames(line, lead) for one in derive_triples(frame)]
    for one in found:
        for text, start, end in ((one.head, one.head_start, one.head_end), (one.tail, one.tail_start, one.tail_end)):
            assert line[start:end] in (text, "")
    return [f"{one.head} | {one.relation} | {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("lead", "item", "expected"),
    [
        ("The tool supports:", "Full copies", "tool | support | Full copies"),
        ("The scanner consists of:", "A laser", "scanner | consist of | laser"),
        ("Hi. You have the following routes:", "Direct way", "routes | include | Direct way"),
        ("The following logs are kept:", "Debug logs", "logs | include | Debug logs"),
        ("The following blogs give details:", "Key Blog", "blogs | include | Key Blog"),
        ("It covers a variety of topics related to keys:", "Locks", "topics | include | Locks"),
        ("The plan contains:", "Locks: where they stand", "plan | contain | Locks"),
    ],
)  # fmt: skip
def test_list_items(lead: str, item: str, expected: str) -> None:
    assert triples(item, lead) == [expected]
