"""The colours of schemes and flows, in one place for pages, figures and the live bench.

They start from the palette of Okabe and Ito (Color Universal Design, 2008). Lightness and chroma are adjusted until
each colour has a contrast of 3 with its background (WCAG 2.2, 1.4.11) and any two remain distinct to readers without
red or green cones. `tests/python/test_palette.py` checks both.
"""

from __future__ import annotations

from typing import Final

__all__ = ["DARK", "LIGHT", "css_colour_rules"]

LIGHT: Final = ("#3d4352", "#076fbd", "#af4300", "#00886a", "#b44891", "#c37f00", "#2297cb", "#7e6038")
"""Colours on white: the light theme, and figures on paper."""

DARK: Final = ("#cedae0", "#4eaaec", "#ff8a4c", "#3cc8a0", "#d67ab5", "#ffc13f", "#8fd3f7", "#b79366")
"""Colours on the cards of the dark theme."""


def css_colour_rules() -> str:
    """The colours as custom properties `--c0`, `--c1`, ... of a style sheet, for both themes."""
    light, dark = (" ".join(f"--c{at}: {colour};" for at, colour in enumerate(colours)) for colours in (LIGHT, DARK))
    return (
        f":root {{ {light} }}\n"
        f':root[data-theme="dark"] {{ {dark} }}\n'
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {dark} }} }}\n'
    )
