"""Pages in Chromium, driven by Playwright: offline, and an error of the console or a request fails the test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from .tools import find

Theme = Literal["light", "dark"]

needs_chromium = pytest.mark.needs("chromium")

DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
"""A promise that is kept when the page was drawn twice, with a new size or theme."""

_FAULTS: WeakKeyDictionary[Page, list[str]] = WeakKeyDictionary()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, started once in each process of the tests."""
    with launched() as browser:
        yield browser


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    """A new page; at its end the test fails if `faults` has any."""
    with opened(chromium) as page:
        yield page


@contextmanager
def launched() -> Iterator[Browser]:
    """Start Chromium, and close it at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find("chromium"), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, **settings: Any) -> Iterator[Page]:
    """A new page without a network, with these settings of `Browser.new_context`; it must have no faults at its end."""
    context = browser.new_context(offline=True, **settings)
    context.set_default_timeout(20_000)
    page = context.new_page()
    faults: list[str] = _FAULTS.setdefault(page, [])

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            faults.append(f"console: {message.text}")

    def check(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            faults.append(f"request: {request.url}")

    page.on("console", note)
    page.on("pageerror", lambda error: faults.append(f"exception: {error.stack or error}"))
    page.on("request", check)
    try:
        yield page
    finally:
        context.close()
    assert faults == []


def faults(page: Page) -> list[str]:
    """Errors and warnings of the console, exceptions, and each request for anything but a file, as text."""
    return _FAULTS[page]


def resize(page: Page, width: int, height: int = 900) -> None:
    """Set the size of the window in CSS pixels."""
    page.set_viewport_size({"width": width, "height": height})


def wait(page: Page, condition: str, seconds: float = 20) -> None:
    """Wait until an expression on the page is true.

    `Page.wait_for_function` evaluates text within the page, which the content policy of our pages forbids.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"never: {condition}; {faults(page)}"
        page.wait_for_timeout(50)
