"""Lines, paragraphs, labels, furniture and reading order of PDF pages, on lines made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from docling.models.postprocessing.reading_order_rb import PageElement
from docling_core.types.doc.base import CoordOrigin, Size
from docling_core.types.doc.document import RefItem
from docling_core.types.doc.labels import DocItemLabel

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.cells import Placed, settled, split_word
from graphrag_tasks.parse.pdf.furniture import without_furniture
from graphrag_tasks.parse.pdf.headings import Labelled, has_plain_headings, in_context
from graphrag_tasks.parse.pdf.hyphens import Words
from graphrag_tasks.parse.pdf.labels import Label, bookmarked, heading_key, label, nested
from graphrag_tasks.parse.pdf.lines import (
    Font,
    Line,
    body_of,
    is_capitals,
    join_code,
    join_lines,
    union,
    with_fixed_pitch,
)
from graphrag_tasks.parse.pdf.order import goes_on
from graphrag_tasks.parse.pdf.page_numbers import page_number
from graphrag_tasks.parse.pdf.paragraphs import paragraphs
from graphrag_tasks.parse.pdf.rows import lines_of
from tests.parse.pdf_lines import BODY, BOLD, ITALIC, MONO, REGULAR, line

WIDE = "word " * 11 + "words"


def texts(*lines: Line) -> list[str]:
    return [join_lines(line.text for line in part) for part in paragraphs(lines, BODY)]


def label_of(*lines: Line) -> Label:
    return label(lines, BODY, 800)


def test_pieces_side_by_side_are_one_line() -> None:
    pieces = [line("4.1", 0), line("Stocks", 0, left=105, font=BOLD), line("aside", 0, left=300)]
    first, second = lines_of(pieces)
    assert (first.text, first.font.bold, second.text) == ("4.1 Stocks", True, "aside")
    assert first.alone is False
    assert lines_of([line("in", 0), line("fix", 0, left=82)])[0].text == "infix"


def test_pieces_are_joined_also_from_right_to_left() -> None:
    right, left = line("مرحبا", 0, left=200, right=260), line("Python", 0, left=150, right=195)
    assert [found.text for found in lines_of([right, left])] == ["مرحبا Python"]


def test_lines_set_tightly_stay_apart() -> None:
    assert len(lines_of([line("above all", 0), line("below all", 4)])) == 2


def test_lines_beside_a_column_stand_alone() -> None:
    column = [line(f"column {number}", 20.0 * number, left=300) for number in range(8)]
    heading = next(
        found for found in lines_of([line("Title", 0), *column]) if found.text == "Title"
    )
    assert heading.alone


def test_the_body_is_what_most_letters_are() -> None:
    lines = [line(WIDE, 0), line(WIDE, 12, height=10.4), line("Big", 30, height=30, font=BOLD)]
    body = body_of(lines)
    assert (round(body.size), body.font, body.bold) == (10, "Serif", False)
    assert body_of([]).size > 0


def test_fonts_of_one_width_are_told_by_their_lines() -> None:
    key = Font("F3")
    lines = [line("for item in items:", 0, font=key), line("work(item)", 12, font=key)]
    assert all(found.font.mono for found in with_fixed_pitch(lines))
    wider = [*lines, line("proportional", 24, right=140, font=key)]
    assert not any(found.font.mono for found in with_fixed_pitch(wider))
    digits = [line("2024", 0, font=key), line("19970", 12, font=key)]
    assert with_fixed_pitch(digits) == digits


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("infor-", "mation", "", "SAP-", "Hana so\u00ad", "ft"), "information SAP-Hana soft"),
        (("a well-", "known three-", "phase pump"), "a well-known three-phase pump"),
        (("re-", "port of inter-", "national use"), "report of international use"),
        (("long-", "and short-", "term"), "long- and short-term"),
        (
            ("a one-to-", "one COVID-", "19 UN-", "backed plan"),
            "a one-to-one COVID-19 UN-backed plan",
        ),
        (("die Kraft-", "werke und Daten-", "bank"), "die Kraftwerke und Datenbank"),
        (("a flexi-", "zorb of sub-", "zorbs"), "a flexizorb of sub-zorbs"),
        (("日本語の文章", "です"), "日本語の文章です"),
    ],
)
def test_words_broken_at_a_line_end_are_mended(lines: tuple[str, ...], expected: str) -> None:
    known = Words(["The sub-zorbs are zorbs, and this is a flexizorb of the plant."])
    assert join_lines(lines, known) == expected


def test_code_keeps_its_indentation() -> None:
    assert join_code([line("if x:", 0), line("y()", 12, left=92)]) == "if x:\n    y()"


def test_a_line_with_room_left_ends_its_paragraph() -> None:
    long = "a line that is as long as the column is wide"
    assert texts(line("A heading", 0), line(long, 12), line("the end.", 24)) == [
        "A heading",
        f"{long} the end.",
    ]


def test_a_line_that_breaks_a_word_ends_no_paragraph() -> None:
    long = "a line that is as long as the column is wide"
    assert len(texts(line(long, 0), line("and inter-", 12), line("national use.", 24))) == 1


def test_gaps_indents_and_sizes_separate_paragraphs() -> None:
    wide = "x" * 40
    small = line(wide, 36, right=272, height=5)
    assert len(texts(line(wide, 0), line(wide, 30))) == 2
    assert len(texts(line(wide, 0), line(wide, 12), line(wide, 24, left=92))) == 2
    assert len(texts(line(wide, 24), small)) == 2
    assert len(texts(*(line(wide, top) for top in (0, 12, 24, 42, 54)))) == 2


def test_fonts_and_capitals_separate_paragraphs() -> None:
    assert len(texts(line(WIDE, 0, font=BOLD), line(WIDE, 12))) == 2
    assert len(texts(line(WIDE, 0), line("code()", 12, font=MONO))) == 2
    assert len(texts(line("Italic head", 0, font=ITALIC), line(WIDE, 12))) == 2
    assert len(texts(line("IN SHORT", 0, right=372), line(WIDE, 12))) == 2
    assert len(texts(line("def f():", 0, font=MONO), line("return 1", 12, left=92, font=MONO))) == 1


def test_cells_of_two_columns_do_not_mix() -> None:
    left = [line(WIDE, 12.0 * row, right=280) for row in range(3)]
    right = [line(WIDE.upper(), 12.0 * row, left=320, right=520) for row in range(3)]
    mixed = [cell for row in zip(left, right, strict=True) for cell in row]
    assert texts(*mixed) == [" ".join([WIDE] * 3), " ".join([WIDE.upper()] * 3)]


def test_bullets_begin_list_items() -> None:
    lines = line(f"• {WIDE}", 0), line(WIDE, 12, left=80), line("• b", 24)
    assert [label(part, BODY, 800) for part in paragraphs(lines, BODY)] == [Label.LIST_ITEM] * 2
    assert texts(*lines) == [f"• {WIDE} {WIDE}", "• b"]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (line("A large line", 0, height=14), Label.HEADING),
        (line("A bold line", 0, font=BOLD), Label.HEADING),
        (line("A bold line.", 0, font=BOLD), Label.TEXT),
        (line("2.1 A numbered line.", 0, font=BOLD), Label.HEADING),
        (line("(1) 코로나 관련 보험", 0, font=BOLD), Label.HEADING),
        (line("RELEASE NOTES", 0), Label.HEADING),
        (line("코로나 SAP", 0), Label.TEXT),
        (line("References", 0), Label.HEADING),
        (line("3 Results", 0, font=ITALIC), Label.HEADING),
        (line("Another font", 0, font=Font("Sans")), Label.HEADING),
        (line("emphasis only", 0, font=ITALIC), Label.TEXT),
        (line("Bold in a drawing", 0, height=7, font=BOLD), Label.TEXT),
        (line("x_1 = f(y);", 0, font=BOLD), Label.TEXT),
        (line("1 Introduction . . . . . . 7", 0, font=BOLD), Label.TEXT),
        (line("Table 3: Stocks.", 0), Label.CAPTION),
        (line("[표 1] 감염병예방법", 0, font=BOLD), Label.CAPTION),
        (line("call( x ).", 0, font=MONO), Label.CODE),
        (line("1) See the appendix.", 0), Label.LIST_ITEM),
        (line("\u2020 Since 2020", 700, height=7), Label.FOOTNOTE),
        (line("Just some text", 0), Label.TEXT),
    ],
)
def test_labels(found: Line, expected: Label) -> None:
    assert label_of(found) == expected


def test_a_cell_beside_others_is_no_heading() -> None:
    assert label_of(replace(line("Bold cell", 0, font=BOLD), alone=False)) == Label.TEXT


def test_bookmarks_take_their_headings_once() -> None:
    lines = [line("1. Intro", 0), line("A title of", 20), line("two lines", 32), line("Intro", 60)]
    headings, others = bookmarked(
        lines, {heading_key("intro"): 1, heading_key("A title of two lines"): 1}
    )
    assert [[member.text for member in heading] for heading in headings] == [
        ["1. Intro"],
        ["A title of", "two lines"],
    ]
    assert [other.text for other in others] == ["Intro"]


def test_heading_levels_have_no_gaps() -> None:
    assert nested([1, 3, 5, 5, 3, 1, 2]) == [1, 2, 3, 3, 2, 1, 2]
    assert nested([3, 1, 2]) == [1, 1, 2]


def kept(*lines: Line) -> list[str]:
    return [found.text for found in without_furniture(lines)]


def with_edges(pages: int, *, top: str, bottom: str, **options: Any) -> list[Line]:
    """Return pages of text whose first and last lines are made from the page's number."""
    return [
        found
        for page in range(1, pages + 1)
        for found in (
            line(top.format(page=page, data=page * 7 % 5), 0, page=page, **options),
            line(f"Text {'abcdefghi'[page - 1]}", 300, page=page),
            line("3", 310, page=page),
            line(bottom.format(page=page, data=page * 7 % 5), 700, page=page, **options),
        )
    ]


