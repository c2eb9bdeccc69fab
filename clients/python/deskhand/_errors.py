"""The errors of the client."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class DeskhandError(Exception):
    """Base of all errors of the client."""


class ApiError(DeskhandError):
    """An answer other than 200.

    status: The status of HTTP.
    message: What was wrong, and what is allowed, in deskhand's words.
    done: How many actions of a list were done before the one that failed; None for any other call.
    changed: Of a press that names its picture: the parts of the screen that changed, as x, y, width and height.
    picture: The new picture of such a press, a PNG file, if it asked for picture.
    """

    def __init__(
        self,
        status: int,
        message: str,
        done: Optional[int] = None,
        changed: Optional[List[Dict[str, int]]] = None,
        picture: Optional[bytes] = None,
    ) -> None:
        super().__init__(f"{message} ({status})")
        self.status = status
        self.message = message
        self.done = done
        self.changed = changed
        self.picture = picture


class BadRequest(ApiError):
    """400, 413, 414: something in the call is missing or wrong; the message names it."""


class NotAllowed(ApiError):
    """401, 403, 429: a token is needed or wrong, or deskhand runs with --read-only."""


class NotFound(ApiError):
    """404: no window, element or picture fits."""


class TimedOut(ApiError, TimeoutError):
    """408: the awaited state did not come in time."""


class Conflict(ApiError):
    """409: several things match, the present state does not allow the call, or the desktop cannot do it."""


class Unavailable(ApiError):
    """503: the desktop is gone, or too many calls are running."""


class ConnectionFailed(DeskhandError, ConnectionError):
    """No answer came.

    may_have_happened: Whether the request had left, so that an action may have been done. It is not repeated.
    """

    def __init__(self, message: str, may_have_happened: bool = False) -> None:
        super().__init__(message)
        self.may_have_happened = may_have_happened


BY_STATUS = {
    400: BadRequest,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    408: TimedOut,
    409: Conflict,
    413: BadRequest,
    414: BadRequest,
    429: NotAllowed,
    503: Unavailable,
}


def api_error(status: int, message: str, **details: Any) -> ApiError:
    """The error of an answer."""
    return BY_STATUS.get(status, ApiError)(status, message, **details)
