"""Kinds: entity types by what the corpus says of names, and what is none."""

from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, ResolveConfig, SqlConfig
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.language.domain import Domain

SQL = SqlConfig()


def triple(head: str, relation: str, tail: str, **more: Any) -> dict[str, Any]:
    """Return a triple in a sentence of its own, which `sentences` makes of it."""
    return dict.fromkeys(schemas.TRIPLES.names) | {
        "head": head, "relation": relation, "tail": tail, "rule": "svo", "negated": False,
        "sentence_id": f"{head} {relation} {tail}", "chunk_id": "c", "document_id": "d",
        "head_start": 0, "head_end": len(head), "tail_start": 90, "tail_end": 90 + len(tail),
    } | more  # fmt: skip


def is_a(head: str, tail: str, article: str = "a", after: str = ".") -> dict[str, Any]:
    text = f"{head} is {article} {tail}{after}"
    start = text.index(tail, len(head) + 4)
    places = {"tail_start": start, "tail_end": start + len(tail)}
    return triple(head, "be", tail, rule="copula", **places) | {"sentence_id": text}


def key(name: str, header: str) -> dict[str, Any]:
    return {"surface": name, "name": name, "form": "full", "source": "key", "document_id": "d",
            "chunk_id": "c", "header": header, "problem": None}  # fmt: skip


NATIVE = [triple(f"{one} format", "have", "limits") for one in ("native", "binary", "raster")]
FORMATS = [*NATIVE, triple("format", "have", "limits")]


def types(
    *triples: dict[str, Any], keys: tuple[dict[str, Any], ...] = (), domain: Domain | None = None
) -> dict[str, tuple[str, str]]:
    """Return type and source of each entity that has one."""
    domain = domain or Domain(terms=["format"])
    table = pa.Table.from_pylist(list(triples), schema=schemas.TRIPLES)
    dictionary = pa.Table.from_pylist(list(keys), schema=schemas.ENTITY_DICTIONARY)
    sentences = pa.Table.from_pylist(
        [
            {"sentence_id": one, "chunk_id": "c", "document_id": "d", "text": one}
            for one in sorted({row["sentence_id"] for row in triples})
        ],
        schema=schemas.SENTENCES,
    )
    made = normalize(
        table, dictionary, sentences, language=LanguageConfig(), sql=SQL, domain=domain
    ).collected()
    found = resolve(
        table, dictionary, made.tables["surface_forms"], made.tables["names"],
        sentences, schemas.empty("cells"), config=ResolveConfig(),
        language=LanguageConfig(), sql=SQL, domain=domain,
    ).collected()  # fmt: skip
    return {
        row["name"]: (row["type"], row["type_source"])
        for row in found.tables["resolved"].to_pylist()
        if row["type"]
    }


def test_a_head_noun_of_three_names_is_their_kind() -> None:
    found = types(*FORMATS)
    assert found["native format"] == ("FORMAT", "head")
    assert "native format" not in types(*NATIVE[:2])


def test_what_is_a_thing_is_of_its_kind() -> None:
    said = [
        is_a("XCF", "binary format"),
        is_a("BMP", "binary format", "also a"),
        is_a("QOI", "binary format", "the"),
        is_a("PSD", "binary format", after=" of GIMP."),
        is_a("TGA", "binary format") | {"negated": True},
        is_a("PCX", "binary format") | {"rule": "apposition"},
        is_a("It", "binary format") | {"head_resolved": "DDS"},
        is_a("ICO", "mistake"),
    ]
    told = types(*FORMATS, *said)
    assert {name for name, how in told.items() if how == ("FORMAT", "is_a")} == {"XCF", "BMP"}


def test_examples_of_a_kind_are_of_it() -> None:
    said = [
        triple("other formats", "include", "PNG", rule="example"),
        triple("other formats", "include", "GIF", rule="list_item"),
        triple("other formats", "include", "TIFF"),
        triple("other format", "include", "JPEG", rule="example"),
        triple("mistakes", "include", "WEBP", rule="example"),
        *(  # written as no names
            triple("other formats", "include", name, rule="example")
            for name in ("Figure 3.12", "colors that fade", "BMP, QOI")
        ),
    ]
    listed = {name: how for name, how in types(*FORMATS, *said).items() if how[1] == "list"}
    assert listed == dict.fromkeys(("PNG", "GIF"), ("FORMAT", "list"))


def test_the_header_of_three_keys_is_their_kind() -> None:
    keys = tuple(key(one, "File Format Name") for one in ("XCF", "PNG", "GIF"))
    assert types(*FORMATS, keys=keys)["XCF"] == ("FILE_FORMAT", "key")
    assert "XCF" not in types(*FORMATS, keys=keys[:2])


def labelled(name: str, label: str) -> dict[str, Any]:
    return triple(name, "have", "limits", head_type=label)


def test_labels_hold_only_where_many_names_are_people_or_places() -> None:
    people = [labelled(f"Quarth Smith{one}", "PERSON") for one in "abcdef"]
    assert types(*people)["Quarth Smitha"] == ("PERSON", "label")
    things = [triple(f"thing{one}", "have", "limits") for one in range(200)]
    found = types(*people, *things, *FORMATS, labelled("Christian Stimming", "PERSON"))
    assert "Quarth Smitha" not in found
    assert found["Christian Stimming"] == ("PERSON", "first_name")


def test_a_list_that_contradicts_a_column_wins_and_is_counted() -> None:
    row = triple("Order entry", "have transaction", "VA01", rule="table_row")
    table = pa.Table.from_pylist([row], schema=schemas.TRIPLES)
    domain = Domain(kinds={"transaction": "TRANSACTION"}, names={"order": ["VA01"]})
    made = normalize(
        table, schemas.empty("entity_dictionary"), schemas.empty("sentences"),
        language=LanguageConfig(), sql=SQL, domain=domain,
    ).collected()  # fmt: skip
    rows = {row["key"]: row for row in made.tables["names"].to_pylist()}
    assert (rows["va01"]["type"], rows["va01"]["type_source"]) == ("ORDER", "user")
    assert made.stats["types_overruled"] == 1
