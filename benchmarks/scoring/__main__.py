"""`python -m benchmarks.scoring`: the field's measures on public gold data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from benchmarks.scoring.coref import gap_lines, predict_gap, read_gap, score_gap
from benchmarks.scoring.entities import evaluate_entities
from benchmarks.scoring.openie import read_gold, score, tuples_of_rows
from benchmarks.scoring.parse_quality import evaluate_parse
from benchmarks.scoring.triples import evaluate_triples
from benchmarks.scoring.tsv import FORMS
from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, report_errors, table, writing
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.storage.snapshots.store import Store

app = typer.Typer(help=__doc__, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def triples(
    gold: Annotated[Path, typer.Option(help="JSONL of labelled sentences, as spans.")],
    sources: Annotated[str, typer.Option(help="Folder of the documents they stand in.")],
    split: Annotated[str | None, typer.Option(help="dev or test.", show_default="all sentences")] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Report the share of labelled facts that are found, and of found triples that are right."""
    report = evaluate_triples(gold, sources, config=load_config(config), split=split)
    if json:
        print_json(report.to_dict())
        return
    rows = [
        (name, one.sentences, one.facts, one.triples, one.recall, one.precision)
        for name, one in [("all", report.overall), *report.by_kind.items()]
    ]
    columns = ("kind", "sentences", "facts", "triples", "facts found", "triples right")
    CONSOLE.print(table("Triples of labelled sentences", columns, rows))
    typer.echo(f"Sentences without a fact that yield a triple: {report.no_fact_share:.2f}")
    if report.not_located:
        typer.echo(f"Not found in the documents any more: {', '.join(report.not_located)}")


@app.command()
def entities(
    gold: Annotated[Path, typer.Option(help="JSONL: left, right, same, corpus, split.")],
    corpus: Annotated[str | None, typer.Option(help="Corpus of the pairs.", show_default="all of them")] = None,
    split: Annotated[str | None, typer.Option(help="dev or test.", show_default="all pairs")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Report precision and recall of merges, and the share of different names kept apart."""
    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    report = evaluate_entities(gold, snapshot, corpus=corpus, split=split)
    if json:
        print_json(report.to_dict())
        return
    figures = report.to_dict()
    pairs = [(name, figures.pop(name)) for name in ("wrong", "missed")]
    CONSOLE.print(table("Labelled pairs of names", ("measure", "value"), figures.items()))
    for name, found in pairs:
        if found:
            CONSOLE.print(table(name, ("left", "right"), found))


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
            help="PDF file whose bookmarks are its headings; may be given more than once. It is read without them.",
            show_default=False,
        ),
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Read documents and report similarity, word, heading and table cell F1, speed and memory."""
    if not (gold or bookmarks):
        raise ConfigError("there is nothing to compare with", "parse", "Give --gold or --bookmarks")
    report = evaluate_parse(gold, bookmarks or (), config=load_config(config).parse)
    if json:
        print_json(report.to_dict())
    else:
        CONSOLE.print(report.to_markdown(), markup=False, soft_wrap=True)


@app.command()
def openie(
    gold: Annotated[Path, typer.Option(help="Tokenised gold: JSONL (sentence, predicate, args) or CaRB's TSV.")],
    form: Annotated[
        Literal["n-ary", "binary"],
        typer.Option(help="n-ary: one row a frame; binary: one row for each of its arguments."),
    ] = "n-ary",
    predictions: Annotated[Path | None, typer.Option(help="Write what was predicted here, as TSV.")] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Extract from gold sentences and report CaRB's precision, recall, F1 and AUC."""
    wanted = read_gold(gold)
    extractor = DependencyExtractor(load_config(config).language.model)
    found = extractor.extract(list(wanted), tokenized=True)
    rows = [row for sentence, frames in zip(wanted, found, strict=True) for row in FORMS[form](sentence, frames)]
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
    titled: Annotated[bool, typer.Option(help="Tell the page's title, the last part of its URL.")] = True,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Resolve GAP's pronouns and report overall, masculine and feminine F1, and bias."""
    examples = read_gap(gap)
    model = load_config(config).language.model
    found = predict_gap(examples, model=model, titled=titled)
    if predictions is not None:
        with writing(predictions):
            predictions.write_text("".join(f"{line}\n" for line in gap_lines(found)), "utf-8")
    report = score_gap(examples, found).to_dict()
    if json:
        print_json(report)
    else:
        CONSOLE.print(table("GAP scores", ("measure", "value"), report.items()))


if __name__ == "__main__":
    report_errors(app)
