"""Rules of access: a document never has fewer restrictions than a rule means, or the run stops."""

import random
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core.config import AccessConfig
from graphrag_tasks.core.errors import AccessError
from graphrag_tasks.sources.labels import PUBLIC, check_rules
from graphrag_tasks.sources.listing import list_sources, source_roots

TREES = 500


def access(*rules: dict[str, Any]) -> AccessConfig:
    values = {"enabled": True, "rules": rules, "default": (PUBLIC,)}
    return AccessConfig.model_validate(values)


def rule(path: str, **more: Any) -> dict[str, Any]:
    return {"path": path, "labels": ["hr"], **more}


def listed(root: Path, config: AccessConfig, *files: str) -> pa.Table:
    """Write files, list them and check the rules, as a plan does."""
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("labels: [board]" if name.lower().endswith("yaml") else "text")
    found = list_sources(source_roots([f"docs={root}"]), config)
    check_rules(config, found)
    return found


def labels(table: pa.Table) -> dict[str, list[str]]:
    return dict(zip(table["path"].to_pylist(), table["labels"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("folder", "named"), [("Geha\u0308lter", "Geh\u00e4lter"), ("Geh\u00e4lter", "Geha\u0308lter")]
)
def test_a_rule_holds_for_a_folder_in_any_unicode_form(tmp_path: Path, folder: str, named: str) -> None:
    found = listed(tmp_path, access(rule(f"{named}/**")), f"{folder}/a.md")
    assert labels(found) == {f"{folder}/a.md": ["hr"]}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([rule("hr/**")], "rule 1: hr/\\*\\*: it fits 'HR/' only where case is ignored"),
        ([rule("hr/**"), rule("**")], "'HR/' only where case is ignored, and rule 2: \\*\\* would"),
        ([rule("HR/A.MD")], "'HR/' only where case is ignored, and access.default would label"),
        ([rule("hr/**", optional=True)], "only where case is ignored"),
        ([rule("*/a.md"), rule("personnel/**")], "rule 2: personnel/\\*\\*: it fits no document. "),
        ([rule("HR/**"), rule("hr/**")], "fits no document, but 'HR/' where case is ignored"),
        ([rule("/HR/**")], "Write the path below the source's root"),
        ([rule("HR/**", source="Docs", optional=True)], "is called 'Docs'"),
        ([rule("HR/**", source="Docs")], "is called 'Docs'.*The sources are docs: name"),
    ],
)
def test_a_rule_that_cannot_be_meant_so_stops_the_run(
    tmp_path: Path, rules: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(AccessError, match=message) as raised:
        listed(tmp_path, access(*rules), "HR/a.md", "b.md")
    assert "Nothing was changed" in raised.value.hint


FOLDERS = ("Gehälter", "Résumés", "HR", "Straße")
NAMES = ("café.md", "Ärger.txt", "plan.md")


def variant(rng: random.Random, name: str) -> str:
    form = rng.choice(("NFC", "NFD", "NFKD"))
    cased = rng.choice((str, str, str.upper, str.lower, str.casefold))(name)
    return unicodedata.normalize(form, cased)


@pytest.mark.parametrize("seed", range(5))
def test_no_document_of_a_random_tree_is_shown_to_more_than_its_rule_means(tmp_path: Path, seed: int) -> None:
    """Folders and files in forms and cases of their own, beside rules and access files in others.

    What is meant is known by the words that the names were made from.
    """
    rng, refused, closed = random.Random(seed), 0, 0
    for number in range(TREES // 5):
        root = tmp_path / str(number)
        places = {(variant(rng, one), one, rng.choice(NAMES)) for one in rng.choices(FOLDERS, k=4)}
        meant = {f"{place}/{variant(rng, name)}": (folder, name) for place, folder, name in sorted(places)}
        own = set()
        for path, document in meant.items():
            if rng.random() < 0.3:
                mark = rng.choice((".access.yaml", ".access.yaml", " .access.yaml", "_access.yaml"))
                beside = f"{path.rpartition('/')[0]}/{variant(rng, document[1])}{mark}"
                (root / beside).parent.mkdir(parents=True, exist_ok=True)
                (root / beside).write_text("labels: [board]")
                own.add(path)
        ruled = rng.sample(FOLDERS, rng.randint(0, 2))
        catch_all = [{"path": "**", "labels": [PUBLIC]}] * rng.randint(0, 1)
        config = access(*(rule(f"{variant(rng, one)}/**") for one in ruled), *catch_all)
        try:
            found = labels(listed(root, config, *meant))
        except AccessError:
            refused += 1
            continue
        for path, (folder, _) in meant.items():
            closed += path in own or folder in ruled
            if path in own:
                assert found[path] in ([], ["board"]), (path, found, config)
            elif folder in ruled:
                assert found[path] in ([], ["hr"]), (path, found, config)
    assert refused > 10
    assert closed > 10
