"""Tables of PDF pages, on words and drawn lines made by hand."""

from __future__ import annotations

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.grids import Grid
from graphrag_tasks.parse.pdf.lines import Line
from graphrag_tasks.parse.pdf.tables import find_tables
from tests.parse.pdf_lines import MONO, words

WIDTH, HEIGHT = 600.0, 800.0


def across(top: float, left: float = 70, right: float = 370) -> Box:
    return Box(left, top, right, top)


def down(left: float, top: float = 96, bottom: float = 156) -> Box:
    return Box(left, top, left, bottom)


GRID = [*map(across, (96, 116, 136, 156)), *map(down, (70, 170, 270, 370))]


def rows(*texts: str, gap: float = 20, **options: object) -> list[Line]:
    return [word for row, text in enumerate(texts) for word in words(text, 100 + gap * row, **options)]


def tables(page: list[Line], shapes: list[Box] | None = None) -> list[Grid]:
    return find_tables(page, shapes or [], WIDTH, HEIGHT)


def cells(table: Grid) -> list[tuple[int, int, int, str]]:
    return [(cell.row, cell.first, cell.last, cell.text) for cell in table.cells]


def test_cells_whose_text_runs_on_are_rows_between_drawn_lines() -> None:
    entry = ("Valve\tcloses the\topens the", "\tline of the\tline of the", "\tpump\tmill")
    page = rows("Part\tBefore\tAfter", *entry, *entry, *entry, gap=12)
    lines = [across(96), across(112), across(148), across(184), across(222)]
    (table,) = tables(page, lines)
    assert (table.rows, table.columns) == (4, 3)
    assert [cell.text for cell in table.cells if cell.first == 1] == ["Before", *["closes the line of the pump"] * 3]


def test_a_grid_gives_its_cells() -> None:
    page = rows("Table name\tContent\tState", "MARD\tstock\thybrid", "MKPF\theader\tproxy")
    (table,) = tables(page, GRID)
    assert (table.rows, table.columns, table.has_header) == (3, 3, True)
    assert cells(table)[:4] == [(0, 0, 0, "Table name"), (0, 1, 1, "Content"), (0, 2, 2, "State"), (1, 0, 0, "MARD")]


def test_an_open_table_finds_its_columns() -> None:
    page = rows("Method\tScore\tTime", "dense\t0.61\t3 s", "sparse\t0.65\t1 s")
    (table,) = tables(page, [across(96), across(116), across(156)])
    assert (table.rows, table.columns) == (3, 3)


def test_prose_code_and_contents_are_no_tables() -> None:
    prose = rows(*["a line of prose that has words as any other line of it has"] * 8, gap=12)
    assert tables(prose) == []
    assert tables(rows("x\t= 1\t! a", "yy\t= 2\t! b", "z\t= 3\t! c", gap=12, font=MONO)) == []
    contents = [f"{number} Part\t. . . . . . .\t. . . {number}" for number in range(1, 6)]
    assert tables(rows(*contents, gap=12)) == []


def test_labels_in_the_frame_of_a_figure_are_no_table() -> None:
    labels = rows("Aircraft nut\tAnchor nut", "Locknut\tStop nut", "Wing nut\tRing nut")
    frame = [across(96), across(156)]
    assert len(tables(labels, frame)) == 1
    assert tables([*labels, *words("Figure 7-26. Self-locking nuts.", 165)], frame) == []
    assert len(tables([*labels, *words("Table 7-26. Self-locking nuts.", 165)], frame)) == 1
