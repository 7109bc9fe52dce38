"""Sentences: exact spans, each once, never across blocks, and verbs found by their tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig, LanguageConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.storage.artifacts import conform

Spec = tuple[str, str]  # Kind and text of a block.


def block_rows(document_id: str, specs: Sequence[Spec]) -> list[dict[str, Any]]:
    rows, start = [], 0
    for ordinal, (kind, text) in enumerate(specs):
        rows.append(
            {
                "document_id": document_id,
                "ordinal": ordinal,
                "kind": kind,
                "level": 1 if kind == "heading" else None,
                "text": text,
                "char_start": start,
                "char_end": start + len(text),
                "page": ordinal + 1,
                "bbox": None,
            }
        )
        start += len(text) + len(schemas.BLOCK_SEPARATOR)
    return rows


def run(rows: list[dict[str, Any]], cells: pa.Table | None = None, **config: int) -> StageResult:
    blocks = pa.Table.from_pylist(rows, schema=schemas.BLOCKS)
    ids = pa.array(sorted({row["document_id"] for row in rows}), pa.string())
    places = pa.table(dict.fromkeys(("document_id", "uri", "source", "path"), ids))
    chunks = chunk(places, blocks, config=ChunkConfig(**config)).tables["chunks"]
    cells = schemas.empty("cells") if cells is None else cells
    result = filter_sentences(blocks, cells, chunks, language=LanguageConfig())
    conform("sentences", result.tables["sentences"])
    texts: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: int(row["ordinal"])):
        before = texts.get(row["document_id"])
        texts[row["document_id"]] = row["text"] if before is None else f"{before}\n\n{row['text']}"
    spans = {c["chunk_id"]: (c["char_start"], c["char_end"]) for c in chunks.to_pylist()}
    for s in result.tables["sentences"].to_pylist():
        text = texts[s["document_id"]]
        assert text[s["char_start"] : s["char_end"]] == s["text"] == s["text"].strip() != ""
        start, end = spans[s["chunk_id"]]
        assert start <= s["char_start"] < s["char_end"] <= end
    return result


def found(result: StageResult) -> list[tuple[str, bool]]:
    return [(s["text"], s["has_verb"]) for s in result.tables["sentences"].to_pylist()]


def test_sentences_with_letters_that_cannot_be_read_are_not_read() -> None:
    texts = ("The pu\ufffdp runs.", "The \ue406\ue502 pump runs.", "\uf0e0 The pump runs.")
    rows = block_rows("d", [("paragraph", text) for text in texts])
    assert found(run(rows)) == list(zip(texts, (False, False, True), strict=True))


def test_sentences_stay_in_their_blocks() -> None:
    result = run(
        block_rows(
            "d",
            [
                ("heading", "System overview"),
                ("paragraph", "The server starts.  It must not fail."),
                ("paragraph", "the größe of the façade"),
                ("list_item", "a database cluster"),
                ("code", "x = run()\n\n  y"),
                ("table", "Name: a | State: it runs\nName: b"),
            ],
        )
    )
    assert found(result) == [
        ("System overview", False),
        ("The server starts.", True),
        ("It must not fail.", True),
        ("the größe of the façade", False),
        ("a database cluster", False),
        ("x = run()", False),
        ("y", False),
        ("Name: a | State: it runs", False),
        ("Name: b", False),
    ]
    rows = result.tables["sentences"].to_pylist()
    assert [row["ordinal"] for row in rows] == list(range(9))
    assert [row["page"] for row in rows] == [1, 2, 2, 3, 4, 5, 5, 6, 6]
    assert result.stats["sentences"] == 9
    assert result.stats["kept"] == 2
    assert result.stats["dropped_share"] == pytest.approx(7 / 9)


@pytest.mark.parametrize(
    "text",
    [
        "Valve A follows valve B. | Valve C closes the duct.",
        "Valve A follows valve B. | Pump C closes the duct.",
        "Use table X. | Table Y is obsolete.",
        "The value is in column B. | Column C holds the key.",
        "The signal goes to input D. | This opens the gate.",
        "The motor draws 10 A. | It runs at 230 V. | The shaft turns.",
        "The motor has a power of 5 kW. | The housing is of cast iron.",
        "The tank holds 5. | The pump delivers 5 kg. | The tank stores it.",
        "The curve is in Fig. 3. | See Sec. 4.",
        "Mr. A. Smith wrote the book. | J. R. R. Tolkien wrote another.",
        "It was made by engineer K. Weber, whom physicist A. Einstein knew.",
        "In 1937 A. Miller and B. Baker met George W. Bush.",
        "Yahoo! is a portal that shows news. | It stops at noon.",
    ],
)
def test_a_sentence_ends_at_a_letter_that_is_no_initial(text: str) -> None:
    parts = text.split(" | ")
    result = run(block_rows("d", [("paragraph", " ".join(parts))]))
    assert [sentence for sentence, _ in found(result)] == parts


def test_overlapping_chunks_emit_a_sentence_once_and_whole() -> None:
    words = ["Alpha", "Beta", "Gamma", "Delta", "Kappa", "Sigma", "Omega"]
    sentences = [f"{word} sends the report to the main server." for word in words]
    rows = block_rows("d", [("paragraph", " ".join(sentences))])
    for overlap in (0, 20, 50):
        result = run(rows, max_characters=100, overlap_characters=overlap)
        assert [text for text, _ in found(result)] == sentences


LANGUAGES = {
    "de": "Die Pumpe speist den Tank. Pumpe A speist Tank B. Motor fördert Wasser.",
    "es": "La bomba alimenta el tanque. El motor consume agua. Bomba A alimenta tanque B.",
    "fr": "La vanne ferme le conduit. Marie répare la grue. Le moteur entraîne l'arbre.",
    "it": "La pompa alimenta il serbatoio. Valvola C segue valvola D. Il robot salda il telaio.",
    "pt": "A bomba alimenta o tanque. O motor move o eixo. Válvula C segue válvula D.",
    "nl": "De klep sluit het kanaal. Pomp A voedt tank B. De klep is open.",
    "tr": "Robot çerçeveyi kaynak yapar. Pompa A tank B'yi besler. Motor mili döndürür.",
    "id": "Robot mengelas rangka. Operator memperbaiki derek. Katup V3 menutup saluran.",
    "hi": "वाल्व V3 नली को बंद करता है। SAP सिस्टम डेटा को सहेजता है।",
    "ru": "Мы видим клапан P1. Двигатель вращает вал.",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["paragraph", "list_item"])
def test_sentences_in_other_languages_are_not_read(language: str, kind: str) -> None:
    foreign = LANGUAGES[language]
    ours = "Valve A follows valve B. The crane lifts the container."
    alone = run(block_rows("d", [(kind, foreign)]))
    assert alone.stats["kept"] == 0
    assert alone.stats["sentences_in_other_languages"] == alone.stats["sentences"] > 0
    texts = [f"{ours} {foreign}"] if kind == "paragraph" else [ours, foreign]
    mixed = found(run(block_rows("d", [(kind, text) for text in texts])))
    assert " ".join(text for text, has_verb in mixed if has_verb) == ours


@pytest.mark.parametrize(
    "text",
    [
        "Kubelet watches pods.",
        "Die casting needs heat.",
        "Die Welt reports growth.",
        "Le Monde interviewed Angela Merkel.",
        "Müller und Söhne GmbH sells pumps.",
        "Rio de Janeiro hosts visitors.",
        "Ayşe Çelik manages İstanbul Teknik Üniversitesi.",
        "The Update Module checkbox is selected.",
        "The German word für means for.",
        "You're an administrator.",
    ],
)
def test_english_with_foreign_names_is_read(text: str) -> None:
    specs = [("paragraph", LANGUAGES["de"]), ("paragraph", text)]
    assert (text, True) in found(run(block_rows("d", specs)))


def cell_of(block: dict[str, Any], text: str) -> dict[str, Any]:
    start = block["char_start"] + block["text"].index(text)
    return dict.fromkeys(schemas.CELLS.names) | {
        "document_id": block["document_id"], "ordinal": block["ordinal"], "row": 0, "column": 1,
        "row_span": 1, "col_span": 1, "is_header": False, "is_row_header": False,
        "text": text, "value_type": "text", "char_start": start, "char_end": start + len(text),
    }  # fmt: skip


def test_prose_in_a_cell_is_cut_out_of_its_row_and_each_part_is_emitted_once() -> None:
    prose = "The server starts every night. It must not fail before the first report is sent."
    (row,) = block_rows("d", [("table", f"Name: a | State: {prose} | Kind: b\nName: c | Kind: d")])
    cells = pa.Table.from_pylist([cell_of(row, prose)], schema=schemas.CELLS)
    expected = [
        ("Name: a | State:", False),
        ("The server starts every night.", True),
        ("It must not fail before the first report is sent.", True),
        ("Kind: b", False),
        ("Name: c | Kind: d", False),
    ]
    for limit in (2048, 60):
        result = run([row], cells=cells, max_characters=limit, overlap_characters=10)
        assert found(result) == expected
        ids = result.tables["sentences"]["sentence_id"].to_pylist()
        assert len(set(ids)) == len(ids)
