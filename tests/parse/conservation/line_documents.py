"""CSV files, text files and passages whose every sentence has a serial number."""

from __future__ import annotations

import csv
import json
from io import StringIO

from tests.parse.conservation.serials import Serials

_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252")


def csv_file(serials: Serials) -> bytes:
    """Return a table with a delimiter, and perhaps titles, blank lines and rows of any length."""
    choose = serials.random.choice
    buffer = StringIO()
    quoting = choose([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    writer = csv.writer(buffer, delimiter=choose(",;\t|"), quoting=quoting)
    if serials.chance(0.2):
        writer.writerow([serials.sentence()])
        writer.writerow([])
    columns = serials.random.randint(2, 5)
    for _ in range(serials.random.randint(4, 12)):
        filled = serials.random.randint(2, columns) if serials.chance(0.2) else columns
        if serials.chance(0.1):
            writer.writerow([])
        writer.writerow([_field(serials) for _ in range(filled + serials.chance(0.1))])
    return buffer.getvalue().encode(choose(_ENCODINGS))


def _field(serials: Serials) -> str:
    if serials.chance(0.2):
        return ""
    return "\n".join(serials.sentence() for _ in serials.few(2))


def text_file(serials: Serials) -> bytes:
    """Return paragraphs of lines, indented or not, with any line ends."""
    lines: list[str] = []
    for _ in serials.few(30):
        indent = " " * serials.random.randint(0, 6) if serials.chance(0.3) else ""
        lines.append(indent + " ".join(serials.sentence() for _ in serials.few()))
        if serials.chance(0.4):
            lines.append(serials.random.choice(["", " \t", "----", "\f", "\n\n"]))
    end = serials.random.choice(["\n", "\r\n", "\r"])
    return end.join(lines).encode(serials.random.choice(_ENCODINGS))


def passage(serials: Serials) -> bytes:
    """Return a line of a JSONL file."""
    text = serials.random.choice([" ", "\n", "\n\n"]).join(serials.sentence() for _ in serials.few(40))
    title = serials.sentence() if serials.chance() else None
    return json.dumps({"title": title, "text": text}).encode()


def tex_file(serials: Serials) -> bytes:
    """Return a LaTeX document of a few environments and commands."""
    forms = (
        "{}\n\n", r"\section{{{}}}", r"\emph{{{}}} {}", "% {c}\n", r"{}\footnote{{{}}}",
        r"\begin{{itemize}}\item {} \item {}\end{{itemize}}", r"\tool {} \noindent {}",
        r"\begin{{theorem}}[{}]\label{{t}} {}\end{{theorem}}", r"\begin{{proof}}{}\end{{proof}}",
        r"\begin{{multicols}}{{2}}{}\end{{multicols}}", r"\parbox{{3cm}}{{{}}}",
        r"\begin{{figure}}\includegraphics{{x.png}}\caption{{{}}}\end{{figure}}",
        r"\begin{{quote}}{}\end{{quote}}", "\\begin{{verbatim}}\n{}\n\\end{{verbatim}}",
        r"\begin{{tabular}}{{ll}}{} & {} \\ {} & {}\end{{tabular}}", r"\bibitem[A(1999)]{{a}} {}",
        r"\begin{{thebibliography}}{{9}}\bibitem[A]{{a}} {} \newblock {}\end{{thebibliography}}",
    )  # fmt: skip
    parts = [r"\newcommand{\tool}{Craner\xspace}\begin{document}"]
    for _ in serials.few(12):
        form = serials.random.choice(forms)
        comment = serials.sentence("comment") if "{c}" in form else ""
        places = form.replace("{{", "").count("{}")
        parts.append(form.format(*(serials.sentence() for _ in range(places)), c=comment))
    return "\n".join([*parts, r"\end{document}"]).encode()
