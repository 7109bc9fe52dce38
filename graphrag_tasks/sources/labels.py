"""Access labels: which readers may see a document.

A label names a group of readers (`hr`, `project-x`). A reader's labels are their principals; a reader sees the
documents that carry one of them. A document's labels come from the first of:

1. the file beside it, `report.pdf.access.yaml` for `report.pdf`, with one key::

       labels: [hr, board]

2. the first rule of `access.rules` whose pattern matches its path (see `first_rule`);
3. `access.default`, which is empty unless set.

Nobody sees a document without a label, or with an unreadable access file: a mistake hides a document, and never exposes
it. A file that seems to be an access file and is no document's, such as `report.pdf.access.yml`, stops the run.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from graphrag_tasks.core.config import LABEL_PATTERN, AccessConfig, AccessRule
from graphrag_tasks.core.errors import AccessError, DocumentError, SourceError
from graphrag_tasks.core.globs import fits, folded, named, nearly_fits, nfc, unused
from graphrag_tasks.sources.roots import is_passed_over, printable

if TYPE_CHECKING:
    import yaml


DEFAULT = "access.default"  # Origin of the labels of a document that no file and no rule labels.

_UNCHANGED = "Nothing was changed"


def first_rule(rules: Sequence[AccessRule], source: str, path: str) -> int | None:
    """Return the index of the first rule that matches a path of a source."""
    fitting = (place for place, rule in enumerate(rules) if _fits(rule, source, path))
    return next(fitting, None)


def name_of_rule(place: int, rule: AccessRule) -> str:
    """Return the display name of a rule: its number, from 1, and its pattern."""
    return f"rule {place + 1}: {rule.path}"


def check_rules(access: AccessConfig, listed: pa.Table) -> None:
    """Refuse rules that are mistakes; `listed` are rows of `listing.LISTED`."""
    columns = ("source", "path", "labels_from")
    rows = listed.select(columns).to_pylist() if access.rules else []
    sources = sorted({row["source"] for row in rows})
    for place, rule in enumerate(access.rules):
        _refuse_other_source(place, rule, sources)
    for row in rows:
        _refuse_near(access.rules, row)
    for place, rule in enumerate(access.rules):
        if not rule.optional and not any(_fits(rule, row["source"], row["path"]) for row in rows):
            where = f"access.rules, {name_of_rule(place, rule)}"
            raise unused(rule.path, (row["path"] for row in rows), where)


def _fits(rule: AccessRule, source: str, path: str) -> bool:
    return _is_of(rule, source) and fits(path, rule.path)


def _is_of(rule: AccessRule, source: str) -> bool:
    return rule.source is None or nfc(rule.source) == nfc(source)


def _refuse_near(rules: Sequence[AccessRule], row: Mapping[str, Any]) -> None:
    """Refuse a rule that would label a document earlier if case were ignored."""
    source, path, labels_from = row["source"], row["path"], row["labels_from"]
    first = first_rule(rules, source, path)
    chosen = DEFAULT if first is None else name_of_rule(first, rules[first])
    if labels_from != chosen:  # its own access file labels it
        return
    said = {folded(rule.path) for rule in rules if _fits(rule, source, path)}
    for place, rule in enumerate(rules[:first]):
        is_said = not _is_of(rule, source) or folded(rule.path) in said
        if not is_said and nearly_fits(path, rule.path):
            raise AccessError(
                f"it fits {named([path])} only where case is ignored, and {chosen} would label that",
                f"access.rules, {name_of_rule(place, rule)}",
                f"{_UNCHANGED}. Write the path as the folder is named, or one rule for each",
            )


def _refuse_other_source(place: int, rule: AccessRule, sources: Iterable[str]) -> None:
    """Refuse a rule whose source is not in the run, or differs in case from one that is."""
    if rule.source is None or any(_is_of(rule, source) for source in sources):
        return
    near = any(folded(source) == folded(rule.source) for source in sources)
    if near or not rule.optional:
        raise AccessError(
            f"no source of the run has documents and is called '{rule.source}'",
            f"access.rules, {name_of_rule(place, rule)}",
            f"{_UNCHANGED}. The sources are {', '.join(sources) or 'empty'}: name one of them, or take the rule out",
        )


log = logging.getLogger(__name__)

SIDECAR_SUFFIX = ".access.yaml"  # Suffix of an access file's name, after the document's full name.
PUBLIC = "public"  # Label of documents that every reader may see, even without principals.
_MOST_BYTES = 10_000  # Limit of an access file, which has some lines: protects against hostile files.
_KEY = "labels"
_TEXT_TAG = "tag:yaml.org,2002:str"
_HINT = f"Nobody sees the document until the file has one key: {_KEY}: [name, …]"
_LABEL = re.compile(LABEL_PATTERN)
_SEEMS = re.compile(r"(?<![a-z])access(?![a-z]).*\.(?:ya?ml|json)\b|\.access[^.]*\Z", re.IGNORECASE)
"""Names of access files, spelled right or not."""


def is_access_file(name: str) -> bool:
    """Tell whether a file is an access file, not a document."""
    return name.lower().endswith(SIDECAR_SUFFIX)


def seems_access_file(name: str) -> bool:
    """Tell whether a file has the name of an access file, spelled right or not."""
    return _SEEMS.search(posixpath.basename(name)) is not None


def may_label(file: str, document: str) -> bool:
    """Tell whether a file beside a document, or of its folder, seems to be its access file."""
    name, whole = (nfc(posixpath.basename(one)).casefold() for one in (file, document))
    rest = name.removeprefix(posixpath.splitext(whole)[0])
    return seems_access_file(name) and (name.startswith(whole) or re.match(r"[\W_]*access", rest) is not None)


def _by_document(files: Collection[str]) -> dict[str, str]:
    """Return the access file of each document that has one.

    Names are compared in Unicode form NFC, as macOS uses another form. Of several that only differ in it none counts.
    """
    labelling = {_place(file)[: -len(SIDECAR_SUFFIX)]: file for file in files if is_access_file(file)}
    documents = [file for file in files if not is_access_file(file)]
    same = Counter(map(_place, documents))
    same += Counter(_place(file)[: -len(SIDECAR_SUFFIX)] for file in files if is_access_file(file))
    return {file: labelling[place] for file in documents if same[place := _place(file)] == 2 and place in labelling}


def _place(file: str) -> str:
    return posixpath.join(posixpath.dirname(file), nfc(posixpath.basename(file)))


class Labeller:
    """Gives a source's documents their labels; `read` returns the bytes of a file."""

    def __init__(self, config: AccessConfig, source: str, files: Collection[str], read: Callable[[str], bytes]) -> None:
        self._enabled = config.enabled
        self._rules, self._source = config.rules, source
        self._default = config.default
        self._read = read
        if not config.enabled:
            _refuse_access_files(files)
            files = ()
        self._access_files = _by_document(files)
        self._files = files

    def refuse_strays(self, base: str, folders: Iterable[str]) -> None:
        """Refuse access files without a document, misnamed ones, and folders named like one."""
        if not self._enabled:
            _refuse_access_files(folders)
            return
        used = set(self._access_files.values())
        strays = [(one, "a folder is named as an access file") for one in folders if seems_access_file(one)]
        for file in filter(seems_access_file, self._files):
            end = file.lower().rfind(SIDECAR_SUFFIX) + len(SIDECAR_SUFFIX)
            if file not in used and file[:end] not in used:  # as editors leave copies
                strays.append((file, "it seems to be an access file, and is the access file of no document"))
        for full, what in sorted(strays):
            path = full.removeprefix(base).removeprefix("/")
            if not is_passed_over(posixpath.dirname(path)):
                hint = f"Nothing was changed. Name it as its document, with {SIDECAR_SUFFIX} behind it, or remove it"
                raise AccessError(what, printable(path), hint)

    def columns(self, file: str, path: str) -> dict[str, Any]:
        """Return `labels`, `labels_from` and `labels_error` of a file; `path` is printable."""
        if not self._enabled:
            return {"labels": None, "labels_from": None, "labels_error": None}
        try:
            labels, labels_from = self._labels(file, path)
            error = None
        except AccessError as refused:
            log.warning("nobody will see %s: %s", path, refused)
            labels, labels_from, error = (), None, str(refused)
        return {"labels": sorted(set(labels)), "labels_from": labels_from, "labels_error": error}

    def _labels(self, file: str, path: str) -> tuple[Iterable[str], str]:
        """Return the labels of a file, and the access file or rule that gives them."""
        access_file = self._access_files.get(file)
        if access_file is not None:
            where = f"{path}{SIDECAR_SUFFIX}"
            return read_labels(self._bytes(access_file, where), where), where
        place = first_rule(self._rules, self._source, path)
        if place is None:
            return self._default, DEFAULT
        return self._rules[place].labels, name_of_rule(place, self._rules[place])

    def _bytes(self, access_file: str, where: str) -> bytes:
        try:
            return self._read(access_file)
        except (OSError, DocumentError) as error:
            what = error.what if isinstance(error, DocumentError) else error.strerror or "gone"
            raise AccessError(f"the file cannot be read: {what}", where, _HINT) from error


