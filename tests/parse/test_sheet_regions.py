"""Tables of a sheet as groups of cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.parse.sheet_regions import Region, find_regions


def drawn(*lines: str) -> list[Region]:
    return [
        Region(row, column, row, column)
        for row, line in enumerate(lines, 1)
        for column, sign in enumerate(line, 1)
        if sign == "x"
    ]


def test_blank_rows_and_columns_part_tables() -> None:
    cells = drawn("xx.xx", "xx.xx", ".....", "xxxxx")
    assert find_regions(cells) == [
        Region(1, 1, 2, 2),
        Region(1, 4, 2, 5),
        Region(4, 1, 4, 5),
    ]


def test_cells_that_meet_at_a_corner_are_two_tables() -> None:
    assert find_regions(drawn("xx..", "xx..", "..xx")) == [Region(1, 1, 2, 2), Region(3, 3, 3, 4)]


def test_cells_at_the_corners_of_the_largest_sheet_are_found() -> None:
    corners = [Region(row, column, row, column) for row in (1, 1_048_576) for column in (1, 16_384)]
    assert find_regions(corners) == corners
    assert find_regions([]) == []


def test_a_cell_inside_of_a_table_belongs_to_it() -> None:
    assert find_regions(drawn("xxxxx", "x...x", "x.x.x", "xxxxx")) == [Region(1, 1, 4, 5)]


def test_a_merged_cell_joins_what_it_touches() -> None:
    merged = Region(1, 1, 1, 4)
    assert find_regions([merged, *drawn("....", "x..x")]) == [Region(1, 1, 2, 4)]


def test_very_many_groups_are_one_table() -> None:
    cells = [Region(row, row % 2 + column, row, row % 2 + column)
             for row in range(1, 101) for column in range(1, 101, 2)]  # fmt: skip
    assert len(find_regions(cells)) == 1


places = st.tuples(st.integers(1, 8), st.integers(1, 8))


@given(st.sets(places, max_size=40))
def test_every_cell_lies_in_one_region(cells: set[tuple[int, int]]) -> None:
    regions = find_regions(Region(row, column, row, column) for row, column in cells)
    for row, column in cells:
        assert sum(region.contains(row, column) for region in regions) == 1
    assert not any(one.overlaps(other) for at, one in enumerate(regions) for other in regions[:at])
