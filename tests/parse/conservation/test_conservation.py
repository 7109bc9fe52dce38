"""Every sentence of a document is in a chunk, or in the count of what was left out.

The documents are made from a seed. Run `pytest -m slow -s tests/parse/conservation` for the share
that is kept of many, with seeds that no run had before.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from secrets import randbits

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.parse.conservation.line_documents import csv_file, passage, text_file
from tests.parse.conservation.page_documents import book, html_page, markdown_file, saved_page
from tests.parse.conservation.serials import Outcome, Serials, outcome
from tests.parse.conservation.sheet_documents import workbook
from tests.parse.conservation.slide_documents import slide_deck
from tests.parse.conservation.word_documents import word_document

FORMATS: dict[str, Callable[[Serials], bytes]] = {
    "csv": csv_file,
    "docx": word_document,
    "epub": book,
    "html": html_page,
    "md": markdown_file,
    "mhtml": saved_page,
    "passage": passage,
    "pptx": slide_deck,
    "txt": text_file,
    "xlsx": workbook,
}
_SEED_BITS = 32
_SECONDS_PER_FORMAT = float(os.environ.get("CONSERVATION_SECONDS", "60"))


def made(media_type: str, seed: int) -> Outcome:
    """Return what becomes of the document that this seed gives."""
    serials = Serials(seed)
    return outcome(media_type, FORMATS[media_type](serials), serials)


@pytest.mark.parametrize("media_type", FORMATS)
@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**_SEED_BITS - 1))
def test_every_sentence_is_kept_or_counted(media_type: str, seed: int) -> None:
    found = made(media_type, seed)
    assert found.is_conserved, found


@pytest.mark.slow
@pytest.mark.parametrize("media_type", FORMATS)
def test_many_documents(media_type: str, capsys: pytest.CaptureFixture[str]) -> None:
    end = time.monotonic() + _SECONDS_PER_FORMAT
    counts: Counter[str] = Counter()
    failed: dict[int, Outcome] = {}
    while time.monotonic() < end:
        seed = randbits(_SEED_BITS)
        found = made(media_type, seed)
        counts.update(documents=1, sentences=found.sentences, kept=found.kept)
        counts.update(found.told)
        counts["lost"] += len(found.lost)
        if not found.is_conserved:
            failed[seed] = found
    with capsys.disabled():
        share = counts["kept"] / counts["sentences"]
        print(f"\n{media_type}: {share:.1%} kept; {dict(counts)}")  # noqa: T201 - the report
    assert not failed, failed
