"""Right and wrong on the page Ask: who may say it, what is kept of it, and what is never."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.retrieval import ALL_DOCUMENTS, open_index
from graphrag_tasks.workbench.evaluation import gate, read_questions
from graphrag_tasks.workbench.evaluation.gold import locate
from tests.corpora import made
from tests.inspect.parts import BOARD_AND_STAFF, HIDDEN

ASK = "/snapshots/current/ask"
QUESTION = "What replaces the table VBBS?"
OWN = {"sec-fetch-site": "same-origin"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """An index with labels: one document is the board's alone."""
    texts = {
        "tables.md": "# Table changes\n\nThe table VBBE replaces the table VBBS.\n",
        "note.txt": "The report ZSALES reads the table VBBS.\n",
        f"board/{HIDDEN}.txt": f"{HIDDEN} replaces the table VBBS.\n",
    }
    return made(tmp_path_factory.mktemp("judging"), texts, access={"enabled": True, "rules": BOARD_AND_STAFF})


@pytest.fixture
def config(indexed: Config, tmp_path: Path) -> Config:
    """The index as staff sees it, with a file of its own."""
    pages = {"principals": ("staff",), "questions": str(tmp_path / "questions.jsonl")}
    return indexed.model_copy(update={"pages": indexed.pages.model_copy(update=pages)})


def client(config: Config) -> TestClient:
    """Return a browser of somebody who may change things."""
    app = make_app(lambda: None, config, lambda: "")
    return TestClient(app, follow_redirects=False)


def file_of(config: Config) -> Path:
    return Path(str(config.pages.questions))


def form(**fields: str) -> dict[str, str]:
    return {"question": QUESTION, "mode": "auto", "k": "5", "judged": "right"} | fields


def chunk_with(config: Config, words: str) -> str:
    index = open_index(config.store, principals=ALL_DOCUMENTS)
    rows = index.snapshot.table("chunks", ["chunk_id", "text"]).to_pylist()
    (found,) = [row["chunk_id"] for row in rows if words in row["text"]]
    return str(found)


def texts_of(config: Config) -> list[set[str]]:
    """Return the texts of the chunks that each needed fact of the file stands in."""
    snapshot = open_index(config.store, principals=ALL_DOCUMENTS).snapshot
    (target,) = locate(read_questions(file_of(config)), snapshot).targets
    rows = snapshot.table("chunks", ["chunk_id", "text"]).to_pylist()
    return [{row["text"] for row in rows if row["chunk_id"] in ids} for ids in target.chunks]


def test_a_right_answer_becomes_a_question_for_the_gate(config: Config) -> None:
    browser = client(config)
    page = browser.get(ASK, params={"question": QUESTION}).text
    assert page.count('name="judged" value="right"') == 1
    assert "Noted" not in page
    done = browser.post(ASK, data=form(), headers=OWN)
    assert done.status_code == 303
    assert done.headers["location"].startswith("/snapshots/current/ask?question=What+replaces")
    assert "Noted as right, with its sources." in browser.get(done.headers["location"]).text
    assert "VBBE replaces" in str(texts_of(config)[0])
    index = open_index(config.store, principals=ALL_DOCUMENTS)
    assert gate(index, file_of(config), minimum={}, mode="bm25").questions == 1


def test_a_wrong_answer_has_the_passage_that_was_chosen_or_none(config: Config) -> None:
    browser = client(config)
    wanted = chunk_with(config, "ZSALES")
    page = browser.get(ASK, params={"question": QUESTION}).text
    assert f'name="passage" value="{wanted}"' in page
    browser.post(ASK, data=form(judged="wrong", passage=wanted), headers=OWN)
    assert texts_of(config) == [{"The report ZSALES reads the table VBBS."}]
    page = browser.get(ASK, params={"question": QUESTION}).text
    assert "Noted as wrong, with the right passage." in page
    browser.post(ASK, data=form(judged="wrong"), headers=OWN)
    assert read_questions(file_of(config)) == []
    assert len(file_of(config).read_text().splitlines()) == 1
    page = browser.get(ASK, params={"question": QUESTION}).text
    assert "Noted as wrong, without a right passage." in page


def test_nothing_hidden_is_shown_or_kept(config: Config) -> None:
    browser, hidden = client(config), chunk_with(config, HIDDEN)
    assert hidden not in browser.get(ASK, params={"question": QUESTION, "k": 50}).text
    refused = browser.post(ASK, data=form(judged="wrong", passage=hidden, k="50"), headers=OWN)
    assert refused.status_code == 400
    assert "not among those found" in refused.text
    assert not file_of(config).exists()
    browser.post(ASK, data=form(k="50"), headers=OWN)
    kept = json.loads(file_of(config).read_text())
    assert HIDDEN not in file_of(config).read_text()
    assert set(kept) == {"id", "question", "gold", "judged"}
    for one in kept["gold"]:
        assert set(one) <= {"path", "char_start", "char_end", "sha", "alternatives"}


def test_only_who_may_and_only_from_its_page(config: Config) -> None:
    for app in (make_app(lambda: None, config), make_app(lambda: None, config, lambda: None)):
        answer = TestClient(app).post(ASK, data=form(), headers=OWN)
        assert answer.status_code in (403, 404, 405)
    shown = TestClient(make_app(lambda: None, config)).get(ASK, params={"question": QUESTION})
    assert 'name="judged"' not in shown.text
    for headers in ({}, {"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}):
        assert client(config).post(ASK, data=form(), headers=headers).status_code == 403
    assert not file_of(config).exists()


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"question": "x" * 501}, 422, "question"),
        ({"question": " "}, 422, "question"),
        ({"judged": "maybe"}, 422, "judged"),
        ({"k": "1000"}, 422, "k:"),
        ({"mode": "magic"}, 400, "there is no mode"),
        ({"judged": "wrong", "passage": "<script>"}, 400, "&lt;script&gt;"),
        ({"question": "x" * 30_000}, 413, "too long"),
    ],
)
def test_odd_forms_are_refused(config: Config, fields: dict[str, str], status: int, words: str) -> None:
    answer = client(config).post(ASK, data=form(**fields), headers=OWN)
    assert answer.status_code == status
    assert words in answer.text
    assert "<script" not in answer.text
    assert not file_of(config).exists()


def test_a_store_elsewhere_needs_a_setting_and_the_page_says_which(config: Config) -> None:
    elsewhere = config.pages.model_copy(update={"questions": "memory://far/questions.jsonl"})
    browser = client(config.model_copy(update={"pages": elsewhere}))
    page = browser.get(ASK, params={"question": QUESTION}).text
    assert "cannot be noted" in page
    assert "Set pages.questions to a file on the local disk" in page
    answer = browser.post(ASK, data=form(), headers=OWN)
    assert "Set pages.questions" in answer.text
    assert answer.status_code == 409
