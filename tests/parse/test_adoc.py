"""AsciiDoc: what is read, what is counted, and what is refused."""

from __future__ import annotations

from typing import Any

PAGE = """= Harbour
Nora Lind <n@example.org>
:name: Big
:unused: Words of nobody

The *crane* {name} moves to https://x.org/a[the quay] and <<cranes,there>>.footnote:[It is old.]
Second line.

// A comment
////
A comment block
////

[[cranes]]
== Cranes

[WARNING]
====
Inside _words_.

* First
+
more of it
** Inner
====

Term:: definition
Other::
  later

.The code
[source,java]
----
int a = b * c;
----

[cols="1,1",options="header"]
|===
|Name |Tons

|Big
|.5
2+|both
|===

image::a.png[A crane,200]
include::/etc/passwd[]

[quote,Nora Lind,The book]
____
Words of her.
____

++++
<b>raw</b> words
++++

ifdef::x[]
Perhaps.
endif::[]

[A remark in brackets.]

Some ((term)) and(((index))) `code_it` foo_bar_baz.
"""


def test_a_page_is_read(parse_one: Any) -> None:
    parsed = parse_one("a.adoc", PAGE.encode())
    assert parsed.kinds == [
        ("title", "Harbour"),
        ("paragraph", "Nora Lind <n@example.org>"),
        ("paragraph", "The crane Big moves to the quay and there. (It is old.) Second line."),
        ("heading", "Cranes"),
        ("paragraph", "Inside words."),
        ("list_item", "First"),
        ("paragraph", "more of it"),
        ("list_item", "Inner"),
        ("list_item", "Term"),
        ("list_item", "definition"),
        ("list_item", "Other"),
        ("list_item", "later"),
        ("paragraph", "The code"),
        ("code", "int a = b * c;"),
        ("table", "Name: Big | Tons: .5\nboth"),
        ("paragraph", "Words of her."),
        ("paragraph", "Nora Lind, The book"),
        ("paragraph", "raw words"),
        ("paragraph", "Perhaps."),
        ("paragraph", "[A remark in brackets.]"),
        ("paragraph", "Some term and code_it foo_bar_baz."),
    ]
    assert parsed.blocks[2]["has_link"]
    assert (parsed.document["title"], parsed.document["encoding"]) == ("Harbour", "utf-8")
    assert parsed.left_out == {"comment": 2, "hidden": 2, "include": 1, "picture": 1}


def test_what_is_no_page_is_refused(parse_one: Any) -> None:
    deep = "\n".join("=" * (4 + depth) for depth in range(60))
    assert parse_one("a.adoc", deep.encode()).document["error_code"] == "broken"
    assert parse_one("b.adoc", bytes(range(256)) * 9).document["error_code"] == "broken"
    assert parse_one("c.adoc", b"// nothing").document["error_code"] == "no_text"
    assert parse_one("d.adoc", b"").document["error_code"] == "empty_file"


def test_every_term_of_an_entry_leads_its_definition(parse_one: Any) -> None:
    page = b"Quern::\nHand mill:: A mill turned by hand.\nSluice:: A gate.\n"
    assert [text for _, text in parse_one("a.adoc", page).kinds] == [
        "Quern", "A mill turned by hand.", "Hand mill", "A mill turned by hand.", "Sluice", "A gate.",
    ]  # fmt: skip
