"""No text costs a reader more than its size: tokens repeated, at one and at four times the size."""

import time
from contextlib import suppress

import pytest

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.readers import READERS, load_readers

AROUND = {
    "eml": ("From: a@b.c\nSubject: x\nContent-Type: text/html\n\n", ""),
    "html": ("<html><body>", ""),
    "mbox": ("From a@b.c Thu Jan  1 00:00:00 2020\nFrom: a@b.c\nSubject: x\n\n", ""),
    "mhtml": ("MIME-Version: 1.0\nContent-Type: text/html\n\n", ""),
    "passage": ('{"text": "', '"}'),
    "rtf": ("{\\rtf1\\ansi ", "}"),
    "tex": ("\\documentclass{article}\\begin{document}\n", "\n\\end{document}\n"),
    "vtt": ("WEBVTT\n\n00:01.000 --> 00:02.000\n", ""),
    "xml": ("<article><body><p>", "</p></body></article>"),
}
TOKENS = (
    "<v ", "`a ", "link:", ":a:``", "<a href=", "<!--", "--", "{{", "*", "_",
    "<v", "<div>", "![a](", "\\textbf{", "|a", "[", "(", "**a", "<b>", "{a}",
    "\\", "$", "&amp;", "a,b\n", "a_ ", "> ", '"', " ", "\n", "://a",
)  # fmt: skip
"""The first are those that took the square of their number, each in some reader."""
SIZE = 2500
"""Characters at one time the size: at four times, what takes the square took a second or more."""
ENOUGH = 0.5
"""CPU seconds in which a text of four times the size may be read, whatever it takes at once."""


def seconds(media_type: str, token: str, times: int) -> float:
    """Return the CPU time of a text; a reader may refuse it."""
    read = load_readers({media_type: READERS[media_type]})[media_type]
    before, after = AROUND.get(media_type, ("", ""))
    text = before + token * (times * SIZE // len(token)) + "x" + after
    started = time.process_time()
    with suppress(DocumentError):
        read(text.encode())
    return time.process_time() - started


@pytest.mark.parametrize(
    "token", [*TOKENS[:10], *(pytest.param(one, marks=pytest.mark.slow) for one in TOKENS[10:])]
)
@pytest.mark.parametrize("media_type", sorted({*AROUND, "adoc", "csv", "md", "rst", "txt"}))
def test_four_times_the_text_takes_at_most_six_times_the_time(media_type: str, token: str) -> None:
    if seconds(media_type, token, 4) > ENOUGH:  # then at twice the size: bounds are reached there
        eight = min(seconds(media_type, token, 8) for _ in range(2))
        assert eight <= 6 * seconds(media_type, token, 2)
