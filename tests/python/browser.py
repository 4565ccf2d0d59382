"""Headless Chromium, driven over the pipe of its DevTools: console messages and requests of pages."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from .tools import find

CHROMIUM = find("chromium")
needs_chromium = pytest.mark.needs("chromium")

# Chromium reads commands from descriptor 3 and answers on 4. An open file with that number is moved first.
_START = """\
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A browser with one page.

    Attributes:
        errors: errors and warnings of the console, exceptions, and every request but for a file, as text.

    """

    def __init__(self, profile: Path, seconds: float = 100) -> None:
        self.errors: list[str] = []
        self._deadline = time.monotonic() + seconds
        self._unread = b""
        self._asked = 0
        self._loads = 0
        theirs_in, self._write = os.pipe()
        self._read, theirs_out = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(theirs_in), str(theirs_out), CHROMIUM or "", "--headless",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._session: str | None = None
        found = self._ask("Target.createTarget", url="about:blank")
        self._session = self._ask("Target.attachToTarget", targetId=found["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):
            os.write(self._write, b'{"id": 0, "method": "Browser.close"}\0')
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a file, at a fragment of its address, and wait until all of it is there."""
        loads = self._loads
        self._ask("Page.navigate", url=page.resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        self._until_loaded(loads)

    def reload(self) -> None:
        """Load the page again, at its present address."""
        loads = self._loads
        self._ask("Page.reload")
        self._until_loaded(loads)

    def click(self, selector: str) -> None:
        """Click the first element of a CSS selector; a page that it leads to is waited for."""
        loads = self._loads
        before = self.value("location.pathname")
        target = self.value(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)}); if (!it) return null;"
            " it.click(); return it.pathname || location.pathname; })()"
        )
        assert target is not None, f"nothing is {selector}"
        if target != before:
            self._until_loaded(loads)

    def value(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def awaited(self, script: str) -> Any:
        """The value of a promise on the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def prefer(self, theme: str) -> None:
        """Let the user of the browser prefer the theme "light" or "dark"."""
        self._ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def scripts(self, allowed: bool) -> None:
        """Whether pages that are opened from now on may run scripts."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not allowed)

    def resize(self, width: int, height: int = 900) -> None:
        """Set the size of the window in CSS pixels."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def press(self, key: str) -> None:
        """Press a key that makes a character."""
        self._ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self._ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def settle(self) -> None:
        """Wait until the page was drawn twice, with a new size or theme."""
        self.awaited("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Wait until an expression on the page is true."""
        end = time.monotonic() + seconds
        while not self.value(condition):
            assert time.monotonic() < end, f"never: {condition}; {self.errors}"
            time.sleep(0.05)

    def window(self) -> bytes:
        """What the window shows of the page, but for its scroll bars, as PNG."""
        self._ask("Emulation.setScrollbarsHidden", hidden=True)
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def picture(self) -> bytes:
        """The whole page as PNG."""
        found = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(found["data"])

    def _until_loaded(self, loads: int) -> None:
        while self._loads == loads:
            self._note(self._next())

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        session = {} if self._session is None else {"sessionId": self._session}
        text = json.dumps({"id": self._asked, "method": method, "params": params, **session})
        os.write(self._write, text.encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._asked:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            left = self._deadline - time.monotonic()
            ready = select.select([self._read], [], [], max(left, 0))[0]
            part = os.read(self._read, 1 << 20) if ready else b""
            assert part, "the browser has gone" if ready else "the browser took too long"
            self._unread += part
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        """Keep what a page must not do."""
        params = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loads += 1
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                said = [str(one.get("value", one.get("description"))) for one in params["args"]]
                self.errors.append(f"console: {' '.join(said)}")
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self.errors.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.errors.append(f"log: {params['entry']['text']}")
            case "Network.requestWillBeSent" if not params["request"]["url"].startswith(("file:", "data:", "blob:")):
                self.errors.append(f"request: {params['request']['url']}")
