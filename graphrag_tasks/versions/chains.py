"""Documents that are versions of each other: of one path but for a release or a date.

`django-3.2/topics/cache.rst` and `django-5.1/topics/cache.rst`, or `policy-2023.pdf` and `policy-2024.pdf`. Numbers in
paths also count chapters, so versions must share sentences, too. In folders of releases a page that moved is found by
its title. What replaces another by its metadata needs to share nothing.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from graphrag_tasks.core.schemas import BESIDE, CELL_SEPARATOR, MESSAGE, PROPERTIES
from graphrag_tasks.language.bm25 import STOP_WORDS, terms
from graphrag_tasks.language.dictionary import shares_of_nouns
from graphrag_tasks.language.names import singular_noun

NUMBER, VALUE, NAME, WORDING = "number", "value", "name", "wording"
ADDED, REMOVED = "added", "removed"  # Kinds of changes of whole sentences.
_ORDER = (NUMBER, VALUE, NAME, WORDING)

_MOST_CHANGED, _MOST_REPLACED = 6, 3
"""Most words of a changed span, and of one that is a literal; longer ones are other statements. Chosen on releases
of three manuals."""
_NEAR = 3  # Words before a span that may say that it is a reference.
_SHORTEST = 3  # Letters of the shortest abbreviation.

_WORD = re.compile(r"(?<![\w-])-{1,2}\w+(?:-\w+)*|\w+(?:[.'’_/:-]\w+)*(?:\(\))?|[%€$£]")
_FOOTNOTE = re.compile(r"\[\d+\]|^\d+\]")
_NUMBER, _SIGN = re.compile(r"\d"), re.compile(r"\w[._/:]\w|\(\)|_|^-")
_COUNTED = """
zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
hundred thousand million half twice once
"""
_NUMBER_WORDS = frozenset(_COUNTED.split())
_SAID = """
yes no not never always must may should cannot enabled disabled required optional mandatory
deprecated removed allowed forbidden supported unsupported minimum maximum first last
second minute hour day night week month quarter year hourly daily nightly weekly monthly quarterly
yearly annually seconds minutes hours days nights weeks months quarters years
"""
_VALUES = frozenset(_SAID.split())
_LITERALS = frozenset(("true", "false", "none", "null"))  # Values that count only in the place of others.
_REFERS = frozenset(("see", "refer", "pep", "rfc"))


def words_of(text: str) -> list[str]:
    """Return the words of a sentence, with options and code names as they are."""
    return _WORD.findall(_FOOTNOTE.sub(" ", text))


def difference(before: str, after: str) -> tuple[str, str, str]:
    """Return the kind of a difference, the words that went, and those that came."""
    one, other = words_of(before), words_of(after)
    lower = [[word.lower() for word in words] for words in (one, other)]
    matcher = SequenceMatcher(None, lower[0], lower[1], autojunk=False)
    is_row = CELL_SEPARATOR in after
    best: tuple[str, Sequence[str], Sequence[str]] = (WORDING, (), ())
    for tag, start, end, first, last in matcher.get_opcodes():
        gone, came = one[start:end], other[first:last]
        if tag == "equal" or _is_same(gone, came):
            continue
        at_edge = start == 0 or first == 0 or end == len(one) or last == len(other)
        lead = {word.lower() for word in (*one[max(0, start - _NEAR) : start], *gone, *came)}
        if (at_edge and not is_row and not (gone and came)) or lead & _REFERS:
            kind = WORDING
        else:
            kind = _kind(gone, came, begins=not start or not first)
        if (not best[1] and not best[2]) or _ORDER.index(kind) < _ORDER.index(best[0]):
            best = (kind, gone, came)
    return best[0], " ".join(best[1]), " ".join(best[2])


def _is_same(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tell whether words differ by spelling, form, hyphens and stop words alone."""
    if len(gone) == len(came) and all(map(_is_one, gone, came)):
        return True
    return _root(gone) == _root(came)


def _is_one(word: str, other: str) -> bool:
    """Tell whether two words are one: `autodoc` and `sphinx.ext.autodoc`, bool and Boolean."""
    short, long = sorted((word.lower(), other.lower()), key=len)
    if short == long or long.endswith(f".{short}") or _root([short]) == _root([long]):
        return True
    if not (short.isalpha() and long.isalpha()) or len(short) < _SHORTEST or short[0] != long[0]:
        return False
    letters = iter(long)
    return len(long) > len(short) + 1 and all(letter in letters for letter in short)