def test_running_lines_and_page_numbers_go() -> None:
    pages = with_edges(4, top="Manual v1.2", bottom="Page {page} of 4")
    body = [text for letter in "abcd" for text in (f"Text {letter}", "3")]
    assert kept(*pages) == body
    assert kept(*with_edges(4, top="{page}", bottom="Chapter 3 \u00b7 1{page}")) == body
    assert kept(*with_edges(4, top="Manual | page {page}", bottom="- {page} -")) == body
    assert kept(line("7", 0)) == ["7"]


@pytest.mark.parametrize(
    "data",
    [
        "Invoice {data} was paid in full.",
        "Invoice {page}",
        "Invoice 10{page}",
        "{data}",
        "{data}, {page}",
        "Total | {data}",
        "202{page}0",
    ],
)
def test_digits_that_differ_from_page_to_page_are_data(data: str) -> None:
    pages = with_edges(4, top=data, bottom=data)
    assert kept(*pages) == [found.text for found in pages]


def test_running_lines_stand_in_one_place() -> None:
    moved = [
        found
        for page in range(1, 5)
        for found in (
            line("Open", 20 * page, page=page),
            line(f"Text {'abcd'[page - 1]}", 300, page=page),
            line(f"{page}", 700 - 20 * page, page=page),
        )
    ]
    assert kept(*moved) == [found.text for found in moved]
    title = line("Manual", 0, height=30)
    assert kept(title, *with_edges(5, top="Manual", bottom="{page}")[1:])[0] == "Manual"


