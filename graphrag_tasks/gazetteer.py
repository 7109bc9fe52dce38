"""Gazetteer stage: what the corpus itself calls things, and which chunks are about them.

The title of a document and the headings above a chunk name what it is about, so they are names
whether or not a sentence states anything of them. Headings that say what a section is for
("Prerequisites") name nothing: they are known by a short list, and by being repeated from document
to document. The other names that documents introduce, the keys of tables and abbreviations, come
with the triples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.config import GazetteerConfig, SqlConfig
from graphrag_tasks.names import entity_key
from graphrag_tasks.sql import Rows, sql_over
from graphrag_tasks.stage import StageResult

REQUIRES = ("documents", "chunks")
PRODUCES = ("gazetteer",)
DEPENDENCIES = ("duckdb",)

TITLE, HEADING = "title", "heading"
FULL, BASE, FIRST, ACRONYM = "full", "base", "first", "acronym"
"""Forms of a title: as it stands, without what it has in brackets, up to its first comma, and the
abbreviation in its brackets."""

GENERIC, REPEATED, FILE_NAME = "generic", "repeated", "file_name"
"""Why a title or heading is no name."""

_GENERIC = frozenset({
    "about", "abstract", "acknowledgements", "additional information", "appendix", "background",
    "benefits", "changelog", "concept", "conclusion", "contents", "context", "contributing",
    "definition", "description", "details", "discussion", "example", "examples", "excursion",
    "executable example", "exercise", "faq", "features", "frequently asked questions",
    "further information", "further reading", "general", "getting started", "glossary", "goal",
    "how to", "important", "index", "input", "installation", "introduction", "key features",
    "learn more", "license", "limitations", "manifest", "methods", "more information",
    "next step", "next steps", "note", "notes", "objective", "options", "other", "output",
    "overview", "parameters", "preface", "prerequisite", "prerequisites", "procedure", "process",
    "purpose", "readme", "recommendation", "recommendations", "references", "related information",
    "related links", "related topics", "remarks", "requirements", "restrictions", "result",
    "results", "sample", "scope", "see also", "settings", "setup", "solution", "steps", "summary",
    "syntax", "table of contents", "terms", "tip", "tips", "troubleshooting", "usage", "use",
    "use case", "use cases", "what's new", "what's next",
})  # fmt: skip

_NUMBERING = re.compile(
    r"^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.|(?:step|chapter|section)\s+\d+[.:]?)\s+(?=\S)", re.IGNORECASE
)
_ORNAMENT = re.compile(r"^[^\w(\[/<\"'“‘]+")
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9/&-]*[A-Z0-9s]")
_ENUMERATES = re.compile(r",|\b(?:and|or|using|with|for|to)\b")
_FILE_NAME_SIGNS = re.compile(r"[\d_]")

_PLACES = f"""
    CREATE TABLE places AS
    SELECT DISTINCT unnest(heading_path) AS surface, '{HEADING}' AS source, document_id, chunk_id,
        title_source
    FROM chunks JOIN documents USING (document_id)
    UNION ALL
    SELECT title, '{TITLE}', document_id, chunk_id, title_source
    FROM chunks JOIN documents USING (document_id)
"""  # noqa: S608 - made of constants

_DISTINCT = """
    SELECT surface, source, title_source, list(DISTINCT document_id) AS documents
    FROM places GROUP BY ALL ORDER BY ALL
"""

_GAZETTEER = """
    SELECT surface, name, form, source, document_id, chunk_id, problem
    FROM places JOIN judged USING (surface, source, title_source)
    ORDER BY document_id, chunk_id, source, surface, form
"""


def gazetteer(
    documents: pa.Table, chunks: Rows, *, config: GazetteerConfig, sql: SqlConfig
) -> StageResult:
    """List the titles and headings of a corpus, with the chunks below them.

    Args:
        documents: Rows of `schemas.DOCUMENTS`.
        chunks: Rows of `schemas.CHUNKS`.
        config: From how many documents on a heading is a repeated one.
        sql: Memory and threads.

    Returns:
        `gazetteer`, one row for each chunk and name of it.
    """
    documents = documents.select(["document_id", "title", "title_source"])
    with sql_over({"documents": documents, "chunks": chunks}, sql) as connection:
        connection.execute(_PLACES)
        connection.register("judged", _judged(connection.sql(_DISTINCT).to_arrow_table(), config))
        found = connection.sql(_GAZETTEER).to_arrow_table().cast(schemas.GAZETTEER)
        named = connection.sql("SELECT DISTINCT name, problem FROM judged").fetchall()
    problems = Counter(problem for _, problem in named)
    stats: dict[str, int | float] = {"gazetteer_names": problems[None]}
    stats |= {f"gazetteer_{one}": problems[one] for one in (GENERIC, REPEATED, FILE_NAME)}
    return StageResult({"gazetteer": found}, stats)


def _judged(found: pa.Table, config: GazetteerConfig) -> pa.Table:
    """Return name, form and problem of each distinct title and heading."""
    rows = found.to_pylist()
    documents: dict[str, set[str]] = {}
    for row in rows:
        if row["source"] == HEADING:
            documents.setdefault(_key(row["surface"]), set()).update(row["documents"])
    judged = []
    for row in rows:
        title_source = row["title_source"] if row["source"] == TITLE else None
        repeated = (
            row["source"] == HEADING
            and len(documents[_key(row["surface"])]) >= config.repeated_documents
        )
        problem = _problem(row["surface"], title_source) or (REPEATED if repeated else None)
        for name, form in name_forms(row["surface"]):
            judged.append(
                {key: row[key] for key in ("surface", "source", "title_source")}
                | {"name": name, "form": form, "problem": problem}
            )
    columns = ("surface", "source", "title_source", "name", "form", "problem")
    return pa.Table.from_pylist(
        judged, schema=pa.schema([pa.field(name, pa.string()) for name in columns])
    )


def _key(surface: str) -> str:
    return entity_key(plain_heading(surface))


def _problem(surface: str, title_source: str | None) -> str | None:
    if _key(surface) in _GENERIC:
        return GENERIC
    if title_source == FILE_NAME and _FILE_NAME_SIGNS.search(surface):
        return FILE_NAME
    return None


def plain_heading(surface: str) -> str:
    """Return a heading without its number and without ornaments before it."""
    return _NUMBERING.sub("", _ORNAMENT.sub("", surface.strip()))


def name_forms(surface: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a title or heading gives, each with its form.

    "Paris, Texas (film)" is also "Paris, Texas" and "Paris"; "Test Cockpit (TC)" is "Test Cockpit"
    and "TC", whose letters are its initials.
    """
    full = plain_heading(surface)
    inside = _BRACKETS.findall(full)
    base = " ".join(_BRACKETS.sub(" ", full).split())
    if len(inside) == 1 and _ACRONYM.fullmatch(inside[0]) and _abbreviates(inside[0], base):
        yield base, BASE
        yield inside[0], ACRONYM
    else:
        yield full, FULL
        if inside and base:
            yield base, BASE
    first, comma, rest = base.partition(", ")
    if comma and first and not _ENUMERATES.search(rest):
        yield first, FIRST


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters of the short form are, in order, initials of the long one."""
    letters = [letter for letter in short.removesuffix("s").casefold() if letter.isalnum()]
    initials = iter([word[0] for word in re.findall(r"[^\W_]+", long.casefold())])
    return len(letters) > 1 and all(letter in initials for letter in letters)
