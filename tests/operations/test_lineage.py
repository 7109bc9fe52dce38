"""Names of datasets: the same in every run, and without passwords."""

import pytest

from graphrag_tasks.operations.lineage import place_of


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("/store/tables", ("file", "/store/tables")),
        ("file:///store", ("file", "/store")),
        ("s3://bucket/store/x", ("s3://bucket", "store/x")),
        ("s3://bucket", ("s3://bucket", "/")),
        ("ftp://me:secret@host/docs", ("ftp://me:***@host", "docs")),
    ],
)
def test_a_place_is_named_as_openlineage_does(uri: str, place: tuple[str, str]) -> None:
    assert place_of(uri) == place
