"""Messages and subtitles whose every sentence has a serial number."""

from __future__ import annotations

from email.message import EmailMessage

from tests.parse.conservation.serials import Serials

_MAX_DEPTH = 3


def mail_message(serials: Serials) -> bytes:
    """Return a message of text, pages, files and other messages."""
    return _message(serials, 0).as_bytes()


def mailbox(serials: Serials) -> bytes:
    """Return messages one after the other, which quote what those before say."""
    box = b""
    earlier: list[str] = []
    for _ in serials.few(5):
        message = _message(serials, 0)
        own = [serials.sentence() for _ in serials.few(4)]
        again = serials.random.sample(earlier, min(len(earlier), 3))
        serials.fates |= {f"again {len(serials.fates)} {line}": "quote" for line in again}
        quoted = [*again, serials.sentence()]
        serials.random.shuffle(quoted)
        answer = EmailMessage()
        answer["Subject"] = serials.sentence()
        lines = [*own, "", f"On Monday {serials.sentence('mail_furniture')} wrote:"]
        lines += [f"> {line}" for line in quoted]
        answer.set_content("\n".join(lines))
        earlier += own
        for one in (message, answer):
            box += b"From clerk@example.org Mon Feb  3 10:00:00 2025\n" + one.as_bytes() + b"\n"
    return box


def _message(serials: Serials, depth: int) -> EmailMessage:
    message = EmailMessage()
    if depth == 0 or serials.chance(0.7):
        message["Subject"] = serials.sentence()
    message["From"] = f'"{serials.sentence()}" <sender@example.org>'
    _write(serials, message)
    for _ in range(serials.random.randint(0, 2)):
        _attach(serials, message, depth)
    return message


def _write(serials: Serials, message: EmailMessage) -> None:
    if serials.chance(0.3):
        message.set_content(_page(serials), subtype="html")
        return
    charset = serials.random.choice(["utf-8", "iso-8859-1", "koi8-r"])
    encoding = serials.random.choice(["quoted-printable", "base64"])
    message.set_content(_text(serials), charset=charset, cte=encoding)
    if serials.chance(0.2):
        message.set_param("format", "flowed")
    if serials.chance():
        other = f"<p>{serials.sentence('alternative')}</p>"
        message.add_alternative(other, subtype="html")


def _attach(serials: Serials, message: EmailMessage, depth: int) -> None:
    if depth < _MAX_DEPTH and serials.chance():
        message.add_attachment(_message(serials, depth + 1), disposition="inline")
    elif serials.chance():
        message.add_attachment(serials.sentence("attachment"))
    else:
        message.add_attachment(_text(serials), disposition="inline")


def _text(serials: Serials) -> str:
    lines = (
        serials.random.choice(["", "", "> ", ">> "]) + serials.sentence() for _ in serials.few(8)
    )
    ends = ("\n", " \n", "\n\n")
    text = "".join(line + serials.random.choice(ends) for line in lines)
    signed = f"\n-- \n{serials.sentence('mail_furniture')}\n" if serials.chance(0.3) else ""
    return text + signed


def _page(serials: Serials) -> str:
    return "".join(f"<p>{serials.sentence()}<br>{serials.sentence()}</p>" for _ in serials.few(5))


def subtitles(serials: Serials) -> bytes:
    """Return WebVTT subtitles."""
    parts = ["WEBVTT"]
    for _ in serials.few(20):
        if serials.chance(0.1):
            parts.append(f"NOTE {serials.sentence('comment')}")
        parts.append("\n".join(_cue(serials)))
    return serials.random.choice(["\n\n", "\n\n\n"]).join(parts).encode()


def _cue(serials: Serials) -> list[str]:
    start = "<v Speaker>" if serials.chance() else ""
    words = [start + serials.sentence(), *(f"<i>{serials.sentence()}</i>" for _ in serials.few(2))]
    times = f"00:01.000 --> 00:02.000 {serials.sentence('subtitle_mark')}"
    return (
        [serials.sentence("subtitle_mark"), times, *words] if serials.chance() else [times, *words]
    )
