"""HTML pages and Markdown files of random structure whose every sentence has a serial number."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from textwrap import indent

from tests.parse import test_epub as books
from tests.parse.conservation.serials import Serials

_LEVELS = 2
_HTML_BLOCKS = 10
_MARKDOWN_BLOCKS = 12
_FILLER = "<p>This page tells what the office did in the year, and who took part in it.</p>"


def html_page(serials: Serials) -> bytes:
    """Return an HTML page."""
    return _Page(serials).write().encode()


def saved_page(serials: Serials) -> bytes:
    """Return an HTML page with its pictures and frames in one file."""
    whole = EmailMessage()
    whole["Subject"] = "Page"
    whole.set_content(_Page(serials).write(), subtype="html", cte="base64")
    for _ in serials.few():
        whole.add_related(serials.sentence("attachment"), subtype="css")
    return whole.as_bytes()


def book(serials: Serials) -> bytes:
    """Return a book of a few chapters."""
    pages = (_Page(serials).body() for _ in serials.few())
    return books.book({f"{number}.xhtml": page for number, page in enumerate(pages)})


class _Page:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials

    def body(self) -> str:
        blocks = range(self._serials.random.randint(3, _HTML_BLOCKS))
        return _FILLER * 6 + "\n".join(self._block(0) for _ in blocks)

    def write(self) -> str:
        serials = self._serials
        body = self.body()
        wrapper = serials.random.choice(["{}", "<main>{}</main>", "<article>{}</article>"])
        body = wrapper.format(body)
        if serials.chance(0.4):
            body = f"<nav><a href='/'>{serials.sentence('boilerplate')}</a></nav>{body}"
        if serials.chance(0.4):
            body += f"<footer>{serials.sentence('boilerplate')}</footer>"
        if serials.chance(0.3):
            body += f"<div class='cookie-banner'>{serials.sentence('boilerplate')}</div>"
        return f"<html><head><title>Page</title></head><body>{body}</body></html>"

    def _block(self, level: int) -> str:
        makers: list[Callable[[int], str]] = [
            self._text, self._text, self._heading, self._paragraph, self._list, self._table, self._definitions,
            self._details, self._quote, self._code, self._figure, self._aside, self._form, self._div, self._image,
            self._comment, self._hidden, self._section, self._drawing, self._unread,
        ]  # fmt: skip
        if level >= _LEVELS:
            makers = [self._text, self._paragraph, self._image, self._comment]
        return self._serials.random.choice(makers)(level + 1)

    def _blocks(self, level: int) -> str:
        return "".join(self._block(level) for _ in self._serials.few(2))

    def _text(self, level: int) -> str:
        return f"{self._serials.sentence()}<br>{self._serials.sentence()}"

    def _paragraph(self, level: int) -> str:
        inline = self._serials.random.choice(
            ["{}", "<b>{}</b>", "<a href='/x'>{}</a>", "<span><i>{}</i></span>", "<q>{}</q>",
             "<del>{}</del>", "<ins>{}</ins>", "<label>{}</label>", "<code>{}</code>",
             "<address>{}</address>", "<font>{}</font>", "<center>{}</center>"]
        )  # fmt: skip
        return f"<p>{self._serials.sentence()} {inline.format(self._serials.sentence())}</p>"

    def _heading(self, level: int) -> str:
        number = self._serials.random.randint(2, 6)
        return f"<h{number}>{self._serials.sentence()}</h{number}>"

    def _list(self, level: int) -> str:
        name = self._serials.random.choice(["ul", "ol", "menu"])
        items = "".join(self._item(level) for _ in self._serials.few())
        return f"<{name}>{items}</{name}>"

    def _item(self, level: int) -> str:
        text = self._serials.sentence()
        if self._serials.chance(0.2):
            text = f"<p>{text}</p>"
        if self._serials.chance(0.5):
            text += self._block(level)
        if self._serials.chance(0.2):
            text += self._serials.sentence()
        return f"<li>{text}</li>"

    def _table(self, level: int) -> str:
        columns = len(self._serials.few())
        rows = []
        if self._serials.chance():
            rows.append("".join(f"<th>{self._serials.sentence()}</th>" for _ in range(columns)))
        for _ in self._serials.few():
            rows.append("".join(self._cell(level) for _ in range(columns)))
        if columns > 1 and self._serials.chance(0.3):
            rows.append(f"<td colspan={columns}>{self._serials.sentence()}</td>")
        caption = f"<caption>{self._serials.sentence()}</caption>" if self._serials.chance() else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        if self._serials.chance(0.3):
            foot = "".join(f"<td>{self._serials.sentence()}</td>" for _ in range(columns))
            body = f"<tbody>{body}</tbody><tfoot><tr>{foot}</tr></tfoot>"
        return f"<table>{caption}{body}</table>"

    def _cell(self, level: int) -> str:
        text = self._serials.sentence() if self._serials.chance(0.8) else ""
        if self._serials.chance(0.3):
            text += self._block(level)
        if self._serials.chance(0.2):
            text += self._serials.sentence()
        return f"<td>{text}</td>"

    def _definitions(self, level: int) -> str:
        pairs = "".join(
            f"<dt>{self._serials.sentence()}</dt><dd>{self._serials.sentence()}"
            f"{self._block(level) if self._serials.chance(0.3) else ''}</dd>"
            for _ in self._serials.few()
        )
        return f"<dl>{pairs}</dl>"

    def _details(self, level: int) -> str:
        summary = f"<summary>{self._serials.sentence()}</summary>"
        return f"<details>{summary}{self._blocks(level)}</details>"

    def _quote(self, level: int) -> str:
        return f"<blockquote>{self._serials.sentence()}{self._blocks(level)}</blockquote>"

    def _code(self, level: int) -> str:
        return f"<pre><code>{self._serials.sentence()}\n{self._serials.sentence()}</code></pre>"

    def _figure(self, level: int) -> str:
        caption = f"<figcaption>{self._serials.sentence()}</figcaption>"
        inner = self._image(level) if self._serials.chance() else self._block(level)
        return f"<figure>{inner}{caption}</figure>"

    def _aside(self, level: int) -> str:
        return f"<aside class='note'>{self._blocks(level)}</aside>"

    def _form(self, level: int) -> str:
        button = f"<button>{self._serials.sentence('boilerplate')}</button>"
        choice = f"<select><option>{self._serials.sentence('boilerplate')}</option></select>"
        legend = f"<fieldset><legend>{self._serials.sentence()}</legend>{choice}</fieldset>"
        return f"<form>{self._serials.sentence()}{legend}{button}</form>"

    def _div(self, level: int) -> str:
        return f"<div>{self._serials.sentence()}{self._blocks(level)}{self._serials.sentence()}</div>"

    def _section(self, level: int) -> str:
        heading = self._serials.sentence()
        return f"<section><header><h3>{heading}</h3></header>{self._blocks(level)}</section>"

    def _image(self, level: int) -> str:
        return f"<img src='x.png' alt='{self._serials.sentence('picture')}'>"

    def _drawing(self, level: int) -> str:
        return f"<svg><g><text>{self._serials.sentence('picture')}</text></g></svg>"

    def _comment(self, level: int) -> str:
        return f"<!-- {self._serials.sentence('comment')} -->"

    def _hidden(self, level: int) -> str:
        form = self._serials.random.choice(
            ["<p hidden>{}</p>", "<template><p>{}</p></template>", "<noscript>{}</noscript>",
             "<div style='color: red; display: none'>{}</div>"]
        )  # fmt: skip
        return form.format(self._serials.sentence("hidden"))

    def _unread(self, level: int) -> str:
        form = self._serials.random.choice(["<video>{}</video>", "<object>{}</object>", "<iframe>{}</iframe>"])
        return form.format(self._serials.sentence("hidden"))


def markdown_file(serials: Serials) -> bytes:
    """Return a file of GitHub-flavoured Markdown."""
    writer = _Markdown(serials)
    front = f"---\ntitle: {serials.sentence()}\n" if serials.chance(0.3) else "---\n"
    front += f"aliases: [x, {serials.sentence()}]\n---\n\n" if serials.chance(0.3) else "---\n\n"
    blocks = [writer.block(0) for _ in range(serials.random.randint(3, _MARKDOWN_BLOCKS))]
    return (front + "\n\n".join([*blocks, *writer.notes]) + "\n").encode()


class _Markdown:
    def __init__(self, serials: Serials) -> None:
        self._serials = serials
        self.notes: list[str] = []

    def block(self, level: int) -> str:
        makers: list[Callable[[int], str]] = [
            self._text, self._text, self._inline, self._heading, self._list, self._table, self._quote, self._code,
            self._html, self._comment, self._image, self._note, self._details, self._link, self._alert, self._remark,
        ]  # fmt: skip
        if level >= _LEVELS:
            makers = [self._text, self._inline, self._code, self._image]
        return self._serials.random.choice(makers)(level + 1)

    def _text(self, level: int) -> str:
        return "\n".join(self._serials.sentence() for _ in self._serials.few(2))

    def _inline(self, level: int) -> str:
        form = self._serials.random.choice(
            ["**{}**", "_{}_", "`{}`", "~~{}~~", "<b>{}</b>", "<kbd>{}</kbd>", "\\*{}\\*"]
        )
        return f"{self._serials.sentence()} {form.format(self._serials.sentence())}"

    def _heading(self, level: int) -> str:
        if self._serials.chance(0.2):
            return f"{self._serials.sentence()}\n======"
        return f"{'#' * self._serials.random.randint(1, 6)} {self._serials.sentence()}"

    def _list(self, level: int) -> str:
        mark = self._serials.random.choice(["- ", "1. ", "* ", "- [ ] ", "- [x] "])
        space = 3 if mark == "1. " else 2
        items = []
        for _ in self._serials.few():
            item = self._serials.sentence()
            if self._serials.chance(0.4):
                item += "\n\n" + indent(self.block(level), " " * space)
            elif self._serials.chance(0.3):
                item += "\n" + indent(f"- {self._serials.sentence()}", " " * space)
            items.append(mark + item)
        return "\n".join(items)

    def _table(self, level: int) -> str:
        columns = len(self._serials.few())
        rows = [[self._serials.sentence() for _ in range(columns)] for _ in range(3)]
        if self._serials.chance(0.3):
            inner = f"<table><tr><td>{self._serials.sentence()}</td></tr></table>"
            rows[2][0] += self._serials.random.choice(["<br>{}", "<ul><li>{}</li></ul>"]).format(
                self._serials.sentence()
            )
            rows[2][-1] += inner
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * columns, *lines[1:]])

    def _quote(self, level: int) -> str:
        inner = "\n\n".join(self.block(level) for _ in self._serials.few(2))
        return indent(inner, "> ", lambda _: True)

    def _alert(self, level: int) -> str:
        return f"> [!NOTE]\n> {self._serials.sentence()}"

    def _code(self, level: int) -> str:
        return f"```text\n{self._serials.sentence()}\n\n{self._serials.sentence()}\n```"

    def _html(self, level: int) -> str:
        return _Page(self._serials)._block(level).replace("\n", " ")

    def _comment(self, level: int) -> str:
        return f"<!-- {self._serials.sentence('comment')} -->"

    def _remark(self, level: int) -> str:
        remark = self._serials.random.choice(["%%{}%%", "%% {}\n\n %%"])
        hidden = remark.format(self._serials.sentence("comment"))
        return f"{self._serials.sentence()} {hidden}\n{self._serials.sentence()} ^id-{level}"

    def _image(self, level: int) -> str:
        return f"{self._serials.sentence()} ![{self._serials.sentence('picture')}](x.png)"

    def _note(self, level: int) -> str:
        self.notes.append(f"[^{len(self.notes) + 1}]: {self._serials.sentence()}")
        return f"{self._serials.sentence()}[^{len(self.notes)}]"

    def _details(self, level: int) -> str:
        summary = f"<details>\n<summary>{self._serials.sentence()}</summary>\n\n"
        return f"{summary}{self.block(level)}\n\n</details>"

    def _link(self, level: int) -> str:
        return f"[{self._serials.sentence()}](page.md) {self._serials.sentence()}"
