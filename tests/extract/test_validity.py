"""When facts hold: what a sentence, a note below it, or the line above a list says of it."""

from collections.abc import Callable
from typing import Any

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.language.times import TIME_COLUMNS, when

TIMES = {
    "The server supports Postgres since 3.4.": "from 3.4",
    "The fee covers the journey from 1 March 2024.": "from 2024-03-01",
    "The server reads archives starting with release 5.": "from 5",
    "The cache option was introduced in version 2.0 by the team.": "from 2.0",
    "The team maintained the server until 2023.": "until 2023",
    "The server supports Oracle up to release 2.x.": "until 2.x",
    "The team removed the option, which was removed in 4.0.": "",
    "Windows is no longer supported by the server since version 4.1.": "from 4.1",
    "The team no longer maintains the library.": "ended",
    "The writer said that he no longer maintains the library.": "",
    "As of 2024-03-01, the fee covers the journey.": "2024-03-01",
    "The council passed the law in 2021.": "2021",
    "The council passes a law in 2021.": "",
    "The firm owned the mill from 2010 to 2014.": "2010 to 2014",
    "The fair filled the town from 8 to 14 July 2012.": "2012-07-08 to 2012-07-14",
    "Between 2.0 and 2.4, the server reads archives.": "2.0 to 2.4",
    "The server takes a value between 2.0 and 2.4.": "",
    "The server stores a share from 0.1 to 0.9 of the files.": "",
    "The format of the file was changed in version 3.2.": "changed in 3.2",
    "The option is deprecated since 3.1 by the team.": "deprecated since 3.1",
    "The server requires Python 3.8 or later.": "",
    "The server supports MySQL 8.0 and higher.": "",
    "The server reads archives of at least version 5.": "",
    "The team met the firm on 31 April 2024.": "",
    "The team met the firm in year 20240.": "",
    "The team met the firm on 03/04/2024.": "",
    "The server rejects files since 3 users left the team.": "",
    "The server reads files since 2.5 seconds passed.": "",
}
BLOCKS = {
    "The exporter writes reports.": "from 2.1",
    "New in version 2.1.": "",
    "The importer loads files.": "",
    "The importer checks tables.": "deprecated since 3.1",
    "(Deprecated since 3.1)": "",
    "# Archive": "",
    "Added in version 4.0.": "",
    "The archive keeps reports.": "from 4.0",
    "The archive deletes files.": "",
    "Available in 3.2 and later:": "",
    "* The server reads queues.": "from 3.2",
    "The server writes logs.": "",
}
ReadDocuments = Callable[..., StageResult]
BlocksOf = Callable[..., list[dict[str, Any]]]


def times(found: StageResult) -> dict[str, set[str]]:
    """Return the times of the facts of each sentence."""
    told: dict[str, set[str]] = {}
    texts = {row["sentence_id"]: row["text"] for row in found.tables["sentences"].to_pylist()}
    for row in found.tables["triples"].to_pylist():
        told.setdefault(texts[row["sentence_id"]], set()).add(when(row))
        assert (row["valid_kind"] is None) <= all(row[name] is None for name in TIME_COLUMNS)
    return told


def test_facts_have_the_time_of_their_sentence(read_documents: ReadDocuments, blocks_of: BlocksOf) -> None:
    rows = [row for number, text in enumerate(TIMES) for row in blocks_of(f"d{number:02}", [text])]
    told = times(read_documents(rows))
    assert told == {text: {time} for text, time in TIMES.items()}


def test_a_note_tells_the_time_of_what_stands_above_it(read_documents: ReadDocuments, blocks_of: BlocksOf) -> None:
    joined = "The importer loads files. The importer checks tables. (Deprecated since 3.1)"
    lines = [text for text in BLOCKS if text not in joined]
    told = times(read_documents(blocks_of("d", [*lines[:2], joined, *lines[2:]])))
    wanted = {text.removeprefix("* "): {time} for text, time in BLOCKS.items()}
    assert told and told == {text: wanted[text] for text in told}
    assert {text for text, time in wanted.items() if time != {""}} <= told.keys()
