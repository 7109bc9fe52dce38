"""The audit: a known vulnerability fails it; so does having audited nothing."""

import pytest

from benchmarks.tools.audit import report_of, verdict

FINE = {"name": "numpy", "version": "2.4", "vulns": []}
FLAW = {"id": "PYSEC-1", "fix_versions": ["1.2", "2.0"]}


def test_a_vulnerability_fails_the_audit() -> None:
    bad = {"name": "left", "version": "1.0", "vulns": [FLAW, {"id": "CVE-2", "fix_versions": []}]}
    lines, code = verdict({"dependencies": [FINE, bad]})
    assert code == 1
    assert lines == [
        "2 packages audited, 2 known vulnerabilities.",
        "left 1.0: PYSEC-1, fixed in 1.2, 2.0",
        "left 1.0: CVE-2, fixed in no version yet",
    ]


def test_what_could_not_be_audited_is_named() -> None:
    lines, code = verdict({"dependencies": [FINE, {"name": "own", "skip_reason": "not found"}]})
    assert code == 0
    assert lines[-1] == "1 could not be audited: own."


@pytest.mark.parametrize(
    ("report", "trouble"),
    [
        ({}, "no route to host"),
        ({"dependencies": [{"name": "numpy", "skip_reason": "not found on PyPI"}]}, ""),
    ],
)
def test_without_the_service_the_audit_says_that_it_did_not_happen(
    report: dict[str, object], trouble: str
) -> None:
    (line,), code = verdict(report, trouble)
    assert code == 2
    assert line.startswith("No package was audited")
    assert trouble in line


def test_a_tool_that_makes_no_report_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    class Done:
        stdout, stderr = "", "Traceback\nConnectionError: no network\n"

    monkeypatch.setattr("benchmarks.tools.audit.subprocess.run", lambda *_, **__: Done)
    assert report_of(["r.txt"]) == ({}, "ConnectionError: no network")
