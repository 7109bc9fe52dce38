"""Place names on the map: inside their circle or beside their dot, without overlaps.

Fonts differ between machines, so text widths are conservative estimates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SMALLEST, _LARGEST = 11, 22  # Smallest and largest letter height in a circle, in pixels.
_OF_RADIUS = 0.24  # Letter height relative to the circle's radius, up to the largest.
_INSIDE = 0.94  # Share of a circle's radius that letters may use.
_MOST_LINES = 4  # Most lines of a name in a circle.
_LEAST_SHOWN = 6  # Fewest letters of a shortened name; fewer would say nothing.
_ENOUGH_SHOWN = 18  # Letters of a shortened name from which smaller letters are not tried.
_LINE = 1.15
_OF_DOT = 12  # Line height relative to letter height, and letter height beside a dot in pixels.
_LONGEST = 34  # Most letters of a name beside a dot.
_MOST_NAMED = 100
_GAP = 3.0  # Most dots with names, as each name is compared with all others, and the distance of a name from its dot.

_NARROW, _WIDE = frozenset(" .,:;!'|()[]/ijlftrI-"), frozenset("mwMW@%…—&")
_IDEOGRAPHS = "\u2e80"


@dataclass(frozen=True)
class Dot:
    """An entity on the map."""

    name: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Name:
    """Lines of text centred at x; `y` is the baseline of the first, `size` the letter height."""

    x: float
    y: float
    size: float
    lines: Sequence[str]

    @property
    def step(self) -> float:
        """Return the distance between lines."""
        return self.size * _LINE


def text_width(text: str) -> float:
    """Return the estimated width of a text in a sans-serif font, in letter heights."""
    return sum(map(_letter_width, text))


def name_of_circle(title: str, x: float, y: float, radius: float, pixel: float) -> Name | None:
    """Return a circle's name inside it, as large as fits, shortened if needed, or None.

    `pixel` is the size of a pixel in map units.
    """
    words = title.split()
    largest = min(_LARGEST, max(_SMALLEST, int(radius / pixel * _OF_RADIUS)))
    for pixels in range(largest, _SMALLEST - 1, -1):
        size = pixels * pixel
        for room in _rooms(radius, size):
            lines = _lines(words, room)
            if lines and len(lines) == len(room):
                return _named(x, y, size, lines)
    for pixels in range(largest, _SMALLEST - 1, -1):
        size = pixels * pixel
        cut = [_cut(words, room) for room in _rooms(radius, size)]
        lines = max(cut, key=lambda lines: sum(map(len, lines)), default=[])
        is_smallest = pixels == _SMALLEST
        if sum(map(len, lines)) >= (_LEAST_SHOWN if is_smallest else _ENOUGH_SHOWN):
            return _named(x, y, size, lines)
    return None


def names_of_dots(dots: Sequence[Dot], width: float, height: float, pixel: float) -> list[Name]:
    """Return the names of dots that fit beside them; earlier dots take precedence.

    A name covers no other name and no dot.
    """
    size = _OF_DOT * pixel
    taken = [_Box(one.x - one.radius, one.y - one.radius, one.x + one.radius, one.y + one.radius) for one in dots]
    found = []
    for dot in dots[:_MOST_NAMED]:
        name = dot.name if len(dot.name) <= _LONGEST else f"{dot.name[: _LONGEST - 1]}…"
        for box in _boxes_beside(dot, text_width(name) * size, size):
            is_inside = box.left >= 0 and box.upper >= 0 and box.right <= width
            if is_inside and box.lower <= height and not any(map(box.meets, taken)):
                taken.append(box)
                foot = box.upper + size * 0.85
                found.append(Name((box.left + box.right) / 2, foot, size, [name]))
                break
    return found


@dataclass(frozen=True)
class _Box:
    left: float
    upper: float
    right: float
    lower: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.upper < other.lower
            and other.upper < self.lower
        )


def _boxes_beside(dot: Dot, width: float, size: float) -> Iterator[_Box]:
    """Yield possible places of a name: above, below, right and left of its dot."""
    away, high = dot.radius + _GAP, size * _LINE
    left = dot.x - width / 2
    yield _Box(left, dot.y - away - high, left + width, dot.y - away)
    yield _Box(left, dot.y + away, left + width, dot.y + away + high)
    upper, lower = dot.y - high / 2, dot.y + high / 2
    yield _Box(dot.x + away, upper, dot.x + away + width, lower)
    yield _Box(dot.x - away - width, upper, dot.x - away, lower)


def _letter_width(letter: str) -> float:
    if letter >= _IDEOGRAPHS:
        return 1.0
    if letter in _NARROW:
        return 0.4
    if letter in _WIDE:
        return 0.98
    return 0.74 if letter.isupper() else 0.64


def _rooms(radius: float, size: float) -> Iterator[list[float]]:
    """Yield the widths of one line in a circle, of two lines, and so on, in letter heights."""
    usable = radius * _INSIDE
    for count in range(1, _MOST_LINES + 1):
        middles = [(place - (count - 1) / 2) * _LINE * size for place in range(count)]
        corners = [abs(middle) + size / 2 for middle in middles]
        if max(corners) >= usable:
            return
        yield [2 * math.sqrt(usable**2 - corner**2) / size for corner in corners]


def _lines(words: Sequence[str], room: Sequence[float]) -> list[str]:
    """Break words into lines of these widths; [] if they do not fit."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer) <= room[len(lines) - 1]:
            lines[-1] = longer
        elif len(lines) < len(room) and lines[-1] and text_width(word) <= room[len(lines)]:
            lines.append(word)
        else:
            return []
    return lines


def _cut(words: Sequence[str], room: Sequence[float]) -> list[str]:
    """Return as many words as fit into lines of these widths, or the start of a long word."""
    lines: list[str] = []
    left = list(words)
    for width in room:
        line = ""
        while left and text_width(f"{line} {left[0]}…".strip()) <= width:
            line = f"{line} {left.pop(0)}".strip()
        if not line:
            break
        lines.append(line)
    if lines:
        lines[-1] = lines[-1].rstrip(",;") + "…" if left else lines[-1]
        return lines
    word = words[0] if words else ""
    while word and text_width(f"{word}…") > room[0]:
        word = word[:-1]
    return [f"{word}…"] if word else []


def _named(x: float, y: float, size: float, lines: Sequence[str]) -> Name:
    """Return lines centred at a point."""
    return Name(x, y + size * (0.36 - (len(lines) - 1) / 2 * _LINE), size, lines)
