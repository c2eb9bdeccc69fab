"""Finds pictures on the screen and in other pictures."""

from __future__ import annotations

import collections
import time
from typing import Any, Callable, Dict, Generator, List, Optional, Sequence

from .._errors import BadRequest
from .._image import Image, plain_image
from .._search import find_all, planes_of
from ._base import ImageNotFoundException, Point, PyAutoGUIException, desk, said
from ._screen import region_fields

Box = collections.namedtuple("Box", "left top width height")

#: Whether a search without a match raises ImageNotFoundException, as PyAutoGUI documents, or returns None.
_raises = True
#: Maximum number of places that deskhand returns, and minimum share of matching pixels that it supports.
_MOST, _LEAST = 100, 0.5


def useImageNotFoundException(value: Optional[bool] = None) -> None:
    """Makes the locate functions raise ImageNotFoundException, or, with False, return None."""
    global _raises
    _raises = True if value is None else bool(value)


def center(coords: Sequence[int]) -> Point:
    """Returns the middle of a box (left, top, width, height)."""
    return Point(coords[0] + int(coords[2] / 2), coords[1] + int(coords[3] / 2))


def _measure(confidence: Optional[float]) -> Dict[str, Any]:
    """Converts a confidence to the share of pixels that must agree, and how much each may differ."""
    if confidence is None or confidence >= 1:
        return {"match": 1.0, "tolerance": 0}
    share = max(_LEAST, float(confidence))
    return {"match": share, "tolerance": round((1 - share) * 255)}


def _on_screen(
    image: Any,
    limit: int,
    grayscale: Optional[bool],
    region: Optional[Sequence[float]],
    confidence: Optional[float],
) -> List[Box]:
    """Returns boxes in reading order; with a limit of 1 the best box."""
    answer = _find(image, grayscale, region, confidence, limit=max(1, min(limit, _MOST)))
    boxes = [Box(place["x"], place["y"], place["width"], place["height"]) for place in answer["matches"]]
    return sorted(boxes, key=lambda box: (box.top, box.left))


def _find(
    image: Any,
    grayscale: Optional[bool],
    region: Optional[Sequence[float]],
    confidence: Optional[float],
    **more: Any,
) -> Any:
    """Looks for a picture on the screen."""
    needle = plain_image(image)
    fields = region_fields(region)
    _fits(needle, fields or desk().screen())
    if grayscale:
        more["grayscale"] = True
    try:
        return desk().find_places(needle.png(), **_measure(confidence), **fields, **more)
    except BadRequest as error:
        raise PyAutoGUIException(error.message) from error


def _fits(needle: Image, place: Any) -> None:
    if needle.width > place["width"] or needle.height > place["height"]:
        raise ValueError("needle dimension(s) exceed the haystack image or region dimensions")


def _in_image(
    needle: Image, haystack: Image, grayscale: Optional[bool], limit: Optional[int], confidence: Optional[float]
) -> List[Box]:
    """Returns boxes in reading order; with a limit of 1 the best box."""
    measure = _measure(confidence)
    own, other = planes_of(needle, bool(grayscale)), planes_of(haystack, bool(grayscale))
    found = find_all(own, other, measure["match"], measure["tolerance"])
    if limit == 1:
        found = sorted(found, key=lambda place: -place.match)[:1]
    return [Box(place.x, place.y, needle.width, needle.height) for place in found]


def _missing(known: str = "") -> None:
    """Raises ImageNotFoundException. known: The highest agreement in words; empty if unknown."""
    if _raises:
        raise ImageNotFoundException(f"Could not locate the image{known}.")


def _missing_on_screen(
    image: Any, grayscale: Optional[bool], region: Optional[Sequence[float]], confidence: Optional[float]
) -> None:
    if _raises:
        answer = _find(image, grayscale, region, confidence, best=True)
        nearest = [*answer["matches"], *([answer["best"]] if "best" in answer else [])]
        highest = f"= {nearest[0]['match']:.3f}" if nearest else f"< {_LEAST:.3f}"
        _missing(f" (highest confidence {highest})")


