"""Kinds: entity types by what the corpus says of names, and what is none."""

from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, ResolveConfig
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.language.domain import Domain

VERBS = {"merge", "show", "specify"}


def triple(head: str, relation: str, tail: str, **more: Any) -> dict[str, Any]:
    """Return a triple in a sentence of its own, which `sentences` makes of it."""
    return dict.fromkeys(schemas.TRIPLES.names) | {
        "head": head, "relation": relation, "tail": tail, "rule": "svo", "negated": False,
        "sentence_id": f"{head} {relation} {tail}", "chunk_id": "c", "document_id": "d",
        "head_start": 0, "head_end": len(head), "tail_start": 90, "tail_end": 90 + len(tail),
    } | more  # fmt: skip


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
    made = normalize(table, dictionary, sentences, language=LanguageConfig(), domain=domain).collected()
    found = resolve(
        table, dictionary, made.tables["surface_forms"], made.tables["names"],
        sentences, schemas.empty("cells"), config=ResolveConfig(),
        language=LanguageConfig(), domain=domain,
    ).collected()  # fmt: skip
    return {
        row["name"]: (row["type"], row["type_source"]) for row in found.tables["resolved"].to_pylist() if row["type"]
    }


def test_what_people_attended_is_a_document() -> None:
    attended = triple("Ruth Calder", "attend", "Minutes of March")
    assert types(attended | {"rule": "role"})["Minutes of March"] == ("DOCUMENT", "role")
    assert "Minutes of March" not in types(attended)


def test_the_header_of_three_keys_is_their_kind() -> None:
    keys = tuple(key(one, "File Format Name") for one in ("XCF", "PNG", "GIF"))
    assert types(*FORMATS, keys=keys)["XCF"] == ("FILE_FORMAT", "key")
    assert "XCF" not in types(*FORMATS, keys=keys[:2])


def test_what_a_name_tells_comes_before_a_header() -> None:
    keys = tuple(key(one, "File Format Name") for one in ("XCF", "PNG", "GIF", "native format"))
    found = types(
        *FORMATS,
        keys=keys,
        domain=Domain(terms=["format"], shapes=["X* = image"], names={"made up": ["native format"]}),
    )
    assert found["XCF"] == ("IMAGE", "shape")
    assert found["native format"] == ("MADE_UP", "user")
    assert found["PNG"] == ("FILE_FORMAT", "key")


def test_a_name_has_the_type_of_all_others_in_its_column() -> None:
    people = ("Ruth Calder", "Owen Tait")
    row = {"extractor": "table", "rule": "table_row"}
    rows = [triple(f"Road {name}", "foreman", name, tail_type=None, **row) for name in (*people, "Dafydd Roe")]
    told = [triple(name, "have", "limits", head_type="PERSON") for name in people]
    assert types(*rows, *told)["Dafydd Roe"] == ("PERSON", "column")


def labelled(name: str, label: str) -> dict[str, Any]:
    return triple(name, "have", "limits", head_type=label)


def test_a_persons_first_name_is_a_persons_where_the_whole_name_stands() -> None:
    names = labelled("Ruth Ravensworth", "PERSON"), labelled("Ravensworth", "PERSON"), labelled("Spherize", "PERSON")
    assert types(*names) == {"Ruth Ravensworth": ("PERSON", "words"), "Ravensworth": ("PERSON", "part")}


def test_a_name_with_a_doubted_label_is_still_named() -> None:
    things = [triple(f"thing{one}", "have", "limits") for one in range(100)]
    rows = [*things, labelled("Spherize", "ORG")]
    table = pa.Table.from_pylist(rows, schema=schemas.TRIPLES)
    empty = schemas.empty("entity_dictionary")
    made = normalize(table, empty, schemas.empty("sentences"), language=LanguageConfig()).collected()
    found = resolve(
        table, empty, made.tables["surface_forms"], made.tables["names"],
        schemas.empty("sentences"), schemas.empty("cells"), config=ResolveConfig(),
        language=LanguageConfig(),
    ).collected()  # fmt: skip
    rows = [row for row in found.tables["resolved"].to_pylist() if row["name"] == "Spherize"]
    assert [(row["type"], row["type_source"], row["is_named"]) for row in rows] == [(None, None, True)]
