"""Positions, and the functions that move and drag."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Callable, Optional, Tuple, Union

from ._base import (
    Point,
    PyAutoGUIException,
    desk,
    failSafeCheck,
    known_position,
    log_screenshot,
    on_desktop,
    position,
    public,
    setting,
    size,
)
from ._tweens import getPointOnLine, linear

LEFT = "left"
MIDDLE = "middle"
RIGHT = "right"
PRIMARY = "primary"
SECONDARY = "secondary"

#: deskhand's name for each button name or number.
_BUTTONS = {LEFT: LEFT, MIDDLE: MIDDLE, RIGHT: RIGHT, PRIMARY: LEFT, SECONDARY: RIGHT, 1: LEFT, 2: MIDDLE, 3: RIGHT}
#: X11's wheel button numbers.
NOTCHES = {4: "up", 5: "down", 6: "left", 7: "right"}

X = Union[None, float, str, Sequence]
Tween = Callable[[float], float]


def onScreen(x: Any, y: Optional[float] = None) -> bool:
    """Whether a position is on the screen."""
    place = place_of(x, y)
    width, height = size()
    return place is not None and 0 <= place.x < width and 0 <= place.y < height


def place_of(x: Any, y: Any) -> Optional[Point]:
    """Returns the position for arguments: numbers, None for the pointer position, a pair, a box, or a picture file."""
    if isinstance(x, str):
        from ._locate import center, locateOnScreen

        box = locateOnScreen(x)
        return None if box is None else center(box)
    if isinstance(x, Sequence) or hasattr(x, "shape"):
        if y is not None:
            raise PyAutoGUIException(f"x is a sequence, so y must be omitted (received {y!r})")
        if len(x) not in (2, 4):
            raise PyAutoGUIException(f"a position must be a sequence of 2 or 4 numbers, not {len(x)}")
        left, top, width, height = (*x, 0, 0)[:4]
        return Point(int(left) + int(width / 2), int(top) + int(height / 2))
    if x is None or y is None:
        here = position()
        return Point(here.x if x is None else int(x), here.y if y is None else int(y))
    return Point(int(x), int(y))


def found_place(x: Any, y: Any) -> Point:
    place = place_of(x, y)
    if place is None:
        raise PyAutoGUIException("the picture is not on the screen")
    return place


def button_of(button: Any) -> str:
    known = _BUTTONS.get(button.lower() if isinstance(button, str) else button)
    if known is None and button not in NOTCHES:
        raise PyAutoGUIException(
            "button argument must be one of ('left', 'middle', 'right', 'primary', 'secondary', 1, 2, 3, 4, 5, 6, 7), "
            f"not {button!r}"
        )
    return known or ""


@public
def moveTo(
    x: X = None,
    y: Optional[float] = None,
    duration: float = 0.0,
    tween: Tween = linear,
    logScreenshot: Optional[bool] = False,
    _pause: bool = True,
) -> None:
    """Moves the pointer to a position; a position outside of the screen is clamped to its edge."""
    place = found_place(x, y)
    log_screenshot(logScreenshot, "moveTo", f"{place.x},{place.y}")
    go(place.x, place.y, duration, tween)


@public
def moveRel(
    xOffset: X = None,
    yOffset: Optional[float] = None,
    duration: float = 0.0,
    tween: Tween = linear,
    logScreenshot: Optional[bool] = False,
    _pause: bool = True,
) -> None:
    """Moves the pointer right and down by a number of pixels."""
    right, down = _offset(xOffset, yOffset)
    log_screenshot(logScreenshot, "moveRel", f"{right},{down}")
    here = position()
    go(here.x + right, here.y + down, duration, tween)


move = moveRel


@public
def dragTo(
    x: X = None,
    y: Optional[float] = None,
    duration: float = 0.0,
    tween: Tween = linear,
    button: Any = PRIMARY,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
    mouseDownUp: bool = True,
) -> None:
    """Drags from the pointer position to another one."""
    place = found_place(x, y)
    log_screenshot(logScreenshot, "dragTo", f"{place.x},{place.y}")
    _drag(place, duration, tween, button, mouseDownUp)


@public
def dragRel(
    xOffset: Any = 0,
    yOffset: Optional[float] = 0,
    duration: float = 0.0,
    tween: Tween = linear,
    button: Any = PRIMARY,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
    mouseDownUp: bool = True,
) -> None:
    """Drags right and down by a number of pixels."""
    right, down = _offset(xOffset, yOffset)
    if right == 0 and down == 0:
        return
    log_screenshot(logScreenshot, "dragRel", f"{right},{down}")
    here = position()
    _drag(Point(here.x + right, here.y + down), duration, tween, button, mouseDownUp)


drag = dragRel


def _offset(x: Any, y: Any) -> Tuple[int, int]:
    if isinstance(x, Sequence) and not isinstance(x, str):
        x, y = x[0], x[1]
    return int(x or 0), int(y or 0)


def go(x: int, y: int, duration: float, tween: Tween) -> None:
    """Moves instantly, or in steps over a duration, following a tween."""
    goal = on_desktop(x, y)
    if duration <= setting("MINIMUM_DURATION"):
        step(goal)
        return
    start = known_position()
    if start is None:
        step(goal)
        return
    count = max(size())
    if duration / count < setting("MINIMUM_SLEEP"):
        count = max(1, int(duration / setting("MINIMUM_SLEEP")))
    begin = time.monotonic()
    for n in range(1, count + 1):
        # Sleeps by the clock, so that the time of the calls does not prolong the movement.
        time.sleep(max(0.0, begin + duration * n / count - time.monotonic()))
        between = getPointOnLine(start.x, start.y, *goal, tween(n / count))
        step(goal if n == count else on_desktop(round(between[0]), round(between[1])))


def step(place: Tuple[int, int]) -> None:
    if place not in setting("FAILSAFE_POINTS"):
        failSafeCheck()
    desk().move(*place)


def _drag(place: Point, duration: float, tween: Tween, button: Any, press: bool) -> None:
    name: Any = button_of(button)
    if not name:
        raise PyAutoGUIException("the wheel cannot be dragged")
    if not press:
        go(place.x, place.y, duration, tween)
        return
    if duration <= setting("MINIMUM_DURATION"):
        here, goal = position(), on_desktop(place.x, place.y)
        desk().drag({"x": here.x, "y": here.y}, {"x": goal[0], "y": goal[1]}, button=name)
        return
    desk().press_down(button=name)
    try:
        go(place.x, place.y, duration, tween)
    finally:
        desk().release_one(button=name)
