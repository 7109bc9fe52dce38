"""Documents that failed are named in the log, as many as somebody reads."""

import logging

import pyarrow as pa
import pytest

from graphrag_tasks.core.left_out import MOST_LINES, FailedDocuments

log = logging.getLogger(__name__)


def documents(*messages: str | None) -> pa.Table:
    """Return rows of documents: failed with a message, or parsed."""
    status = ["failed" if one else "parsed" for one in messages]
    codes = ["broken" if one else None for one in messages]
    return pa.table({"status": status, "error_code": codes, "error_message": list(messages)})


def test_each_failed_document_has_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with FailedDocuments(log) as failed:
        failed.tell(documents("docs/a: not a PDF.\nERROR forged", None))
        failed.tell(documents(None, "docs/b: locked. Unlock it"))
    assert caplog.messages == [
        "failed (broken): docs/a: not a PDF. ERROR forged",
        "failed (broken): docs/b: locked. Unlock it",
    ]
    assert {one.levelname for one in caplog.records} == {"WARNING"}


def test_of_many_the_number_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with FailedDocuments(log) as failed:
        for part in range(4):
            failed.tell(documents(*(f"{part}/{number}: x" for number in range(MOST_LINES // 2))))
    assert len(caplog.messages) == MOST_LINES + 1
    assert caplog.messages[-2].endswith(f"1/{MOST_LINES // 2 - 1}: x")
    assert caplog.messages[-1].startswith(f"{MOST_LINES} more failed. ")
