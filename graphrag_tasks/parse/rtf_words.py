"""RTF control words, and the encodings that RTF names."""

from __future__ import annotations

import codecs

from graphrag_tasks.core.left_out import LeftOut

SIGNS = {
    "tab": "\t",
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
COUNTED = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), LeftOut.HEADER_FOOTER),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), LeftOut.HEADER_FOOTER),
    **dict.fromkeys(("xe", "tc"), LeftOut.HIDDEN),
}
"""Destinations whose text is left out, with the reason."""

BESIDE = frozenset(("footnote", "annotation", "shptxt", "dptxbxtext"))
"""Destinations of text written after a paragraph."""

READ = frozenset(
    ("shpinst", "do", "atnauthor", "moMath", "moMathPara", "annotation", "fldinst", "xe", "tc", "nesttableprops")
)
"""Optional destinations that are read."""

IGNORED = frozenset(
    (
        *("colortbl", "pict", "nonshppict", "shprslt", "sp", "objdata", "objclass"),
        *("listtable", "listoverridetable", "rsidtbl", "revtbl", "generator", "filetbl"),
        *("ftnsep", "ftnsepc", "ftncn", "nonesttables", "bkmkstart", "bkmkend", "atnid"),
        *("atndate", "atnref", "atntime", "pnseclvl", "template", "mmathPict"),
    )
)
CHARSETS = {
    **dict.fromkeys((0, 1), "cp1252"),
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Encodings by a font's character set number; the symbol set has no letters."""

_PAGES = {10000: "mac_roman", 65001: "utf-8", 936: "gb18030", 0: "cp1252"}
"""Encodings of code pages that are not `cp` plus the number."""


def code_page(number: int) -> str:
    """Return the codec of a code page; Windows-1252 if Python lacks it."""
    name = _PAGES.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
