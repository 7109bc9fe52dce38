"""Versions of documents: found by their paths, compared, told, and answered from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.answering import answer
from graphrag_tasks.cli import app
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.versions.chains import pairs
from graphrag_tasks.versions.told import Change, Statement, changes, changes_between

SAME = (
    "The server keeps old records for one year. The report shows the open orders. "
    "The operator starts the nightly export. The queue sends each message twice."
)
RETENTION = "# Retention\n\nBackups are kept for {days} days. {same}\n"
PORTS = "# Ports\n\nThe gateway listens on port {port}. The console needs the service {name}. {same}\n"
NOT_CHANGED = (
    "# Chapter {number}\n\nChapter {number} tells of {about}. The {about} are ripe in autumn. "
    "Who eats {about} is glad. Nothing else is told here.\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("versions")
    docs = made / "docs"
    for release, days, port, name in (
        ("1.9", 90, 5150, "Vault"), ("1.10", 180, 5151, "Vault"), ("2.0", 270, 5151, "Ledger"),
    ):  # fmt: skip
        pages = docs / f"manual-{release}"
        (pages / "sub").mkdir(parents=True)
        (pages / "retention.md").write_text(RETENTION.format(days=days, same=SAME))
        text = PORTS.format(port=port, name=name, same=SAME)
        (pages / ("sub/ports.md" if release == "2.0" else "ports.md")).write_text(text)
    for number, about in (("1.1", "apples"), ("1.2", "pears"), ("2.1", "plums")):
        (docs / f"chapter-{number}.md").write_text(NOT_CHANGED.format(number=number, about=about))
    run_index(settings(made), workers=1)
    return made


def settings(folder: Path) -> object:
    overrides = {"store": str(folder / "store"), "sources": [str(folder / "docs")], "load": {"vector_store": "none"}}
    return load_config(overrides=overrides, environ={})


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    return open_index(str(folder / "store"))


def test_releases_are_ordered_as_numbers_and_chapters_are_none(index: Index) -> None:
    rows = index.snapshot.table("versions").to_pylist()
    uris = {row["document_id"]: row["uri"] for row in index.snapshot.table("documents").to_pylist()}
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        found.setdefault(row["chain_id"], []).append((row["release"], uris[row["document_id"]]))
    assert sorted(found.values()) == [
        [("1.9", "docs/manual-1.9/ports.md"), ("1.10", "docs/manual-1.10/ports.md"),
         ("2.0", "docs/manual-2.0/sub/ports.md")],
        [("1.9", "docs/manual-1.9/retention.md"), ("1.10", "docs/manual-1.10/retention.md"),
         ("2.0", "docs/manual-2.0/retention.md")],
    ]  # fmt: skip


def test_changes_say_what_went_and_came(index: Index) -> None:
    found = {(one.kind, one.before, one.after) for one in changes(index.snapshot)}
    assert found == {
        ("number", "90", "180"), ("number", "180", "270"), ("number", "5150", "5151"), ("name", "Vault", "Ledger"),
    }  # fmt: skip


def test_the_newest_is_quoted_first_and_the_older_named(index: Index) -> None:
    reply = answer(index, "For how many days are backups kept?")
    (best,) = [one for one in reply.sentences if one.is_best]
    assert best.shown == "In 2.0: Backups are kept for 270 days."
    assert "manual-2.0" in best.citations[0].source.uri
    assert "Before (1.10): Backups are kept for 180 days." in reply.text
    _, _, *others = reply.sentences
    assert others and all("manual-2.0" in one.citations[0].source.uri for one in others)


def test_what_changed_earlier_and_then_stayed_is_told_of_the_newest(index: Index) -> None:
    reply = answer(index, "On which port does the gateway listen?")
    (best,) = [one for one in reply.sentences if one.is_best]
    assert best.shown == "In 2.0: The gateway listens on port 5151."
    assert "manual-2.0" in best.citations[0].source.uri
    assert "Before (1.9): The gateway listens on port 5150." in reply.text
    reply = answer(index, "Who starts the nightly export?")
    assert "manual-2.0" in reply.sentences[0].citations[0].source.uri
    assert not any(one.release for one in reply.sentences)


def test_a_passage_of_several_versions_is_one_hit_of_the_newest(index: Index) -> None:
    first, *others = index.search("For how many days are backups kept?", k=3).chunks
    assert "Backups are kept for 270 days." in first.text
    assert first.release == "2.0"
    assert not any("Backups" in one.text for one in others)
    older = index.search("How long are backups kept?", k=3, filters={"release": "1.9"}).chunks
    assert {one.release for one in older} == {"1.9"}


def test_a_filter_chooses_the_release(index: Index) -> None:
    question = "For how many days are backups kept?"
    for filters, days in (
        ({"as_of": "1.9.5"}, 90), ({"as_of": "1.11"}, 180), ({"release": "1.10"}, 180),
        ({"release": ">=2"}, 270), ({"release": "<1.10"}, 90),
    ):  # fmt: skip
        reply = answer(index, question, filters=filters)
        assert f"kept for {days} days" in reply.sentences[0].text, filters
    with pytest.raises(QueryError, match="no release or date"):
        index.search(question, filters={"as_of": "soon"})


def test_every_changed_part_of_a_pair_is_marked() -> None:
    ends = [
        Statement(text, "s", "c", "d", "Policy", "policy.md", "")
        for text in ("Trains cost £40 or £60 a day.", "Trains cost £45 or £65 a day.")
    ]
    older, newer = Change("number", "£40", "£45", *ends).marked
    assert [words for words, is_changed in older if is_changed] == ["40", "60"]
    assert [words for words, is_changed in newer if is_changed] == ["45", "65"]
    assert "".join(words for words, _ in newer) == ends[1].text
    assert Change("added", "", "", None, ends[1]).marked == ([], [(ends[1].text, True)])


def test_the_command_tells_changes_of_releases_and_of_snapshots(folder: Path, index: Index) -> None:
    store = str(folder / "store")
    told = CliRunner().invoke(app, ["changes", "retention", "--store", store]).stdout
    assert "- 1.10: Backups are kept for 180 days." in told
    assert "+ 2.0: Backups are kept for 270 days." in told
    assert "2 statements changed, in 2 ways" in told
    before = index.snapshot.snapshot_id
    page = folder / "docs/manual-2.0/retention.md"
    page.write_text(page.read_text().replace("270", "365"))
    ran = CliRunner().invoke(app, ["index", str(folder / "docs"), "--store", store])
    assert "1 statement changed in edited documents: " in ran.stdout
    since = CliRunner().invoke(app, ["changes", "--from", before, "--store", store]).stdout
    assert "- Backups are kept for 270 days." in since
    assert "+ Backups are kept for 365 days." in since
    (one,) = changes_between(Store(store).open(before), Store(store).open())
    assert (one.before, one.after) == ("270", "365")


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("The timeout is five minutes.", "The timeout is ten minutes.", "number"),
        ("Guests may read the public pages.", "Guests must not read the public pages.", "value"),
        ("The tool reads setup.cfg at its start.", "The tool reads pyproject.toml at its start.", "name"),
        ("The tool re-reads all files of the night.", "The tool rereads all files of the night.", "wording"),
        ("name: The user who logs in first.", "The user who logs in first.", "wording"),
    ],
)
def test_a_change_has_a_kind(older: str, newer: str, kind: str) -> None:
    assert [one.kind for one in pairs([older], [newer])] == [kind]


def test_equal_and_other_sentences_are_no_pairs() -> None:
    one = ["The report shows orders.", "The report shows orders.", "Apples are red."]
    other = ["The report shows orders.", "Nobody eats the pears of that tree."]
    assert not list(pairs(one, other))
