"""The audit: a known vulnerability fails it; so does having audited nothing."""

import pytest

from benchmarks.tools.audit import verdict

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


@pytest.mark.parametrize(
    ("report", "trouble"),
    [({}, "no route to host"), ({"dependencies": [{"name": "numpy", "skip_reason": "not found on PyPI"}]}, "")],
)
def test_without_the_service_the_audit_says_that_it_did_not_happen(report: dict[str, object], trouble: str) -> None:
    (line,), code = verdict(report, trouble)
    assert code == 2
    assert line.startswith("No package was audited")
    assert trouble in line
