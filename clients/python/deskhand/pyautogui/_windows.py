"""The window functions, which PyAutoGUI imports from PyGetWindow on Windows; deskhand supports them on all desktops."""

from __future__ import annotations

import collections
from typing import Any, Callable, List, Optional

from .._errors import DeskhandError
from ._base import Point, PyAutoGUIException, Size, desk

Box = collections.namedtuple("Box", "left top width height")


class PyGetWindowException(PyAutoGUIException):
    """A window is gone, or the desktop refused the request."""


class _Edge:
    """One coordinate of a window, such as its right edge: the share of its size beyond the corner."""

    def __init__(self, axis: int, share: float) -> None:
        self._axis = axis
        self._share = share

    def __get__(self, window: Any, _owner: Any = None) -> Any:
        if window is None:
            return self
        box = window.box
        return box[self._axis] + int(box[self._axis + 2] * self._share)

    def __set__(self, window: "Window", value: float) -> None:
        box = window.box
        corner = [box.left, box.top]
        corner[self._axis] = int(value) - int(box[self._axis + 2] * self._share)
        window.moveTo(*corner)


class _Anchor:
    """A point of a window, such as its center."""

    def __init__(self, across: float, down: float) -> None:
        self._shares = across, down

    def __get__(self, window: Any, _owner: Any = None) -> Any:
        if window is None:
            return self
        box = window.box
        return Point(box.left + int(box.width * self._shares[0]), box.top + int(box.height * self._shares[1]))

    def __set__(self, window: "Window", value: Any) -> None:
        box = window.box
        window.moveTo(
            int(value[0]) - int(box.width * self._shares[0]), int(value[1]) - int(box.height * self._shares[1])
        )


class Window:
    """A window. Reading a property queries the desktop; assigning to a number moves or resizes the window."""

    left, right, centerx = _Edge(0, 0), _Edge(0, 1), _Edge(0, 0.5)
    top, bottom, centery = _Edge(1, 0), _Edge(1, 1), _Edge(1, 0.5)
    topleft, topright, bottomleft, bottomright = _Anchor(0, 0), _Anchor(1, 0), _Anchor(0, 1), _Anchor(1, 1)
    midtop, midbottom, midleft, midright = _Anchor(0.5, 0), _Anchor(0.5, 1), _Anchor(0, 0.5), _Anchor(1, 0.5)
    center = _Anchor(0.5, 0.5)

    def __init__(self, hWnd: str) -> None:
        self._hWnd = hWnd

    def __repr__(self) -> str:
        return f"Window(hWnd={self._hWnd})"

    def __str__(self) -> str:
        box = self.box
        return (
            f'<Window left="{box.left}", top="{box.top}", width="{box.width}", height="{box.height}", '
            f'title="{self.title}">'
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Window) and self._hWnd == other._hWnd

    def __hash__(self) -> int:
        return hash(self._hWnd)

    def _row(self) -> Any:
        for row in _rows():
            if row["id"] == self._hWnd:
                return row
        raise PyGetWindowException(f"the window {self._hWnd} is gone")

    def _do(self, call: Callable[..., Any], **fields: Any) -> None:
        try:
            call(id=self._hWnd, **fields)
        except DeskhandError as error:
            raise PyGetWindowException(str(error)) from error

    @property
    def title(self) -> str:
        """The text in the window's title bar."""
        return self._row()["title"]

    @property
    def box(self) -> Box:
        """Left, top, width and height, including the frame."""
        row = self._row()
        return Box(row["x"], row["y"], row["width"], row["height"])

    @box.setter
    def box(self, value: Any) -> None:
        left, top, width, height = (int(number) for number in value)
        self._do(desk().place_window, x=left, y=top, width=width, height=height)

    @property
    def width(self) -> int:
        """Width in pixels, including the frame."""
        return self.box.width

    @width.setter
    def width(self, value: float) -> None:
        self.resizeTo(int(value), self.height)

    @property
    def height(self) -> int:
        """Height in pixels, including the frame."""
        return self.box.height

    @height.setter
    def height(self, value: float) -> None:
        self.resizeTo(self.width, int(value))

    @property
    def size(self) -> Size:
        """Width and height."""
        return Size(self.box.width, self.box.height)

    @size.setter
    def size(self, value: Any) -> None:
        self.resizeTo(int(value[0]), int(value[1]))

    @property
    def area(self) -> int:
        """Width times height."""
        return self.width * self.height

    @property
    def isMinimized(self) -> bool:
        """Whether the window is minimized."""
        return self._row()["state"] == "minimized"

    @property
    def isMaximized(self) -> bool:
        """Whether the window is maximized."""
        return self._row()["state"] == "maximized"

    @property
    def isActive(self) -> bool:
        """Whether the window receives keyboard input."""
        return self._row()["active"]

    isFocused = isActive

    @property
    def visible(self) -> bool:
        """Whether the window is on the screen, that is, not minimized."""
        return not self.isMinimized

    def activate(self) -> None:
        """Brings the window to the front and focuses it."""
        self._do(desk().activate_window)

    focus = activate

    def close(self) -> None:
        """Asks the window to close."""
        self._do(desk().close_window)

    def minimize(self) -> None:
        """Minimizes the window."""
        self._do(desk().minimize_window)

    hide = minimize

    def maximize(self) -> None:
        """Maximizes the window."""
        self._do(desk().maximize_window)

    def restore(self) -> None:
        """Restores the window to its normal size."""
        self._do(desk().restore_window)

    show = restore

    def resizeTo(self, newWidth: int, newHeight: int) -> None:
        """Sets the window's size."""
        self._do(desk().place_window, width=int(newWidth), height=int(newHeight))

    def resizeRel(self, widthOffset: int, heightOffset: int) -> None:
        """Enlarges the window by a number of pixels."""
        box = self.box
        self.resizeTo(box.width + int(widthOffset), box.height + int(heightOffset))

    resize = resizeRel

    def moveTo(self, newLeft: int, newTop: int) -> None:
        """Moves the window's top left corner to a position."""
        self._do(desk().place_window, x=int(newLeft), y=int(newTop))

    def moveRel(self, xOffset: int, yOffset: int) -> None:
        """Moves the window by a number of pixels."""
        box = self.box
        self.moveTo(box.left + int(xOffset), box.top + int(yOffset))

    move = moveRel


def _rows() -> List[Any]:
    try:
        return list(desk().windows()["windows"])
    except DeskhandError as error:
        raise PyGetWindowException(str(error)) from error


def getAllWindows() -> List[Window]:
    """Returns all windows, topmost first."""
    return [Window(row["id"]) for row in _rows()]


def getAllTitles() -> List[str]:
    """Returns the titles of all windows."""
    return [row["title"] for row in _rows()]


def getWindowsWithTitle(title: str) -> List[Window]:
    """Returns the windows whose title contains a text, ignoring case."""
    return [Window(row["id"]) for row in _rows() if title.lower() in row["title"].lower()]


def getWindowsAt(x: int, y: int) -> List[Window]:
    """Returns the windows at a position on the screen."""
    return [
        Window(row["id"])
        for row in _rows()
        if row["x"] <= x < row["x"] + row["width"] and row["y"] <= y < row["y"] + row["height"]
    ]


def getActiveWindow() -> Optional[Window]:
    """Returns the window that receives keyboard input; None if there is none."""
    return next((Window(row["id"]) for row in _rows() if row["active"]), None)


def getActiveWindowTitle() -> Optional[str]:
    """Returns the title of the active window; None if there is none."""
    return next((row["title"] for row in _rows() if row["active"]), None)
