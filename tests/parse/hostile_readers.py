"""Readers that do what a parser may do on a hostile document; the worker imports them."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from graphrag_tasks.parse.blocks import Block, ParsedDocument

_kept: list[bytearray] = []


def obey(data: bytes) -> ParsedDocument:
    """Do what the document says, else give its text back."""
    action, _, argument = data.decode().partition(":")
    _ACTIONS.get(action, lambda _: None)(argument)
    return ParsedDocument([Block("paragraph", data.decode())])


def fail(data: bytes) -> ParsedDocument:
    raise KeyError("a defect")


def pid(data: bytes) -> ParsedDocument:
    return ParsedDocument([Block("paragraph", str(os.getpid()))])


def _hang(marker: str) -> None:
    if marker:
        Path(marker).write_text(str(os.getpid()))
    libc = ctypes.PyDLL(None)  # holds the interpreter lock: no Python code can stop it
    while True:
        libc.sleep(60)


def _allocate(_: str) -> None:
    held = []
    while True:
        held.append(bytearray(10_000_000))


def _map(size: str) -> None:
    bytearray(int(size))


def _keep(size: str) -> None:
    _kept.append(bytearray(int(size)))


def _recurse(argument: str) -> None:
    _recurse(argument)


def _segfault(_: str) -> None:
    ctypes.string_at(0)


def _connect(_: str) -> None:
    with socket.socket() as plain:
        plain.connect(("127.0.0.1", 9))


_ACTIONS = {
    "map": _map,
    "keep": _keep,
    "allocate": _allocate,
    "connect": _connect,
    "exit": lambda _: os._exit(3),
    "hang": _hang,
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "recurse": _recurse,
    "resolve": lambda _: socket.getaddrinfo("example.com", 80),
    "run": lambda _: subprocess.run(["/bin/true"], check=True),
    "segfault": _segfault,
    "sleep": lambda seconds: time.sleep(float(seconds)),
}
