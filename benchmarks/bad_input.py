"""Time of the text stages on input that no writer meant: does it grow with the length alone?

One document of one block, all below one heading, goes through chunks, sentences, extraction and coreference. Prints a
Markdown table: CPU seconds of each stage by length, and the greatest growth of the total when the length grows tenfold
(10 is linear).

    python -m benchmarks.bad_input
    python -m benchmarks.bad_input --lengths 1000 10000 100000 1000000 --kinds symbols
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pyarrow as pa

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig, ExtractConfig, LanguageConfig
from graphrag_tasks.extract import ParseRecorder, extract_facts, make_extractor, resolve_mentions

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "prose": "The tool reads table VBBS. It replaces the migration report. The report ends. ",
        "one pair of names": "John Smith met Mary Jones and she told him that she saw it. ",
        "ever new names": "John{0} Smith{0} met Mary{0} Jones{0} and she told him a lie. ",
        "no full stop": "it reads tables ",
        "relative clauses": "which the tool that ",
        "commas": "tables, reports, names, ",
        "no spaces": "x",
        "symbols": "(=> ",
        "quotation marks": '"he said ( ',
        "mixed scripts": "да नमस्ते 表 ",
        "control characters": "\x00\x07\u202e a ",
        "empty lines": "\n a \n",
    }
)
"""What a text is made of, over and over; "{0}" is replaced by a number."""

STAGES = ("chunks", "sentences", "extraction", "coreference")
LENGTHS = (1_000, 10_000, 100_000)

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Run:
    """What one text took and gave: CPU seconds by stage, and the stages' counts."""

    seconds: Mapping[str, float]
    stats: Mapping[str, int | float]

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self.seconds.values())


def text_of(kind: str, length: int) -> str:
    """Return a text of so many characters."""
    unit, size = UNITS[kind], 0
    parts: list[str] = []
    while size < length:
        parts.append(unit.format(len(parts)) if "{0}" in unit else unit)
        size += len(parts[-1])
    return "".join(parts)[:length]


def run_stages(text: str) -> Run:
    """Take a text through the stages from chunks to coreference."""
    seconds: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], _Result]) -> _Result:
        gc.collect()
        start = time.process_time()
        result = work()
        seconds[stage] = time.process_time() - start
        return result

    row = dict.fromkeys(schemas.BLOCKS.names) | {
        "document_id": "d", "ordinal": 0, "kind": "paragraph", "text": text, "char_start": 0,
        "char_end": len(text),
    }  # fmt: skip
    blocks = pa.Table.from_pylist([row], schema=schemas.BLOCKS)
    names = pa.table(dict.fromkeys(("document_id", "uri", "source", "path"), pa.array(["d"])))
    documents = pa.table({"document_id": ["d"], "title": [""]})
    config, recorder, cells = ExtractConfig(), ParseRecorder(), schemas.empty("cells")
    language = LanguageConfig()
    chunks = timed("chunks", lambda: chunk(names, blocks, config=ChunkConfig())).tables["chunks"]
    read = timed("sentences", lambda: filter_sentences(blocks, cells, chunks, language=LanguageConfig()))
    sentences = read.tables["sentences"]
    extractor = make_extractor(config, language, on_parse=recorder.record)
    found = timed(
        "extraction", lambda: extract_facts(documents, blocks, cells, sentences, extractor=extractor, language=language)
    )
    resolved = timed(
        "coreference",
        lambda: resolve_mentions(
            found, documents, chunks, sentences, cells=cells, parses=recorder.parses,
        ),
    )  # fmt: skip
    return Run(seconds, {**read.stats, **resolved.stats})


def curve(kinds: Sequence[str], lengths: Sequence[int]) -> dict[str, dict[int, Run]]:
    """Return the runs of each kind of text at each length."""
    run_stages("It reads tables.")  # the models are loaded
    return {kind: {n: run_stages(text_of(kind, n)) for n in lengths} for kind in kinds}


def table(runs: Mapping[str, Mapping[int, Run]]) -> str:
    """Return the curves as a Markdown table."""
    lengths = sorted(next(iter(runs.values())))
    head = ["characters", *(f"{length:,}" for length in lengths), *STAGES, "growth"]
    lines = [head, ["---"] * len(head)]
    for kind, by_length in runs.items():
        totals = [by_length[length].total for length in lengths]
        last = by_length[lengths[-1]].seconds
        lines.append(
            [
                kind,
                *(f"{total:.2f}" for total in totals),
                *(f"{last[stage]:.2f}" for stage in STAGES),
                f"{_growth(lengths, totals):.1f}",
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _growth(lengths: Sequence[int], totals: Sequence[float]) -> float:
    """Return the factor for ten times the length, from the two longest texts."""
    length = lengths[-1] / lengths[-2]
    return 10 * (totals[-1] / totals[-2]) / length


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--kinds", nargs="+", choices=UNITS, default=list(UNITS))
    options = parser.parse_args()
    print(table(curve(options.kinds, sorted(options.lengths))))


if __name__ == "__main__":
    main()
