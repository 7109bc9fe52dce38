"""Sentences with serial numbers, and what became of each after parse and chunk.

A generator asks `Serials` for every sentence it writes and says what has to become of it: it is kept, or it is left out
for a reason (`core.left_out.LeftOut`). A part that is left out has one sentence, so that the counts of parts and of
sentences can be compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random

import pyarrow as pa

from graphrag_tasks.chunk import chunk
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.parse.blocks import lay_out
from graphrag_tasks.parse.readers import READERS, Reader, load_readers

KEPT = "kept"
_SERIAL = re.compile(r"S\d{4,}x")
_SUBJECTS = ("The clerk", "Nora Lind", "Acme Steel", "The board", "Our office in Porto")
_VERBS = ("filed", "sold", "moved", "repaired", "checked", "bought")
_ENDS = ("in May", "for the museum", "at the harbour", "with two partners", "again", "by train")


@dataclass
class Serials:
    """Gives sentences, and remembers what has to become of them.

    Attributes:
        seed: Of the document; the same seed gives the same document.
        fates: By serial number, `KEPT` or the reason it is left out for.
    """

    seed: int
    fates: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def sentence(self, fate: str = KEPT) -> str:
        """Return a sentence that no other one is equal to."""
        serial = f"S{len(self.fates):04d}x"
        self.fates[serial] = fate
        start = f"{self.random.choice(_SUBJECTS)} {self.random.choice(_VERBS)}"
        return f"{start} {serial} {self.random.choice(_ENDS)}."

    def few(self, most: int = 3) -> range:
        """Return a range of at least one and at most so many."""
        return range(self.random.randint(1, most))

    def chance(self, share: float = 0.5) -> bool:
        """Tell whether something happens that happens this often."""
        return self.random.random() < share

    def some(self, makers: Sequence[Callable[[], object]], most: int) -> None:
        """Call a few of the makers, some of them more than once."""
        for maker in self.random.choices(makers, k=self.random.randint(1, most)):
            maker()


@dataclass(frozen=True)
class Outcome:
    """What became of a document's sentences.

    Attributes:
        sentences: How many were written.
        kept: How many are in a chunk.
        left_out: How many were to be left out, by reason.
        told: How many parts the reader says that it left out, by reason.
        lost: Serial numbers that are in no chunk and were to be kept.
        unasked: Serial numbers in chunks that were to be left out.
    """

    sentences: int
    kept: int
    left_out: Mapping[str, int]
    told: Mapping[str, int]
    lost: Sequence[str]
    unasked: Sequence[str]

    @property
    def is_conserved(self) -> bool:
        """Tell whether every sentence is in a chunk or in the count of its reason."""
        return not self.lost and not self.unasked and dict(self.left_out) == dict(self.told)


def outcome(media_type: str, data: bytes, serials: Serials) -> Outcome:
    """Parse and chunk a document of these sentences; its title is in `documents` as well."""
    parsed = _readers()[media_type](data)
    blocks = pa.Table.from_pylist(list(lay_out("d", parsed.blocks)), schema=schemas.BLOCKS)
    row: dict[str, object] = dict.fromkeys(schemas.DOCUMENTS.names)
    row |= {"document_id": "d", "uri": "d", "source": "s", "path": f"d.{media_type}"}
    documents = pa.Table.from_pylist([row], schema=schemas.DOCUMENTS)
    chunks = chunk(documents, blocks, config=ChunkConfig()).tables["chunks"]
    texts = [*chunks["text"].to_pylist(), parsed.title.text if parsed.title else ""]
    found = {serial for text in texts for serial in _SERIAL.findall(text)}
    fates = serials.fates
    return Outcome(
        len(fates),
        sum(serial in found for serial in fates),
        Counter(fate for fate in fates.values() if fate != KEPT),
        {str(reason): count for reason, count in parsed.left_out.items() if count},
        [serial for serial, fate in fates.items() if fate == KEPT and serial not in found],
        [serial for serial, fate in fates.items() if fate != KEPT and serial in found],
    )


@cache
def _readers() -> dict[str, Reader]:
    return load_readers(READERS)
