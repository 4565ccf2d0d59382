"""The colours of pages, figures and the live bench are distinct to colour-blind readers, and legible."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from penstock.plots import style
from penstock.report.templating import style_sheet
from penstock.results import palette

# G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for simulation of color vision
# deficiency", IEEE Trans. Visualization and Computer Graphics 15(6), 2009, table 1, severity 1.0; of linear sRGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip

# IEC 61966-2-1, linear sRGB to XYZ, and its white point D65.
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = XYZ.sum(axis=1)

NEAREST = {"normal": 20.0, "protanopia": 15.0, "deuteranopia": 15.0, "tritanopia": 12.0}
"""Least distance of two colours in CIELAB (CIE 1976); 2.3 is just noticeable. Shapes and dashes differ as well."""

GRAPHIC, TEXT = 3.0, 4.5
"""Least contrast by WCAG 2.2, criteria 1.4.11 and 1.4.3."""

THEMES = {"light": palette.LIGHT, "dark": palette.DARK}


def linear(colour: str) -> NDArray[np.float64]:
    coded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    share = XYZ @ np.clip(rgb, 0, 1) / WHITE
    x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(first: str, second: str) -> float:
    dark, light = sorted(float(XYZ[1] @ linear(colour)) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)


def nearest(colours: Sequence[str], sight: str) -> float:
    perceived = [lab(SIGHT[sight] @ linear(colour)) for colour in colours]
    return min(float(np.linalg.norm(first - second)) for first, second in itertools.combinations(perceived, 2))


def property_of(theme: str, name: str) -> str:
    """The value of a custom property of the style sheet of pages in a theme."""
    rule = {"light": r":root \{", "dark": r':root\[data-theme="dark"\] \{'}[theme]
    bodies = re.findall(rf"^{rule}([^}}]*)\}}", style_sheet("page.css"), re.M)
    (value,) = re.findall(rf"--{name}: ([^;]+);", "".join(bodies))
    return str(value)


def test_the_measures_agree_with_published_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # WebAIM's least grey on white
    assert lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)  # Lindbloom
    # What a reader without green cones confuses is near, and grey remains grey.
    assert nearest(["#ff0000", "#8f7e00"], "deuteranopia") < 0.2 * nearest(["#ff0000", "#8f7e00"], "normal")
    for matrix in SIGHT.values():
        assert matrix @ np.ones(3) == pytest.approx(np.ones(3), abs=1e-5)


@pytest.mark.parametrize("colours", THEMES.values())
@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colours_are_distinct(colours: Sequence[str], sight: str) -> None:
    assert nearest(colours, sight) >= NEAREST[sight]


@pytest.mark.parametrize("theme", THEMES)
def test_colours_and_texts_stand_out_from_their_background(theme: str) -> None:
    for background in ("card", "paper"):
        behind = property_of(theme, background)
        assert min(contrast(colour, behind) for colour in THEMES[theme]) >= GRAPHIC
        for text in ("ink", "soft", "faint", "accent"):
            assert contrast(property_of(theme, text), behind) >= TEXT, (text, background)
    assert contrast(property_of(theme, "mark-ink"), property_of(theme, "mark")) >= TEXT


def test_all_drawings_use_the_palette() -> None:
    assert style.COLOURS == palette.LIGHT
    for theme, colours in THEMES.items():
        assert [property_of(theme, f"c{at}") for at in range(len(colours))] == list(colours)
