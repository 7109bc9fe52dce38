"""A process that the kernel ends when it connects to an address of the Internet (Linux).

It looks below Python: threads of C libraries are held to it too, and what it starts. Run a script by `python -P
tests/offline.py SCRIPT`.
"""

import ctypes
import os
import platform
import struct
import sys

CONNECT = {"x86_64": (0xC000003E, 42), "aarch64": (0xC00000B7, 203)}
"""Of Linux's audit.h and unistd.h: what a processor's calls are marked with, and `connect`."""
_OF_THE_INTERNET = (16, 28)  # bytes of a sockaddr_in and a sockaddr_in6: one of a file has 110
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_LOAD, _JUMP, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32  # offsets in struct seccomp_data


def end_on_connect() -> None:
    """Have this process end by SIGSYS at the first such connection, look-ups of names included."""
    architecture, connect = CONNECT[platform.machine()]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_JUMP, 0, 5, architecture),
        (_LOAD, 0, 0, _NUMBER), (_JUMP, 0, 3, connect),
        (_LOAD, 0, 0, _THIRD_ARGUMENT), (_JUMP, 2, 0, _OF_THE_INTERNET[0]),
        (_JUMP, 1, 0, _OF_THE_INTERNET[1]), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _KILL),
    ]  # fmt: skip
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SET_SECCOMP, _FILTER, program, 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "seccomp is not there")


if __name__ == "__main__":  # not in `preexec_fn`: a fork of many threads may hang
    end_on_connect()
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])  # noqa: S606
