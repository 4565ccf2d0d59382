"""A small web server for the far end of a real link: `GET /10MB` gives 10 MB, POST and PUT accept any body."""

from __future__ import annotations

import re
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["listen", "serve_requests"]

_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_CHUNK = bytes(1 << 16)
_USAGE = b"GET /10MB for 10 MB of zeros (B, kB, MB, GB); POST or PUT a body to measure the other way\n"


def listen(address: str) -> socket.socket:
    """A socket for the server, on port 80. Raises `OSError`."""
    return socket.create_server((address, 80), backlog=128)


def serve_requests(listening: socket.socket) -> None:
    """Answer requests until the process ends."""
    server = _Server(listening.getsockname(), _Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listening
    server.serve_forever()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: a client that disconnects is not worth a message."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send the number of zeros that the path requests."""
        match = re.fullmatch(r"/(\d{1,15})(B|kB|MB|GB)", self.path)
        if match is None:
            self._answer(200 if self.path == "/" else 404, _USAGE)
            return
        remaining = int(match[1]) * _UNITS[match[2]]
        self._head(200, remaining, "application/octet-stream")
        while remaining > 0:
            remaining -= self.wfile.write(_CHUNK[: min(remaining, len(_CHUNK))])

    def do_POST(self) -> None:
        """Read the body, and answer with its length."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            read = self._read_chunks()
        elif length.isdecimal():
            read = self._read(int(length))
        else:
            self.close_connection = True
            self._answer(411, b"the length of the body must be known, or its encoding chunked\n")
            return
        self._answer(200, f"{read} B received\n".encode())

    do_PUT = do_POST  # noqa: N815

    def _read(self, length: int) -> int:
        """Read up to `length` bytes; returns the number of bytes received."""
        remaining = length
        while remaining > 0 and (read := len(self.rfile.read(min(remaining, len(_CHUNK))))):
            remaining -= read
        return length - remaining

    def _read_chunks(self) -> int:
        """Read a body in the encoding `chunked` (RFC 9112, section 7.1); returns its length."""
        total = 0
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            total += self._read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():  # trailers
            pass
        return total

    def _answer(self, status: int, text: bytes) -> None:
        self._head(status, len(text), "text/plain")
        self.wfile.write(text)

    def _head(self, status: int, length: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the terminal belongs to the command."""


if __name__ == "__main__":
    serve_requests(socket.socket(fileno=int(sys.argv[1])))
