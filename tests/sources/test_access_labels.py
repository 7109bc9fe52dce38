"""Access labels: where a document gets them from, and that a mistake hides it."""

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.core.config import AccessConfig, load_config
from graphrag_tasks.core.errors import AccessError, ConfigError, SourceError
from graphrag_tasks.sources.labels import PUBLIC, may_see, read_labels
from graphrag_tasks.sources.listing import list_sources, source_roots

ON = AccessConfig(enabled=True)


def access(*rules: tuple[str, list[str]], default: tuple[str, ...] = ()) -> AccessConfig:
    values = {
        "enabled": True,
        "rules": [{"path": path, "labels": labels} for path, labels in rules],
        "default": default,
    }
    return AccessConfig.model_validate(values)


def write(root: Path, **files: str) -> Path:
    """Write files; `__` stands for a slash and `_` for a full stop in their names."""
    for name, text in files.items():
        file = root / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def labels(root: Path, config: AccessConfig) -> dict[str, list[str] | None]:
    return {row["path"]: row["labels"] for row in rows(root, config)}


def rows(root: Path, config: AccessConfig) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = list_sources(source_roots([str(root)]), config).to_pylist()
    return found


def test_a_document_that_nothing_labels_is_for_nobody(tmp_path: Path) -> None:
    write(tmp_path, a_md="text")
    assert labels(tmp_path, ON) == {"a.md": []}
    assert labels(tmp_path, access(default=("staff",))) == {"a.md": ["staff"]}


def test_the_file_beside_a_document_wins_over_rules_and_is_no_document(tmp_path: Path) -> None:
    write(tmp_path, hr__a_md="text", hr__b_md="text", hr__a_md_access_yaml="labels: [board, hr, hr]")
    config = access(("hr/**", ["hr"]), default=("staff",))
    assert labels(tmp_path, config) == {"hr/a.md": ["board", "hr"], "hr/b.md": ["hr"]}


def test_the_first_rule_that_fits_counts(tmp_path: Path) -> None:
    write(tmp_path, hr__pay__a_md="", hr__b_md="", c_md="")
    config = access(("hr/pay/*", ["pay"]), ("hr/**", ["hr"]), ("*", ["staff"]))
    assert labels(tmp_path, config) == {"hr/pay/a.md": ["pay"], "hr/b.md": ["hr"], "c.md": ["staff"]}


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("hr/*", {"hr/a.md"}),
        ("hr/**", {"hr/a.md", "hr/x/a.md"}),
        ("**/a.md", {"a.md", "hr/a.md", "hr/x/a.md"}),
        ("**", {"a.md", "hr/a.md", "hr/x/a.md", "hrx.md"}),
        ("hr", set()),
        ("hr*", {"hrx.md"}),
        ("?.md", {"a.md"}),
        ("hr/[ax].md", set()),
    ],
)
def test_patterns_stay_in_their_folder(tmp_path: Path, pattern: str, fits: set[str]) -> None:
    write(tmp_path, a_md="", hr__a_md="", hr__x__a_md="", hrx_md="")
    found = labels(tmp_path, access((pattern, ["x"])))
    assert {path for path, given in found.items() if given} == fits


def test_a_single_file_and_passages_have_an_access_file_too(tmp_path: Path) -> None:
    write(tmp_path, a_md="text", a_md_access_yaml="labels: [hr]")
    write(tmp_path, p_jsonl='{"id": "1", "text": "x"}\n', p_jsonl_access_yaml="labels: [hr]")
    assert labels(tmp_path / "a.md", ON) == {"a.md": ["hr"]}
    assert labels(tmp_path / "p.jsonl", ON) == {"1": ["hr"]}


