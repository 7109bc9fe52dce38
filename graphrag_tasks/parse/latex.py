"""Read LaTeX through Docling, adding the sentences that Docling skips.

No program is run and no other file is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.completeness import FileText, FoundLink, with_links
from graphrag_tasks.parse.docling_blocks import convert, read_blocks
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.text import clean_text, raised
from graphrag_tasks.sources.encodings import decode

_SENTENCE_WORDS = 3  # Fewer words between two commands may be names of styles and files, not text.

_BEGIN, _END = r"\begin{document}", r"\end{document}"
_VERBATIM = re.compile(r"\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|alltt)\}(.*?)(?:\\end\{\1\}|\Z)", re.DOTALL)
_COMMENTED = re.compile(r"\\begin\{comment\}(.*?)(?:\\end\{comment\}|\Z)", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%([^\n]*)")
_INPUT = re.compile(r"\\(?:input|include|subfile|import|lstinputlisting)\b\s*\{")
_LINK = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_TIE = re.compile(r"(?<!\\)~")
_SIGNS = {
    "---": "—", "--": "–", "``": "“", "''": "”", r"\,": " ", r"\;": " ", r"\:": " ", r"\ ": " ",
    r"\textemdash": "—", r"\textendash": "–", r"\textdegree": "°", r"\degree": "°",
    r"\textmu": "µ", r"\ldots": "…", r"\dots": "…", r"\textellipsis": "…",
}  # fmt: skip
"""Commands that Docling drops, joining the words on both sides."""
_SIGN = re.compile(
    r"(?P<kept>\\[\\$%&#_{}]|\\(?:url|path|label|\w*ref|cite\w*|includegraphics|begin|end)\b\*?"
    r"(?:\[[^\[\]]{0,300}\])?\{[^{}]{0,2000}\}|\\verb(?P<end>\W)[^\n]{0,300}?(?P=end)|\$\$[^$]*\$\$)"
    r"|\$(?P<math>[^$]*)\$|\\text(?P<script>super|sub)script\{(?P<raised>[^{}]{0,300})\}"
    r"|\\(?:SI|qty)\{(?P<number>[^{}]{0,100})\}\{(?P<unit>[^{}]{0,100})\}"
    r"|(?P<sign>---?|``|''|\\[,;: ]|\\(?:text(?:emdash|endash|degree|mu|ellipsis)|degree|l?dots)\b)"
    r"(?:\{\}|(?<=[a-z])[ ])?"
)
_MATH_NAME = re.compile(r"\\(?:mathrm|text|mathit|mathbf|textrm|operatorname)\s*\{([^{}]*)\}")
_MATH_DEGREE = re.compile(r"\s*\^\s*(?:\{\s*\\circ\s*\}|\\circ)")
_MATH_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|(\w))")
_MATH_SIGN = re.compile(r"(?<=[\w)])\s*([×±=<>≤≥≈·])\s*")
_ORDINALS = ("st", "nd", "rd", "th")
_MAX_MATH = 60  # Longest formula, in characters, that may be a quantity or part of a name in running text. Chosen.
_MARK = re.compile(
    r"\\(?:['\"`^~=.]|[uvHtcdbrk](?![A-Za-z@]))\s*\{?\\?\w?\}?"  # an accent: the letter changes
    r"|\$[^$]*\$|\\begin\s*\{[^}]*\}|\\end\s*\{[^}]*\}|\\[a-zA-Z@]+\*?|\\.|[{}\[\]&#$~]|\n\s*\n"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LENGTH = r"-?\d*\.?\d+\s*(?:pt|pc|cm|mm|in|em|ex|bp|sp)?"
_LAYOUT = re.compile(
    r"\\(?:looseness|tolerance|emergencystretch|[hv](?:badness|fuzz|offset)"
    rf"|\w*penalty|\w+(?:skip|sep|width|height|indent))\s*=?\s*{_LENGTH}"
    rf"(?:\s*(?:plus|minus)\s*{_LENGTH})*"
    r"|\\(?:noindent|xspace)(?![A-Za-z@])[ \t]*|@\{\}|(?<=\\begin\{tabular\})\[[a-z]\]"
    r"|\\(?:parbox|scalebox|resizebox|raisebox)\*?(?:\s*\[[^\[\]]*\]){0,3}"
    rf"(?:\s*\{{\s*(?:!|(?:{_LENGTH})?\s*(?:\\\w+)?)\s*\}}){{1,2}}"
    r"|\\includegraphics\*?\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}"
)
"""Commands whose words are measures or names of files."""
_ENVIRONMENT = re.compile(
    r"(\\begin\{(?!tabu|array|longtable|thebib|\w*matrix|alignat)\w+\*?\})"
    rf"(?:(?:\s*\[[^\[\]{{}}]*\]){{0,3}}\s*\{{\s*(?:(?:{_LENGTH})?\s*(?:\\\w+)?|[A-Za-z])\s*\}}){{1,3}}"
)
_BIBLIOGRAPHY = re.compile(r"(\\begin\{thebibliography\}.*?(?:\\end\{thebibliography\}|\Z))", re.DOTALL)
_BOOK = re.compile(r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\}){0,300}\}){0,300}\])?\s*\{([^{}]*)\}")
_NEW_THEOREM = re.compile(r"\\newtheorem\*?\s*\{(\w+)\}\s*(?:\[\w*\]\s*)?\{([^{}]*)\}")
_THEOREMS = (
    *("theorem", "lemma", "corollary", "proposition", "definition", "remark", "example"),
    *("conjecture", "proof"),
)
_SPACED = re.compile(
    r"\\(?:def\s*|(?:re)?newcommand\*?\s*\{?|DeclareRobustCommand\*?\s*\{?)\\([A-Za-z@]+)\}?"
    r"(?:\[[^\]]*\])*\s*\{(?:[^{}]|\{[^{}]*\}){0,300}\\xspace\s*\}"
)
"""Definitions of commands that are followed by a blank, except before punctuation."""


def read_tex(data: bytes) -> ParsedDocument:
    """Read a LaTeX document; raises `DocumentError` (code `broken`) if it is binary."""
    file = decode(data)
    text, _, behind = clean_text(file.text).partition(_END)
    left_out: Counter[str] = Counter(file.left_out)
    left_out[LeftOut.HIDDEN] += bool(behind.strip())
    text, verbatim = _without_comments(text, left_out)
    text = _without_layout(text)
    # Docling ends a paragraph at a link, and drops the blank of a tie.
    links = [FoundLink(None, found[2]) for found in _LINK.finditer(text)]
    text = _TIE.sub(" ", _SIGN.sub(_as_unicode, _LINK.sub(r"{\2}", text)))
    left_out[LeftOut.INCLUDE] += len(_INPUT.findall(text))
    source = f"{text}{_END}" if _BEGIN in text else text
    for number, block in enumerate(verbatim):
        source = source.replace(_place(number), block)
    if not source.replace(_END, "").strip():
        return ParsedDocument([], left_out=left_out, encoding=file.encoding)
    tree = convert(source.encode("utf-8", "replace"), "tex")
    blocks = with_links(read_blocks(tree, _texts(text, verbatim)), links)
    return ParsedDocument(blocks, find_title((), blocks), left_out=left_out, encoding=file.encoding)


def _without_layout(text: str) -> str:
    """Remove commands that hold words but no text, and put the names of theorems before them."""
    names = {name: name.capitalize() for name in _THEOREMS} | dict(_NEW_THEOREM.findall(text))
    known = f"({'|'.join(map(re.escape, names))})"
    theorem = rf"\\begin\{{{known}\*?\}}\s*(?:\[([^\[\]]*)\])?\s*|\\end\{{{known}\*?\}}"

    def named(found: re.Match[str]) -> str:
        title = f" ({found[2]})" if found[2] else ""
        return f"\n\n{names[found[1]]}{title}. " if found[1] else "\n\n"

    spaced = "|".join(sorted(set(_SPACED.findall(text)), key=len, reverse=True))
    if spaced:
        text = re.sub(rf"(\\(?:{spaced}))(?:\{{\}})?\s+(?=\\?[A-Za-z0-9(\[$`\"'])", r"\1{} ", text)
    parts = _BIBLIOGRAPHY.split(re.sub(theorem, named, text))
    parts[1::2] = [_BOOK.sub(r"\\bibitem{\1} ", part) for part in parts[1::2]]
    parts[::2] = [_BOOK.sub(r"\n\n[\1] ", part) for part in parts[::2]]
    return _ENVIRONMENT.sub(r"\1", _LAYOUT.sub("", "".join(parts)))


def _as_unicode(found: re.Match[str]) -> str:
    """Replace a command by its Unicode character; formulas that are not quantities stay."""
    before = found.string[max(found.start() - 1, 0) : found.start()]
    if found["kept"] is not None:
        return found[0]
    if found["math"] is not None:
        return _quantity(found["math"], before) or found[0]
    if found["raised"] is not None:
        return raised(before, found["raised"], lowered=found["script"] == "sub")
    if found["number"] is not None:
        unit = found["unit"].replace(r"\per", " per ").replace("\\", "")
        return f"{found['number']} {' '.join(unit.split())}"
    return _SIGNS[found["sign"]]


def _quantity(math: str, before: str) -> str:
    """Return a short formula as text; "" if that needs more than letters, digits and signs."""
    if len(math) > _MAX_MATH:
        return ""
    plain = _MATH_DEGREE.sub("°", _MATH_NAME.sub(r"{\1}", math))
    text = _plain_math().latex_to_text(f"${plain}$").strip()

    def script(found: re.Match[str]) -> str:
        index = found[2] or found[3]
        ahead = found.string[: found.start()] or before
        is_low = found[1] == "_"
        if index in _ORDINALS and ahead[-1:].isdecimal():
            return index
        if not index.isdecimal():
            return found[0]
        return raised(ahead, index, lowered=is_low)

    text = _MATH_SIGN.sub(r" \1 ", _MATH_SCRIPT.sub(script, text)).strip()
    return "" if "\\" in text else re.sub(r"[{}]", "", text)


@cache
def _plain_math() -> LatexNodes2Text:
    return LatexNodes2Text(math_mode="text", keep_braced_groups=True)


def _place(number: int) -> str:
    return f"\ufdd0{number}\ufdd1"


def _without_comments(text: str, left_out: Counter[str]) -> tuple[str, list[str]]:
    verbatim: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        verbatim.append(found[0])
        return _place(len(verbatim) - 1)

    def count(found: re.Match[str]) -> str:
        left_out[LeftOut.COMMENT] += bool(found[found.lastindex or 0].strip("% "))
        return found[1] if found.re is _COMMENT else ""

    text = _VERBATIM.sub(put_aside, text)
    return _COMMENT.sub(count, _COMMENTED.sub(count, text)), verbatim


def _texts(text: str, verbatim: list[str]) -> Iterator[FileText]:
    body = text.partition(_BEGIN)[2] or text
    for part in re.split("(\ufdd0\\d+\ufdd1)", body):
        if part.startswith("\ufdd0"):
            shown = _VERBATIM.match(verbatim[int(part[1:-1])])
            yield FileText([shown[2]] if shown else [])
            continue
        for stretch in _MARK.split(part):
            if len(_WORD.findall(stretch)) >= _SENTENCE_WORDS:
                yield FileText([stretch])
