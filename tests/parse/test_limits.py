"""The bound on the characters of a document: what is beyond it is counted and said."""

from __future__ import annotations

from typing import Any

import pytest

from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.chunk.stage import chunk
from graphrag_tasks.core.config import ChunkConfig, LanguageConfig, ParseConfig


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
def test_the_first_characters_are_kept(parse_files: Any, text: str, most: int, kept: list[str]) -> None:
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


def test_later_stages_read_what_is_kept(parse_files: Any) -> None:
    text = "\n\n".join(f"The program {number} reads the table." for number in range(100))
    result, _ = cut(parse_files, "a.txt", text.encode(), 350)
    made = result.tables
    chunks = chunk(made["documents"], made["blocks"], config=ChunkConfig()).tables["chunks"]
    found = filter_sentences(made["blocks"], made["cells"], chunks, language=LanguageConfig())
    assert found.tables["sentences"].num_rows == made["blocks"].num_rows == 11
    assert max(chunks["char_end"].to_pylist()) <= 350