BROKEN = {
    "labels: [public": "YAML",
    "": "must have the key",
    "- public": "must have the key",
    "{}": "must be a list",
    "labels: public": "must be a list",
    "labels: {public: yes}": "must be a list",
    "label: [public]": "unknown key 'label'",
    "labels: [public]\nexpires: 2030": "unknown key 'expires'",
    "labels: [hr]\nlabels: [public]": "stands 2 times",
    "labels: [yes]": "must be text",
    "labels: [7]": "must be text",
    "labels: [[public]]": "must be text",
    "labels: ['']": "is no label",
    "labels: ['a\" or \"']": "is no label",
    "labels: [!!python/object/apply:os.system [ls]]": "must be text",
    "[" * 5000: "YAML",
    "labels: [public] #" + "x" * 10_000: "more than",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_access_file_hides_its_document(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, a_md="text", b_md="text", a_md_access_yaml=text)
    config = access(("**", [PUBLIC]), default=(PUBLIC,))
    with caplog.at_level(logging.WARNING):
        broken, other = rows(tmp_path, config)
    assert (broken["labels"], other["labels"]) == ([], [PUBLIC])
    assert BROKEN[text] in broken["labels_error"]
    assert "a.md.access.yaml" in broken["labels_error"]
    assert "nobody will see a.md" in caplog.text
    assert other["labels_error"] is None


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_labels_or_a_named_error(data: bytes) -> None:
    try:
        found = read_labels(data, "a.access.yaml")
    except AccessError:
        return
    assert all(isinstance(label, str) and label for label in found)


def test_an_access_file_that_leads_out_of_its_source_hides_its_document(tmp_path: Path) -> None:
    write(tmp_path, other_yaml="labels: [public]")
    root = write(tmp_path / "docs", a_md="text")
    (root / "a.md.access.yaml").symlink_to(tmp_path / "other.yaml")
    (row,) = rows(root, ON)
    assert row["labels"] == []
    assert "leads out of its source" in row["labels_error"]


STRAYS = (
    "gone.md.access.yaml", "gone.md_access.yaml", "gone.txt-access.yml", "gone.md.access.yml ",
    "a.md\u200b.access.yaml", "hr/.access.yaml", "a.md.access.yml", "a.md.ACCESS.YML", "a.md.access.yaml.txt",
    "a.md.access.json", "a.md.access (1).yaml", "a.md.access", "a.access.yml", "A.md.access.yaml", ".access.yml",
    "a.md .access.yaml",
    "a.md access.yaml", "a.md.access .yaml", "a_access.yaml", "a.md.access.yaml.bak",
)  # fmt: skip


@pytest.mark.parametrize("name", STRAYS)
def test_an_access_file_without_a_document_stops_the_run(tmp_path: Path, name: str) -> None:
    write(tmp_path, a_md="text")
    (tmp_path / "hr").mkdir()
    (tmp_path / name).write_text("labels: [hr]")
    with pytest.raises(AccessError, match="it seems to be an access file") as raised:
        labels(tmp_path, access(default=(PUBLIC,)))
    assert raised.value.where == name
    assert "Nothing was changed" in raised.value.hint
    if name.startswith("a."):
        with pytest.raises(AccessError, match="it seems to be an access file"):
            labels(tmp_path / "a.md", access(default=(PUBLIC,)))


def test_copies_and_other_files_are_no_access_files(tmp_path: Path) -> None:
    write(tmp_path, a_md="text", a_md_access_yaml="labels: [hr]", accessibility_json="{}", access_log="text")
    write(tmp_path, ab_md="text", ab_md_access_yaml="labels: [board]")
    (tmp_path / "a.md.access.yaml~").write_text("labels: [public]")
    found = labels(tmp_path, access(default=("staff",)))
    assert (found["a.md"], found["ab.md"], found["access.log"]) == (["hr"], ["board"], ["staff"])
    assert labels(tmp_path / "a.md", ON) == {"a.md": ["hr"]}


@pytest.mark.parametrize("name", ["a.md.access.yaml", "a.md.access.yml", "hr/a.md.access.yaml"])
def test_a_folder_named_as_an_access_file_stops_the_run(tmp_path: Path, name: str) -> None:
    write(tmp_path, a_md="text")
    (tmp_path / name).mkdir(parents=True)
    with pytest.raises(AccessError, match="a folder is named as an access file") as raised:
        labels(tmp_path, access(default=(PUBLIC,)))
    assert raised.value.where == name
    with pytest.raises(SourceError, match=r"access\.enabled is off"):
        labels(tmp_path, AccessConfig())


NFC, NFD = "caf\u00e9.txt", "cafe\u0301.txt"


@pytest.mark.parametrize(("document", "labelled"), [(NFC, NFD), (NFD, NFC), (NFD, NFD)])
def test_an_access_file_is_its_documents_in_any_unicode_form(tmp_path: Path, document: str, labelled: str) -> None:
    (tmp_path / document).write_text("text")
    (tmp_path / f"{labelled}.access.yaml").write_text("labels: [hr]")
    assert labels(tmp_path, access(default=(PUBLIC,))) == {document: ["hr"]}
    assert labels(tmp_path / document, access(default=(PUBLIC,))) == {document: ["hr"]}


def test_files_that_only_their_unicode_form_tells_apart_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / NFC).write_text("text")
    (tmp_path / NFD).write_text("text")
    (tmp_path / f"{NFC}.access.yaml").write_text("labels: [public]")
    with pytest.raises(AccessError, match="it seems to be an access file"):
        rows(tmp_path, access(default=(PUBLIC,)))


@pytest.mark.parametrize("suffix", ["yaml", "yml", "YML"])
def test_access_files_are_refused_where_labels_are_off(tmp_path: Path, suffix: str) -> None:
    write(tmp_path, a_md="text", **{f"a_md_access_{suffix}": "labels: [hr]"})
    with pytest.raises(SourceError, match=r"access\.enabled is off"):
        labels(tmp_path, AccessConfig())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rules": [{"path": "hr/**", "labels": ["hr"]}]}, "access.enabled is not"),
        ({"default": ["hr"]}, "access.enabled is not"),
        ({"enabled": True, "default": ["a b"]}, "should match"),
        ({"enabled": True, "rules": [{"path": "", "labels": []}]}, "at least 1"),
        ({"enabled": True, "rules": [{"path": "x", "labels": [], "who": 1}]}, "unknown setting"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(overrides={"access": values}, environ={})


@pytest.mark.parametrize(
    ("labels", "principals", "seen"),
    [
        (["hr"], {"hr"}, True),
        (["hr", "board"], {"board"}, True),
        (["hr"], {"h", "r"}, False),
        (["hr"], set(), False),
        ([], {"hr"}, False),
        (None, {"hr"}, False),
        ([PUBLIC], set(), True),
    ],
)
def test_one_common_label_is_enough(labels: list[str] | None, principals: set[str], seen: bool) -> None:
    assert may_see(labels, principals) == seen
