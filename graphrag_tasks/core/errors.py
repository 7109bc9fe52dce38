"""The package's errors: `TerminalError`, which retrying cannot fix, and `TransientError`.

Every message says what went wrong, where (document, stage, file) and what to do next. Passwords in addresses are
removed.
"""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(?<=://)([^/\s:@]*):[^/\s@]+@")


def holds_password(text: str) -> bool:
    """Tell whether a text contains an address with a password: `scheme://user:password@…`."""
    return _PASSWORD.search(text) is not None


def without_passwords(text: str) -> str:
    """Replace every password in an address by `***`."""
    return _PASSWORD.sub(r"\1:***@", text)


class GraphragError(Exception):
    """Base of every error of the package: what went wrong, where, and what to do next.

    `what` is a clause without a full stop; `hint` is usually a command.
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = map(without_passwords, (what, where, hint))
        if self.what.endswith(".") and not self.what.endswith(".."):  # as libraries' messages end
            self.what = self.what[:-1]
        # The three go to args, so that the error survives a trip between processes.
        super().__init__(self.what, self.where, self.hint)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}. {self.hint}" if self.hint else text


class TerminalError(GraphragError):
    """The same input gives the same failure: do not retry."""


class ConfigError(TerminalError):
    """A setting is unknown, has the wrong type or contradicts another."""


class SourceError(TerminalError):
    """A source root is missing or empty, or lost more documents than allowed."""


class DocumentError(TerminalError):
    """One document cannot be processed; it gets an error row and the run goes on.

    `code` is one of `DOCUMENT_ERROR_CODES`, as the `documents` table shows it; `where` is the document's uri.
    """

    def __init__(self, code: str, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.args = (code, self.what, self.where, self.hint)
        self.code = code


class ArtifactError(TerminalError):
    """An artifact is absent, unreadable, or does not have its schema."""


class SnapshotError(TerminalError):
    """A snapshot is absent or damaged, or did not pass its checks."""


class QualityError(TerminalError):
    """A new snapshot is worse than the published one, which stays."""


class AccessError(TerminalError):
    """Access labels cannot be read, or an index may not be opened as it is asked for."""


class QueryError(TerminalError):
    """A question or a search parameter is not usable."""


class EndpointError(TerminalError):
    """A language model cannot be asked: key, address, model, money or abilities."""


class UnusableAnswersError(EndpointError):
    """A language model's answers, all or too many of them, are empty or invalid."""


class BudgetError(TerminalError):
    """A request would exceed the budget of a run."""


class PriceError(TerminalError):
    """A cap in money is set and the price of the model is unknown."""


class MissingDependencyError(TerminalError):
    """A package, model or extra is not installed; the hint is the command that installs it."""


class TransientError(GraphragError):
    """Storage or a server failed to answer properly; the same call may work later."""


DOCUMENT_ERROR_CODES = {
    "unknown_type": "the file name's ending is not one that is read (document skipped)",
    "no_regular_file": "it is a link, a pipe or a device, which is not opened (document skipped)",
    "no_document": "metadata that is not read, or whose document is gone (document skipped)",
    "included": "the file's text stands in the documents that include it (document skipped)",
    "unreadable": "the file could not be opened or read",
    "vanished": "the file was there when the run was planned and is gone",
    "changed": "the file's content changed after the run was planned",
    "empty_file": "the file has no bytes",
    "too_large": "the file, or what it unpacks to, is larger than is read",
    "encrypted": "the document needs a password",
    "broken": "the file is not a valid document of its type",
    "encoding": "the encoding of the file's text cannot be told, or is not what is set",
    "no_text": "the document was read and holds no text",
    "glyphs": "most letters of the document are glyphs that it does not name",
    "pages_lost": "some pages could not be read or gave no text (the others are kept)",
    "facts_left_out": "rows or columns of a file of facts cannot be read (the others are)",
    "text_cut": "a part of the text is not kept: it is beyond the bound, or no prose",
    "parse_failed": "the parser raised an error",
    "timeout": "the parser took longer than it may and was killed",
    "out_of_memory": "the parser needed more memory than it may take, or than there is",
    "crashed": "the parser's process died",
}
"""Every value of `documents.error_code`, with its meaning."""
