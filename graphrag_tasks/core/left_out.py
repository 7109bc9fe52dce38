"""Reasons for leaving out parts of documents, which are counted so that nothing is lost unseen."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.commands import command


class LeftOut(StrEnum):
    """Why a part of a document is in no block."""

    PAGE_FURNITURE = "page_furniture"
    """Lines of a PDF that are page numbers, running headers or footers."""
    HEADER_FOOTER = "header_footer"
    """Paragraphs in headers and footers of pages and slides."""
    COMMENT = "comment"
    """Comments in a page's source; reviewers' comments are read."""
    DELETED_TEXT = "deleted_text"
    """Passages that a tracked change has deleted."""
    HIDDEN = "hidden"
    """Elements that readers do not see, such as hidden slides."""
    PICTURE = "picture"
    """Pictures: their descriptions, and words drawn in them."""
    BOILERPLATE = "boilerplate"
    """Elements of a page around its text: navigation, banners, forms."""
    BEYOND_BOUND = "beyond_bound"
    """Characters of the text beyond `parse.max_characters`."""
    NO_WORDS = "no_words"
    """Characters of stretches that are not prose, such as encoded data and logs."""
    INVALID_CHARACTERS = "invalid_characters"
    """Characters invalid in text, such as NUL."""
    UNREADABLE_GLYPHS = "unreadable_glyphs"
    """Letters drawn but not encoded by the file; the text has U+FFFD or a private-use character."""
    DIRECTIVE = "directive"
    """Markup of a documentation generator for content that is not in the page: components, macros, embedded media,
    imports."""
    INCLUDE = "include"
    """Includes that were not found, or may not be shown."""
    FORMULA_WITHOUT_VALUE = "formula_without_value"
    """Cells whose formula was never computed."""
    ATTACHMENT = "attachment"
    """Parts of a message that are not its text: files, pictures, signatures of programs."""
    ALTERNATIVE = "alternative"
    """Alternative forms of a message text that is read."""
    MAIL_FURNITURE = "mail_furniture"
    """Signatures and attribution lines of a message."""
    MESSAGE = "message"
    """Messages of a mailbox that cannot be read, such as encrypted ones."""
    PROPERTIES = "properties"
    """Metadata of a file that cannot be read."""
    UNREAD = "unread"
    """Elements and parts of an Office file that are not known, or could not be read."""
    FACT = "fact"
    """Rows of a file of facts that state none."""
    SUBTITLE_MARK = "subtitle_mark"
    """Times, ids and display settings of subtitles."""


# Log documents that failed.

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