def _root(words: Sequence[str]) -> str:
    kept = (word.lower() for word in words)
    return "".join(
        word if word in _VALUES else "".join(terms(re.sub(r"(?<=\w)[-_]", "", word)))
        for word in kept
        if word in _VALUES or word not in STOP_WORDS
    )


def _kind(gone: Sequence[str], came: Sequence[str], *, begins: bool) -> str:
    both = [*gone, *came]
    lower = {word.lower() for word in both}
    if max(len(gone), len(came)) > _MOST_CHANGED:
        return WORDING
    if any(map(_NUMBER.search, both)) or lower & _NUMBER_WORDS:
        return NUMBER
    if lower & _VALUES or (gone and came and lower & _LITERALS):
        return VALUE
    names = [*gone[begins:], *came[begins:]]
    if any(_SIGN.search(word) for word in both) or any(word[:1].isupper() for word in names):
        return NAME
    is_literal = gone and came and not all(map(_is_usual, both))
    return NAME if is_literal and max(len(gone), len(came)) <= _MOST_REPLACED else WORDING


def _is_usual(word: str) -> bool:
    """Tell whether a word is one of general English; others are literals."""
    lower = word.lower()
    parts = lower.split("-")
    return lower in STOP_WORDS or all(singular_noun(one) in shares_of_nouns() for one in parts)


LEAST_SHARED, LEAST_RATIO = 0.35, 0.75
"""Least Jaccard similarity of the words of a pair, and least share of equal words in order; chosen on two releases
of one manual."""
_RAREST = 6  # Rarest words of a sentence by which others are sought.
_LEAST_WORDS = 5  # Words of a sentence; shorter ones are heads such as "Changed in version 2.0:".


@dataclass(frozen=True)
class Pair:
    """Two sentences, by position in the older and newer list, and what differs in them.

    `kind` is number, value, name or wording; `before` and `after` are the differing words.
    """

    older: int
    newer: int
    kind: str
    before: str
    after: str