def test_titles_that_a_few_slides_share_stay() -> None:
    slides = [
        *with_edges(4, top="Results", bottom="{page}", height=20),
        *(line(WIDE, 400, page=page) for page in range(1, 10)),
        *(line("More text", 420, page=page) for page in range(5, 10)),
    ]
    assert kept(*slides).count("Results") == 4


def test_a_row_goes_as_a_whole_or_stays() -> None:
    cells = [
        line(text, 0, page=page, left=72.0 + 100 * column)
        for page in range(1, 5)
        for column, text in enumerate(("Open", str(page), f"4{page * 3}"))
    ]
    body = [line(f"Text {'abcd'[page - 1]}", 300, page=page) for page in range(1, 5)]
    assert len(kept(*cells, *body)) == len(cells) + len(body)


def test_what_stands_beside_a_page_number_goes() -> None:
    heads = ["Tools", "Tools", "Chapter 4: Work", "Stocks", "Anna Miller"]
    pages = [
        found
        for page, head in enumerate(heads, 1)
        for found in (
            line(head, 0, page=page),
            line(str(page + 7), 0, left=500, page=page),
            line("Stocks" if page == 1 else f"Text {'abcde'[page - 1]}", 50, page=page),
            line("The end.", 90 + page * 5, page=page),
        )
    ]
    assert set(kept(*pages)) == {
        "Stocks", "Text b", "Text c", "Text d", "Text e", "The end.", "Anna Miller", "12"
    }  # fmt: skip


