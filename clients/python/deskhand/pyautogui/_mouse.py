"""Functions that click, hold buttons and turn the wheel."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Callable, Optional, Tuple

from ._base import desk, failSafeCheck, log_screenshot, on_desktop, position, public, setting
from ._pointer import (
    LEFT,
    MIDDLE,
    NOTCHES,
    PRIMARY,
    RIGHT,
    Tween,
    X,
    button_of,
    found_place,
    go,
    place_of,
    step,
)
from ._tweens import linear

#: Maximum number of notches per call.
_MOST_NOTCHES = 1000


@public
def mouseDown(
    x: X = None,
    y: Optional[float] = None,
    button: Any = PRIMARY,
    duration: float = 0.0,
    tween: Tween = linear,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
) -> None:
    """Presses a button without releasing it."""
    name = _at(x, y, button, "mouseDown", logScreenshot)
    if name:
        desk().press_down(button=name)


@public
def mouseUp(
    x: X = None,
    y: Optional[float] = None,
    button: Any = PRIMARY,
    duration: float = 0.0,
    tween: Tween = linear,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
) -> None:
    """Releases a button."""
    name = _at(x, y, button, "mouseUp", logScreenshot)
    if name:
        desk().release_one(button=name)


def _at(x: Any, y: Any, button: Any, call: str, logScreenshot: Optional[bool]) -> str:
    """Moves to the position at which a button is pressed or released; returns deskhand's name for the button."""
    name = button_of(button)
    place = found_place(x, y)
    log_screenshot(logScreenshot, call, f"{place.x},{place.y}")
    step(on_desktop(place.x, place.y))
    return name


@public
def click(
    x: X = None,
    y: Optional[float] = None,
    clicks: int = 1,
    interval: float = 0.0,
    button: Any = PRIMARY,
    duration: float = 0.0,
    tween: Tween = linear,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
) -> None:
    """Clicks at the pointer position or another one, waiting `interval` seconds after each click."""
    name: Any = button_of(button)
    place = place_of(x, y)
    if place is None:
        return
    log_screenshot(logScreenshot, "click", f"{name},{clicks},{place.x},{place.y}")
    goal = on_desktop(place.x, place.y)
    if duration > setting("MINIMUM_DURATION"):
        go(*goal, duration, tween)
    if not name:
        _turn(NOTCHES[button], clicks)
    elif interval <= 0 and 1 <= clicks <= 3:
        failSafeCheck()
        desk().click(*goal, name, count=clicks)
    else:
        for _ in range(clicks):
            failSafeCheck()
            desk().click(*goal, name)
            time.sleep(interval)


def _named(call: Callable[..., None], name: str, count: int, button: str) -> Callable[..., None]:
    """Sets the name and docstring of a click function."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Clicks {count} time{'s' if count > 1 else ''} with the {button} button, as click does."
    return public(call)


def _click_with(name: str, button: str) -> Callable[..., None]:
    """Creates a function that clicks once with a certain button."""

    def clicks(x=None, y=None, interval=0.0, duration=0.0, tween=linear, logScreenshot=None, _pause=True):
        click(x, y, 1, interval, button, duration, tween, logScreenshot, _pause=False)

    return _named(clicks, name, 1, button)


def _click_times(name: str, count: int) -> Callable[..., None]:
    """Creates a function that clicks several times with a button chosen by its caller."""

    def clicks(
        x=None, y=None, interval=0.0, button=LEFT, duration=0.0, tween=linear, logScreenshot=None, _pause=True
    ):
        click(x, y, count, interval, button, duration, tween, logScreenshot, _pause=False)

    return _named(clicks, name, count, LEFT)


leftClick = _click_with("leftClick", LEFT)
rightClick = _click_with("rightClick", RIGHT)
middleClick = _click_with("middleClick", MIDDLE)
doubleClick = _click_times("doubleClick", 2)
tripleClick = _click_times("tripleClick", 3)


@public
def vscroll(
    clicks: float, x: X = None, y: Optional[float] = None, logScreenshot: Optional[bool] = None, _pause: bool = True
) -> None:
    """Turns the wheel up, or down for a negative number."""
    _scroll(clicks, x, y, ("up", "down"), "vscroll", logScreenshot)


@public
def hscroll(
    clicks: float, x: X = None, y: Optional[float] = None, logScreenshot: Optional[bool] = None, _pause: bool = True
) -> None:
    """Turns the wheel right, or left for a negative number."""
    _scroll(clicks, x, y, ("right", "left"), "hscroll", logScreenshot)


@public
def scroll(
    clicks: float, x: X = None, y: Optional[float] = None, logScreenshot: Optional[bool] = None, _pause: bool = True
) -> None:
    """Turns the wheel up, or down for a negative number."""
    _scroll(clicks, x, y, ("up", "down"), "scroll", logScreenshot)


def _scroll(clicks: float, x: Any, y: Any, ways: Tuple[str, str], call: str, logScreenshot: Optional[bool]) -> None:
    if isinstance(x, Sequence) and not isinstance(x, str):
        x, y = x[0], x[1]
    log_screenshot(logScreenshot, call, f"{clicks},{x},{y}")
    if x is not None or y is not None:
        place = position(x, y)
        step(on_desktop(place.x, place.y))
    _turn(ways[0] if clicks > 0 else ways[1], abs(int(clicks)))


def _turn(direction: Any, notches: int) -> None:
    while notches > 0:
        amount = min(notches, _MOST_NOTCHES)
        desk().scroll(direction, amount)
        notches -= amount
