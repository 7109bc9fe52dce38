"""`graphrag-tasks extract`: frames of sentences."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import SourceError

if TYPE_CHECKING:
    from graphrag_tasks.extract.frames import Argument


def extract(
    text: Annotated[Path, typer.Option("--text", help="Text file, one sentence a line.")],
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Extract frames from sentences: from their parse, and by patterns."""
    from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
    from graphrag_tasks.extract.reading import ProseLine, read_lines

    sentences = _read_lines(text)
    extractor = DependencyExtractor(load_config(config).language.model)
    found = zip(sentences, read_lines([ProseLine(sentence) for sentence in sentences], extractor), strict=True)
    if json:
        print_json(
            [{"sentence": sentence, "frames": [asdict(frame) for frame in frames]} for sentence, frames in found]
        )
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
