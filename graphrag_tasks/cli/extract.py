"""`graphrag-tasks extract`: frames of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, print_text, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import SourceError

if TYPE_CHECKING:
    from graphrag_tasks.extract.frames import Argument, Frame

Format = StrEnum("Format", ["TABLE", "TSV"])


def extract(
    text: Annotated[Path, typer.Option("--text", help="Text file, one sentence a line.")],
    tokenized: Annotated[bool, typer.Option("--tokenized", help="Tokens are separated by spaces already.")] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="tsv: sentence, confidence, predicate, arguments.")
    ] = Format.TABLE,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Extract frames from sentences: from their parse and, if they are plain text, by patterns.

    Benchmarks score the parse alone, so `--tokenized` and `--format tsv` leave the patterns out.
    """
    from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
    from graphrag_tasks.extract.reading import Line, read_lines
    from graphrag_tasks.extract.tsv import frames_to_tsv_rows

    sentences = _read_lines(text)
    extractor = DependencyExtractor(load_config(config).language.model)
    frames_of: Iterator[list[Frame]]
    if tokenized or format_ is Format.TSV:
        frames_of = extractor.extract(sentences, tokenized=tokenized)
    else:
        frames_of = read_lines([Line(sentence) for sentence in sentences], extractor)
    found = zip(sentences, frames_of, strict=True)
    if json:
        print_json(
            [{"sentence": sentence, "frames": [asdict(frame) for frame in frames]} for sentence, frames in found]
        )
    elif format_ is Format.TSV:
        for sentence, frames in found:
            for row in frames_to_tsv_rows(sentence, frames):
                print_text(row)
    else:
        for sentence, frames in found:
            rows = [(one.predicate, "\n".join(map(_shown, one.arguments)), one.rule, one.confidence)
                    for one in frames]  # fmt: skip
            CONSOLE.print(table(sentence, ("predicate", "arguments", "rule", "confidence"), rows))


def _read_lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read as UTF-8 text: {error}", str(file)) from error


def _shown(argument: Argument) -> str:
    preposition = f"{argument.preposition} " if argument.preposition else ""
    return f"{argument.role}: {preposition}{argument.text}"