@said
def locateOnScreen(
    image: Any,
    minSearchTime: float = 0,
    *,
    grayscale: Optional[bool] = None,
    limit: int = 1,
    region: Optional[Sequence[float]] = None,
    step: int = 1,
    confidence: Optional[float] = None,
) -> Optional[Box]:
    """Finds a picture on the screen: searches for minSearchTime seconds, or once if that is 0.

    image: A file name, a Pillow image, or an OpenCV array.
    grayscale: Whether only shades are compared. region: Where to look (left, top, width, height).
    confidence: The share of pixels that must agree, each to within (1 - confidence) * 255. step is ignored.
    """
    end = time.monotonic() + minSearchTime
    while True:
        boxes = _on_screen(image, 1, grayscale, region, confidence)
        if boxes:
            return boxes[0]
        if time.monotonic() >= end:
            _missing_on_screen(image, grayscale, region, confidence)
            return None
        time.sleep(0.05)


def locateCenterOnScreen(image: Any, **kwargs: Any) -> Optional[Point]:
    """Returns the middle of a picture on the screen. kwargs: As for locateOnScreen."""
    box = locateOnScreen(image, **kwargs)
    return None if box is None else center(box)


def locateAllOnScreen(
    image: Any,
    *,
    grayscale: Optional[bool] = None,
    limit: Optional[int] = None,
    region: Optional[Sequence[float]] = None,
    step: int = 1,
    confidence: Optional[float] = None,
) -> Generator[Box, None, None]:
    """Yields all places where a picture is on the screen, from the top left to the bottom right."""
    boxes = said(_on_screen)(image, _MOST if limit is None else limit, grayscale, region, confidence)
    return _each(boxes, limit, lambda: said(_missing_on_screen)(image, grayscale, region, confidence))


def locateAll(
    needleImage: Any,
    haystackImage: Any,
    grayscale: Optional[bool] = None,
    limit: Optional[int] = None,
    region: Optional[Sequence[float]] = None,
    step: int = 1,
    confidence: Optional[float] = None,
) -> Generator[Box, None, None]:
    """Yields all places of a picture in another picture, from the top left to the bottom right."""
    needle, haystack = said(plain_image)(needleImage), said(plain_image)(haystackImage)
    left, top = (int(region[0]), int(region[1])) if region else (0, 0)
    if region:
        haystack = haystack.crop((left, top, left + int(region[2]), top + int(region[3])))
    boxes = _in_image(needle, haystack, grayscale, limit, confidence)
    return _each([Box(box.left + left, box.top + top, box.width, box.height) for box in boxes], limit)


def _each(
    boxes: List[Box], limit: Optional[int], missing: Callable[[], None] = _missing
) -> Generator[Box, None, None]:
    if not boxes:
        missing()
    yield from boxes if limit is None else boxes[:limit]


def locate(needleImage: Any, haystackImage: Any, **kwargs: Any) -> Optional[Box]:
    """Finds a picture in another picture. kwargs: grayscale, region, step, confidence, as for locateAll."""
    kwargs["limit"] = 1
    return next(locateAll(needleImage, haystackImage, **kwargs), None)


def locateOnWindow(image: Any, title: str, **kwargs: Any) -> Optional[Box]:
    """Finds a picture in the window with a given title, after bringing it to the front."""
    from ._windows import getWindowsWithTitle

    windows = getWindowsWithTitle(title)
    if len(windows) != 1:
        names = [window.title for window in windows]
        raise PyAutoGUIException(f"one window must have {title!r} in its title, not {len(windows)}: {names}")
    window = windows[0]
    window.activate()
    return locateOnScreen(image, region=(window.left, window.top, window.width, window.height), **kwargs)
