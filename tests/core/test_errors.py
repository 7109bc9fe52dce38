"""The error tree: readable, and able to cross process borders."""

import pickle  # what concurrent.futures does with an exception
from collections.abc import Iterator

import pytest

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


@pytest.mark.parametrize("kind", sorted({*subclasses(GraphragError)} - {DocumentError}, key=str))
def test_errors_survive_the_trip_between_processes(kind: type[GraphragError]) -> None:
    error = kind("what", "where", "hint")
    back = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(back), str(back)) == (kind, str(error))
