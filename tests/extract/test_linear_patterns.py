"""Patterns of technical prose, each on lines that it reads and on lines that it must not read."""

import pytest

from graphrag_tasks.extract.linear import linear_frames
from graphrag_tasks.extract.linear.pointers import states_no_fact
from graphrag_tasks.extract.triples import derive_triples


def triples(line: str, lead: str | None = None) -> list[str]:
    found = [one for frame in linear_frames(line, lead) for one in derive_triples(frame)]
    for one in found:
        for text, start, end in ((one.head, one.head_start, one.head_end), (one.tail, one.tail_start, one.tail_end)):
            assert line[start:end] in (text, "")
    return [f"{one.head} | {one.relation} | {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Material Requirements Planning (MRP) nets demand.", "Material Requirements Planning | be known as | MRP"),
        ("We use the command line interface (CLI).", "command line interface | be known as | CLI"),
        ("Center of Excellence (CoE)", "Center of Excellence | be known as | CoE"),
        ("The Data Dictionary (DDIC) holds types.", "Data Dictionary | be known as | DDIC"),
        ("ABAP development tools for Eclipse (ADT) open it.", "ABAP development tools for Eclipse | be known as | ADT"),
        ("The Don't-Repeat-Yourself (DRY) principle holds.", "Don't-Repeat-Yourself | be known as | DRY"),
        ("MRP (Material Requirements Planning)", "Material Requirements Planning | be known as | MRP"),
        ("Several Remote Function Calls (RFCs)", "Remote Function Calls | be known as | RFCs"),
    ],
)
def test_short_names(line: str, expected: str) -> None:
    assert triples(line) == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Service plan: standard or free", ["Service plan | be | standard", "Service plan | be | free"]),
        ("Implementing class: ZCL_CALC", ["Implementing class | be | ZCL_CALC"]),
        ("Note: the plan can not be changed", []),
        ("Available at: Central Archive", []),
        ("Optional: Description of the plan", []),
        ("Use the app: Manage Orders", []),
        ("get_total: Returns the total", []),
        ("Result: nothing", []),
        ("Names: Prefer nouns", []),
        ("Date addition: Defining the format", []),
        ("Methods: Control flow: Early exits", []),
        ("SORTED: large, always sorted, read often", []),
    ],
)
def test_labels(line: str, expected: list[str]) -> None:
    assert triples(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Use VBBE instead of VBBS.", ["VBBE | use instead of | VBBS"]),
        ("Replace IDocs with OData APIs or events",
         ["IDocs | replace with | OData APIs", "IDocs | replace with | events"]),
        ("Prefer composition over inheritance", ["composition | prefer over | inheritance"]),
        ("Use boundary events for human tasks.", ["boundary events | use for | human tasks"]),
        ("Use report Z1 to delete old orders", ["report Z1 | be used to delete | old orders"]),
        ("Use Z1 to quickly find errors", ["Z1 | be used to find | errors"]),
        ("Use Z1 to look for errors", []),
        ("Create views in ADT, for example, by making clicks", ["views | create in | ADT"]),
        ("Use nouns for classes and create views for reports", []),
        ("Use this for more details", []),
        ("Migrate everything that is old to the cloud", []),
        ("The users replace paper with screens", []),
    ],
)  # fmt: skip
def test_commands(line: str, expected: list[str]) -> None:
    assert triples(line) == expected


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


@pytest.mark.parametrize(
    "text",
    ["For more information, see the guide.", "See Orders.", "Which plan is used?", "Next: Orders",
     "Refer to the guide.", "Choose Save.", "In the first row, enter 1.",
     "If you need another plan, select it.", "To create a key, follow the steps below.",
     "After activation, choose F9 in ADT.", "You've now learned how to read tables.",
     "To learn about keys, see Keys.", "Continue with the next exercise.",
     "Choose the Save button in the toolbar."],
)  # fmt: skip
def test_pointers_questions_and_screen_steps_state_no_fact(text: str) -> None:
    assert states_no_fact(text)


@pytest.mark.parametrize(
    "text",
    [
        "For more than one order, it is split.",
        "Seen orders are moved.",
        "The next one runs.",
        "Select VBBE instead of VBBS.",
        "In the first row, enter a name.",
        "Open SQL reads tables.",
    ],
)
def test_other_sentences_may(text: str) -> None:
    assert not states_no_fact(text)
