"""The page Ask: answers, their sources, and what they are limited to."""

import random
import re
from collections.abc import Sequence
from itertools import cycle

import pytest

from graphrag_tasks.core.config import AccessConfig, Config
from graphrag_tasks.operations.examples import examples, keep_examples, kept_examples
from graphrag_tasks.retrieval import MODES, open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.inspect.parts import client, document_named
from tests.sizes import few_or_many


@pytest.mark.parametrize("form", ["json", "md"])
def test_an_empty_mode_is_the_default(config: Config, form: str) -> None:
    asked = {"question": "What replaces the table VBBS?", "mode": ""}
    found = client(config).get(f"/snapshots/current/ask.{form}", params=asked)
    assert (found.status_code, "VBBE replaces" in found.text) == (200, True)


def test_an_answer_has_chunks_relations_and_why(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?", "k": 1, "mode": "hybrid"}
    browser = client(config)
    page = browser.get("/snapshots/current/ask", params=asked).text
    assert "The table VBBE replaces the table VBBS." in page
    assert page.count("all of it</a>") == 1
    chunk = Store(config.store).open().table("chunks", ["chunk_id", "text"]).to_pylist()
    (best,) = [row["chunk_id"] for row in chunk if "replaces" in row["text"]]
    assert best in page
    why = browser.get("/snapshots/current/why", params=asked | {"chunk": best}).text
    assert "Place 1." in why
    assert "cosine with the question" in why


def test_a_question_gets_a_verdict_and_sentences_with_their_sources(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert "The table <mark>VBBE</mark> replaces the table VBBS." in page.partition("passages, and how")[0]
    document = document_named(config, "tables.md")
    cited = page.partition('class="mark" href="')[2].partition('"')[0]
    assert f"/documents/{document}?chunk=" in cited
    assert cited.partition("#")[2] in client(config).get(cited.partition("#")[0]).text
    none = {"question": "Who won the football match on Saturday?"}
    page = client(config).get("/snapshots/current/ask", params=none).text
    assert "Not in these documents." in page


def test_an_answer_is_taken_along(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    related = page.partition("<h2>Related")[2].partition("</ul>")[0]
    assert "replaces" in related
    assert related.count("<li>") <= 4
    values = client(config).get("/snapshots/current/ask.json", params=asked).json()
    assert values["verdict"]["state"] == "answered"
    assert "VBBE" in values["text"]
    follow_up = {"question": "And what replaces it?", "after": "Who reads the table VBBS?"}
    values = client(config).get("/snapshots/current/ask.json", params=follow_up).json()
    assert values["asked_as"] == "What replaces the table VBBS?"
    markdown = client(config).get("/snapshots/current/ask.md", params=follow_up).text
    assert "Asked as: “What replaces the table VBBS?”" in markdown
    page = client(config).get("/snapshots/current/ask", params=follow_up).text
    assert "Asked as: “What replaces the table VBBS?”" in page
    assert 'name="after" value="What replaces the table VBBS?"' in page
    markdown = client(config).get("/snapshots/current/ask.md", params=asked).text
    assert markdown.startswith("## What replaces the table VBBS?\n\n**Answered")
    assert "corpus/tables.md" in markdown
    plain = client(config).get("/snapshots/current/ask.md", params=asked | {"mode": "bm25"}).text
    assert "> The table VBBE" in plain


def test_a_question_can_be_limited_to_documents(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?", "within": "odd"}
    found = client(config).get("/snapshots/current/ask.json", params=asked).json()
    assert {hit["uri"] for hit in found["context"]["chunks"]} == {"corpus/odd.md"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert 'name="within" value="odd"' in page
    pattern = asked | {"within": "corpus/[o]*.md"}
    again = client(config).get("/snapshots/current/ask.json", params=pattern).json()
    assert again["context"]["chunks"] == found["context"]["chunks"]
    by_field = asked | {"within": "media_type=md, path=*odd*"}
    again = client(config).get("/snapshots/current/ask.json", params=by_field).json()
    assert again["context"]["chunks"] == found["context"]["chunks"]
    page = client(config).get("/snapshots/current/ask", params=asked | {"within": "pth=odd"})
    assert page.status_code == 400
    assert "Did you mean" in page.text


def test_a_page_without_a_question_has_examples_that_are_answered(config: Config) -> None:
    held = list(examples(open_index(config.store)))
    assert held == ["What replaces table VBBS?", "What shows table VBBE?"]
    browser, asked = client(config), re.compile(r'/ask\?question=[^"]+">([^<]+)</a>')
    for _ in range(60):  # the page waits a second for them
        if found := asked.findall(browser.get("/snapshots/current/ask").text):
            break
    assert found == held[: len(found)]


def test_a_large_snapshot_is_published_with_its_examples(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = Store(config.store).open().manifest
    keep_examples(config, manifest)
    assert kept_examples(open_index(config.store)) == []  # it is small
    monkeypatch.setattr("graphrag_tasks.operations.examples._LARGE", 1)
    hidden = config.model_copy(update={"access": AccessConfig(enabled=True)})
    keep_examples(hidden, manifest)
    assert kept_examples(open_index(config.store)) == []  # each reader has other ones
    keep_examples(config, manifest)
    held = ["What replaces table VBBS?", "What shows table VBBE?"]
    assert kept_examples(open_index(config.store)) == held
    monkeypatch.setattr("graphrag_tasks.inspect.pages.ask.examples", None)  # none are looked for
    assert all(one in client(config).get("/snapshots/current/ask").text for one in held)
    assert Store(config.store).open().snapshot_id == manifest.snapshot_id


def test_the_first_page_asks_the_current_snapshot(config: Config) -> None:
    browser = client(config)
    page = browser.get(browser.get("/").headers["location"]).text
    navigation = page.partition("<nav")[2].partition("</nav>")[0]
    assert re.findall(r">(\w+)</a>", navigation)[0] == "Ask"
    current = Store(config.store).current_id()
    assert f'action="/snapshots/{current}/ask"' in page
    assert page.index("<details") < page.index(f"<code>{current}")
    answer = browser.get(f"/snapshots/{current}/ask?question=Which+table+replaces+VBBS%3F").text
    assert "replaces the table VBBS." in answer.partition("<h2>Passages")[0]


QUESTIONS = (
    "Which tables are shown?", "Which reports read a table?", "List all tables.", "tables",
    "How is the table VBBE related to the transaction MD04?", "How are VBBE and VBBS connected?",
    "How many tables are there?", "What are the main topics?", "Summarise everything.",
    "Who won the football match?", "Was ersetzt die Tabelle VBBS?", "VBBS", "?", "42", "'\"<>&%",
    "What replaces VBBS and which transaction shows VBBE?", "\u202egnp.exe", "{{ 7 * 7 }}",
    "SELECT * FROM VBBS", "Which documents mention VBBS?",
)  # fmt: skip
KINDS_OF_HIT = ("Paths", "Listed", "Communities", "Related")
ALL_MODES = 2
AT_RANDOM = 479  # Questions that are asked in all modes, and questions beside those above, 500 in all.


def drawn(words: Sequence[str], many: int) -> list[str]:
    rng = random.Random(7)
    return [" ".join(rng.choices(words, k=rng.randint(1, 12))) + "?" for _ in range(many)]


@few_or_many("many", few=2, many=AT_RANDOM)
def test_no_question_is_answered_by_an_error(config: Config, many: int) -> None:
    browser = client(config)
    words = [*" ".join(QUESTIONS).split(), "VBBE", "reads", "without", "least", "3", "2019", "and"]
    shown, one_of = set[str](), cycle(MODES)
    for place, question in enumerate((*QUESTIONS, *drawn(words, many))):
        for mode in ("auto", *(MODES if place < ALL_MODES else [next(one_of)])):
            asked = {"question": question, "mode": mode}
            page = browser.get("/snapshots/current/ask", params=asked)
            assert page.status_code == 200, (asked, page.text)
            shown |= {kind for kind in KINDS_OF_HIT if f"<h2>{kind}" in page.text}
    assert shown == set(KINDS_OF_HIT)
