"""Finds an image within another one, without a library, by the same measure as deskhand's own find (docs/find.md).

deskhand itself searches the screen; this module is for image files.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ._image import Image

#: Number of the image's pixels compared everywhere, before whole places are compared.
SAMPLES = 64
#: Number of standard deviations by which a sample may be worse than the whole.
MARGIN = 3.5


class Found(NamedTuple):
    """A place; match is the share of pixels that agree."""

    x: int
    y: int
    match: float


class Planes(NamedTuple):
    """An image, channel by channel: three, or one for grayscale."""

    width: int
    height: int
    channels: Tuple[bytes, ...]


def planes_of(image: Image, gray: bool = False) -> Planes:
    """An image's channels, or only its luma (ITU-R 601)."""
    data = image.tobytes()
    red, green, blue = data[0::3], data[1::3], data[2::3]
    if not gray:
        return Planes(image.width, image.height, (red, green, blue))
    luma = bytes((299 * r + 587 * g + 114 * b) // 1000 for r, g, b in zip(red, green, blue))
    return Planes(image.width, image.height, (luma,))


def find_all(needle: Planes, haystack: Planes, share: float = 1.0, tolerance: int = 0) -> List[Found]:
    """Finds all places, in reading order; of overlapping places only the best.

    share: The share of pixels that must agree, 0.5 to 1.
    tolerance: How much each channel of a pixel may differ.
    """
    if needle.width > haystack.width or needle.height > haystack.height:
        raise ValueError("needle dimension(s) exceed the haystack image or region dimensions")
    if share >= 1 and tolerance == 0:
        found = _exact(needle, haystack)
    else:
        found = _near(needle, haystack, share, tolerance)
    kept: List[Found] = []
    for place in sorted(found, key=lambda one: (-one.match, one.y, one.x)):
        if not any(
            abs(place.x - other.x) < needle.width and abs(place.y - other.y) < needle.height for other in kept
        ):
            kept.append(place)
    return sorted(kept, key=lambda one: (one.y, one.x))


def _exact(needle: Planes, haystack: Planes) -> Iterator[Found]:
    """Looks for the row with the most changes in one channel, and compares the rest wherever it occurs."""
    rows = [
        (channel, y, needle.channels[channel][y * needle.width : (y + 1) * needle.width])
        for channel in range(len(needle.channels))
        for y in range(needle.height)
    ]
    channel, row, pattern = max(rows, key=lambda one: sum(a != b for a, b in zip(one[2], one[2][1:])))
    plane = haystack.channels[channel]
    at = plane.find(pattern, row * haystack.width)
    while at >= 0:
        y, x = divmod(at, haystack.width)
        top = y - row
        fits = x + needle.width <= haystack.width and 0 <= top <= haystack.height - needle.height
        if fits and _is_equal(needle, haystack, x, top):
            yield Found(x, top, 1.0)
        at = plane.find(pattern, at + 1)


def _is_equal(needle: Planes, haystack: Planes, x: int, top: int) -> bool:
    width = needle.width
    for own, other in zip(needle.channels, haystack.channels):
        for y in range(needle.height):
            at = (top + y) * haystack.width + x
            if own[y * width : (y + 1) * width] != other[at : at + width]:
                return False
    return True


def _near(needle: Planes, haystack: Planes, share: float, tolerance: int) -> Iterator[Found]:
    """Counts for every place how many pixels of a sample agree, and fully compares the places where enough do."""
    pixels = list(range(needle.width * needle.height))
    colors = list(zip(*needle.channels))
    ((usual, _count),) = Counter(colors).most_common(1)
    details = [
        pixel for pixel in pixels if any(abs(a - b) > tolerance for a, b in zip(colors[pixel], usual))
    ] or pixels
    masks = _Masks(haystack, tolerance)
    enough = [_places(_sampled(chosen), needle, colors, masks, share) for chosen in (pixels, details)]
    both = int.from_bytes(enough[0], "little") & int.from_bytes(enough[1], "little")
    for match in re.finditer(b"\x01", both.to_bytes(len(enough[0]), "little")):
        y, x = divmod(match.start(), haystack.width)
        if x + needle.width > haystack.width or y + needle.height > haystack.height:
            continue
        agreed = min(_agreed(chosen, needle, colors, haystack, x, y, tolerance) for chosen in (pixels, details))
        if agreed >= share:
            yield Found(x, y, agreed)


def _sampled(pixels: List[int]) -> List[int]:
    return pixels if len(pixels) <= SAMPLES else random.Random(1).sample(pixels, SAMPLES)


class _Masks:
    """For each colour, one byte per pixel of the haystack: 1 if the pixel has that colour."""

    def __init__(self, haystack: Planes, tolerance: int) -> None:
        self.haystack = haystack
        self._tolerance = tolerance
        self._known: Dict[Tuple[int, ...], int] = {}

    def of(self, color: Tuple[int, ...]) -> int:
        if color not in self._known:
            mask = -1
            for value, plane in zip(color, self.haystack.channels):
                table = bytes(int(abs(other - value) <= self._tolerance) for other in range(256))
                mask &= int.from_bytes(plane.translate(table), "little")
            self._known[color] = mask
        return self._known[color]


def _places(
    sample: List[int], needle: Planes, colors: Sequence[Tuple[int, ...]], masks: _Masks, share: float
) -> bytes:
    """Returns one byte per place: 1 if enough of a sample agrees. All places are summed up in one long number."""
    count = len(sample)
    width = masks.haystack.width
    total = 0
    for pixel in sample:
        y, x = divmod(pixel, needle.width)
        total += masks.of(colors[pixel]) >> 8 * (y * width + x)
    least = max(1, math.floor(count * share - MARGIN * math.sqrt(count * share * (1 - share)) - 1e-9))
    table = bytes(int(agreed >= least) for agreed in range(256))
    return total.to_bytes(len(masks.haystack.channels[0]), "little").translate(table)


def _agreed(
    pixels: List[int],
    needle: Planes,
    colors: Sequence[Tuple[int, ...]],
    haystack: Planes,
    left: int,
    top: int,
    tolerance: int,
) -> float:
    """Returns the share of pixels that agree at a place."""
    agreed = 0
    for pixel in pixels:
        y, x = divmod(pixel, needle.width)
        at = (top + y) * haystack.width + left + x
        agreed += all(
            abs(plane[at] - value) <= tolerance for plane, value in zip(haystack.channels, colors[pixel])
        )
    return agreed / len(pixels)
