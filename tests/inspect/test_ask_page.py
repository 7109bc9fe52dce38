"""The page Ask: answers, their sources, and what they are limited to."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from itertools import cycle

import pytest

from graphrag_tasks.core.config import AccessConfig, Config
from graphrag_tasks.operations.examples import examples, keep_examples, kept_examples
from graphrag_tasks.retrieval import MODES, open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import made
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
    assert page.count("why it was found</a>") == 1
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
    asked = {"question": "What replaces the table VBBS?"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert '<input type="checkbox" name="only" value="uri=corpus/odd.md">' in page
    ticked = asked | {"only": ["uri=corpus/odd.md", ""]}
    found = client(config).get("/snapshots/current/ask.json", params=ticked).json()
    assert {hit["uri"] for hit in found["context"]["chunks"]} == {"corpus/odd.md"}
    page = client(config).get("/snapshots/current/ask", params=ticked).text
    assert '<input type="checkbox" name="only" value="uri=corpus/odd.md" checked>' in page
    by_field = asked | {"only": ["media_type=md", "path=*odd*"]}
    again = client(config).get("/snapshots/current/ask.json", params=by_field).json()
    assert again["context"]["chunks"] == found["context"]["chunks"]
    page = client(config).get("/snapshots/current/ask", params=asked | {"only": "pth=odd"})
    assert page.status_code == 400
    assert "Did you mean" in page.text


POLICY = """# Travel policy

## Hotels

The company pays up to £{limit} per night in London, including breakfast.

## Meals

You can claim up to £32 per day for meals when you stay overnight.

## How do I book a train?

Book trains through the office, at least three days before the trip.
"""
HANDBOOK = {
    "policy-2024.md": POLICY.format(limit=140), "policy-2025.md": POLICY.format(limit=165),
    "prices.csv": "item,price\nWooden post,13.80\nSteel post,31.20\nGravel board,9.50\n",
    "machines.csv": "inventory no,machine,weight kg,kept at\nV-1,Plate compactor,92,yard\nV-2,Strimmer,7,shed\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Config:
    return made(tmp_path_factory.mktemp("handbook"), HANDBOOK)


def asked(config: Config, question: str) -> str:
    return client(config).get("/snapshots/current/ask", params={"question": question}).text


def test_the_answer_stands_large_beside_its_source(handbook: Config) -> None:
    page = asked(handbook, "How much does the company pay per night in London?")
    short = page.partition('<p class="short">')[2].partition("</p>")[0]
    assert "£165" in short
    quote = page.partition('<blockquote class="quote">')[2].partition("</blockquote>")[0]
    assert f"<mark>{short}</mark>" in quote
    assert page.count("<blockquote") == 1
    before = page.partition('<p class="was">')[2].partition("</p>")[0]
    assert "£140" in before
    assert "all 1 change</a>" in before
    changes = client(handbook).get(unescape(before.partition('<a href="')[2].partition('"')[0])).text
    assert "up to £<mark>140</mark> per night" in changes
    assert "up to £<mark>165</mark> per night" in changes
    source = page.partition('<section id="source-1"')[2].partition("</section>")[0]
    assert '<p class="heading">Hotels</p>' in source
    assert "<mark>The company pays up to £165 per night in London, including breakfast.</mark>" in source
    assert "corpus/policy-2025.md · 2025" in source
    beside = unescape(page.partition('data-at="')[2].partition('"')[0])
    assert re.findall(">([^<]+)</a>", client(handbook).get(beside).text)
    assert client(handbook).get(f"{beside.partition('?')[0]}?chunk={'0' * 24}").status_code == 400


def test_a_question_can_be_asked_as_of_a_date(handbook: Config) -> None:
    limited = {"question": "How much does the company pay per night in London?", "only": "as_of=2024"}
    page = client(handbook).get("/snapshots/current/ask", params=limited).text
    assert "£140" in page.partition('<blockquote class="quote">')[2].partition("</blockquote>")[0]
    assert '<option value="as_of=2024" selected>2024</option>' in page


def test_a_question_for_changes_leads_to_all_of_them(handbook: Config) -> None:
    assert '/changes">All that changed' in asked(handbook, "What changed in the travel policy?")
    assert "All that changed" not in asked(handbook, "How much can I claim for meals?")


def test_documents_of_one_title_are_told_by_their_files(handbook: Config) -> None:
    tabs = asked(handbook, "How much can I claim for meals?").partition('<nav aria-label="Sources">')[2]
    assert ">1 policy-2025.md</a>" in tabs.partition("</nav>")[0] or ">1 policy-2024.md</a>" in tabs


def test_a_row_stands_below_its_header(handbook: Config) -> None:
    page = asked(handbook, "What is the price of the steel post?")
    source = page.partition('<section id="source-1"')[2].partition("</section>")[0]
    assert '<th scope="row">price</th><td>31.20</td>' in source
    assert "item: Steel post · price: <mark>31.20</mark>" in page
    assert '<p class="short">92</p>' in asked(handbook, "How heavy is the plate compactor?")


def test_what_is_unsure_has_no_short_answer_and_no_mark(handbook: Config) -> None:
    for question in ("Who approves a hotel in London?", "Who won the football match?"):
        page = asked(handbook, question)
        assert "Uncertain" in page or "Not in these documents" in page
        assert 'class="short"' not in page
        assert "<mark>" not in page.partition("<aside")[0]


WORDS_OF_THE_TRADE = ("snapshot", "chunk", "triple", "community", "vector", "schema", "mode", "dense", "bm25", "parsed")


@pytest.mark.parametrize("path", ["ask", "ask?question=What+replaces+the+table+VBBS%3F", "documents", "map"])
def test_people_read_no_words_of_the_trade(config: Config, path: str) -> None:
    page = client(config).get(f"/snapshots/current/{path}").text
    page = re.sub(r'<details class="(?:rest|how)".*?</details>|<style>.*?</style>', "", page, flags=re.DOTALL)
    said = re.sub(r"<[^>]+>", " ", page).casefold()
    assert [word for word in WORDS_OF_THE_TRADE if re.search(rf"\b{word}(?:s|ies)?\b", said)] == []


def test_a_page_without_a_question_has_examples_that_are_answered(config: Config) -> None:
    held = [question for question, _ in examples(open_index(config.store))]
    assert held == ["What replaces table VBBS?", "What shows table VBBE?"]
    browser, asked = client(config), re.compile(r'/ask\?question=[^"]+">([^<]+)</a>')
    for _ in range(60):  # the page waits a second for them
        if found := asked.findall(browser.get("/snapshots/current/ask").text.partition("<h2>Topics")[0]):
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
    monkeypatch.setattr("graphrag_tasks.operations.examples.EXAMPLES", len(held))
    monkeypatch.setattr("graphrag_tasks.operations.examples.answer", None)  # those of the parent still hold
    keep_examples(config, replace(manifest, parent_id=manifest.snapshot_id))
    monkeypatch.setattr("graphrag_tasks.inspect.pages.ask.examples", None)  # none are looked for
    assert all(one in client(config).get("/snapshots/current/ask").text for one in held)
    assert Store(config.store).open().snapshot_id == manifest.snapshot_id


def test_the_first_page_asks_the_current_snapshot(config: Config) -> None:
    browser = client(config)
    page = browser.get(browser.get("/").headers["location"]).text
    navigation = page.partition("<nav")[2].partition("</nav>")[0]
    assert re.findall(r">([^<]+)</a>", navigation)[:2] == ["Documents 3", "Topics"]
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
