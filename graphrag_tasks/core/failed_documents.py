"""Log documents that failed."""

from __future__ import annotations

import logging
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.commands import command

FAILED = "failed"  # Status of a document that could not be read.
MOST_LINES = 50  # Most log lines, so that other messages stay visible; chosen.


class FailedDocuments:
    """Warns of each failed document: what, where, and what to do next.

    A source may hold thousands of broken files, so after `MOST_LINES` lines only their number is logged, at the end of
    the block.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.count > MOST_LINES:
            self._log.warning(
                "%d more failed. Once a snapshot is published, `%s` and the page of its documents name them all",
                self.count - MOST_LINES,
                command("documents", "--problems"),
            )

    def tell(self, documents: pa.Table) -> None:
        """Warn of the failed documents among rows of a `documents` table."""
        failed = documents.filter(pc.equal(documents["status"], FAILED))
        lines = failed.slice(0, max(0, MOST_LINES - self.count))
        self.count += failed.num_rows
        for row in lines.select(["error_code", "error_message"]).to_pylist():
            # A name of a file may hold line ends, which would forge lines of the log.
            code, message = (" ".join(str(value).split()) for value in row.values())
            self._log.warning("failed (%s): %s", code, message)
