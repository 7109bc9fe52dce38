"""Path patterns in settings: `*` and `?` match within a folder, `**` matches all below.

Paths and patterns are compared in Unicode form NFC: macOS stores `ä` as two characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from posixpath import dirname

from graphrag_tasks.core.errors import AccessError

_DEEP = {"**/": "(?:.*?/)??", "**": ".*?"}
_SHOWN = 3  # Folders named in a message.
_ESCAPED = "./"  # begins the printable form of a path that is not UTF-8 (see `sources.roots`)


def nfc(text: str) -> str:
    """Return a text in the Unicode form in which names are compared."""
    return unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text without differences of case and of look-alike letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def fits(path: str, glob: str) -> bool:
    """Tell whether a whole path matches a pattern."""
    return _pattern(nfc(glob)).fullmatch(nfc(path.removeprefix(_ESCAPED))) is not None


def fits_any(path: str, globs: Iterable[str]) -> bool:
    """Tell whether a path matches one of these patterns."""
    return any(fits(path, glob) for glob in globs)


def nearly_fits(path: str, glob: str) -> bool:
    """Tell whether a path matches a pattern if case and look-alike letters are ignored."""
    return fits(folded(path), folded(glob))


def excluded(paths: Mapping[str, str], globs: Sequence[str], *, are_all: bool = True) -> frozenset[str]:
    """Return the ids of documents that `llm.exclude` keeps from models.

    `paths` are by document id. With `are_all` these are all documents, so that each pattern has to match one.
    """
    found = {one for one, path in paths.items() if fits_any(path, globs)}
    sent = [path for one, path in paths.items() if one not in found]
    for glob in globs:
        where = f"llm.exclude: {glob}"
        if near := named([path for path in sent if nearly_fits(path, glob)]):
            what = f"it fits {near} only where case is ignored, which would be sent to a model"
            hint = "Nothing was sent. Write the path as the folder is named, or both"
            raise AccessError(what, where, hint)
        if are_all and not any(fits(path, glob) for path in paths.values()):
            raise unused(glob, paths.values(), where)
    return frozenset(found)


def named(paths: Iterable[str]) -> str:
    """Return the folders of paths for a message; a path without folder by itself."""
    folders = sorted({f"{folder}/" if (folder := dirname(one)) else one for one in paths})
    return ", ".join(f"'{one}'" for one in folders[:_SHOWN])


def unused(glob: str, paths: Iterable[str], where: str) -> AccessError:
    """Return the error for a pattern that matches no path."""
    near, what = named(path for path in paths if nearly_fits(path, glob)), "it fits no document"
    return AccessError(
        f"{what}, but {near} where case is ignored" if near else what,
        where,
        "Nothing was changed. Write the path below the source's root (folder/**), or take it out",
    )


def compiled(glob: str) -> re.Pattern[str]:
    """Return a pattern as a regular expression, to be matched with `nfc` of a path.

    What stands before a wildcard is taken where it first fits and never sought again, which changes nothing, as the
    wildcard spans the rest; so a pattern takes no long time. `**/` within a name (`a**/b`) spans folders alone, so what
    is before it is sought again.
    """
    parts = ["", *re.split(r"(\*\*/|\*\*)", nfc(glob)), ""]
    regex = ""
    for wild, text, behind in zip(parts[:-1:2], parts[1::2], parts[2::2], strict=True):
        first, *others = ("[^/]".join(map(re.escape, one.split("?"))) for one in text.split("*"))
        is_once = behind == "**" or (behind != "" and (wild + text)[-1:] in ("", "/"))
        ends = [f"(?>[^/]*?{one})" if is_once else f"[^/]*{one}" for one in others]
        if not behind:  # only the last star has to reach the end
            ends[:-1] = [f"(?>[^/]*?{one})" for one in others[:-1]]
        group = "".join([_DEEP.get(wild, ""), first, *ends])
        regex += f"(?>{group})" if is_once else group
    return re.compile(regex, re.DOTALL)


_pattern = cache(compiled)  # For patterns of settings, of which there are as many as somebody wrote.