def _refuse_access_files(files: Iterable[str]) -> None:
    found = min((file for file in files if file.lower().endswith((SIDECAR_SUFFIX, ".access.yml"))), default=None)
    if found is not None:
        raise SourceError(
            "there are access files, but access.enabled is off",
            printable(found),
            "Nothing was changed. Set access.enabled = true, or remove the files",
        )


def read_labels(data: bytes, where: str) -> list[str]:
    """Parse an access file; `where` is its name, for errors."""
    import yaml  # here, as who reads a snapshot reads no such files

    if len(data) > _MOST_BYTES:
        raise AccessError(f"the file has more than {_MOST_BYTES} bytes", where, _HINT)
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise AccessError(f"not readable as YAML: {what}", where, _HINT) from error
    if not isinstance(root, yaml.MappingNode):
        raise AccessError(f"must have the key '{_KEY}'", where, _HINT)
    keys = [str(key.value) for key, _ in root.value]
    if unknown := [key for key in keys if key != _KEY]:
        raise AccessError(f"unknown key '{unknown[0]}'", where, _HINT)
    if len(keys) > 1:
        raise AccessError(f"the key '{_KEY}' stands {len(keys)} times", where, _HINT)
    listed = root.value[0][1] if keys else None
    if not isinstance(listed, yaml.SequenceNode):
        raise AccessError(f"'{_KEY}' must be a list", where, _HINT)
    return [_label(node, isinstance(node, yaml.ScalarNode), where) for node in listed.value]


def _label(node: yaml.Node, is_value: bool, where: str) -> str:
    line = f"{where}, line {node.start_mark.line + 1}"
    if not is_value or node.tag != _TEXT_TAG:
        raise AccessError("a label must be text", line, f"Write it in quotes. {_HINT}")
    return check_label(node.value, line)


def check_label(label: str, where: str) -> str:
    """Validate and return a label."""
    if not _LABEL.fullmatch(label):
        raise AccessError(
            f"{label[:40]!r} is no label", where,
            "Labels have letters, digits and . _ : @ / -, at most 128, a letter or digit first",
        )  # fmt: skip
    return label


def may_see(labels: Collection[str] | None, principals: Collection[str]) -> bool:
    """Tell whether a reader with these principals may see a document with these labels."""
    return any(label == PUBLIC or label in principals for label in labels or ())