def pairs(older: Sequence[str], newer: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of nearly equal, but not equal sentences, in the order of the newer list."""
    left, right = _remaining(older, newer)
    words = {(0, row): _words(older[row]) for row in left} | {(1, row): _words(newer[row]) for row in right}
    found = []
    keys = [Counter(filter(None, map(_key, texts))) for texts in (older, newer)]
    for old, new in _candidates(words, left, right):
        key = _key(newer[new])
        if _key(older[old]) != key or (key and {counts[key] for counts in keys} != {1}):
            continue
        two = words[0, old], words[1, new]
        ratio = _ratio(*two) if key or min(map(len, two)) >= _LEAST_WORDS else 0.0
        if ratio >= LEAST_RATIO:
            found.append((-ratio, abs(old - new), new, old))
    used: set[tuple[int, int]] = set()
    chosen = []
    for _, _, new, old in sorted(found):
        if (0, old) not in used and (1, new) not in used:
            used |= {(0, old), (1, new)}
            chosen.append((new, old))
    for new, old in sorted(chosen):
        yield Pair(old, new, *difference(older[old], newer[new]))


def plain(text: str) -> str:
    """Return a text as it is compared: words alone, in small letters."""
    return " ".join(_words(text))


def _remaining(older: Sequence[str], newer: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the rows of each list that have no equal in the other one."""
    before, after = [plain(text) for text in older], [plain(text) for text in newer]
    known, known_after = set(before), set(after)
    return (
        [row for row, text in enumerate(before) if text and text not in known_after],
        [row for row, text in enumerate(after) if text and text not in known],
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in words_of(text)]


def _key(text: str) -> str:
    """Return the first cell of a table's row; "" for other sentences."""
    first, is_row, _ = text.partition(CELL_SEPARATOR)
    return first.casefold() if is_row else ""


def _candidates(
    words: dict[tuple[int, int], list[str]], left: Sequence[int], right: Sequence[int]
) -> Iterator[tuple[int, int]]:
    counts = Counter(word for one in words.values() for word in set(one))
    with_word: dict[str, list[int]] = defaultdict(list)
    for row in left:
        for word in _rarest(words[0, row], counts):
            with_word[word].append(row)
    for new in right:
        own = set(words[1, new])
        near = {old for word in own for old in with_word.get(word, ())}
        for old in sorted(near):
            other = set(words[0, old])
            if len(own & other) >= LEAST_SHARED * len(own | other):
                yield old, new


def _rarest(words: Sequence[str], counts: Counter[str]) -> list[str]:
    shared = [word for word in set(words) if counts[word] > 1]
    return sorted(shared, key=lambda word: (counts[word], word))[:_RAREST]


def _ratio(one: Sequence[str], other: Sequence[str]) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= LEAST_RATIO else 0.0


_KEYS = ("replaces", "supersedes", "obsoletes")

log = logging.getLogger(__name__)

Row = Mapping[str, Any]


def replaced(rows: Iterable[Row]) -> Iterator[tuple[str, str, str | None]]:
    """Yield the document that says it replaces another, its words, and the other; None: unknown.

    Its words are a path, from its own folder or its source, a file name, or a title.
    """
    rows = list(rows)
    said = [(row, one["value"]) for row in rows for one in row["metadata"] or ()
            if one["key"] in _KEYS]  # fmt: skip
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows if said else ():
        for name in (row["uri"], posixpath.basename(row["uri"]), row["title"].casefold()):
            names[row["source"], name].append(row["document_id"])
    for row, text in said:
        source, folder = row["source"], posixpath.dirname(row["uri"])
        paths = (posixpath.normpath(posixpath.join(start, text)) for start in (folder, source))
        found = (names.get((source, name), []) for name in (*paths, text, text.casefold()))
        yield row["document_id"], text, next((one[0] for one in found if len(one) == 1), None)


def in_order(chains: Sequence[Sequence[str]], rows: Sequence[Row]) -> list[list[str]]:
    """Return the chains with what replaces their documents, and new ones, the newest last.

    What names no document, or replaces in a circle, is told and ignored.
    """
    uris = {row["document_id"]: row["uri"] for row in rows}
    edges: dict[tuple[str, str], None] = {}
    for newer, text, older in replaced(rows):
        if older is None:
            log.warning("%s replaces '%s', which names no single document", uris[newer], text)
        else:
            edges[older, newer] = None
    before = [pair for chain in chains for pair in pairwise(chain)]
    while True:
        graph: dict[str, list[str]] = defaultdict(list)
        for older, newer in (*before, *edges):
            graph[newer].append(older)
        try:
            order = {one: at for at, one in enumerate(TopologicalSorter(graph).static_order())}
            break
        except CycleError as error:
            circle = set(error.args[1])
            named = ", ".join(sorted(uris[one] for one in circle))
            log.warning("ignored, as they replace each other in a circle: %s", named)
            edges = {pair: None for pair in edges if not circle.issuperset(pair)}
    groups: dict[str, list[str]] = {}
    for pair in (*before, *edges):
        left, right = (groups.get(one) or [one] for one in pair)
        joined = left if left is right else left + right
        groups |= dict.fromkeys(joined, joined)
    return [sorted(group, key=order.__getitem__) for group in {id(group): group for group in groups.values()}.values()]


LEAST_COMMON = 0.3
"""Least share of the shorter document's sentences that the other one has, too: of 35 pages of two releases of one
manual it is .78 and more, of different pages up to .08."""

_VERSION_KEYS = ("release", "version", "date")  # Keys of metadata that tell versions apart.

_NO_RELEASES = (PROPERTIES, MESSAGE)
"""Where dates tell no versions apart: each copy in another format has its own, and each message."""

_RELEASE = re.compile(r"(?<![^\W_])(?:[vV]?(\d+(?:\.\d+)+|\d{4}-\d\d(?:-\d\d)?|(?:19|20)\d\d)|[vV](\d+))(?![^\W_])")
"""A release (3.2, v2) or a date (2024, 2024-03, 2024-03-01) between other signs."""


@dataclass(frozen=True)
class Version:
    """A document as a version: `release` is what tells it from the others, as its path has it."""

    document_id: str
    release: str


@dataclass(frozen=True)
class _Dated:
    document_id: str
    title: str
    key: str
    folder: str
    releases: tuple[str, ...]

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        return tuple(map(order_of, self.releases))


def order_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release or date, by which they are ordered."""
    return tuple(map(int, re.findall(r"\d+", release)))


def chains(documents: Iterable[Mapping[str, Any]], texts: Mapping[str, Set[str]]) -> list[list[Version]]:
    """Return the chains of versions, each from the oldest on, by the path of the first.

    Args:
        documents: Rows with `document_id`, `uri`, `title` and `metadata`.
        texts: The sentences of each document, as they are compared.
    """
    rows = list(documents)
    found = []
    for _, group in sorted(_groups(rows).items()):
        ordered = sorted(group, key=lambda one: (one.order, one.document_id))
        found += [_versions(part) for part in _parts(ordered, texts) if len(part) > 1]
    orders = in_order([[one.document_id for one in chain] for chain in found], rows)
    known = {one.document_id: one for chain in found for one in chain}
    by_id = {row["document_id"]: row for row in rows}
    return [[known.get(one) or _declared(by_id[one]) for one in order] for order in orders]


def candidates(documents: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the documents that may have versions."""
    rows = list(documents)
    found = {one.document_id for group in _groups(rows).values() if len(group) > 1 for one in group}
    return found.union(*((older, newer) for newer, _, older in replaced(rows) if older))


def _groups(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[_Dated]]:
    found: dict[str, list[_Dated]] = defaultdict(list)
    for row in rows:
        if dated := _dated(row):
            found[dated.key].append(dated)
    _add_moved(found)
    return found


def _dated(row: Mapping[str, Any]) -> _Dated | None:
    metadata = row["metadata"] or ()
    own = [one for one in metadata if one["origin"] == BESIDE and one["key"] != "date"]
    return _said(row, own) or _by_path(row) or _said(row, metadata)


def _said(row: Mapping[str, Any], metadata: Iterable[Mapping[str, str]]) -> _Dated | None:
    """Return a document by the release in its metadata, and its title."""
    found = (one for one in metadata if one["key"] in _VERSION_KEYS)
    known = [one for one in found if one["key"] != "date" or one["origin"] not in _NO_RELEASES]
    one = min(known, key=lambda one: _VERSION_KEYS.index(one["key"]), default=None)
    if one is None or not order_of(one["value"]):
        return None
    key = f"{row['source']}/\n{_RELEASE.sub('{}', row['title'].casefold())}"
    return _Dated(row["document_id"], row["title"], key, "", (one["value"],))


def _declared(row: Mapping[str, Any]) -> Version:
    dated = _dated(row)
    name = row["uri"].rpartition("/")[2].rpartition(".")[0] or row["uri"]
    return Version(row["document_id"], " ".join(dated.releases) if dated else name)


def _by_path(row: Mapping[str, Any]) -> _Dated | None:
    releases = tuple(one[1] or one[2] for one in _RELEASE.finditer(row["uri"]))
    if not releases:
        return None
    key = _RELEASE.sub("{}", row["uri"])
    folder = key[: key.find("/", key.rindex("{}")) + 1]
    return _Dated(row["document_id"], row["title"], key, folder, releases)


def _add_moved(by_key: dict[str, list[_Dated]]) -> None:
    """Join pages in folders of releases of one title, or file name, if no release has two."""
    for by_title in (True, False):
        alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key, group in by_key.items():
            page = group[0]
            name = page.title.casefold() if by_title else key.rpartition("/")[2]
            if page.folder:
                alike[page.folder, name].append(key)
        for keys in alike.values():
            pages = [page for key in keys for page in by_key[key]]
            if len(keys) > 1 and len({page.releases for page in pages}) == len(pages):
                for key in keys:
                    del by_key[key]
                by_key[min(keys)] = pages


def _parts(ordered: Sequence[_Dated], texts: Mapping[str, Set[str]]) -> list[list[_Dated]]:
    """Cut where a document shares too few sentences with the one before, or its release.

    Their title says nothing: many a page is named Introduction.
    """
    parts = [[one] for one in ordered[:1]]
    for before, one in pairwise(ordered):
        old, new = (texts.get(page.document_id, frozenset()) - {plain(page.title)} for page in (before, one))
        common = len(old & new) / max(min(len(old), len(new)), 1)
        if before.releases != one.releases and common >= LEAST_COMMON:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _versions(part: Sequence[_Dated]) -> list[Version]:
    columns = list(zip(*(one.releases for one in part), strict=True))
    differing = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    return [
        Version(one.document_id, " ".join(dict.fromkeys(one.releases[place] for place in differing))) for one in part
    ]
