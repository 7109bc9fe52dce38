"""The output of `graphrag-tasks extract --explain`: a parse, its frames and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.markup import escape
from rich.tree import Tree

from graphrag_tasks.cli.output import CONSOLE, table, writing
from graphrag_tasks.core.errors import QueryError

if TYPE_CHECKING:
    from graphrag_tasks.extract.explain import NearMiss
    from graphrag_tasks.extract.frames import Frame
    from graphrag_tasks.language.tokens import Doc, Token


_FRAME_COLUMNS = ("reader", "rule", "predicate", "lemma", "arguments", "confidence")
_TRIPLE_COLUMNS = ("head", "relation", "tail", "rule", "confidence")


def print_explanation(
    sentence: str, model: str, html: Path | None = None, *, lead: str | None = None
) -> None:
    """Print why a sentence has the frames it has.

    Args:
        sentence: One sentence.
        model: spaCy model.
        html: File for a drawing of the parse, as a page with SVG.
        lead: The sentence before the list that it is an item of.

    Raises:
        QueryError: The sentence has no words, or is too long to be parsed.
    """
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
        rows = [(one.rule, one.word, one.start, one.reason) for one in misses]
        CONSOLE.print(table("No frame for", ("rule", "word", "at", "why"), rows))
    if html is not None:
        _draw(docs, html)
        CONSOLE.print(f"The parse is drawn in {html}")


def _triples(sentence: str, frames: Sequence[Frame]) -> list[tuple[str, str, str, str, float]]:
    """Return what the extract stage derives from frames: names related, each fact once."""
    from graphrag_tasks.extract.merge import merged
    from graphrag_tasks.extract.triples import derive_triples

    found = [asdict(one) for frame in frames for one in derive_triples(frame)]
    return [
        (
            row["head"],
            ("not " if row["negated"] else "") + row["relation"],
            row["tail"],
            row["rule"],
            row["confidence"],
        )
        for row in merged(found, sentence)
    ]


def _tree(doc: Doc) -> Tree:
    """Return the dependency tree; words are in the order of the sentence at each level."""
    tree = Tree("[bold]Parse[/bold]  label  word  tag  part of speech  lemma", highlight=False)
    nodes: list[tuple[Tree, Token]] = [(tree, token) for token in doc if token.head is token]
    for parent, token in nodes:
        node = parent.add(_label(token))
        nodes.extend((node, child) for child in token.children)
    return tree


def _label(token: Token) -> str:
    entity = f"  [green]{token.ent_type_}[/green]" if token.ent_type_ else ""
    return (
        f"[dim]{token.dep_}[/dim]  [bold]{escape(repr(token.text)[1:-1])}[/bold]  "
        f"{escape(token.tag_)}  {token.pos_}  {escape(token.lemma_)}{entity}"
    )


def _row(frame: Frame) -> tuple[str, str, str, str, str, float]:
    flags = ["not"] * frame.negated + ["passive"] * frame.passive
    flags += [frame.modality] if frame.modality else []
    arguments = "\n".join(
        f"{one.role}: {f'{one.preposition} ' if one.preposition else ''}{one.text}"
        + (f" → {one.core_text}" if one.core_text not in ("", one.text) else "")
        for one in frame.arguments
    )
    lemma = frame.predicate_lemma + (f" ({', '.join(flags)})" if flags else "")
    return frame.extractor, frame.rule, frame.predicate, lemma, arguments, frame.confidence


def _draw(docs: Sequence[Doc], html: Path) -> None:
    from spacy import displacy

    from graphrag_tasks.extract.explain import displacy_input

    drawn = [displacy_input(doc) for doc in docs]
    page = displacy.render(drawn, style="dep", manual=True, page=True, jupyter=False)
    with writing(html):
        html.write_text(page, encoding="utf-8")
