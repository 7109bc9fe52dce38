"""`graphrag-tasks eval`: the field's measures on data with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_tasks.cli import evaluate_entities, evaluate_retrieval, evaluate_triples
from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table, writing
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError

app = typer.Typer(help="Measure on data with known answers.", no_args_is_help=True)
app.command()(evaluate_retrieval.retrieval)
app.command()(evaluate_retrieval.locate)
app.command()(evaluate_triples.triples)
app.command()(evaluate_entities.entities)


@app.command()
def parse(
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Folder of documents with reference Markdown: NAME.ext.md or NAME.md beside "
            "NAME.ext or below a folder 'groundtruth' there or above, or as manifest.jsonl says.",
            show_default=False,
        ),
    ] = None,
    bookmarks: Annotated[
        list[Path] | None,
        typer.Option(
            help="PDF file whose bookmarks are its headings; may be given more than once. "
            "It is read without them.",
            show_default=False,
        ),
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Read documents and report similarity, word, heading and table cell F1, speed and memory."""
    from graphrag_tasks.evaluate import evaluate_parse

    if not (gold or bookmarks):
        raise ConfigError(
            "there is nothing to compare with", "eval parse", "Give --gold or --bookmarks"
        )
    report = evaluate_parse(gold, bookmarks or (), config=load_config(config).parse)
    if json:
        print_json(report.to_dict())
    else:
        CONSOLE.print(report.to_markdown(), markup=False, soft_wrap=True)


@app.command()
def openie(
    gold: Annotated[
        Path,
        typer.Option(help="Tokenised gold: JSONL (sentence, predicate, args) or CaRB's TSV."),
    ],
    form: Annotated[
        Literal["n-ary", "binary"],
        typer.Option(help="n-ary: one row a frame; binary: one row for each of its arguments."),
    ] = "n-ary",
    predictions: Annotated[
        Path | None, typer.Option(help="Write what was predicted here, as TSV.")
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Extract from gold sentences and report CaRB's precision, recall, F1 and AUC."""
    from graphrag_tasks.evaluate.openie import read_gold, score, tuples_of_rows
    from graphrag_tasks.extract.dependency import DependencyExtractor
    from graphrag_tasks.extract.tsv import FORMS

    wanted = read_gold(gold)
    settings = load_config(config).extract
    extractor = DependencyExtractor(settings.model, batch_size=settings.batch_size)
    found = extractor.extract(list(wanted), tokenized=True)
    rows = [
        row
        for sentence, frames in zip(wanted, found, strict=True)
        for row in FORMS[form](sentence, frames)
    ]
    if predictions is not None:
        with writing(predictions):
            predictions.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    report = score(wanted, tuples_of_rows(rows)).to_dict()
    if json:
        print_json(report)
    else:
        CONSOLE.print(table(f"CaRB scores, {form}", ("measure", "value"), report.items()))


@app.command()
def coref(
    gap: Annotated[Path, typer.Option(help="Examples in GAP's form: gap-*.tsv.")],
    predictions: Annotated[
        Path | None, typer.Option(help="Write id, A-coref and B-coref here, as GAP's scorer reads.")
    ] = None,
    titled: Annotated[
        bool, typer.Option(help="Tell the page's title, the last part of its URL.")
    ] = True,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Resolve GAP's pronouns and report overall, masculine and feminine F1, and bias."""
    from graphrag_tasks.evaluate.coref import gap_lines, predict_gap, read_gap, score_gap

    examples = read_gap(gap)
    model = load_config(config).extract.model
    found = predict_gap(examples, model=model, titled=titled)
    if predictions is not None:
        with writing(predictions):
            predictions.write_text("".join(f"{line}\n" for line in gap_lines(found)), "utf-8")
    report = score_gap(examples, found).to_dict()
    if json:
        print_json(report)
    else:
        CONSOLE.print(table("GAP scores", ("measure", "value"), report.items()))
