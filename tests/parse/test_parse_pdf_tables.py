"""Tables of PDF pages, on words and drawn lines made by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.grids import Grid, rivers, segments
from graphrag_tasks.parse.pdf.lines import Line
from graphrag_tasks.parse.pdf.rulings import clusters, ruled_areas
from graphrag_tasks.parse.pdf.tables import find_tables
from tests.parse.pdf_lines import BOLD, MONO, line, words

WIDTH, HEIGHT = 600.0, 800.0


def across(top: float, left: float = 70, right: float = 370) -> Box:
    return Box(left, top, right, top)


def down(left: float, top: float = 96, bottom: float = 156) -> Box:
    return Box(left, top, left, bottom)


GRID = [*map(across, (96, 116, 136, 156)), *map(down, (70, 170, 270, 370))]


def rows(*texts: str, gap: float = 20, **options: object) -> list[Line]:
    return [
        word for row, text in enumerate(texts) for word in words(text, 100 + gap * row, **options)
    ]


def tables(page: list[Line], shapes: list[Box] | None = None) -> list[Grid]:
    return find_tables(page, shapes or [], WIDTH, HEIGHT)


def cells(table: Grid) -> list[tuple[int, int, int, str]]:
    return [(cell.row, cell.first, cell.last, cell.text) for cell in table.cells]


def test_crossing_lines_are_a_grid() -> None:
    (area,) = ruled_areas(GRID, WIDTH, HEIGHT)
    assert area.box == Box(70, 96, 370, 156)
    assert list(area.across) == [96, 116, 136, 156]
    assert list(area.down) == [70, 170, 270, 370]


def test_parallel_lines_are_an_open_table() -> None:
    (area,) = ruled_areas([across(100), across(120), across(200), across(110, 400, 420)], 600, 800)
    assert (area.box, list(area.down)) == (Box(70, 100, 370, 200), [])
    assert ruled_areas([across(100), across(700)], WIDTH, HEIGHT) == []


def test_cells_whose_text_runs_on_are_rows_between_drawn_lines() -> None:
    entry = ("Valve\tcloses the\topens the", "\tline of the\tline of the", "\tpump\tmill")
    page = rows("Part\tBefore\tAfter", *entry, *entry, *entry, gap=12)
    lines = [across(96), across(112), across(148), across(184), across(222)]
    (table,) = tables(page, lines)
    assert (table.rows, table.columns) == (4, 3)
    assert [cell.text for cell in table.cells if cell.first == 1] == [
        "Before",
        *["closes the line of the pump"] * 3,
    ]


def test_a_grid_gives_its_cells() -> None:
    page = rows("Table name\tContent\tState", "MARD\tstock\thybrid", "MKPF\theader\tproxy")
    (table,) = tables(page, GRID)
    assert (table.rows, table.columns, table.has_header) == (3, 3, True)
    assert cells(table)[:4] == [
        (0, 0, 0, "Table name"),
        (0, 1, 1, "Content"),
        (0, 2, 2, "State"),
        (1, 0, 0, "MARD"),
    ]


def test_lines_of_one_cell_are_one_text() -> None:
    page = rows("Key\tValue\tNote", "a\tlong infor-\tx", "b\tshort\ty")
    page.append(line("mation", 130, left=172))
    (table,) = tables(page, GRID)
    assert (1, 1, 1, "long information") in cells(table)


def test_shaded_rows_above_the_first_line_are_rows() -> None:
    page = rows("Kind\tOld\tNew", "name\tone\ttwo", "goal\tthree\tfour")
    (table,) = tables(page, [across(136), across(156), *map(down, (70, 170, 270, 370))])
    assert [row for row, first, *_ in cells(table) if first == 0] == [0, 1, 2]


def test_an_open_table_finds_its_columns() -> None:
    page = rows("Method\tScore\tTime", "dense\t0.61\t3 s", "sparse\t0.65\t1 s")
    (table,) = tables(page, [across(96), across(116), across(156)])
    assert (table.rows, table.columns) == (3, 3)


def test_words_in_columns_are_a_table_without_lines() -> None:
    (table,) = tables(rows("Year\tSales\tCosts", "2023\t17\t12", "2024\t19\t14", gap=14))
    assert (table.rows, table.columns, table.has_header) == (3, 3, True)


def test_prose_code_and_contents_are_no_tables() -> None:
    prose = rows(*["a line of prose that has words as any other line of it has"] * 8, gap=12)
    assert tables(prose) == []
    assert tables(rows("x\t= 1\t! a", "yy\t= 2\t! b", "z\t= 3\t! c", gap=12, font=MONO)) == []
    contents = [f"{number} Part\t. . . . . . .\t. . . {number}" for number in range(1, 6)]
    assert tables(rows(*contents, gap=12)) == []


def test_two_columns_of_text_are_no_table() -> None:
    left = rows(*["text of a column on the left"] * 12, gap=12)
    right = rows(*["text of a column on the right"] * 12, gap=12, left=330)
    assert tables(left + right) == []


def test_names_and_values_have_a_header_only_if_it_looks_like_one() -> None:
    values = ["Weight\t12 kg", "Height\t3 m", "Width\t2 m", "Depth\t1 m"]
    (plain,) = tables(rows(*values, gap=14))
    assert not plain.has_header or plain.cells[0].text == "Weight"
    head = rows("Name\tValue", font=BOLD)
    shifted = [word for row, text in enumerate(values) for word in words(text, 114 + 14 * row)]
    (named,) = tables(head + shifted)
    assert named.has_header


def test_segments_and_rivers() -> None:
    row = [word for word in words("one two\tthree", 0)]
    assert [part.text for part in segments(row, 10)] == ["one two", "three"]
    assert [part.text for part in segments(row, 10, [90])] == ["one", "two three"]
    assert rivers(segments(row, 10), 10) == []


def test_clusters() -> None:
    assert clusters([5, 1, 2, 9], 1) == [1.5, 5, 9]


BOXES = st.builds(
    lambda left, top, width, height: Box(left, top, left + width, top + height),
    st.integers(0, 500),
    st.integers(0, 700),
    st.sampled_from([0, 1, 40, 300]),
    st.sampled_from([0, 1, 40, 300]),
)


@given(
    st.lists(st.tuples(st.text("ab1. \u05d0", max_size=9), BOXES), max_size=25),
    st.lists(BOXES, max_size=12),
)
def test_any_page_has_tables_or_none(found: list[tuple[str, Box]], shapes: list[Box]) -> None:
    page = [Line(text, box, 1) for text, box in found if text.strip()]
    for table in find_tables(page, shapes, WIDTH, HEIGHT):
        assert all(0 <= cell.row < table.rows for cell in table.cells)
        assert all(0 <= cell.first <= cell.last < table.columns for cell in table.cells)


def test_labels_in_the_frame_of_a_figure_are_no_table() -> None:
    labels = rows("Aircraft nut\tAnchor nut", "Locknut\tStop nut", "Wing nut\tRing nut")
    frame = [across(96), across(156)]
    assert len(tables(labels, frame)) == 1
    assert tables([*labels, *words("Figure 7-26. Self-locking nuts.", 165)], frame) == []
    assert len(tables([*labels, *words("Table 7-26. Self-locking nuts.", 165)], frame)) == 1


def test_a_grid_above_the_caption_of_a_figure_is_a_table() -> None:
    page = rows("Table name\tContent\tState", "MARD\tstock\thybrid", "MKPF\theader\tproxy")
    assert len(tables([*page, *words("Figure 1: The tables.", 165)], GRID)) == 1
