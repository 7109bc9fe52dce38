"""What readers leave out of a document, counted by reason, so that nothing is lost unseen."""

from __future__ import annotations

from enum import StrEnum


class LeftOut(StrEnum):
    """Why a part of a document is in none of its blocks."""

    PAGE_FURNITURE = "page_furniture"
    """Lines of a PDF that are page numbers, running headers or running footers."""
    HEADER_FOOTER = "header_footer"
    """Paragraphs of the headers and footers of pages and slides."""
    COMMENT = "comment"
    """Comments of authors in the source of a page; those of reviewers are read."""
    DELETED_TEXT = "deleted_text"
    """Passages that a tracked change has deleted."""
    HIDDEN = "hidden"
    """Elements that readers of the document do not see, such as hidden slides."""
    PICTURE = "picture"
    """Pictures: their descriptions, and the words that are drawn in them."""
    BOILERPLATE = "boilerplate"
    """Elements of a page around its text: navigation, banners, forms."""
    BEYOND_BOUND = "beyond_bound"
    """Characters of the text beyond `parse.max_characters`."""
    NO_WORDS = "no_words"
    """Characters of stretches that are no prose, such as encoded data and logs."""
    INVALID_CHARACTERS = "invalid_characters"
    """Characters that no text has, such as NUL."""
    DIRECTIVE = "directive"
    """Marks of a documentation generator that stand for what is not in the page: components,
    macros, embedded media, imports."""
    INCLUDE = "include"
    """Texts of other files that a page includes and that were not found, or may not be shown."""
    FORMULA_WITHOUT_VALUE = "formula_without_value"
    """Cells whose formula was never computed, and says nothing without that."""
    ATTACHMENT = "attachment"
    """Parts of a message that are not its text: files, pictures, signatures of programs."""
    ALTERNATIVE = "alternative"
    """Texts of a message that stand for one that is read, in another form."""
    MAIL_FURNITURE = "mail_furniture"
    """Lines of a message that sign it, or say who wrote what is quoted below."""
    QUOTE = "quote"
    """Lines of a message that quote an earlier one of the same mailbox, which is read."""
    MESSAGE = "message"
    """Messages of a mailbox that cannot be read, such as encrypted ones."""
    SUBTITLE_MARK = "subtitle_mark"
    """Times and ids of subtitles, and lines that say how to show them."""
