"""Parts that all functions share: the desk, the exceptions, the fail-safe and the pause."""

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
    """A call that is wrong, or that the desktop cannot do."""


class FailSafeException(PyAutoGUIException):
    """The pointer is in a corner of the screen, which a person moves it to in order to stop the script."""


class ImageNotFoundException(PyAutoGUIException):
    """A picture is not where it was looked for."""


class _State:
    """The one desk of this process, opened by the first call that needs it."""

    desk: Optional[Desk] = None
    lock = threading.Lock()


def desk() -> Desk:
    """The desk of the script: the deskhand of DESKHAND_URL, or that on port 4000, or else a newly started one."""
    with _State.lock:
        if _State.desk is None:
            try:
                _State.desk = Desk(start=True)
            except DeskhandError as error:
                raise PyAutoGUIException(str(error)) from error
            atexit.register(_end)
        return _State.desk


def _end() -> None:
    """Releases keys and buttons that the script left pressed; PyAutoGUI leaves them down."""
    current, _State.desk = _State.desk, None
    if current is None:
        return
    try:
        current.release_pressed()
    except DeskhandError:
        pass  # the desktop is gone, and what was pressed with it
    finally:
        current.close()


def setting(name: str) -> Any:
    """The present value of a setting, since scripts assign to the names of the module."""
    return getattr(sys.modules[__package__], name)


def said(call: Function) -> Function:
    """Makes an error of the client one of PyAutoGUI's."""

    @functools.wraps(call)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except DeskhandError as error:
            raise PyAutoGUIException(str(error)) from error

    return cast(Function, wrapper)


def public(call: Function) -> Function:
    """A function that acts: checks the fail-safe before, and pauses after."""

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
    """The place of the pointer; None before the first move where no mouse is, if the desktop then shows no pointer."""
    try:
        place = desk().position()
    except Conflict:
        return None
    return Point(place["x"], place["y"])


def failsafe_points() -> List[Tuple[int, int]]:
    """The corners of the screen."""
    width, height = size()
    return [(0, 0), (0, height - 1), (width - 1, 0), (width - 1, height - 1)]


@said
def position(x: Optional[int] = None, y: Optional[int] = None) -> Point:
    """The place of the pointer; x and y, where given, take the place of its coordinates."""
    place = desk().position()
    return Point(place["x"] if x is None else int(x), place["y"] if y is None else int(y))


@said
def size() -> Size:
    """Width and height of the screen, all displays together."""
    screen = desk().screen()
    return Size(screen["width"], screen["height"])


resolution = size


@said
def on_desktop(x: int, y: int) -> Tuple[int, int]:
    """The nearest place of the desktop."""
    screen = desk().screen()
    right, bottom = screen["x"] + screen["width"] - 1, screen["y"] + screen["height"] - 1
    return max(screen["x"], min(x, right)), max(screen["y"], min(y, bottom))


_logged: List[str] = []


def log_screenshot(wanted: Optional[bool], name: str, args: str, folder: str = ".") -> None:
    """Saves a picture of the screen before an action, if the call or LOG_SCREENSHOTS asks for it."""
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
