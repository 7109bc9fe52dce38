"""Write `.env` for docker compose: `.env.example` with a secret of its own for every empty entry.

What a file has that is there stays, as its passwords are those of the volumes; entries that it
lacks are added.

    python docker/make_env.py
"""

from __future__ import annotations

import base64
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_BYTES = 32


def main(target: Path = _ROOT / ".env") -> int:
    """Write the file, readable by its owner alone, and return the exit code."""
    lines = (_ROOT / ".env.example").read_text("utf-8").splitlines()
    wanted = [_fill(line) for line in lines if not line.startswith("# Copy")]
    if target.exists():
        before = target.read_text("utf-8")
        known = _names(before.splitlines())
        wanted = [line for line in wanted if _names([line]) - known]
        if wanted and not before.endswith("\n"):
            wanted[0] = f"\n{wanted[0]}"
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in wanted)
    said = f"written into {target}" if wanted else f"left alone: {target} has all"
    sys.stderr.write(
        f"Passwords are {said}.\nAirflow: http://127.0.0.1:8080, user admin, "
        "password AIRFLOW_ADMIN_PASSWORD in that file.\n"
    )
    return 0


def _names(lines: Iterable[str]) -> set[str]:
    """Return the names of the entries among lines."""
    return {line.partition("=")[0] for line in lines if "=" in line and not line.startswith("#")}


def _fill(line: str) -> str:
    name, equals, value = line.partition("=")
    if not equals or value or line.startswith("#"):
        return line
    # A Fernet key is 32 bytes in URL-safe base64; the others may be anything.
    key = base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)).decode("ascii")
    return f"{name}={key if name.endswith('FERNET_KEY') else secrets.token_urlsafe(_BYTES)}"


if __name__ == "__main__":
    raise SystemExit(main())
