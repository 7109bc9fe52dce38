"""Open Zip packages, with checks that name what is wrong with them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from graphrag_tasks.core.errors import DocumentError

_MAX_PART_BYTES = 128 * 1024 * 1024  # as in Docling, which would call the file broken
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # of all parts; bounds memory
_MAX_RATIO = 200  # real parts, as repetitive as they may be, stay far below
_UNSUSPICIOUS_BYTES = 1_000_000  # unpacked whatever the ratio: 5 MB of shapes took long to read
_IS_ENCRYPTED = 1  # bit of an entry's flags


@contextmanager
def package_of(data: bytes, media_type: str) -> Iterator[ZipFile]:
    """Open a package; errors inside the context are translated too."""
    try:
        with ZipFile(BytesIO(data)) as package:
            _check_unpacked_size(package, len(data))
            if any(part.flag_bits & _IS_ENCRYPTED for part in package.infolist()):
                raise encrypted(media_type)
            yield package
    except (BadZipFile, EOFError, zlib.error, NotImplementedError) as error:
        raise broken(media_type, error) from error


def _check_unpacked_size(package: ZipFile, packed: int) -> None:
    """Raise for a zip bomb, judged by its directory; `ZipFile` unpacks no more than that states."""
    sizes = [part.file_size for part in package.infolist()]
    unpacked, largest = sum(sizes), max(sizes, default=0)
    most = min(_MAX_UNPACKED_BYTES, max(_UNSUSPICIOUS_BYTES, _MAX_RATIO * packed))
    if unpacked > most or largest > _MAX_PART_BYTES:
        what = f"its {packed} bytes unpack to {unpacked}, its largest part to {largest}"
        hint = "Split the file, or remove what makes it large"
        raise DocumentError("too_large", what, hint=hint)


def encrypted(media_type: str) -> DocumentError:
    """Return the error for a file that needs a password."""
    what = f"the {media_type} file needs a password"
    return DocumentError("encrypted", what, hint="Save it without a password")


def broken(media_type: str, reason: object) -> DocumentError:
    """Return the error for an invalid file; `reason` may be None."""
    what = f"not a valid {media_type} file" + ("" if reason is None else f": {reason}")
    return DocumentError("broken", what, hint="Open it in its own application and save it again")
