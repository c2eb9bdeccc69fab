"""deskhand's client for Python: a desktop's pointer, keyboard, screen, windows and elements, over HTTP.

    from deskhand import Desk

    with Desk() as desk:
        desk.click(300, 200, "left")
        desk.type("héllo")

Requires Python 3.9 and nothing else. `deskhand.pyautogui` provides PyAutoGUI's functions.
"""

from ._api import VERSION as __version__
from ._api import Api
from ._desk import Desk
from ._errors import (
    ApiError,
    BadRequest,
    Conflict,
    ConnectionFailed,
    DeskhandError,
    NotAllowed,
    NotFound,
    TimedOut,
    Unavailable,
)
from ._expect import Expectation, expect
from ._places import ElementLocator, Match, Seen, WindowLocator

__all__ = [
    "Api",
    "ApiError",
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "Desk",
    "DeskhandError",
    "ElementLocator",
    "Expectation",
    "Match",
    "NotAllowed",
    "NotFound",
    "Seen",
    "TimedOut",
    "Unavailable",
    "WindowLocator",
    "__version__",
    "expect",
]
