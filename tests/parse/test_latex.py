"""LaTeX: what is read, what is counted, and that no other file is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILE = r"""% A comment
\documentclass[12pt]{article}
\newcommand{\crane}[1]{the crane #1}
\title{Harbour Plan}
\begin{document}
\maketitle
\section{Cranes}\label{sec:c}
The caf\'e sees \crane{move} to \href{https://x.org/a}{the quay}.\footnote{It is very old.} % why
See~\cite{knuth}; 5\% moved.

\begin{itemize}
\item First of all
\end{itemize}
\begin{table}\caption{Weights of cranes}
\begin{tabular}{ll} Name & Tons \\ Big & 12 \\ \end{tabular}\end{table}
\begin{theorem}[The name of it] Cranes move.\end{theorem}
\begin{verbatim}
int a = b; % no comment
\end{verbatim}
\end{document}
Words behind it.
"""


def test_a_document_is_read(parse_one: Any) -> None:
    parsed = parse_one("a.tex", FILE.encode())
    assert parsed.kinds == [
        ("title", "Harbour Plan"),
        ("heading", "Cranes"),
        ("paragraph", "The caf\u00e9 sees the crane move to the quay."),
        ("paragraph", "It is very old."),
        ("paragraph", "See [knuth]; 5% moved."),
        ("list_item", "First of all"),
        ("caption", "Weights of cranes"),
        ("paragraph", "The name of it"),
        ("table", "Name: Big | Tons: 12"),
        ("paragraph", "**Theorem.**"),
        ("paragraph", "Cranes move."),
        ("code", "int a = b; % no comment"),
    ]
    assert parsed.blocks[2]["links"][0]["href"] == "https://x.org/a"
    assert (parsed.document["title"], parsed.document["encoding"]) == ("Harbour Plan", "utf-8")
    assert parsed.left_out == {"comment": 2, "hidden": 1}


def test_no_other_file_is_read(parse_one: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.tex"
    other.write_text("Secret words of another file.")
    marks = (r"\input{{{}}}", r"\include{{{}}}", r"\includegraphics{{{}}}")
    text = "Some words here.\n\n" + "\n\n".join(mark.format(other) for mark in marks)
    parsed = parse_one("a.tex", text.encode())
    assert "Secret" not in "".join(text for _, text in parsed.kinds)
    assert parsed.left_out == {"include": 2}


def test_what_is_no_document_is_refused(parse_one: Any) -> None:
    assert parse_one("a.tex", bytes(range(256)) * 9).document["error_code"] == "broken"
    assert parse_one("b.tex", b"% nothing").document["error_code"] == "no_text"
    assert parse_one("c.tex", b"").document["error_code"] == "empty_file"
    assert parse_one("d.tex", FILE.encode()[:300]).document["status"] == "parsed"
