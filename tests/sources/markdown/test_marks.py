"""Marks of generators in any order: no word is lost, no code is touched, none is slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.sources.markdown import plain_markdown

HOLDERS = {
    "mkdocs": ('!!! note "{0}"\n', "    "),
    "collapsed": ('???+ tip "{0}"\n', "    "),
    "tab": ('=== "{0}"\n', "    "),
    "docusaurus": (":::note[{0}]\n", "", ":::\n"),
    "slashes": ("/// tip | {0}\n", "", "///\n"),
    "gitbook": ('{{% tab title="{0}" %}}\n', "", "{% endtab %}\n"),
    "hugo": ('{{{{< tab name="{0}" >}}}}\n', "", "{{< /tab >}}\n"),
    "mdx": ('<TabItem label="{0}">\n', "  ", "</TabItem>\n"),
}
"""How a block begins, what stands before its lines, and how it ends."""

MARKS = [
    "[!INCLUDE [a](b.md)]", "> [!NOTE]", "> [!TIP] x", "[!code-a[b](c)]", "<xref:a.b>", "@A.B",
    ":::", ":::note", "::: a.b", ':::image alt-text="x":::', "!!! note", "    x", '=== "x"',
    "{% hint %}", "{% endhint %}", "{{ x }}", "{% raw %}", "{% endraw %}", "{{< x >}}",
    "{{% /x %}}", "{: .x}", "{#x}", "# x {#y}", "import A from 'b'", "export const a = 1",
    "<Tabs>", "</Tabs>", "<A b={{c: 1}} />", "{/* x */}", "```", "`", "~~~", "<pre>", "</pre>",
    "---", "+++", "title: x", "--8<-- 'x'", "*[A]: b", "[TOC]", "\t", "- ", "> ", "| a | b |",
]  # fmt: skip


def numbers(text: str) -> list[str]:
    return re.findall(r"n[0-9]+n", text)


@given(st.lists(st.sampled_from(sorted(HOLDERS)), min_size=1, max_size=4), st.integers(1, 3))
def test_every_sentence_of_nested_blocks_is_kept_in_order(kinds: list[str], lines: int) -> None:
    serial = iter(range(1000))

    def block(rest: list[str]) -> str:
        body = "".join(f"Sentence n{next(serial)}n stays.\n\n" for _ in range(lines))
        if not rest:
            return body
        opening, indent, *closing = HOLDERS[rest[0]]
        opened = opening.format(f"Label n{next(serial)}n")
        inner = block(rest[1:])
        held = "".join(indent + line if line.strip() else line for line in inner.splitlines(True))
        return f"{body}{opened}\n{held}{''.join(closing)}\n"

    text = block(kinds)
    page = plain_markdown(text)
    assert numbers(page.text) == numbers(text)
    assert not page.left_out
    assert not re.search(r"!!!|\?\?\?|===|:::|///|\{[%{<]|<", page.text)
    assert not re.search(r"^ {4,}\S", page.text, re.MULTILINE)  # that would be code


@given(st.lists(st.sampled_from(MARKS), max_size=12))
def test_any_marks_are_read(marks: list[str]) -> None:
    for text in ("\n".join(marks), " ".join(marks)):
        page = plain_markdown(text)
        assert all(count > 0 for count in page.left_out.values())


@given(st.lists(st.sampled_from([one for one in MARKS if "~~~" not in one]), max_size=8))
def test_code_stays_as_it_is_written(marks: list[str]) -> None:
    code = "\n".join(marks)
    fence = f"~~~~ text\n{code}\n~~~~"
    assert plain_markdown(f"# A\n\n{fence}\n\nB.").text == f"# A\n\n{fence}\n\nB."


def test_notes_wiki_links_and_definitions() -> None:
    text = (
        "The gate[^1] cost [^2] 10^6^ at [[Depot|the depot]], not [[1]](a.md). ![[plan]]\n\nT9\n"
        ": A lift.\n\n[^1]: Of the\n    port.\n[a]: b.md\n\n    [[ code ]]"
    )
    page = plain_markdown(text)
    assert page.text.split("\n\n")[:3] == [
        "The gate cost [^2] 10<sup>6</sup> at [the depot](<Depot>), not [[1]](a.md). ",
        "T9",
        "A lift.",
    ]
    assert "Of the\nport.\n\n" in page.text
    assert page.text.endswith("    [[ code ]]")
    assert page.left_out == {"include": 1}


@pytest.mark.parametrize(
    "unit",
    [
        "{{",
        "{%",
        "<Tabs><A ",
        ":::a\n",
        "[!INCLUDE[",
        "`",
        "<xref:",
        "{/*",
        "<pre>",
        "{% raw %}",
        "{% comment %}",
        "{{< highlight >}}",
        "!!! a\n    ",
        "import {",
        "> [!A",
        "{:",
        "<A a={{{",
    ],
)
def test_marks_that_never_end_take_no_time(unit: str) -> None:
    begin = time.process_time()
    plain_markdown(unit * (20_000 // len(unit)))
    assert time.process_time() - begin < 3


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("One %%hidden%% two.", "One  two."),
        ("One.\n\n%%\nhidden\n\n# too\n%%\n\nTwo.", "One.\n\n\n\nTwo."),
        ("Grown by 5%% and 7%%, or `%%x%%`.", None),
        ("%%time\nOne.\n%%bash\nTwo.", None),
        ("One crane. ^hull-1\nTwo.", "One crane.\nTwo."),
        ("| a |\n|---|\n| b |\n\n^rows", "| a |\n|---|\n| b |\n\n"),
        ("It is 2 ^3\nlong, and x ^n", None),
        ("See [[Boat#^keel-2]].", "See [Boat](<Boat#^keel-2>)."),
    ],
)
def test_marks_of_obsidian(text: str, plain: str | None) -> None:
    page = plain_markdown(text)
    assert page.text == (text if plain is None else plain)
    assert page.left_out == ({"comment": 1} if "hidden" in text else {})


@pytest.mark.parametrize(
    ("front", "start"),
    [
        ('aliases: ["Big Berta", Bertha]', "# Crane\n\nCrane is also known as Big Berta and Bertha."),
        ("alias: Big Berta", "# Crane\n\nCrane is also known as Big Berta."),
        ("title: Lift\naliases:\n- Big Berta", "# Crane\n\nLift is also known as Big Berta."),
        ("aliases: [/old/page, my-old-page, old.html]", "# Crane\n\nIt lifts"),
        ("aliases: [Crane]", "# Crane\n\nIt lifts"),
        ("aliases: []", "# Crane\n\nIt lifts"),
    ],
)
def test_aliases_are_names_of_the_page(front: str, start: str) -> None:
    page = plain_markdown(f"---\n{front}\n---\n# Crane\n\nIt lifts the hull.\n")
    assert page.text.startswith(start)
    bare = plain_markdown("---\naliases: [Big Berta]\n---\nIt lifts.")
    assert bare.text.split("\n\n") == ["", "Also known as Big Berta.", "It lifts."]
