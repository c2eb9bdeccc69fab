"""What all functions share: the desk, the exceptions, the fail-safe and the pause."""

from __future__ import annotations

import atexit
import collections
import datetime
import functools
import os
import sys
import threading
import time
from typing import Any, Callable, List, Optional, Tuple, TypeVar, cast

from .._desk import Desk
from .._errors import Conflict, DeskhandError

Function = TypeVar("Function", bound=Callable[..., Any])

Point = collections.namedtuple("Point", "x y")
Size = collections.namedtuple("Size", "width height")


class PyAutoGUIException(Exception):
    """A call is invalid, or the desktop does not support it."""


class FailSafeException(PyAutoGUIException):
    """The pointer is in a corner of the screen, to which the user moves it in order to stop the script."""


class ImageNotFoundException(PyAutoGUIException):
    """A picture was not found."""


class _State:
    """This process's only desk, opened by the first call that needs it."""

    desk: Optional[Desk] = None
    lock = threading.Lock()


def desk() -> Desk:
    """Returns the script's desk: the deskhand of DESKHAND_URL, or that on port 4000, or a newly started one."""
    with _State.lock:
        if _State.desk is None:
            try:
                _State.desk = Desk(start=True)
            except DeskhandError as error:
                raise PyAutoGUIException(str(error)) from error
            atexit.register(_end)
        return _State.desk


def _end() -> None:
    """Releases keys and buttons that the script left pressed; PyAutoGUI would leave them down."""
    current, _State.desk = _State.desk, None
    if current is None:
        return
    try:
        current.release_pressed()
    except DeskhandError:
        pass  # the desktop is gone, and so are the pressed keys
    finally:
        current.close()


def setting(name: str) -> Any:
    """Returns a setting's current value, because scripts assign to the module's names."""
    return getattr(sys.modules[__package__], name)


def said(call: Function) -> Function:
    """Converts the client's errors to PyAutoGUI's."""

    @functools.wraps(call)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except DeskhandError as error:
            raise PyAutoGUIException(str(error)) from error

    return cast(Function, wrapper)


def public(call: Function) -> Function:
    """Wraps an action function: checks the fail-safe first, and pauses afterwards."""

    @functools.wraps(call)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        failSafeCheck()
        value = said(call)(*args, **kwargs)
        if kwargs.get("_pause", True):
            time.sleep(setting("PAUSE"))
        return value

    return cast(Function, wrapper)


def failSafeCheck() -> None:
    """Raises FailSafeException if FAILSAFE is on and the pointer is at one of FAILSAFE_POINTS."""
    if setting("FAILSAFE") and known_position() in setting("FAILSAFE_POINTS"):
        raise FailSafeException(
            "The pointer is in a corner of the screen, which stops the script. To switch that off, which is not "
            "recommended, set pyautogui.FAILSAFE to False."
        )


@said
def known_position() -> Optional[Point]:
    """Returns the pointer position; None before the first move if the desktop has no mouse and shows no pointer."""
    try:
        place = desk().position()
    except Conflict:
        return None
    return Point(place["x"], place["y"])


def failsafe_points() -> List[Tuple[int, int]]:
    """Returns the corners of the screen."""
    width, height = size()
    return [(0, 0), (0, height - 1), (width - 1, 0), (width - 1, height - 1)]


@said
def position(x: Optional[int] = None, y: Optional[int] = None) -> Point:
    """Returns the pointer position; x and y replace its coordinates if given."""
    place = desk().position()
    return Point(place["x"] if x is None else int(x), place["y"] if y is None else int(y))


@said
def size() -> Size:
    """Returns the width and height of the screen, across all displays."""
    screen = desk().screen()
    return Size(screen["width"], screen["height"])


resolution = size


@said
def on_desktop(x: int, y: int) -> Tuple[int, int]:
    """Returns the nearest position on the desktop."""
    screen = desk().screen()
    right, bottom = screen["x"] + screen["width"] - 1, screen["y"] + screen["height"] - 1
    return max(screen["x"], min(x, right)), max(screen["y"], min(y, bottom))


_logged: List[str] = []


def log_screenshot(wanted: Optional[bool], name: str, args: str, folder: str = ".") -> None:
    """Saves a screenshot before an action, if the call or LOG_SCREENSHOTS requests it."""
    if not (setting("LOG_SCREENSHOTS") if wanted is None else wanted):
        return
    from ._screen import screenshot

    short = args if len(args) <= 12 else f"{args[:12]}..."
    stamp = datetime.datetime.now().strftime("%Y-%m-%d_%H-%M-%S-%f")[:-3]
    path = os.path.join(folder, f"{stamp}_{name}_{short}.png".replace(os.sep, "_"))
    limit = setting("LOG_SCREENSHOTS_LIMIT")
    while limit is not None and len(_logged) >= limit:
        os.unlink(_logged.pop(0))
    screenshot(path)
    _logged.append(path)
