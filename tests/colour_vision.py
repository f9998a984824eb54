"""How far apart colours look, to an eye with all its cones and to one that lacks a kind of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

VISIONS: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Of linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.0."""

_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE: Triple = (0.95047, 1.0, 1.08883)


def linear(colour: str) -> Triple:
    """The linear RGB of `#rrggbb`."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    )
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG."""
    dark, light = sorted(_product(_XYZ, linear(colour))[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def distance(one: str, other: str, vision: str) -> float:
    """How far apart two colours `#rrggbb` are as somebody sees them, by CIEDE2000."""
    seen = (_product(VISIONS[vision], linear(colour)) for colour in (one, other))
    first, second = (_lab([min(max(value, 0), 1) for value in rgb]) for rgb in seen)
    return ciede2000(first, second)


def _product(matrix: Matrix, vector: Sequence[float]) -> Triple:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _lab(rgb: Sequence[float]) -> Triple:
    x, y, z = (
        math.cbrt(value) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116
        for value in (a / white for a, white in zip(_product(_XYZ, rgb), _WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Triple, other: Triple) -> float:
    """The distance of two colours in Lab, by the names of Sharma, Wu and Dalal (2005)."""
    (l_1, a_1, b_1), (l_2, a_2, b_2) = one, other
    c_mean = (math.hypot(a_1, b_1) + math.hypot(a_2, b_2)) / 2
    g = 0.5 * (1 - math.sqrt(c_mean**7 / (c_mean**7 + 25**7)))
    c_1, c_2 = math.hypot((1 + g) * a_1, b_1), math.hypot((1 + g) * a_2, b_2)
    h_1, h_2 = (math.degrees(math.atan2(b, (1 + g) * a)) % 360 for a, b in ((a_1, b_1), (a_2, b_2)))
    grey = c_1 * c_2 == 0
    turn = 0.0 if grey else (h_2 - h_1 + 180) % 360 - 180
    h = h_1 + h_2 if grey else (h_1 + turn / 2) % 360
    lightness, c = (l_1 + l_2) / 2, (c_1 + c_2) / 2
    squared = (lightness - 50) ** 2
    t = 1 - 0.17 * _cos(h - 30) + 0.24 * _cos(2 * h) + 0.32 * _cos(3 * h + 6)
    t -= 0.2 * _cos(4 * h - 63)
    d_l = (l_2 - l_1) / (1 + 0.015 * squared / math.sqrt(20 + squared))
    d_c = (c_2 - c_1) / (1 + 0.045 * c)
    d_h = 2 * math.sqrt(c_1 * c_2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * c * t)
    rotation = -2 * math.sqrt(c**7 / (c**7 + 25**7))
    rotation *= math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    return math.sqrt(d_l**2 + d_c**2 + d_h**2 + rotation * d_c * d_h)


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))
