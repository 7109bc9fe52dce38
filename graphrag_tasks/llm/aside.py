"""What may be under way that a store in S3 does not tell of yet.

    STORE/answers/aside/<machine>-<log>.json    what each run may have spent since the last part

A log is on the disk of a machine, and the machine may be lost with it. So before a request leaves,
an object says how much more may have been spent than the parts say: a block of requests at a time,
for an object for each would be slow. What a lost machine had set aside counts in full.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

from graphrag_tasks.core.errors import ArtifactError, ConfigError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.llm.budget import NOTHING, Cost
from graphrag_tasks.storage.files import Files, changing

ASIDE = "aside"
_MACHINE = "machine"
_LEAST_REQUESTS = 8
_SHARE = 8
"""A block is that many of the worst requests, and one in so many of what was spent: a lost machine
costs a run that much at most, and a million requests take some two hundred blocks."""


class Aside:
    """What this process may spend before it writes a part.

    Args:
        folder: Of the answers.
        name: Of the object.
    """

    def __init__(self, folder: Files, name: str) -> None:
        self._folder, self._name = folder / ASIDE, f"{name}.json"
        self._aside: dict[str, Cost] = {}
        self._told: dict[str, Cost] = {}

    def cover(
        self, run: str, worst: Cost, untold: Callable[[], Cost], tell: Callable[[], None]
    ) -> None:
        """See that a request is covered before it leaves.

        Args:
            run: Who pays.
            worst: The most that it may cost.
            untold: Returns what the run spent that no part tells of.
            tell: Writes a part of it.
        """
        if _fits(untold() + worst, self._aside.get(run, NOTHING)):
            return
        spent = untold()
        tell()
        self._told[run] = told = self._told.get(run, NOTHING) + spent
        usd = (worst.usd or Decimal(0)) * _LEAST_REQUESTS + (told.usd or Decimal(0)) / _SHARE
        tokens = worst.tokens * _LEAST_REQUESTS + told.tokens // _SHARE
        self._aside[run] = Cost(usd, tokens)
        value = {one: [f"{cost.usd:f}", cost.tokens] for one, cost in self._aside.items()}
        self._folder.write_json(self._name, value)

    def clear(self) -> None:
        """Say that the parts tell all."""
        self._aside.clear()
        self._folder.delete(self._name)


def of_others(folder: Files, machine: str, run: str) -> Cost:
    """Return what a run may have under way on other machines."""
    found, total = folder / ASIDE, NOTHING
    for name in found.names():
        if not name.startswith(f"{machine}-"):
            try:
                usd, tokens = found.read_json(name).get(run, ("0", 0))
            except ArtifactError:
                if found.exists(name):
                    raise
                continue  # its machine has told all since
            total += Cost(Decimal(usd), tokens)
    return total


def logs_elsewhere(uri: str) -> Path:
    """Return the folder for the logs of a store that is not on this machine.

    Raises:
        ConfigError: Another user made it, who could read answers there, or forge them.
        TransientError: The disk refuses.
    """
    of_user = Path(tempfile.gettempdir(), f"graphrag-tasks-{os.getuid()}")
    with changing(str(of_user)):
        of_user.mkdir(mode=0o700, exist_ok=True)
        if of_user.is_symlink() or of_user.stat().st_uid != os.getuid():
            raise ConfigError("belongs to another user", str(of_user), "Set TMPDIR to another")
        logs = of_user / fingerprint({"store": uri})
        logs.mkdir(mode=0o700, exist_ok=True)
    return logs


def machine_of(logs: Path) -> str:
    """Return the name of a machine's folder of logs, which it has for as long as it is there."""
    with changing(str(logs)):
        path, name = logs / _MACHINE, secrets.token_hex(8)
        if not path.exists():
            own = logs / name
            own.write_text(name)
            with suppress(FileExistsError):  # another process was faster
                os.link(own, path)
            own.unlink()
        return path.read_text()


def _fits(cost: Cost, aside: Cost) -> bool:
    return (cost.usd or 0) <= (aside.usd or 0) and cost.tokens <= aside.tokens
