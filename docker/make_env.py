"""Write `.env` for docker compose: `.env.example` with a secret of its own for every empty entry.

A file that is there is left alone: its passwords are those of the volumes.

    python docker/make_env.py
"""

from __future__ import annotations

import base64
import os
import secrets
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_BYTES = 32


def main(target: Path = _ROOT / ".env") -> int:
    """Write the file, readable by its owner alone, and return the exit code."""
    if target.exists():
        sys.stderr.write(f"{target} is there already and was left alone.\n")
        return 0
    lines = (_ROOT / ".env.example").read_text("utf-8").splitlines()
    filled = [_fill(line) for line in lines if not line.startswith("# Copy")]
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(filled) + "\n")
    return 0


def _fill(line: str) -> str:
    name, equals, value = line.partition("=")
    if not equals or value or line.startswith("#"):
        return line
    # A Fernet key is 32 bytes in URL-safe base64; the others may be anything.
    key = base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)).decode("ascii")
    return f"{name}={key if name.endswith('FERNET_KEY') else secrets.token_urlsafe(_BYTES)}"


if __name__ == "__main__":
    raise SystemExit(main())
