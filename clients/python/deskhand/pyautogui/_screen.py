"""Screenshots and their pixels."""

from __future__ import annotations

import collections
import io
from typing import Any, Dict, Optional, Sequence

from .._image import read_image
from ._base import PyAutoGUIException, desk, said

RGB = collections.namedtuple("RGB", "red green blue")


def _pillow() -> Any:
    """Returns Pillow's module; None if it is not installed."""
    try:
        from PIL import Image as pillow
    except ImportError:
        return None
    return pillow


@said
def screenshot(imageFilename: Optional[str] = None, region: Optional[Sequence[float]] = None) -> Any:
    """Takes a screenshot of the screen or a region (left, top, width, height); also saves it if a file is named.

    Returns a Pillow image, or, if Pillow is not installed, an object with size, width, height, getpixel, crop,
    tobytes, getdata and save.
    """
    content = desk().screenshot(format="bmp", **region_fields(region))
    pillow = _pillow()
    image = pillow.open(io.BytesIO(content)).convert("RGB") if pillow else read_image(content)
    if imageFilename is not None:
        image.save(imageFilename)
    return image


def region_fields(region: Optional[Sequence[float]]) -> Dict[str, Any]:
    """Converts a region to deskhand's fields, clipped to the desktop."""
    if region is None:
        return {}
    if len(region) != 4:
        raise PyAutoGUIException("region argument must be a tuple of four ints")
    left, top, width, height = (int(value) for value in region)
    screen = desk().screen()
    right = min(left + width, screen["x"] + screen["width"])
    bottom = min(top + height, screen["y"] + screen["height"])
    left, top = max(left, screen["x"]), max(top, screen["y"])
    if right <= left or bottom <= top:
        raise PyAutoGUIException(f"the region {tuple(region)} is not on the screen")
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


@said
def pixel(x: int, y: int) -> RGB:
    """Returns red, green and blue of a pixel on the screen."""
    color = desk().pixel(x=int(x), y=int(y))
    return RGB(color["r"], color["g"], color["b"])


def pixelMatchesColor(x: int, y: int, expectedRGBColor: Sequence[int], tolerance: int = 0) -> bool:
    """Whether a pixel has a colour, with red, green and blue each within a tolerance."""
    return all(abs(own - other) <= tolerance for own, other in zip(pixel(x, y), expectedRGBColor[:3]))