def test_rows_of_tables_stay() -> None:
    pages = with_edges(4, top="Manual", bottom="{page}")
    tables = {page: [Box(60, -5, 500, 15)] for page in range(1, 5)}
    assert [found.text for found in without_furniture(pages, tables)].count("Manual") == 4


def test_pages_are_not_emptied_but_for_a_few_blank_ones() -> None:
    pages = with_edges(4, top="Manual", bottom="{page}")
    blank = [[line("Manual", 0, page=page), line(str(page), 700, page=page)] for page in (5, 6)]
    assert "Manual" not in kept(*pages, *blank[0])
    assert kept(*pages, *blank[0], *blank[1])[-4:] == ["Manual", "5", "Manual", "6"]


def test_a_page_number_that_no_page_confirms_stands_apart() -> None:
    assert kept(line("Text", 0), line("more", 12), line("7-45", 700)) == ["Text", "more"]
    assert kept(line("Text", 0), line("more", 12), line("7-45", 24)) == ["Text", "more", "7-45"]
    assert kept(line("Text", 0), line("more", 12), line("45", 700)) == ["Text", "more", "45"]


@pytest.mark.parametrize(
    ("text", "page", "expected"),
    [
        ("17", 3, ("17", "", 17, "", False)),
        ("xiv", 2, ("xiv", "roman", 14, "", False)),
        ("A-4", 90, ("A-4", "A-", 4, "", True)),
        ("Seite 3 von 9", 3, ("Seite 3 von 9", "", 3, "", True)),
        ("Tools \u2013 17", 3, ("17", "", 17, "Tools", False)),
        ("17 | Chapter 3 | Tools", 3, ("17", "", 17, "Chapter 3 Tools", False)),
        ("12 | 17", 3, None),
        ("2024", 3, None),
        ("Invoice 17", 3, None),
    ],
)
def test_what_may_be_a_page_number(text: str, page: int, expected: Any) -> None:
    found = page_number(text, page)
    assert (found[1:] if found else None) == expected


def element(text: str, page: int, box: Box, kind: DocItemLabel = DocItemLabel.TEXT) -> PageElement:
    """An element whose box has its origin at the bottom left."""
    left, top, right, bottom = box
    return PageElement(
        cid=0,
        ref=RefItem(cref="#/1/0"),
        text=text,
        page_no=page,
        page_size=Size(width=600, height=800),
        label=kind,
        l=left,
        t=top,
        r=right,
        b=bottom,
        coord_origin=CoordOrigin.BOTTOMLEFT,
    )


HIGH, LOW = Box(300, 700, 500, 600), Box(50, 200, 250, 100)


@pytest.mark.parametrize(
    ("before", "after", "page", "expected"),
    [
        ("it goes on", "in the next column", 1, True),
        ("it goes on", "on the next page", 2, True),
        ("It ends.", "in a new sentence", 1, False),
        ("Comments", "Formatting", 1, False),
        (
            "법정1군 전염병은 콜레라 장티푸스 파라티푸스 세균성이질 장출혈성대장균감염증 개",
            "정된 법",
            1,
            True,
        ),
        ("구분", "정된 법", 1, False),
    ],
)
def test_paragraphs_go_on_beyond_a_break(
    before: str, after: str, page: int, expected: bool
) -> None:
    assert goes_on(element(before, 1, LOW), element(after, page, HIGH)) is expected


def test_only_texts_beyond_a_break_go_on() -> None:
    below = Box(50, 90, 250, 80)
    assert not goes_on(element("it goes", 1, LOW), element("on below", 1, below))
    heading = DocItemLabel.SECTION_HEADER
    assert not goes_on(element("it goes", 1, LOW, heading), element("on", 2, HIGH))


def test_capitals_need_case() -> None:
    assert is_capitals("COVID 19")
    assert not is_capitals("코로나 COVID")
    assert not is_capitals("19")


def letters_of(text: str, top: float, left: float = 72) -> list[Line]:
    return [line(letter, top, left=left + 5 * at) for at, letter in enumerate(text)]


def test_a_word_of_two_rows_is_taken_apart() -> None:
    letters = [*letters_of("status", 100), *letters_of("The", 112, left=102)]
    glued = line("statusThe", 100, height=22, right=117)
    assert [part.text for part in split_word(glued, Placed(letters), 10)] == ["status", "The"]
    tall = line("Title", 100, height=22)
    assert split_word(tall, Placed(letters_of("Title", 105)), 10) == [tall]
    assert split_word(glued, Placed(letters[:3]), 10) == [glued]


