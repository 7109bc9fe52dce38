"""Which sentences a language model reads, and which of them together."""

from collections.abc import Iterable, Sequence

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ExtractConfig
from graphrag_tasks.extract.llm.windows import windows_of

Chunk = tuple[str, Sequence[str]]  # A heading, and the sentences below it.


def windows(
    chunks: Sequence[Chunk], *, covered: Iterable[str] = (), path: str = "a.md", extractor: str = "llm", **llm: object
) -> list[dict[str, object]]:
    """Return the windows of one document; of sentences that are `covered` a triple has all."""
    known = set(covered)
    sentences, triples = [], []
    for number, (_, texts) in enumerate(chunks):
        for place, text in enumerate(texts):
            of = {"sentence_id": f"{number}-{place}", "chunk_id": str(number), "document_id": "d"}
            start = number * 10_000 + place * 100
            sentences.append(
                {**of, "ordinal": place, "text": text, "char_start": start, "char_end": start + 1,
                 "page": None, "has_verb": not text.startswith("*")}
            )  # fmt: skip
            if text in known:
                names = dict.fromkeys(schemas.TRIPLES.names)
                triples.append(
                    {**names, **of, "triple_id": text, "frame_id": "f", "head": "", "tail": "",
                     "relation": "", "phrase": "", "conditional": False, "said": 0,
                     "head_start": 0, "head_end": len(text), "tail_start": 0,
                     "tail_end": 0, "negated": False, "rule": "", "extractor": "",
                     "confidence": 1.0}
                )  # fmt: skip
    config = ExtractConfig.model_validate({"extractor": extractor, "llm": llm})
    found = windows_of(
        pa.table({"document_id": ["d"], "path": [path]}),
        schemas.empty("blocks"),
        schemas.empty("cells"),
        pa.table(
            {
                "chunk_id": [str(number) for number in range(len(chunks))],
                "heading_path": [[heading] for heading, _ in chunks],
            }
        ),
        pa.Table.from_pylist(sentences, schema=schemas.SENTENCES),
        pa.Table.from_pylist(triples, schema=schemas.TRIPLES),
        config=config,
    )
    return found.to_pylist()


def texts(count: int) -> list[str]:
    return [f"The report {number} reads tables and logs." for number in range(count)]


def test_nothing_is_read_by_default() -> None:
    assert windows([("A", texts(4))], extractor="dependency") == []


documents = st.lists(
    st.tuples(
        st.sampled_from("ABCDEFGH"),
        st.lists(st.integers(0, 10**6).map("It reads {}, x and y.".format), min_size=1, max_size=9),
    ),
    min_size=1,
    max_size=25,
)


@given(documents, st.data())
def test_an_edit_changes_two_requests_at_most(chunks: list[Chunk], data: st.DataObject) -> None:
    where = data.draw(st.integers(0, len(chunks) - 1))
    place = data.draw(st.integers(0, len(chunks[where][1]) - 1))
    edited = [(heading, list(of)) for heading, of in chunks]
    edited[where][1][place] = "It was edited, and reads no more."

    def packs(of: Sequence[Chunk]) -> list[tuple[object, ...]]:
        said = {f"{n}-{m}": text for n, (_, found) in enumerate(of) for m, text in enumerate(found)}
        made: dict[object, list[object]] = {}
        for row in windows(of):
            sentences: list[str] = row["sentence_ids"]  # type: ignore[assignment]
            made.setdefault(row["pack"], []).append(tuple(said[one] for one in sentences))
        return [tuple(one) for one in made.values()]

    before = packs(chunks)
    assert len([one for one in packs(edited) if one not in before]) <= 2


def ids(rows: Iterable[dict[str, object]]) -> list[object]:
    return [row["sentence_ids"] for row in rows]


def test_hybrid_reads_where_the_rules_found_least() -> None:
    known = [f"The report {number} reads the table BSEG." for number in range(40)]
    missed = [f"Nightly after {n}, jobs, queues and mails of plants stall or restart." for n in (1, 2, 3)]
    sentences = [*known[:20], *missed, *known[20:]]
    rows = windows([("A", sentences)], covered=known, extractor="hybrid", share=0.5)
    read = {one for of in ids(rows) for one in of}  # type: ignore[attr-defined]
    assert {"0-20", "0-21", "0-22"} <= read
    assert {row["reason"] for row in rows} == {"weak"}
