"""PyAutoGUI's functions, implemented with deskhand: on X11, Wayland (GNOME, KDE, sway …) and Windows.

    import deskhand.pyautogui as pyautogui

The functions, parameters and exceptions are those of PyAutoGUI's documentation; docs/pyautogui.md lists them with the
differences. The desktop is that of DESKHAND_URL (with DESKHAND_TOKEN), or that of the deskhand on port 4000;
otherwise the executable of DESKHAND_EXECUTABLE, or `deskhand` on the PATH, is started for the script.
"""

from __future__ import annotations

from typing import Any, List, Tuple

from ._base import (
    FailSafeException,
    ImageNotFoundException,
    Point,
    PyAutoGUIException,
    Size,
    failSafeCheck,
    failsafe_points,
    position,
    resolution,
    size,
)
from ._boxes import alert, confirm, mouseInfo, password, prompt
from ._general import countdown, displayMousePosition, getInfo, printInfo, run, sleep
from ._keyboard import hold, hotkey, keyDown, keyUp, press, shortcut, typewrite, write
from ._keys import KEY_NAMES, KEYBOARD_KEYS, QWERTY, QWERTZ, isShiftCharacter, isValidKey
from ._locate import (
    Box,
    center,
    locate,
    locateAll,
    locateAllOnScreen,
    locateCenterOnScreen,
    locateOnScreen,
    locateOnWindow,
    useImageNotFoundException,
)
from ._mouse import (
    click,
    doubleClick,
    hscroll,
    leftClick,
    middleClick,
    mouseDown,
    mouseUp,
    rightClick,
    scroll,
    tripleClick,
    vscroll,
)
from ._pointer import (
    LEFT,
    MIDDLE,
    PRIMARY,
    RIGHT,
    SECONDARY,
    drag,
    dragRel,
    dragTo,
    move,
    moveRel,
    moveTo,
    onScreen,
)
from ._screen import RGB, pixel, pixelMatchesColor, screenshot
from ._tweens import (
    easeInBack,
    easeInBounce,
    easeInCirc,
    easeInCubic,
    easeInElastic,
    easeInExpo,
    easeInOutBack,
    easeInOutBounce,
    easeInOutCirc,
    easeInOutCubic,
    easeInOutElastic,
    easeInOutExpo,
    easeInOutQuad,
    easeInOutQuart,
    easeInOutQuint,
    easeInOutSine,
    easeInQuad,
    easeInQuart,
    easeInQuint,
    easeInSine,
    easeOutBack,
    easeOutBounce,
    easeOutCirc,
    easeOutCubic,
    easeOutElastic,
    easeOutExpo,
    easeOutQuad,
    easeOutQuart,
    easeOutQuint,
    easeOutSine,
    getPointOnLine,
    linear,
)
from ._windows import (
    PyGetWindowException,
    Window,
    getActiveWindow,
    getActiveWindowTitle,
    getAllTitles,
    getAllWindows,
    getWindowsAt,
    getWindowsWithTitle,
)

__all__ = [
    "Box",
    "DARWIN_CATCH_UP_TIME",
    "FAILSAFE",
    "FAILSAFE_POINTS",
    "FailSafeException",
    "ImageNotFoundException",
    "KEYBOARD_KEYS",
    "KEY_NAMES",
    "LEFT",
    "LOG_SCREENSHOTS",
    "LOG_SCREENSHOTS_LIMIT",
    "MIDDLE",
    "MINIMUM_DURATION",
    "MINIMUM_SLEEP",
    "PAUSE",
    "PRIMARY",
    "Point",
    "PyAutoGUIException",
    "PyGetWindowException",
    "QWERTY",
    "QWERTZ",
    "RGB",
    "RIGHT",
    "SECONDARY",
    "Size",
    "Window",
    "alert",
    "center",
    "click",
    "confirm",
    "countdown",
    "displayMousePosition",
    "doubleClick",
    "drag",
    "dragRel",
    "dragTo",
    "easeInBack",
    "easeInBounce",
    "easeInCirc",
    "easeInCubic",
    "easeInElastic",
    "easeInExpo",
    "easeInOutBack",
    "easeInOutBounce",
    "easeInOutCirc",
    "easeInOutCubic",
    "easeInOutElastic",
    "easeInOutExpo",
    "easeInOutQuad",
    "easeInOutQuart",
    "easeInOutQuint",
    "easeInOutSine",
    "easeInQuad",
    "easeInQuart",
    "easeInQuint",
    "easeInSine",
    "easeOutBack",
    "easeOutBounce",
    "easeOutCirc",
    "easeOutCubic",
    "easeOutElastic",
    "easeOutExpo",
    "easeOutQuad",
    "easeOutQuart",
    "easeOutQuint",
    "easeOutSine",
    "failSafeCheck",
    "getActiveWindow",
    "getActiveWindowTitle",
    "getAllTitles",
    "getAllWindows",
    "getInfo",
    "getPointOnLine",
    "getWindowsAt",
    "getWindowsWithTitle",
    "hold",
    "hotkey",
    "hscroll",
    "isShiftCharacter",
    "isValidKey",
    "keyDown",
    "keyUp",
    "leftClick",
    "linear",
    "locate",
    "locateAll",
    "locateAllOnScreen",
    "locateCenterOnScreen",
    "locateOnScreen",
    "locateOnWindow",
    "middleClick",
    "mouseDown",
    "mouseInfo",
    "mouseUp",
    "move",
    "moveRel",
    "moveTo",
    "onScreen",
    "password",
    "pixel",
    "pixelMatchesColor",
    "position",
    "press",
    "printInfo",
    "prompt",
    "resolution",
    "rightClick",
    "run",
    "screenshot",
    "scroll",
    "shortcut",
    "size",
    "sleep",
    "tripleClick",
    "typewrite",
    "useImageNotFoundException",
    "vscroll",
    "write",
]

#: The version of PyAutoGUI that these functions follow.
__version__ = "0.9.54"

#: Seconds that each action function waits at its end.
PAUSE: float = 0.1
#: Whether moving the pointer to a corner of the screen stops the script. FAILSAFE_POINTS lists the corners.
FAILSAFE: bool = True
#: Moves that take no longer than this, in seconds, are instant.
MINIMUM_DURATION: float = 0.1
#: Minimum pause between the steps of a move, in seconds.
MINIMUM_SLEEP: float = 0.05
DARWIN_CATCH_UP_TIME: float = 0.01
#: Whether a screenshot is saved before each action, and how many are kept.
LOG_SCREENSHOTS: bool = False
LOG_SCREENSHOTS_LIMIT: Any = 10

FAILSAFE_POINTS: List[Tuple[int, int]]


def __getattr__(name: str) -> Any:
    """Looks up the corners on demand: importing the module needs no desktop."""
    if name == "FAILSAFE_POINTS":
        globals()[name] = failsafe_points()
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
