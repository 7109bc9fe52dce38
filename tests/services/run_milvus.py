"""Run a Milvus server until standard input ends: also where whoever started it was killed.

    python run_milvus.py DATA_FOLDER PORT

Prints one line once the server answers. Of its own process, as the server ignores SIGTERM for long and only `stop` ends
it soon; by the Python of `servers.txt`, which has nothing else installed.
"""

import socket
import sys

from milvus import MilvusServer, MilvusServerConfig


class Config(MilvusServerConfig):
    """A configuration that finds a port free where connections to it ended only just now."""

    def try_bind_port(self, port: int) -> socket.socket | None:
        """Return a socket that listens on the port, or None where something else does."""
        try:
            return socket.create_server(("127.0.0.1", port))  # reuses the address
        except OSError:
            return None


def main(data: str, port: str) -> None:
    server = MilvusServer(Config(data_dir=data, proxy_port=int(port)))
    try:
        server.start()
        print("ready", flush=True)
        sys.stdin.read()
    finally:
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
