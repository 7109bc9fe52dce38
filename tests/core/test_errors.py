"""The error tree: readable, and able to cross process borders."""

import pickle  # what concurrent.futures does with an exception
from collections.abc import Iterator

import pytest

from graphrag_tasks.core import errors
from graphrag_tasks.core.errors import DocumentError, GraphragError, TerminalError, TransientError


def subclasses(root: type[Exception]) -> Iterator[type[Exception]]:
    for one in root.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_error_is_terminal_or_transient() -> None:
    leaves = set(subclasses(GraphragError)) - {TerminalError, TransientError}
    assert leaves
    for leaf in leaves:
        assert issubclass(leaf, TerminalError) != issubclass(leaf, TransientError), leaf


def test_message_says_what_where_and_what_next() -> None:
    error = errors.SourceError("the mount is gone", "docs", "Mount it")
    assert str(error) == "docs: the mount is gone. Mount it"
    assert str(errors.SourceError("only what")) == "only what"


def test_a_librarys_full_stop_is_not_doubled() -> None:
    error = DocumentError("broken", "no PDF (data format error).", "a.pdf", "Print it")
    assert str(error) == "a.pdf: no PDF (data format error). Print it"
    assert error.what == "no PDF (data format error)"
    assert errors.SourceError("and so on...").what == "and so on..."


@pytest.mark.parametrize("kind", sorted({*subclasses(GraphragError)} - {DocumentError}, key=str))
def test_errors_survive_the_trip_between_processes(kind: type[GraphragError]) -> None:
    error = kind("what", "where", "hint")
    back = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(back), str(back)) == (kind, str(error))


def test_document_errors_keep_their_code_on_the_trip() -> None:
    back = pickle.loads(pickle.dumps(DocumentError("broken", "no pages", "a.pdf")))  # noqa: S301
    assert (back.code, str(back)) == ("broken", "a.pdf: no pages")
