"""Normalise stage: heads and tails of triples, titles and headings become names.

Paper, section 3.2: strip noise, standardise names, deduplicate, and drop heads and tails under two characters and stop
words. Each distinct surface form is judged once, so the work in Python grows with the vocabulary, not with the triples.
Ties in counts are broken by text, so input order has no effect.

A common noun without modifiers ("example", "following value") is dropped where many documents or sentences have it, as
it would join unrelated things; it is kept where it is a term of the corpus (`problems`). The type comes from the name
itself (`types`), or else from the corpus (`kinds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pyarrow as pa

from graphrag_tasks.core.config import LanguageConfig
from graphrag_tasks.core.schemas import DOUBTED, GIVEN, NAME_SOURCES, USER
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.entities.normalize.kinds import TECHNICAL, NameTypes, add_kinds
from graphrag_tasks.entities.normalize.problems import TITLE, Terms, bare_noun, problem_of
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.language.domain import Domain, default_domain
from graphrag_tasks.language.names import GENERIC, PROBLEMS, clean_name, singular_noun
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, Rows, add_rows, sql_over, statements, stream

_SQL = statements(
    __package__,
    "stage.sql",
    title=TITLE,
    generic=GENERIC,
    given=GIVEN,
    sources=[*NAME_SOURCES, DOUBTED],
    technical=len(TECHNICAL),
)


_LEAST = {"documents": 5, "share": 0.05, "sentences": 5, "share_of_sentences": 0.003}
"""Documents or sentences, and their share, from which a noun that is no term is dropped."""

_JUDGED = pa.schema(
    [
        pa.field(name, pa.string())
        for name in ("surface", "type", "key", "name", "problem", "source", "bare", "label", "told_by")
    ]
)
"""`schemas.SURFACE_FORMS`, and whether it is a title or heading; the bare noun, if any; the entity type that it
votes for, with its source."""


@stage(
    per="corpus",
    reads=(scan("triples"), scan("entity_dictionary"), scan("sentences")),
    makes=("surface_forms", "names"),
    settings={"language": "language"},
    given=("domain",),
    libraries=("spacy", "duckdb", "pyyaml"),
)
def normalize(
    triples: Rows, entity_dictionary: Rows, sentences: Rows, *, language: LanguageConfig, domain: Domain | None = None
) -> StageResult:
    """Judge every distinct surface form, and count the names that may become entities.

    Returns `surface_forms`, each surface form and entity label with its name or its problem, and `names`, one row per
    key. A name of the dictionary counts once per document.
    """
    domain = domain or default_domain()
    is_known = known_words(language.model)
    types = NameTypes(domain, is_known)
    with ExitStack() as stack:
        inputs = {"triples": triples, "entity_dictionary": entity_dictionary, "sentences": sentences}
        connection = stack.enter_context(sql_over(inputs))
        for name in ("ends", "found"):
            connection.execute(_SQL[name])
        add_rows(connection, "judged", _JUDGED, _judged(connection, types, is_known))
        terms = _terms(connection, domain)
        connection.register("terms", pa.table({"noun": pa.array(terms, pa.string())}))
        connection.execute(_SQL["generic"], _LEAST)
        for name in ("surface_forms", "mentioned", "named", "labelled"):
            connection.execute(_SQL[name])
        add_kinds(connection, terms)
        problems = dict(connection.sql(_SQL["problems"]).fetchall())
        stats: dict[str, int | float] = {"terms": len(terms)}
        stats |= {f"surface_forms_{problem}": problems.get(problem, 0) for problem in PROBLEMS}
        tables = {
            "surface_forms": stream(connection, _SQL["sorted_surface_forms"], "surface_forms", stats),
            "names": stream(connection, _SQL["names"], "names", stats),
        }
        return StageResult(tables, stats, stack.pop_all())


def _terms(connection: Connection, domain: Domain) -> list[str]:
    """Return the words that are terms of the corpus: bare nouns, and names of one word."""
    terms = Terms(
        connection.sql(_SQL["words"]).fetchall(),
        defined={singular_noun(name) for (name,) in connection.sql(_SQL["defined"]).fetchall()},
        domain=domain,
    )
    nouns = connection.sql(_SQL["nouns"]).fetchall()
    return sorted(noun for (noun,) in nouns if terms.is_term(singular_noun(noun)))


def _judged(connection: Connection, types: NameTypes, is_known: Callable[[str], bool]) -> Iterator[pa.RecordBatch]:
    """Yield rows of `_JUDGED`; how widely nouns are spread is not known yet."""
    with connection.cursor() as reading:  # while the other connection writes
        for found in reading.sql("FROM found").to_arrow_reader(BATCH_ROWS):
            surface_forms, labels, sources, told, given, read = (one.to_pylist() for one in found.columns)
            names = list(map(clean_name, surface_forms))
            keys = [name.casefold() for name in names]
            rows = zip(surface_forms, keys, labels, sources, told, strict=True)
            problems = [
                problem_of(text, key, type_, source, told=is_told) for text, key, type_, source, is_told in rows
            ]
            bare = [
                None if problem or source == TITLE else bare_noun(name, is_known)
                for name, problem, source in zip(names, problems, sources, strict=True)
            ]
            votes = [
                (label, USER) if is_given else types.of(name, label, is_sure=is_read)
                for name, label, is_given, is_read in zip(names, labels, given, read, strict=True)
            ]
            told_types, told_by = zip(*(vote or (None, None) for vote in votes), strict=True)
            columns = surface_forms, labels, keys, names, problems, sources, bare, told_types, told_by
            yield pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=_JUDGED)
