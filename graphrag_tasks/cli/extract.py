"""`graphrag-tasks extract`: what the extractor reads in sentences, for people and scorers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.explain import print_explanation
from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import QueryError, SourceError

if TYPE_CHECKING:
    from graphrag_tasks.extract.frames import Frame


class Format(StrEnum):
    """How frames are printed."""

    TABLE = "table"
    TSV = "tsv"


def extract(
    text: Annotated[
        Path | None, typer.Option("--text", help="Text file, one sentence a line.")
    ] = None,
    explain: Annotated[
        str | None, typer.Option("--explain", help="Show why this sentence has its frames.")
    ] = None,
    lead: Annotated[
        str | None, typer.Option("--lead", help="With --explain: the sentence before its list.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="With --explain: draw the parse in this file.")
    ] = None,
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="Tokens are separated by spaces already.")
    ] = False,
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

    settings = load_config(config).extract
    if explain is not None:
        print_explanation(explain, settings.model, html, lead=lead)
        return
    if text is None:
        raise QueryError("there is nothing to read", "extract", "Name a file with --text")
    sentences = _read_lines(text)
    extractor = DependencyExtractor(settings.model, batch_size=settings.batch_size)
    found: Iterator[list[Frame]]
    if tokenized or format_ is Format.TSV or not settings.linear:
        found = extractor.extract(sentences, tokenized=tokenized)
    else:
        found = read_lines([Line(sentence) for sentence in sentences], extractor)
    if json:
        print_json(
            [
                {"sentence": sentence, "frames": [asdict(frame) for frame in frames]}
                for sentence, frames in zip(sentences, found, strict=True)
            ]
        )
    elif format_ is Format.TSV:
        for sentence, frames in zip(sentences, found, strict=True):
            for row in frames_to_tsv_rows(sentence, frames):
                typer.echo(row)
    else:
        for sentence, frames in zip(sentences, found, strict=True):
            CONSOLE.print(table(sentence, ("predicate", "arguments", "rule", "confidence"),
                                [_shown(frame) for frame in frames]))  # fmt: skip


def _read_lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot be read as UTF-8 text: {error}", str(file)) from error


def _shown(frame: Frame) -> tuple[str, str, str, float]:
    arguments = "\n".join(
        f"{one.role}: {f'{one.preposition} ' if one.preposition else ''}{one.text}"
        for one in frame.arguments
    )
    return frame.predicate, arguments, frame.rule, frame.confidence
