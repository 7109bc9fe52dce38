"""A table's text, and where its cells stand in it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.parse.tables import Cell, lay_out_table


def placed(cells: list[Cell]) -> tuple[str, dict[tuple[int, int], str | None]]:
    """Return the text, and by row and column what stands where each cell is said to stand."""
    text, table = lay_out_table(cells)
    found = {}
    columns = table.cells
    for row, column, start, end in zip(
        columns["row"], columns["column"], columns["start"], columns["end"], strict=True
    ):
        found[row, column] = None if start is None else text[start:end]
    return text, found


def header(row: int, column: int, text: str, **spans: int) -> Cell:
    return Cell(row, column, text, is_header=True, **spans)


def test_rows_are_read_on_their_own() -> None:
    text, found = placed(
        [header(0, 0, "Name"), header(0, 1, "Age"), Cell(1, 0, "Ann"), Cell(1, 1, "31"),
         Cell(2, 0, "Bob"), Cell(2, 1, "")]
    )  # fmt: skip
    assert text == "Name: Ann | Age: 31\nName: Bob"
    assert found == {
        (0, 0): "Name", (0, 1): "Age", (1, 0): "Ann", (1, 1): "31", (2, 0): "Bob"
    }  # fmt: skip


def test_levels_of_a_header_are_joined_and_found() -> None:
    cells = [
        header(0, 0, "Region", row_span=2), header(0, 1, "2020", col_span=2),
        header(1, 1, "Q1"), header(1, 2, "Q2"),
        Cell(2, 0, "North"), Cell(2, 1, "5"), Cell(2, 2, "6"),
    ]  # fmt: skip
    text, found = placed(cells)
    assert text == "Region: North | 2020 Q1: 5 | 2020 Q2: 6"
    assert list(found.values()) == [cell.text for cell in cells]


def test_merged_cells() -> None:
    text, found = placed(
        [header(0, 0, "A"), header(0, 1, "B"), header(0, 2, "C", col_span=2),
         Cell(1, 0, "tall", row_span=2), Cell(1, 1, "x"), Cell(1, 2, "wide", col_span=2),
         Cell(2, 1, "across", col_span=2)]
    )  # fmt: skip
    assert text == "A: tall | B: x | C: wide\nA: tall | across"
    assert found[1, 0] == "tall"
    assert found[2, 1] == "across"


def test_the_header_of_an_empty_column_stands_below_the_rows() -> None:
    text, found = placed([header(0, 0, "A"), header(0, 1, "B"), Cell(1, 0, "x")])
    assert text == "A: x\nB"
    assert found == {(0, 0): "A", (0, 1): "B", (1, 0): "x"}


def test_tables_without_header_or_without_rows_give_their_cells_alone() -> None:
    assert placed([Cell(0, 0, "a"), Cell(0, 1, "b")])[0] == "a | b"
    assert placed([header(0, 0, "a"), header(0, 1, "b")])[0] == "a | b"
    assert lay_out_table([])[0] == ""


def test_the_first_cells_of_a_table() -> None:
    _, table = lay_out_table([Cell(0, 0, "a"), Cell(0, 1, "1")])
    assert len(table.first(1)) == 1
    assert table.first(1).cells["text"] == ["a"]
    assert len(table.first(5)) == 2


@st.composite
def tables(draw: Any) -> list[Cell]:
    texts = st.text(st.sampled_from("ab :|"), max_size=4).map(lambda text: " ".join(text.split()))
    headers = draw(st.integers(0, 2))
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(rows):
        for column in range(columns):
            if (row, column) in taken:
                continue
            spans = draw(st.integers(1, 2)), draw(st.integers(1, 2))
            covered = {(row + r, column + c) for r in range(spans[0]) for c in range(spans[1])}
            if covered & taken:
                spans, covered = (1, 1), {(row, column)}
            taken |= covered
            cells.append(Cell(row, column, draw(texts), *spans, is_header=row < headers))
    return cells


@given(tables())
def test_a_cell_stands_where_it_is_said_to_stand(cells: list[Cell]) -> None:
    text, found = placed(cells)
    filled = {(cell.row, cell.column): cell for cell in cells if cell.text}
    assert set(found) == set(filled)
    for place, stands in found.items():
        assert stands == filled[place].text or (stands is None and filled[place].is_header)
    assert text == "\n".join(line for line in text.split("\n") if line)


def test_the_example_of_the_documentation() -> None:
    cells = [
        header(0, 1, "2020", col_span=2),
        header(1, 0, "Plant"), header(1, 1, "Q1"), header(1, 2, "Q2"),
        Cell(2, 0, "Hamburg"), Cell(2, 1, "1,200"), Cell(2, 2, "1,350"),
    ]  # fmt: skip
    text, table = lay_out_table(cells)
    assert text == "Plant: Hamburg | 2020 Q1: 1,200 | 2020 Q2: 1,350"
    assert list(zip(table.cells["start"], table.cells["end"], strict=True)) == [
        (17, 21), (0, 5), (22, 24), (39, 41), (7, 14), (26, 31), (43, 48)
    ]  # fmt: skip