def test_a_line_has_the_font_of_most_of_its_words() -> None:
    (prose,) = settled(
        [line("ls lists all files", 100, font=MONO)],
        [line("ls", 100, font=MONO), line("lists all files", 100, left=85)],
    )
    assert prose.font == REGULAR


def headings(*parts: Line) -> list[str]:
    page = [Labelled([part], label_of(part)) for part in parts]
    found = in_context(page, BODY, has_plain_headings(page * 3, BODY))
    return [part.text for part in found if part.label is Label.HEADING]


def test_terms_above_their_meaning_are_no_headings() -> None:
    term = line("build (required)", 120, font=BOLD)
    meaning = line(WIDE, 132, left=97)
    assert headings(line("1.2 Targets", 100, font=BOLD), term, meaning) == ["1.2 Targets"]
    assert headings(term, meaning) == ["build (required)"]
    assert headings(line("1.2 Targets", 100, font=BOLD), term, line(WIDE, 132))[1:] == [
        "build (required)"
    ]


def test_a_chapter_number_above_its_title_is_no_heading() -> None:
    number, title = line("ONE", 100, font=BOLD), line("Scope", 130, font=BOLD)
    assert headings(number, title) == ["Scope"]
    assert headings(line("Part II", 100, font=BOLD), line(WIDE, 130)) == ["Part II"]


def test_lines_of_a_table_of_contents_are_no_headings() -> None:
    entries = [
        line(f"{number} Chapter {'. ' * 20}{number}", 130 + 12 * number, font=BOLD)
        for number in range(4)
    ]
    long = line("Appendix B Differences From", 155, font=BOLD)
    found = headings(line("Contents", 100, font=BOLD), *entries[:2], long, *entries[2:])
    assert found == ["Contents"]


def test_a_heading_with_a_comma_is_one_line() -> None:
    letters = [
        *letters_of("Sy", 100),
        replace_height(line(",", 108, left=82), 4),
        replace_height(line("p", 103, left=87), 10),
    ]
    word = line("Sy,p", 100, height=17, right=92)
    assert split_word(word, Placed(letters), 10) == [word]


def replace_height(piece: Line, height: float) -> Line:
    box = piece.box._replace(bottom=piece.box.top + height)
    return replace(piece, box=box, size=height)


def test_pieces_are_found_by_their_middles_in_their_order() -> None:
    pieces = [line("b", 112), line("a", 100), line("c", 300), line("d", 100, left=400)]
    box = union(piece.box for piece in pieces[:2])
    assert Placed(pieces).inside(box) == pieces[:2]


def test_a_chapter_number_above_a_title_that_a_bookmark_names_is_no_heading() -> None:
    number, title = line("ONE", 100, font=BOLD), line("Scope", 130, font=BOLD)
    page = [Labelled([number], label_of(number)), Labelled([title], Label.HEADING, True)]
    found = list(in_context(page, BODY, has_plain=True))
    assert [part.label for part in found] == [Label.TEXT, Label.HEADING]


def test_a_bookmark_makes_a_heading_of_what_looks_like_a_term() -> None:
    term, meaning = line("build (required)", 120, font=BOLD), line(WIDE, 132, left=97)
    page = [Labelled([term], Label.HEADING, True), Labelled([meaning], Label.TEXT)]
    assert next(in_context(page, BODY, has_plain=True)).label is Label.HEADING


def test_a_numbered_heading_below_another_is_its_own() -> None:
    above = line("3.15. Run-time variable data", 100, height=14, font=BOLD)
    below = line("3.15.1. Purpose of the directory", 118, height=13, font=BOLD)
    assert len(texts(above, below)) == 2
    hanging = line("of processes that have started", 118, height=13, font=BOLD)
    assert len(texts(above, hanging)) == 1


def test_names_of_code_that_fill_a_line_of_a_sentence_are_prose() -> None:
    prose, name = line(WIDE, 100), line("private.h and lib.h.", 112, font=MONO)
    assert len(texts(prose, name)) == 1
    more, names = line(WIDE, 112), line(f"lib.h {WIDE}", 124, font=MONO)
    assert len(texts(prose, more, names, line("are left out", 136))) == 1
    assert len(texts(line(f"{WIDE}:", 100), name)) == 2
    assert len(texts(prose, line("private.h", 112, font=MONO))) == 2
    assert len(texts(prose, line("private.h.", 112, left=90, font=MONO))) == 2
