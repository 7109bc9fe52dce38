"""LaTeX: what is read, what is counted, and that no other file is opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

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
        ("table", "Name: Big | Tons: 12"),
        ("paragraph", "Theorem (The name of it). Cranes move."),
        ("code", "int a = b; % no comment"),
    ]
    assert parsed.blocks[2]["has_link"]
    assert (parsed.document["title"], parsed.document["encoding"]) == ("Harbour Plan", "utf-8")
    assert parsed.left_out == {"comment": 2, "hidden": 1}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\tool moves boxes, and so does \tool.", "Craner moves boxes, and so does Craner."),
        (r"We see \tool{} and \emph{\tool} (\tool 2).", "We see Craner and Craner (Craner 2)."),
        (r"\looseness=-1 \noindent Cranes move.", "Cranes move."),
        (r"\begin{multicols}{2}Cranes move.\end{multicols}", "Cranes move."),
        (r"\begin{minipage}[t]{0.5\textwidth}Cranes move.\end{minipage}", "Cranes move."),
        (r"\parbox{3cm}{Cranes move.}", "Cranes move."),
        (r"\includegraphics[width=3cm]{the/old/crane.png} Cranes move.", "Cranes move."),
        (r"\begin{thm}[Aune]\label{t} Cranes move.\end{thm}", "Law (Aune). Cranes move."),
        (r"\begin{itemize}\item Ships.\begin{lemma}Cranes move.\end{lemma}\end{itemize}",
         "Ships.\nLemma. Cranes move."),
        (r"\bibitem[Aune et~al.(1999)]{aune} Hooks of cranes.", "[aune] Hooks of cranes."),
        (r"\begin{thebibliography}{9}\itemsep=0pt\bibitem[{Aune(1999)Aune, Ruud}]{aune}"
         r"Hooks 3:\penalty0 1.\end{thebibliography}",
         "References\n[aune] Hooks 3:1."),
        (r"\today he moves ten boxes.", "he moves ten boxes."),
    ],
)  # fmt: skip
def test_words_of_commands_are_no_text(parse_one: Any, source: str, text: str) -> None:
    head = r"\newtheorem{thm}[x]{Law}\newcommand{\tool}{Craner\xspace}"
    written = rf"\documentclass{{article}}{head}\begin{{document}}{source}\end{{document}}"
    found = "\n".join(text for _, text in parse_one("a.tex", written.encode()).kinds)
    assert re.sub(" +", " ", found) == text


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
