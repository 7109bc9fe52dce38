"""Draw a PDF page with marked boxes, in a separate process.

A hostile file may crash or hang its parser, so the server never opens one itself: `draw` starts this module with limits
on time and memory. It reads the file from standard input.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from threading import BoundedSemaphore

from graphrag_tasks.core.errors import QueryError, TransientError

SECONDS = 20  # Processor seconds per page, and waiting time for other pages; chosen.
MEMORY_BYTES = 2_000_000_000  # Address space of the process: the library and a scan of a few hundred megapixels.
_AT_ONCE = 2  # Pages drawn at a time, as each may take `MEMORY_BYTES`.
_WIDTH = 900  # pixels
_MARK = (255, 213, 79, 90)  # amber, as a marker on paper

Box = tuple[float, float, float, float]  # Left, top, right and bottom, in points from the page's top left.

_drawing = BoundedSemaphore(_AT_ONCE)


def draw(pdf: bytes, page: int, boxes: Sequence[Box], where: str) -> bytes:
    """Return a PNG of a PDF page (from 1) with marked boxes."""
    if not _drawing.acquire(timeout=SECONDS):
        raise TransientError("other pages are being drawn", where, "Try again in a moment")
    try:
        command = [sys.executable, "-P", "-m", __name__, str(page), json.dumps(boxes)]
        done = subprocess.run(  # noqa: S603 - our own module
            command, input=pdf, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        failed = True
    else:
        failed = done.returncode != 0
    finally:
        _drawing.release()
    if failed:
        hint = "Open the file itself; its text is on the page of the document"
        raise QueryError(f"page {page} cannot be drawn", where, hint)
    return done.stdout


def _main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    import pypdfium2
    from PIL import Image, ImageDraw

    page = pypdfium2.PdfDocument(sys.stdin.buffer.read())[int(sys.argv[1]) - 1]
    scale = _WIDTH / page.get_width()
    picture = page.render(scale=scale).to_pil().convert("RGBA")
    marks = Image.new("RGBA", picture.size)
    for box in json.loads(sys.argv[2]):
        ImageDraw.Draw(marks).rectangle([side * scale for side in box], fill=_MARK)
    Image.alpha_composite(picture, marks).convert("RGB").save(sys.stdout.buffer, "PNG")


if __name__ == "__main__":
    _main()
