"""The bound on the characters of a document: what is beyond it is counted and said."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Any

import pytest

from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.chunk.stage import chunk
from graphrag_tasks.core.config import ChunkConfig, LanguageConfig, ParseConfig

CSV = b"name,note\n" + b"".join(b"n%d,The item %d is here.\n" % (n, n) for n in range(50))


def cut(parse_files: Any, name: str, data: bytes, most: int) -> tuple[Any, dict[str, Any]]:
    """Parse a file with this bound of characters; return the result and the document's row."""
    result = parse_files({name: data}, config=ParseConfig(max_characters=most))
    (document,) = result.tables["documents"].to_pylist()
    return result, document


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("One two.\n\nThree four.", 18, ["One two.", "Three"]),
        ("One two.\n\nThree four.", 21, ["One two.", "Three four."]),
        ("One two.\n\nThree four.", 9, ["One two."]),
        ("One two.\n\nThree four.", 10, ["One two."]),
        ("x" * 50, 20, ["x" * 20]),
        ("One\ntwo three", 11, ["One"]),
    ],
)
def test_the_first_characters_are_kept(
    parse_files: Any, text: str, most: int, kept: list[str]
) -> None:
    result, document = cut(parse_files, "a.txt", text.encode(), most)
    assert result.tables["blocks"]["text"].to_pylist() == kept
    left = len("\n\n".join(kept))
    assert document["characters"] == left
    if left == len(text):
        assert (document["status"], document["left_out"]) == ("parsed", None)
        return
    assert (document["status"], document["error_code"]) == ("partial", "text_cut")
    assert document["left_out"] == [{"reason": "beyond_bound", "count": len(text) - left}]
    assert f"a.txt: {len(text) - left} characters are left out" in document["error_message"]
    assert result.stats["left_out"] == len(text) - left


def test_a_table_ends_with_a_row(parse_files: Any) -> None:
    result, document = cut(parse_files, "a.csv", CSV, 100)
    (text,) = result.tables["blocks"]["text"].to_pylist()
    whole, _ = cut(parse_files, "a.csv", CSV, 100_000)
    (every,) = whole.tables["blocks"]["text"].to_pylist()
    assert every.startswith(text + "\n")
    cells = result.tables["cells"].to_pylist()
    assert [cell["text"] for cell in cells if not cell["is_header"]][-1] in text.splitlines()[-1]
    assert all(text[cell["char_start"] : cell["char_end"]] == cell["text"] for cell in cells)
    assert document["cells"] == 102  # what there is
    assert result.stats["cells_omitted"] == 102 - len(cells)


def test_links_beyond_the_bound_go_with_their_text(parse_files: Any) -> None:
    page = b"[One](https://a.example) and some more words [two](https://b.example) here."
    result, _ = cut(parse_files, "a.md", page, 20)
    (links,) = result.tables["blocks"]["links"].to_pylist()
    assert [link["href"] for link in links] == ["https://a.example"]


def test_later_stages_read_what_is_kept(parse_files: Any) -> None:
    text = "\n\n".join(f"The program {number} reads the table." for number in range(100))
    result, _ = cut(parse_files, "a.txt", text.encode(), 350)
    made = result.tables
    chunks = chunk(made["documents"], made["blocks"], config=ChunkConfig()).tables["chunks"]
    found = filter_sentences(made["blocks"], made["cells"], chunks, language=LanguageConfig())
    assert found.tables["sentences"].num_rows == made["blocks"].num_rows == 11
    assert max(chunks["char_end"].to_pylist()) <= 350


def stretch(kind: str) -> str:
    numbers = [hashlib.sha256(bytes([n // 250, n % 250])).digest() * 2 for n in range(500)]
    lines = {
        "base64": lambda n, data: base64.b64encode(data[:57]).decode(),
        "hex": lambda n, data: f"{n:08x}  {data[:16].hex(' ')}",
        "log": lambda n, data: (
            f"2025-03-01 10:00:{n % 60:02} ERROR [worker-{n}] request "
            f"{data[:4].hex()} failed: java.net.TimeoutException: Read timed out at 10.0.0.{n}:80"
        ),
        "sql": lambda n, data: f"CREATE TABLE t{n} (id INT, name TEXT DEFAULT 'a pump feeds');",
        "script": lambda n, data: f"function a{n}(b,c){{return b.d{n}(c)&&c.e(b)}};var f{n}=a{n};",
    }
    joint = "" if kind == "script" else "\n"
    return joint.join(lines[kind](n, data) for n, data in enumerate(numbers))


@pytest.mark.parametrize("kind", ["base64", "hex", "log", "sql", "script"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.eml"])
def test_a_stretch_without_words_is_one_counted_block(
    parse_files: Any, kind: str, name: str
) -> None:
    before, after, blob = "The robot welds the frame.", "The arm lifts the door.", stretch(kind)
    text = f"{before}\n\n{blob}\n\n{after}\n"
    if name == "a.html":
        text = f"<p>{before}</p><p>{escape(blob)}</p><p>{after}</p>"
    made = parse_files({name: ("Subject: x\n\n" * (name == "a.eml") + text).encode()}).tables
    kinds = [(row["kind"], len(row["text"])) for row in made["blocks"].to_pylist()][-3:]
    assert [kind for kind, _ in kinds] == ["paragraph", "code", "paragraph"]
    assert kinds[1][1] <= 1000
    (left_out,) = made["documents"]["left_out"].to_pylist()
    count = {one["reason"]: one["count"] for one in left_out}["no_words"]
    assert count + kinds[1][1] >= 0.9 * len(blob)


@pytest.mark.parametrize(
    "text",
    [
        "[10:00:01] Ann: the pump feeds the tank, and nobody has looked at it since Monday.\n",
        "THE WORK IS PROVIDED AS IT IS, WITH NO WARRANTY OF ANY KIND, ALSO IMPLIED (1.F.4).\n",
        "ポンプP1はタンクT2に水を供給し、弁V3はダクトを閉じる。\n",
        "The tables VBAK-VBELN, VBAP-POSNR and LIPS-VGBEL are read by the report RV45A-001.\n",
    ],
)
def test_prose_that_looks_odd_stays(parse_one: Any, text: str) -> None:
    assert parse_one("a.txt", text.encode() * 40).kinds == [("paragraph", (text * 40).strip())]
