"""The client's errors."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class DeskhandError(Exception):
    """Base class of all client errors."""


class ApiError(DeskhandError):
    """A response with a status other than 200.

    status: The HTTP status.
    message: What is wrong, and what is allowed, in deskhand's words.
    done: The number of actions in a list completed before the one that failed; None for any other call.
    changed: For a press that names its picture: the parts of the screen that changed, as x, y, width and height.
    picture: The new picture for such a press, a PNG file, if requested with picture.
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
    """400, 413, 414: something in the call is missing or invalid; the message names it."""


class NotAllowed(ApiError):
    """401, 403, 429: a token is missing or wrong, or deskhand runs with --read-only."""


class NotFound(ApiError):
    """404: no window, element or picture matches."""


class TimedOut(ApiError, TimeoutError):
    """408: the awaited state was not reached in time."""


class Conflict(ApiError):
    """409: several things match, the current state does not allow the call, or the desktop does not support it."""


class Unavailable(ApiError):
    """503: the desktop is gone, or too many calls are in progress."""


class ConnectionFailed(DeskhandError, ConnectionError):
    """No response arrived.

    may_have_happened: Whether the request was sent, so that an action may have been performed. It is not repeated.
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
    """Returns the error for a response."""
    return BY_STATUS.get(status, ApiError)(status, message, **details)
