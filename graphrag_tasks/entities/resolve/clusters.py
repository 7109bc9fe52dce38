"""Guard and cluster: accepted pairs become entities, without chains.

If A is B and B is C, A need not be C: two names that a guard or a user's override keeps apart are never joined through
a third. Pairs are taken best first, so a chain breaks at its weakest link.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import product

from graphrag_tasks.entities.resolve.candidates import Name
from graphrag_tasks.entities.resolve.rules import PROPER
from graphrag_tasks.language.names import has_lone_letter, is_code, numbers

_MOST_COMPARED = 400  # Most pairs of members compared before a join; larger clusters compare their centres.


_PEOPLE_AND_PLACES = (frozenset({"PERSON"}), frozenset({"GPE", "LOC"}))
_SPELLED = frozenset({"brackets", "apostrophe", "accents", "spelling", "number", "spacing"})


def objection(left: Name, right: Name, rules: Collection[str]) -> str | None:
    """Return the guard that keeps a pair apart, or None.

    * `numbers`: versions, dates or quantities differ ("S/4HANA 1809", "S/4HANA 1909").
    * `code`: an identifier has one spelling ("VBBS_OLD", "VBBS OLD").
    * `letter`: a single letter is a name of its own ("model S", "models").
    * `proper_number`: a name is no plural of another ("Carlo", "Carlos").
    * `call`: a call in code is no thing without "()" ("digest()", "digest").
    * `plus`: a final "+" makes another thing ("CTS", "CTS+").
    * `types`: one is a person, the other a place.
    """
    used = _SPELLED.intersection(rules)
    if numbers(left.key) != numbers(right.key):
        return "numbers"
    if used and (is_code(left.key) or is_code(right.key)):
        return "code"
    if "spacing" in used and (has_lone_letter(left.key) or has_lone_letter(right.key)):
        return "letter"
    if "number" in used and (_is_proper(left) or _is_proper(right)):
        return "proper_number"
    if ("()" in left.key) != ("()" in right.key):
        return "call"
    if left.key != right.key and left.key.rstrip("+") == right.key.rstrip("+"):
        return "plus"
    if _conflict(left.type, right.type):
        return "types"
    return None


def _is_proper(name: Name) -> bool:
    return name.type in PROPER and not name.name[0].islower()


def _conflict(left: str | None, right: str | None) -> bool:
    people, places = _PEOPLE_AND_PLACES
    return (left in people and right in places) or (left in places and right in people)


class Clusters:
    """Names and their clusters; every name begins in a cluster of its own.

    Args:
        apart: Returns why two names can never be the same entity, or None.
        rank: Sort key of a name: the lowest of a cluster is its centre.
    """

    def __init__(self, apart: Callable[[str, str], str | None], rank: Callable[[str], tuple[int, str]]) -> None:
        self._apart = apart
        self._rank = rank
        self._cluster: dict[str, list[str]] = {}

    def members(self, name: str) -> list[str]:
        """Return the names of a name's cluster, its centre first."""
        return self._cluster.get(name, [name])

    def join(self, left: str, right: str) -> str | None:
        """Join the clusters of two names, or return why their members must stay apart."""
        one, other = self.members(left), self.members(right)
        if one is other or left == right:
            return None
        compared: Iterable[tuple[str, str]] = product(one, other)
        if len(one) * len(other) > _MOST_COMPARED:
            compared = [(one[0], other[0]), (left, right)]
        for first, second in compared:
            reason = self._apart(first, second)
            if reason:
                return reason
        # The smaller goes into the larger, so that a long chain of pairs takes no square of time.
        small, large = sorted((one, other), key=len)
        self._cluster.setdefault(large[0], large)
        for name in small:
            insort(large, name, key=self._rank)
            self._cluster[name] = large
        return None

    def centres(self) -> Mapping[str, str]:
        """Return the centre of each name in a cluster of two or more."""
        return {name: members[0] for name, members in self._cluster.items() if len(members) > 1}
