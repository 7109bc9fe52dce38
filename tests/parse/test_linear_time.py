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
    "tex": ("\\documentclass{article}\\begin{document}\n", "\n\\end{document}\n"),
    "vtt": ("WEBVTT\n\n00:01.000 --> 00:02.000\n<v", ""),
    "xml": ("<article><body><p>", "</p></body></article>"),
}
TOKENS = (
    "<v ", "`a ", "link:", ":a:``", "<a href=", "<!--", "--", "{{", "*", "_",
    "<v", "<div>", "![a](", "\\textbf{", "|a", "[", "(", "**a", "<b>", "{a}",
    "<aside>", "\\", "$", "&amp;", "a,b\n", "a_ ", "> ", '"', " ", "\n", "://a",
)  # fmt: skip
READ = sorted({*AROUND, "adoc", "csv", "md", "rst", "txt"})
SQUARE = [
    ("vtt", " "), ("adoc", "link:"), ("rst", "{{"), ("rst", ":a:``"), ("md", "_"), ("md", "![a]("),
    ("html", "<v "), ("html", "<a href="), ("html", "<aside>"),
]  # fmt: skip
"""What took the square of its size."""
SIZE = 5000  # Characters at one time the size: at four times, what takes the square took a second or more.
ENOUGH = 0.5  # CPU seconds in which a text of four times the size may be read, whatever it takes at once.

HALF_WAY = 10
"""Times the CPU, between linear work (four) and its square (sixteen) and far from both: other work on the machine
moves single figures by half."""


def seconds(media_type: str, token: str, times: int) -> float:
    """Return the CPU time of a text; a reader may refuse it."""
    read = load_readers({media_type: READERS[media_type]})[media_type]
    before, after = AROUND.get(media_type, ("", ""))
    text = before + token * (times * SIZE // len(token)) + "x" + after
    started = time.process_time()
    with suppress(DocumentError, RecursionError):  # the worker names both
        read(text.encode())
    return time.process_time() - started


EVERY = [
    pytest.param(media_type, token, marks=() if (media_type, token) in SQUARE else pytest.mark.slow)
    for media_type in READ
    for token in TOKENS
]


@pytest.mark.parametrize(("media_type", "token"), EVERY)
def test_four_times_the_text_takes_no_sixteen_times_the_time(media_type: str, token: str) -> None:
    four = seconds(media_type, token, 4)
    if four > ENOUGH:
        once = seconds(media_type, token, 1)
        assert min(four, seconds(media_type, token, 4)) <= HALF_WAY * once
