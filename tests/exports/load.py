"""Runs `load.cypher` on the database in a wheel; runs in an environment of its own.

The database, LadybugDB, speaks openCypher but for a few words, which are translated: it wants the tables declared,
names the columns of a file in LOAD, commits as a whole, and has other names for functions. What a statement matches,
merges and sets is run as it stands.
"""

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import real_ladybug

FOLDER = Path(sys.argv[1])

SCHEMA = """
CREATE NODE TABLE Entity(id STRING PRIMARY KEY, name STRING, type STRING, mentions INT64, chunks INT64);
CREATE NODE TABLE Document(id STRING PRIMARY KEY, title STRING, uri STRING, media_type STRING, sha256 STRING);
CREATE NODE TABLE Chunk(id STRING PRIMARY KEY, text STRING, headings STRING[], place INT64, page_start INT64, page_end INT64);
CREATE REL TABLE PART_OF(FROM Chunk TO Document);
CREATE REL TABLE MENTIONS(FROM Chunk TO Entity, mentions INT64);
CREATE REL TABLE RELATES_TO(FROM Entity TO Entity, relation_id STRING, relation STRING, phrase STRING, kind STRING, negated BOOLEAN, support DOUBLE, confidence DOUBLE, weight DOUBLE, chunk_ids STRING[]);
CREATE MACRO toInteger(x) AS CAST(x AS INT64);
CREATE MACRO toFloat(x) AS CAST(x AS DOUBLE);
CREATE MACRO toBoolean(x) AS CAST(x AS BOOLEAN);
CREATE MACRO split(x, sign) AS string_split(x, sign);
"""  # noqa: E501 - a line a table

LOAD = re.compile(
    r"LOAD CSV WITH HEADERS FROM 'file:///(?P<file>[\w.]+)' AS row\s*"
    r"CALL \(row\) \{(?P<body>.*)\} IN TRANSACTIONS OF \d+ ROWS\s*",
    re.DOTALL,
)

QUESTIONS = {
    "entities": "MATCH (e:Entity) RETURN e.id, e.name, e.type, e.mentions, e.chunks ORDER BY e.id",
    "relations": "MATCH (a:Entity)-[r:RELATES_TO]->(b:Entity) RETURN r.relation_id, a.id, "
    "r.relation, r.phrase, r.kind, b.id, r.negated, r.support, r.confidence, r.chunk_ids "
    "ORDER BY r.relation_id",
    "chunks": "MATCH (c:Chunk)-[:PART_OF]->(d:Document) RETURN c.id, c.text, c.headings, c.place, "
    "c.page_start, d.id, d.title, d.uri ORDER BY c.id",
    "mentions": "MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity) RETURN c.id, e.id, m.mentions ORDER BY c.id, e.id",
    "sources": "MATCH (a:Entity)-[r:RELATES_TO]->(b:Entity), (c:Chunk)-[:PART_OF]->(d:Document) "
    "WHERE c.id IN r.chunk_ids RETURN DISTINCT a.name, r.phrase, b.name, d.title "
    "ORDER BY a.name, r.phrase, b.name, d.title",
}


def translated(statement: str) -> str | None:
    """Return a statement as LadybugDB has it; None for what its tables have by themselves."""
    if re.match(r"CREATE (CONSTRAINT|INDEX) ", statement):
        return None
    found = LOAD.fullmatch(statement)
    assert found, statement
    path = FOLDER / found["file"]
    with path.open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    declared = ", ".join(f"`{name}` STRING" for name in columns)
    row = ", ".join(f"`{name}`: `{name}`" for name in columns)
    return (
        f"LOAD WITH HEADERS ({declared}) FROM '{path}' (header=true, auto_detect=false, "
        f"delim=',', quote='\"', escape='\"', parallel=false) "
        f"WITH {{{row}}} AS row {found['body']}"
    )


def main() -> None:
    connection = real_ladybug.Connection(real_ladybug.Database(":memory:"))
    for statement in SCHEMA.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    script = (FOLDER / "load.cypher").read_text("utf-8")
    script = re.sub(r"^//.*\n", "", script, flags=re.MULTILINE)
    statements = [one.strip() for one in script.split(";\n") if one.strip()]
    for statement in statements * 2:  # it may be run again
        if line := translated(statement):
            connection.execute(line)
    answers: dict[str, Any] = {}
    for name, question in QUESTIONS.items():
        answers[name] = connection.execute(question).get_all()
    json.dump(answers, sys.stdout)


main()
