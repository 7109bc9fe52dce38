"""The error tree: readable, and able to cross process borders."""

import pickle  # what concurrent.futures does with an exception
from collections.abc import Iterator

import pytest

from graphrag_tasks.core.errors import DocumentError, GraphragError


def subclasses(root: type[Exception]) -> Iterator[type[Exception]]:
    for one in root.__subclasses__():
        yield one
        yield from subclasses(one)


@pytest.mark.parametrize("kind", sorted({*subclasses(GraphragError)} - {DocumentError}, key=str))
def test_errors_survive_the_trip_between_processes(kind: type[GraphragError]) -> None:
    error = kind("what", "where", "hint")
    back = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(back), str(back)) == (kind, str(error))
