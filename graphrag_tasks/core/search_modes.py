"""Search modes by name, each with a line of description."""

from __future__ import annotations

from enum import StrEnum


class SearchMode(StrEnum):
    """How a search ranks chunks, and what else it finds."""

    AUTO = "auto"
    RANKED = "ranked"
    LOCAL = "local"
    PATH = "path"
    LIST = "list"
    GLOBAL = "global"
    PAPER = "paper"
    DENSE = "dense"
    BM25 = "bm25"
    HYBRID = "hybrid"
    GRAPH = "graph"

    @property
    def about(self) -> str:
        """Description of the mode, one line."""
        return _ABOUT[self]


_ABOUT = {
    SearchMode.AUTO: "rules choose ranked, path, list or global",
    SearchMode.RANKED: "vectors, words and graph, weighed by learned trees",
    SearchMode.LOCAL: "what is a hop or two from the named things",
    SearchMode.PATH: "ranked, with paths between two things",
    SearchMode.LIST: "ranked, with all things of the kind asked for",
    SearchMode.GLOBAL: "ranked, with summaries of communities",
    SearchMode.PAPER: "as arXiv 2507.03226 has it",
    SearchMode.DENSE: "vectors alone",
    SearchMode.BM25: "words alone",
    SearchMode.HYBRID: "vectors and words",
    SearchMode.GRAPH: "walks over the names that chunks share",
}
