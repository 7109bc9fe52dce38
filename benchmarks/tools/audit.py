"""`make audit`: known vulnerabilities of the pinned packages, by pip-audit.

The advisories come from PyPI. It ends with 1 where a package has a known vulnerability, and with 2 where none was
audited, as advisories cannot be had (no network, a mirror without them): that must not look as if nothing had been
found.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SECONDS = 600
_UNREACHABLE = "No package was audited: the advisory service cannot be reached"


def report_of(requirements: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Return pip-audit's report on files of pinned requirements, and what it says beside it.

    The report is empty where pip-audit could not make one.
    """
    files = [part for name in requirements for part in ("--requirement", name)]
    command = [
        str(Path(sys.executable).with_name("pip-audit")), *files,
        "--disable-pip", "--no-deps", "--format", "json", "--progress-spinner", "off",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return {}, f"it did not answer in {_SECONDS} s"
    try:
        return json.loads(done.stdout), ""
    except json.JSONDecodeError:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        return {}, said[-1]


def verdict(report: Mapping[str, Any], trouble: str = "") -> tuple[list[str], int]:
    """Return what to print of a report, and the exit code.

    Args:
        report: What pip-audit writes as JSON.
        trouble: Why there is none.
    """
    packages = report.get("dependencies", [])
    audited = [one for one in packages if "skip_reason" not in one]
    if not audited:
        return [f"{_UNREACHABLE}{f' ({trouble})' if trouble else ''}."], 2
    found = [
        f"{one['name']} {one['version']}: {flaw['id']}, fixed in "
        f"{', '.join(flaw.get('fix_versions', [])) or 'no version yet'}"
        for one in audited
        for flaw in one.get("vulns", [])
    ]
    skipped = sorted(one["name"] for one in packages if "skip_reason" in one)
    lines = [f"{len(audited)} packages audited, {len(found)} known vulnerabilities.", *found]
    if skipped:
        lines.append(f"{len(skipped)} could not be audited: {', '.join(skipped)}.")
    return lines, 1 if found else 0


def main() -> None:
    """Audit the files of requirements that the command line names."""
    lines, code = verdict(*report_of(sys.argv[1:]))
    print("\n".join(lines))
    raise SystemExit(code)


if __name__ == "__main__":
    main()
