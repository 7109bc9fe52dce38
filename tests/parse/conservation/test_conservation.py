"""Every sentence of a document is in a chunk, or in the count of what was left out.

The documents are made from a seed. Run `pytest -m slow -s tests/parse/conservation` for the share that is kept of many,
with seeds that no run had before.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from secrets import randbits
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.parse.conservation.line_documents import csv_file, passage, tex_file, text_file
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
    "tex": tex_file,
    "txt": text_file,
    "xlsx": workbook,
}
_RELATION = re.compile(rb"<Relationship [^>]*?/>")
_TYPE, _TARGET = re.compile(rb'Type="[^"]*/(\w[\w-]*)"'), re.compile(rb'Target="[^"]*"')
_WHOLE = {b"officeDocument", b"slideLayout", b"slideMaster"}
_OF_TEXT = {
    b"aFChunk", b"chart", b"comments", b"diagramData", b"drawing", b"endnotes", b"footnotes",
    b"notesSlide", b"sharedStrings", b"slide", b"worksheet",
}  # fmt: skip
_SEED_BITS = 32
_SECONDS_PER_FORMAT = float(os.environ.get("CONSERVATION_SECONDS", "60"))


def made(media_type: str, seed: int) -> Outcome:
    """Return what becomes of the document that this seed gives."""
    serials = Serials(seed)
    return outcome(media_type, FORMATS[media_type](serials), serials)


@pytest.mark.parametrize("media_type", FORMATS)
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**_SEED_BITS - 1))
def test_every_sentence_is_kept_or_counted(media_type: str, seed: int) -> None:
    found = made(media_type, seed)
    assert found.is_conserved, found


@pytest.mark.parametrize("target", [b"", b"../NULL", b"#_ftn1"])
@pytest.mark.parametrize(("media_type", "seed"), [("docx", 46), ("pptx", 3), ("xlsx", 13)])
def test_a_relation_that_leads_nowhere_costs_at_most_its_part(media_type: str, seed: int, target: bytes) -> None:
    serials = Serials(seed)
    for kind, data in _with_dead_relations(FORMATS[media_type](serials), target):
        found = outcome(media_type, data, serials)
        assert kind in _OF_TEXT or not found.lost, (kind, found)


def _with_dead_relations(data: bytes, target: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the package with one relation of each type without its target, or dropped."""
    with ZipFile(BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    relations = (
        (_TYPE.search(found[0])[1], name, found[0])  # type: ignore[index]
        for name, content in parts.items()
        if name.endswith(".rels")
        for found in _RELATION.finditer(content)
    )
    for kind, (name, relation) in {kind: where for kind, *where in relations}.items():
        dead = _TARGET.sub(b'Target="' + target + b'"', relation) if target else b""
        broken = dead.replace(b'TargetMode="External"', b"")
        if kind not in _WHOLE:
            buffer = BytesIO()
            with ZipFile(buffer, "w") as other:
                for part, content in parts.items():
                    is_here = part == name
                    other.writestr(part, content.replace(relation, broken) if is_here else content)
            yield kind, buffer.getvalue()


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
