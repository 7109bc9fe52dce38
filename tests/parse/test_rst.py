"""reStructuredText: what is read, what is counted, and that nothing of other files is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.rst import read_rst

PAGE = """
=======
Harbour
=======

The crane *moves* :ref:`to the quay <quay>`, see :class:`~a.B` and `a page`__ |sub|. [#]_

__ https://example.org

.. |sub| replace:: again
.. |unused| replace:: unused words
.. |today| date::

.. A comment.

.. [#] It is old.

Cranes
------

.. note:: Be careful.

.. versionadded:: 1.2
   New words. |today|

.. toctree::
   :maxdepth: 2

   one

.. code-block:: python
   :caption: The code

   print("x")

.. raw:: html

   <b>raw words</b>

.. csv-table:: Weights
   :header: A, B

   1, 2

* First

  more
* Second

.. image:: a.png
   :alt: A picture

.. figure:: a.png

   Below it.

.. function:: move(a)

   Moves it.

+---+---+
| a | b |
+===+===+
| 1 | 2
+---+---+

Other
=====

:unknown:`Thing` |undefined| and `unclosed
"""


def test_a_page_is_read(parse_one: Any) -> None:
    parsed = parse_one("a.rst", PAGE.encode())
    assert parsed.kinds == [
        ("title", "Harbour"),
        ("paragraph", "The crane moves to the quay, see a.B and a page again. [1]"),
        ("paragraph", "[1]"),
        ("paragraph", "It is old."),
        ("heading", "Cranes"),
        ("paragraph", "Note"),
        ("paragraph", "Be careful."),
        ("paragraph", "Added in version 1.2: New words."),
        ("paragraph", "The code"),
        ("code", 'print("x")'),
        ("caption", "Weights"),
        ("table", "A: 1 | B: 2"),
        ("list_item", "First"),
        ("paragraph", "more"),
        ("list_item", "Second"),
        ("caption", "Below it."),
        ("paragraph", "move(a)"),
        ("paragraph", "Moves it."),
        ("code", "+---+---+\n| a | b |\n+===+===+\n| 1 | 2\n+---+---+"),
        ("heading", "Other"),
        ("paragraph", "Thing |undefined| and `unclosed"),
    ]
    assert (parsed.document["title"], parsed.document["encoding"]) == ("Harbour", "utf-8")
    assert parsed.left_out == {"comment": 1, "directive": 3, "hidden": 2, "picture": 1}


def test_nothing_of_other_files_is_read(parse_one: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Secret words")
    marks = (".. include:: {}", ".. literalinclude:: {}", ".. csv-table::\n   :file: {}")
    page = "Text\n\n" + "\n\n".join(mark.format(other) for mark in marks)
    parsed = parse_one("a.rst", page.encode())
    assert parsed.kinds == [("paragraph", "Text")]
    assert parsed.left_out == {"include": 3}
    raw = f"Text\n\n.. raw:: html\n   :file: {other}\n"
    assert parse_one("b.rst", raw.encode()).kinds == [("paragraph", "Text")]


def test_substitutions_that_double_are_refused_before_they_are_expanded() -> None:
    lines = [".. |a0| replace:: ab"]
    lines += [f".. |a{n}| replace:: |a{n - 1}| |a{n - 1}|" for n in range(1, 18)]
    with pytest.raises(DocumentError, match="substitutions stand for more") as refused:
        read_rst("\n".join([*lines, "", "|a17|"]).encode())
    assert refused.value.code == "too_large"
    (block,) = read_rst("\n".join([*lines[:4], "", "|a3|"]).encode()).blocks
    assert block.text == " ".join(["ab"] * 8)
