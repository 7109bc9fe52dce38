"""What a fact holds of: under a condition, of some things only, perhaps, or not at all."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from graphrag_tasks.language.names import told

SENTENCES: dict[str, set[str]] = {
    "Cancers that lack this biomarker are called pMMR cancers.": {
        "Cancers that lack this biomarker are called pMMR cancers (if)",
        "Cancers that lack biomarker (if)",
    },
    "Unless the cache is full, the server keeps the page.": {
        "server unless the cache is full, keeps page (if)",
        "cache is full (if)",
    },
    "The value must be either a string or a number.": {"value may be string", "value may be number"},
    "Some doctors believe that the drug cures cancer.": {"drug may cure cancer"},
    "The sphincter is located between the esophagus and the stomach.": {
        "sphincter is located between stomach and esophagus",
        "sphincter is located between esophagus and stomach",
    },
    "The drug treats gliomas without harming healthy parts.": {
        "drug treats gliomas without harming healthy parts",
        "drug does not harm healthy parts",
    },
    "The higher outputs will bring the wort to a boil.": {
        "higher outputs will bring wort to a boil",
        "higher outputs will bring wort to boil",
        "wort will be brought to boil by higher outputs",
    },
    "The server stores files.": {"server stores files"},
    "The port defaults to 25.": {"port defaults to 25"},
    "The tool sends an e-mail.": {"tool sends e-mail"},
    "THE LICENSOR GRANTS THE RIGHTS.": {"LICENSOR grants RIGHTS"},
    "3.2 One copy has been provided to the licensee.": {"One copy has been provided to licensee"},
    "The anarchists never voted, nor did they seek disorder.": {"they did not seek disorder"},
    "Some of the tools can be used not only in the project but also in the plant.": {
        "tools (some) can be used in project in the plant",
        "tools (some) can be used in the project in plant",
    },
    "Run the tools from the shell and not from the editor.": {"tools are to be run from shell"},
    "The server does not accept mail from strangers.": {
        "server does not accept mail from strangers",
        "mail is not accepted from strangers by server",
    },
    "The results suggest that the drug cures cancer.": {"drug may cure cancer"},
    "The servers rarely lose mail.": {"servers rarely lose mail"},
    "Some economists are aware of the limits.": {"economists (some) are aware of limits"},
    "The agreement offers the protection that the fund needs.": {
        "agreement offers protection that the fund needs",
        "fund needs protection",
    },
    "It is certain that the drug cures cancer.": {"drug cures cancer"},
    "Put the bottles in the cellar.": {"bottles are to be put in cellar"},
}
NOTHING = [
    "Locking is covered in more detail in the next chapter.",
    "Suppose that the server executes the command.",
    "It is not supported because of, not despite, the rules.",
    "Make sure your equipment is clean.",
    "As will become clear, it fails.",
    "There is no requirement for the host.",
    "Source code: Lib/fileinput.py",
    "All users except guests can print.",
    "It has been stopped, not because of any problems in the pump.",
]


@pytest.fixture(scope="module", name="facts")
def facts_fixture(
    blocks_of: Callable[[str, list[str]], list[dict[str, Any]]], read_documents: Callable[..., Any]
) -> Mapping[str, set[str]]:
    found = read_documents(blocks_of("d", [*SENTENCES, *NOTHING])).tables
    texts = {row["sentence_id"]: row["text"] for row in found["sentences"].to_pylist()}
    facts: dict[str, set[str]] = {text: set() for text in texts.values()}
    for row in found["triples"].to_pylist():
        words = told(row["head"], row["phrase"], row["tail"]) + " (if)" * row["conditional"]
        facts[texts[row["sentence_id"]]].add(words)
    return facts


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_fact_says_what_it_holds_of(sentence: str, facts: Mapping[str, set[str]]) -> None:
    assert facts[sentence] == SENTENCES[sentence]


@pytest.mark.parametrize("sentence", NOTHING)
def test_what_is_not_told_is_no_fact(sentence: str, facts: Mapping[str, set[str]]) -> None:
    assert facts[sentence] == set()
