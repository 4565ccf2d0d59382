"""A shell script that writes files and then runs one command, for pages whose numbers another machine can repeat."""

from __future__ import annotations

import base64
import hashlib
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

__all__ = ["command_text", "shell_script"]

MAX_FILE = 200_000
"""Maximum number of bytes of a file that a script contains; larger files have to be copied."""


def shell_script(files: Mapping[str, bytes], command: str) -> str:
    """The script: a here-document per file (base64 for binary files), then the command.

    >>> print(shell_script({"a.toml": b"x = 1"}, "penstock check a.toml"))
    cat > a.toml <<'EOF'
    x = 1
    EOF
    penstock check a.toml
    """
    folders = sorted({str(PurePosixPath(name).parent) for name in files} - {"."})
    lines = [f"mkdir -p {shlex.join(folders)}"] if folders else []
    return "\n".join([*lines, *(_written(name, content) for name, content in files.items()), command])


def command_text(command: Sequence[str], options: Sequence[Sequence[str]]) -> str:
    """A command with one option per line."""
    return " \\\n    ".join([shlex.join(command), *map(shlex.join, options)])


def _written(name: str, content: bytes) -> str:
    """The lines that write a file; a comment for a large one."""
    if len(content) > MAX_FILE:
        return f"# Copy {name} here: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = None
    if text is None or "\0" in text or "\r" in text:
        encoded = "\n".join(textwrap.wrap(base64.b64encode(content).decode(), 100))
        return f"base64 -d > {shlex.quote(name)} <<'EOF'\n{encoded}\nEOF"
    end = "EOF"
    while end in text.splitlines():
        end += "_"
    return f"cat > {shlex.quote(name)} <<'{end}'\n{text.removesuffix(chr(10))}\n{end}"
