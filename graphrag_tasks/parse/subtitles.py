"""Read WebVTT subtitles: a paragraph for each cue, with the speakers' names.

Text between cues is kept too: a cue that contains a blank line continues there.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.text import clean_text
from graphrag_tasks.parse.text_files import paragraphs
from graphrag_tasks.sources.encodings import decode

_TIMES = re.compile(r"[ \t]*[\d:.,]+[ \t]*-->[ \t]*\d")
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]+)>")  # one \s: two repeats would try all ways
_TAG = re.compile(r"</?(?:c|i|b|u|v|ruby|rt|lang)(?:[.\s][^<>]*)?>|<[\d:.]+>")
_SETTINGS = frozenset(("STYLE", "REGION"))


def read_webvtt(data: bytes) -> ParsedDocument:
    """Read subtitles; times, ids and styles are counted as left out."""
    file = decode(data)
    header, *parts = paragraphs(file.text) or [Block("paragraph", "")]
    if header.text[:6] != "WEBVTT" or header.text[6:7].strip():
        what = "not a valid vtt file: it does not begin with WEBVTT"
        raise DocumentError("broken", what, hint="Save the subtitles as WebVTT, or as text")
    subtitles = _Subtitles()
    subtitles.read_header(header.text.split("\n"))
    for part in parts:
        subtitles.read(part.text.split("\n"))
    left_out = subtitles.left_out + Counter(file.left_out)
    return ParsedDocument(subtitles.blocks, left_out=left_out, encoding=file.encoding)


class _Subtitles:
    """The cues read so far, and the counts of what is left out."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.left_out: Counter[str] = Counter()

    def read_header(self, lines: Sequence[str]) -> None:
        """Count the header's lines, and read cues that follow without a blank line."""
        end = next((at for at, line in enumerate(lines) if _TIMES.match(line)), len(lines))
        said = [lines[0].removeprefix("WEBVTT"), *lines[1:end]]
        self.left_out[LeftOut.SUBTITLE_MARK] += sum(bool(line.strip()) for line in said)
        self.read(lines[end:])

    def read(self, lines: Sequence[str]) -> None:
        """Read a group of lines: cues, a comment, or settings."""
        times = [at for at, line in enumerate(lines) if _TIMES.match(line)]
        if not times and lines:
            word = lines[0].split()[0]
            if word == "NOTE":
                self.left_out[LeftOut.COMMENT] += 1
                return
            if lines[0].strip() in _SETTINGS:
                self.left_out[LeftOut.SUBTITLE_MARK] += 1
                return
        has_id = times[:1] == [1]
        self.left_out[LeftOut.SUBTITLE_MARK] += len(times) + has_id
        starts = [-1 + has_id, *times]
        for start, end in zip(starts, [*times, len(lines)], strict=True):
            self._add("\n".join(lines[start + 1 : end]))

    def _add(self, cue: str) -> None:
        text = html.unescape(_TAG.sub("", _SPEAKER.sub(r"\n\1: ", cue)))
        lines = (" ".join(line.split()) for line in clean_text(text).split("\n"))
        if shown := "\n".join(line for line in lines if line):
            self.blocks.append(Block("paragraph", shown))
