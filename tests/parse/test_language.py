"""Languages: named where they are certain, and never guessed."""

import pytest

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.metadata import detect_language

TEXTS = {
    "en": "The report reads the table of sales documents and writes the result to a new table. "
    "Developers adapt the program after the conversion, because the fields have moved. "
    "A check finds every statement that still uses the old names and lists them.",
    "de": "Der Bericht liest die Tabelle der Verkaufsbelege und schreibt das Ergebnis in eine neue "
    "Tabelle. Entwickler passen das Programm nach der Umstellung an, weil die Felder nun woanders "
    "stehen. Eine Prüfung findet jede Anweisung, die noch die alten Namen verwendet.",
    "fr": "Le rapport lit la table des documents de vente et écrit le résultat dans une nouvelle "
    "table. Les développeurs adaptent le programme après la conversion, car les champs ont été "
    "déplacés. Un contrôle trouve chaque instruction qui utilise encore les anciens noms.",
}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_prose_has_a_language(language: str) -> None:
    assert detect_language([Block("paragraph", TEXTS[language])]) == language


@pytest.mark.parametrize("text", ["", "Hello", "VBBS VBBE KONV " * 5])
def test_what_is_not_certain_has_none(text: str) -> None:
    assert detect_language([Block("paragraph", text)]) is None


def test_code_and_tables_do_not_count() -> None:
    blocks = [Block("code", TEXTS["de"]), Block("table", TEXTS["fr"])]
    assert detect_language(blocks) is None
    assert detect_language([*blocks, Block("paragraph", TEXTS["en"])]) == "en"
