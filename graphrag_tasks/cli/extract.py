"""`graphrag-tasks extract`: frames of sentences; `--explain` shows how they arise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.markup import escape
from rich.tree import Tree

from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, print_text, table, writing
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import QueryError, SourceError

if TYPE_CHECKING:
    from graphrag_tasks.extract.explain import NearMiss
    from graphrag_tasks.extract.frames import Argument, Frame
    from graphrag_tasks.language.tokens import Doc, Token

Format = StrEnum("Format", ["TABLE", "TSV"])
_FRAME_COLUMNS = ("reader", "rule", "predicate", "lemma", "arguments", "confidence")
_TRIPLE_COLUMNS = ("head", "relation", "tail", "rule", "confidence")


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

    model = load_config(config).language.model
    if explain is not None:
        _explain(explain, model, html, lead=lead)
        return
    if text is None:
        raise QueryError("there is nothing to read", "extract", "Name a file with --text")
    sentences = _read_lines(text)
    extractor = DependencyExtractor(model)
    frames_of: Iterator[list[Frame]]
    if tokenized or format_ is Format.TSV:
        frames_of = extractor.extract(sentences, tokenized=tokenized)
    else:
        frames_of = read_lines([Line(sentence) for sentence in sentences], extractor)
    found = zip(sentences, frames_of, strict=True)
    if json:
        print_json(
            [
                {"sentence": sentence, "frames": [asdict(frame) for frame in frames]}
                for sentence, frames in found
            ]
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


def _explain(sentence: str, model: str, html: Path | None, *, lead: str | None) -> None:
    """Print a sentence's parse, frames, triples and near misses."""
    from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
    from graphrag_tasks.extract.dependency.repair import repaired
    from graphrag_tasks.extract.explain import near_misses, pattern_misses
    from graphrag_tasks.extract.reading import Line, read_lines, readings_of, shifted

    docs: list[Doc] = []
    extractor = DependencyExtractor(
        model, on_parse=lambda _, parse: docs.append(repaired(cast("Doc", parse)))
    )
    (frames,) = read_lines([Line(sentence, lead)], extractor)
    if not any(len(doc) for doc in docs):
        raise QueryError("there is nothing to parse, or too much", "--explain", "Give one sentence")
    misses: list[NearMiss] = []
    for reading, doc in zip(readings_of(sentence), docs, strict=True):
        CONSOLE.print(_tree(doc))
        if reading.text != sentence:
            CONSOLE.print(f"Parsed is: {escape(reading.text)}", highlight=False)
        misses += near_misses(doc, [shifted(frame, -reading.shift) for frame in frames])
    CONSOLE.print(table("Frames", _FRAME_COLUMNS, [_row(frame) for frame in frames]))
    CONSOLE.print(table("Triples", _TRIPLE_COLUMNS, _triples(sentence, frames)))
    misses += pattern_misses(sentence, frames, lead=lead)
    if misses:
        rows = [(miss.rule, miss.word, miss.start, miss.reason) for miss in misses]
        CONSOLE.print(table("No frame for", ("rule", "word", "at", "why"), rows))
    if html is not None:
        _draw(docs, html)
        CONSOLE.print(f"The parse is drawn in {html}")


def _tree(doc: Doc) -> Tree:
    """Return the dependency tree; siblings are in sentence order."""
    tree = Tree("[bold]Parse[/bold]  label  word  tag  part of speech  lemma", highlight=False)
    nodes: list[tuple[Tree, Token]] = [(tree, token) for token in doc if token.head is token]
    for parent, token in nodes:
        entity = f"  [green]{token.ent_type_}[/green]" if token.ent_type_ else ""
        node = parent.add(
            f"[dim]{token.dep_}[/dim]  [bold]{escape(repr(token.text)[1:-1])}[/bold]  "
            f"{escape(token.tag_)}  {token.pos_}  {escape(token.lemma_)}{entity}"
        )
        nodes.extend((node, child) for child in token.children)
    return tree


def _row(frame: Frame) -> tuple[str, str, str, str, str, float]:
    flags = ["not"] * frame.negated + ["passive"] * frame.passive
    flags += [frame.modality] if frame.modality else []
    arguments = "\n".join(
        _shown(argument)
        + (f" → {argument.core_text}" if argument.core_text not in ("", argument.text) else "")
        for argument in frame.arguments
    )
    lemma = frame.predicate_lemma + (f" ({', '.join(flags)})" if flags else "")
    return frame.extractor, frame.rule, frame.predicate, lemma, arguments, frame.confidence


def _triples(sentence: str, frames: Sequence[Frame]) -> list[tuple[str, str, str, str, float]]:
    """Return the triples that the extract stage derives from frames."""
    from graphrag_tasks.extract.triples import derive_triples, merged

    found = [asdict(triple) for frame in frames for triple in derive_triples(frame)]
    return [
        (row["head"], f"{'not ' if row['negated'] else ''}{row['relation']}", row["tail"],
         row["rule"], row["confidence"])
        for row in merged(found, sentence)
    ]  # fmt: skip


def _draw(docs: Sequence[Doc], html: Path) -> None:
    from spacy import displacy

    from graphrag_tasks.extract.explain import displacy_input

    drawn = [displacy_input(doc) for doc in docs]
    page = displacy.render(drawn, style="dep", manual=True, page=True, jupyter=False)
    with writing(html):
        html.write_text(page, encoding="utf-8")
