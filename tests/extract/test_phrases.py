"""Relations in words: voice, tense, number, modality and negation of the sentence are kept."""

from collections.abc import Mapping
from functools import cache

import pytest

from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.extract.triples import Triple, derive_triples

SENTENCES = {
    "The table VBBE no longer fills the field.": "table VBBE | no longer fills | field",
    "Use VBBE instead of VBBS.": "VBBE | is to be used instead of | VBBS",
    "The report was replaced by the new app.": "new app | replaced | report",
    "The letters were written by the manager.": "manager | wrote | letters",
    "The table is read by the server.": "server | reads | table",
    "The tables are not supported by the database.": "database | does not support | tables",
    "The value must be within the range.": "value | must be within | range",
    "The server can't read the mailbox files.": "server | cannot read | mailbox files",
    "GnuCash does not keep passwords in files.": "passwords | are not kept in … by GnuCash | files",
    "Orders have been archived in the cold store.": "Orders | have been archived in | cold store",
    "Users may create filters in the dialog.": "filters | may be created in … by Users | dialog",
    "The manager wrote the report.": "manager | wrote | report",
    "The account is compatible with OFX.": "account | is compatible with | OFX",
    "Clients that read mail use the converter.": "Clients | that read mail use | converter",
    "The files stored in the folder vanish.": "files | stored in | folder",
    "Patients receive half the adult dose.": "Patients | receive half the | adult dose",
    "X and Y offset determine where the shadow will be placed in relation to the image.": (
        "shadow | will be placed in relation to | image"
    ),
    "The plugin plans to replace the filter.": "plugin | plans to replace | filter",
    "The class contains no methods.": "class | does not contain | methods",
    "The option displays the grid on the canvas.": "option | displays grid on | canvas",
    "The server must not send the password to a client.": ("server | must not send password to | client"),
    "Open the filter in the editor.": "filter | is to be opened in | editor",
    "The fields are listed by their technical name.": "fields | are listed by | technical name",
    "The rows are sorted by the report.": "rows | are sorted by | report",
    "The setup is kept in the book (see Section 9.6, “Setting Share Price”).": ("setup | is kept in | book"),
    "The wage is booked to the Income:Current Income account.": ("wage | is booked to | Income:Current Income account"),
    "There are three liability accounts (Credit Card, Accounts Payable, and Liability).": (
        "three liability accounts | include | Accounts Payable"
    ),
    "The ledger's ability to export data is new.": "ledger | can export | data",
    "The plug-in has the ability to capture images.": "plug-in | can capture | images",
    "The parameter determines the limit on the number of sets.": "limit | on | number of sets",
    "Use the import option for data types.": "import option | is used for | data types",
    "The tool shows the option for data types.": "option | for | data types",
    "Matching takes place at query planning time.": ("Matching | takes place at | query planning time"),
    "Authentication for requests is handled by the gateway.": "Authentication | for | requests",
}
"""A triple of each sentence; read in the light of what it says, not of what the rules give."""


@cache
def found() -> Mapping[str, tuple[Triple, ...]]:
    texts = [*SENTENCES, "If the sheet protects the cell, the user opens the dialog."]
    frames = DependencyExtractor().extract(texts)
    return {
        text: tuple(one for frame in of_text for one in derive_triples(frame))
        for text, of_text in zip(texts, frames, strict=True)
    }


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_relation_is_worded_as_its_sentence_says_it(sentence: str) -> None:
    said = {f"{one.head} | {one.phrase} | {one.tail}" for one in found()[sentence]}
    assert SENTENCES[sentence] in said


@pytest.mark.parametrize(
    ("sentence", "untrue"),
    [
        ("The option affects views, just like the GRANT command.", "GRANT command"),
        ("Matching takes place at query planning time.", "place"),
        ("Previously the schema was reported, leading to inconsistencies.", "inconsistencies"),
        ("Assume we have dumped a database called mydb into a dump file.", "dump file"),
        ("This feature avoids the need to write functions.", "functions"),
        ("The option suppresses the errors: missing object field or array element.", "array element"),
        ("This parameter can be viewed before starting the server.", "server"),
        ("The fields are described in Section 2, “Field Names”.", "Section 2, “Field Names"),
        ("Prices are kept in the book (see Section 9.6, “Setting Share Price”).", "Share Price"),
    ],
)
def test_what_a_sentence_only_mentions_is_no_part_of_a_fact(sentence: str, untrue: str) -> None:
    (frames,) = DependencyExtractor().extract([sentence])
    triples = [one for frame in frames for one in derive_triples(frame)]
    assert not any(untrue in (one.head, one.tail) for one in triples)


def test_what_only_stands_in_a_condition_is_conditional() -> None:
    triples = found()["If the sheet protects the cell, the user opens the dialog."]
    assert {one.head: one.conditional for one in triples} == {"sheet": True, "user": True}
