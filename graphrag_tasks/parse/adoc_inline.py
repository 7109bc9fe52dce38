"""Convert inline AsciiDoc to HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html import escape, unescape

from graphrag_tasks.core.left_out import LeftOut

_BRACKETS = r"\[((?:[^\]\\]|\\.){0,5000})\]"
_ATTRIBUTE = re.compile(r"\{([\w-]+)\}")
_MACRO = re.compile(
    r"(?P<name>footnote|footnoteref|link|mailto|xref|image|icon|kbd|btn|menu|indexterm2?|anchor|pass"
    rf"|stem|latexmath|asciimath):(?P<target>[^\s\[\]]{{0,2000}}){_BRACKETS}"
    rf"|(?P<address>(?:https?|ftp|irc)://[^\s\[\]<>]+){_BRACKETS}"
    r"|<<(?P<to>[^,<>]{1,500})(?:,(?P<shown>[^<>]{0,2000}))?>>"
    r"|\[\[(?P<id>[^\],]{1,300})(?:,[^\]]{0,300})?\]\]"
    r"|\(\(\((?P<index>[^()]{1,500})\)\)\)|\(\((?P<term>[^()]{1,500})\)\)"
)
_PAIRS = re.compile(r"(\*\*|__|``|##|\+\+\+|\+\+)(?=\S)(.{1,20000}?)\1", re.DOTALL)
_SINGLE = re.compile(r"(?<![\w*_`#+])([*_`#+])(?=\S)([^\n]{1,2000}?)(?<=\S)\1(?![\w*_`#+])")
_SCRIPT = re.compile(r"\^([^\s^]{1,200})\^|~([^\s~]{1,200})~")
_ROLE = re.compile(r"\[[.#%][\w.#%-]+\](?=[#*_`])")
_BREAK = re.compile(r" \+(?=\n|\Z)")


class Inline:
    """Converts inline text to HTML, using the attributes that the page has set so far."""

    def __init__(self, left_out: Counter[str]) -> None:
        self.attributes: dict[str, str] = {}
        self.used: set[str] = set()
        self._left_out = left_out

    def write(self, text: str) -> str:
        """Return text as HTML."""
        text = _ATTRIBUTE.sub(self._value, text)
        parts: list[str] = []
        start = 0
        for found in _MACRO.finditer(text):
            parts += [_plain(text[start : found.start()]), self._macro(found)]
            start = found.end()
        return "".join([*parts, _plain(text[start:])])

    def _value(self, reference: re.Match[str]) -> str:
        self.used.add(reference[1])
        return self.attributes.get(reference[1], reference[0])

    def _macro(self, found: re.Match[str]) -> str:
        if found["address"]:
            return _link(found["address"], found[5])
        if found["to"]:
            return _link(f"#{found['to']}", found["shown"] or found["to"])
        if found["id"]:
            return ""
        if found["index"]:
            self._left_out[LeftOut.HIDDEN] += 1
            return ""
        if found["term"]:
            return self.write(found["term"])
        return self._named(found["name"], found["target"], found[3].replace("\\]", "]"))

    def _named(self, name: str, target: str, text: str) -> str:
        if name in ("link", "mailto", "xref"):
            address = {"mailto": f"mailto:{target}", "xref": target if "." in target else f"#{target}"}
            return _link(address.get(name, target), text or target)
        if name in ("image", "icon"):
            self._left_out[LeftOut.PICTURE] += bool(text.strip())
            return ""
        if name == "anchor":
            return ""
        if name == "indexterm":
            self._left_out[LeftOut.HIDDEN] += 1
            return ""
        if name.startswith("footnote"):
            return f" ({self.write(text)})" if text else ""
        return self.write(" ".join(filter(None, (target, text)))) if name == "menu" else _plain(text)


def _link(address: str, text: str) -> str:
    shown = _plain(text.rstrip("^")) or escape(address)
    return f'<a href="{escape(address)}">{shown}</a>'


def _plain(text: str) -> str:
    text = _SINGLE.sub(r"\2", _PAIRS.sub(r"\2", _ROLE.sub("", text)))
    text = _SCRIPT.sub(_script, escape(unescape(text)))
    return _BREAK.sub("<br>", text)


def _script(found: re.Match[str]) -> str:
    return f"<sup>{found[1]}</sup>" if found[1] else f"<sub>{found[2]}</sub>"


def option(attributes: Mapping[str, str], name: str) -> bool:
    """Tell whether a block has an option, in any of AsciiDoc's notations."""
    options = f"{attributes.get('options', '')},{attributes.get('opts', '')}".split(",")
    return name in options or f"%{name}" in attributes.get("1", "")
