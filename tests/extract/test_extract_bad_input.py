"""Input that no writer meant: nothing fails, what is not read is counted, work grows linearly."""

from collections.abc import Callable
from cProfile import Profile
from functools import partial
from typing import Any

import pytest

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.language.parser import MAX_CHARS, MAX_TOKENS

Blocks = Callable[[str, list[str]], list[dict[str, Any]]]
Read = Callable[..., StageResult]

UNITS = {
    "prose": "The tool reads table VBBS. It replaces the migration report. The report ends. ",
    "names": "John{0} Smith{0} met Mary{0} Jones{0} and she told him a lie. ",
    "no full stop": "it reads tables ",
    "clauses": "which the tool that ",
    "commas": "tables, reports, names, ",
    "no spaces": "x",
    "symbols": "(=> ",
    "quotation marks": '"he said ( ',
    "mixed scripts": "да नमस्ते 表 ",
    "control characters": "\x00\x07\u202e a ",
    "noncharacters": "\ufffe\uffff it ends ",
    "empty lines": "\n a \n",
    "colons": "a: b: ",
    "numbers of items": "1. a) ",
}
SELDOM = [kind for kind in UNITS if kind not in ("prose", "no spaces")]


def text_of(kind: str, length: int) -> str:
    unit = UNITS[kind]
    return "".join(unit.format(n) for n in range(length // len(unit) + 1))[:length]


def calls(work: Callable[[], object]) -> int:
    """Return how many functions the work calls, Python's own and compiled ones."""
    profile = Profile()
    profile.runcall(work)
    return sum(one.callcount for one in profile.getstats())


@pytest.mark.parametrize("kind", ["prose", "no spaces", *(pytest.param(one, marks=pytest.mark.slow) for one in SELDOM)])
def test_work_grows_no_faster_than_the_text(kind: str, blocks_of: Blocks, read_documents: Read) -> None:
    read_documents(blocks_of("d", ["It reads tables."]))
    # Work on "names" grows until the sentences in which a pronoun's name is sought are full.
    lengths = {"prose": (600, 2_400), "names": (3_000, 6_000)}.get(kind, (2_500, 7_500))
    rows = [blocks_of("d", [text_of(kind, length)]) for length in lengths]
    short, long = (calls(partial(read_documents, one)) / length for one, length in zip(rows, lengths, strict=True))
    # Twenty calls for each character are nothing, whatever the shorter text took.
    assert long < max(1.5 * short, 20)


@pytest.mark.parametrize("kind", UNITS)
def test_every_text_is_read_within_bounds(kind: str, blocks_of: Blocks, read_documents: Read) -> None:
    text = text_of(kind, 1_000 if kind in ("prose", "names") else 12_000)
    result = read_documents(blocks_of("d", [text]))
    spans = [(row["char_start"], row["char_end"], row["text"]) for row in result.tables["sentences"].to_pylist()]
    assert all(text[start:end] == found for start, end, found in spans)
    clipped = result.stats["characters_clipped"]
    space = len(text) - len("".join(text.split()))
    assert len(text) - space <= sum(end - start for start, end, _ in spans) + clipped <= len(text)


def test_a_sentence_of_five_thousand_tokens_is_counted_and_stops_no_other(
    blocks_of: Blocks, read_documents: Read
) -> None:
    long = "( ) " * 2_500 + "it reads tables."
    rows = blocks_of("d", ["The tool reads table VBBS.", long, "It replaces the report."])
    result = read_documents(rows)
    subjects = {row["head"] for row in result.tables["triples"].to_pylist()}
    assert {"tool", "It"} <= subjects
    assert len(long) < MAX_CHARS
    assert len(long.split()) > MAX_TOKENS
    assert result.stats["characters_clipped"] + result.stats["sentences_oversized"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["no spaces", "no full stop"])
def test_ten_megabytes_without_a_full_stop(kind: str, blocks_of: Blocks, read_documents: Read) -> None:
    result = read_documents(blocks_of("d", [text_of(kind, 10_000_000)]))
    rows = result.tables["sentences"]
    kept = sum(len(row["text"]) for row in rows.to_pylist())
    assert result.stats["characters_clipped"] + kept == pytest.approx(10_000_000, rel=0.01)
    assert max(len(row["text"]) for row in rows.to_pylist()) <= 2_048
