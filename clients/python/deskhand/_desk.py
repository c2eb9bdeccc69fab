"""The handwritten layer: a desktop as scripts use it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _start
from ._api import Api, WaitAnswer
from ._errors import ConnectionFailed, DeskhandError
from ._places import ElementLocator, Match, Seen, WindowLocator, match_of, milliseconds, seen_of
from ._transport import TIMEOUT

#: A PNG or BMP file: its path, or its bytes.
Picture = Union[str, "os.PathLike[str]", bytes]
#: x, y, width, height in desktop pixels.
Region = Tuple[int, int, int, int]


class Desk(Api):
    """A desktop. In addition to the methods here, it has a method for each operation of the control API.

    As a context manager it finally releases what the script left pressed, and closes the connection.

    url, token, timeout, retries: As for Transport.
    action_timeout: Seconds for which actions on elements and windows wait if the element or window does not exist yet
        or is disabled; defaults to 5. With 0 they fail immediately.
    start: Whether to start the executable (DESKHAND_EXECUTABLE, or `deskhand` on the PATH) if no deskhand answers; it
        exits with the script. A list is the command to start, such as ["deskhand", "--desktop", "virtual"]. Nothing
        is started if an address is given, here or in DESKHAND_URL.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = 3,
        action_timeout: float = 5.0,
        start: Union[bool, Sequence[str]] = False,
    ) -> None:
        super().__init__(url, token, timeout=timeout, retries=retries)
        self.action_timeout = action_timeout
        #: Called with a message about an element that replaced a missing one by fixed rules; without it, an action on
        #: a missing element raises NotFound.
        self.on_healed: Optional[Callable[[str], None]] = None
        self._started: Optional[_start.Started] = None
        self._pressed: List[Mapping[str, Any]] = []
        if start and not url and not os.environ.get("DESKHAND_URL"):
            self._start_unless_there(None if start is True else list(start))

    def _start_unless_there(self, command: Optional[List[str]]) -> None:
        retries, self._retries = self._retries, 0
        try:
            self.position()
            return
        except ConnectionFailed as error:
            found = _start.find_executable()
            if command is None and found is None:
                raise DeskhandError(
                    f"{error}; deskhand was not found, so it cannot be started: put it on the PATH or set "
                    "DESKHAND_EXECUTABLE"
                ) from error
            self._started = _start.Started(command or [found or ""])
        finally:
            self._retries = retries
        super().__init__(self._started.url, self._token, timeout=self._timeout, retries=retries)

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *unused: object) -> None:
        try:
            self.release_pressed()
        finally:
            self.close()

    def close(self) -> None:
        """Closes the connection, and stops the deskhand that this script started."""
        super().close()
        if self._started:
            self._started.end()
            self._started = None

    # Holding keys

    @contextmanager
    def hold(self, keys: str) -> Iterator[None]:
        """Holds keys such as `ctrl` or `shift+alt` during the block, and releases them however it ends."""
        pressed: List[Mapping[str, Any]] = []
        try:
            for key in keys.split("+"):
                self.press_down(key=key)
                pressed.append({"key": key})
            yield
        finally:
            for one in reversed(pressed):
                self.release_one(**one)

    def press_down(self, *, key: Optional[str] = None, button: Any = None) -> None:
        """Presses a key or button, which is released at the end of this desk's `with` block."""
        one = {"key": key} if key is not None else {"button": button}
        self._pressed.append(one)
        self.press(key=key, button=button)

    def release_one(self, *, key: Optional[str] = None, button: Any = None) -> None:
        """Releases a key or button."""
        one = {"key": key} if key is not None else {"button": button}
        self.release(key=key, button=button)
        self._pressed = [other for other in self._pressed if other != one]

    def release_pressed(self) -> None:
        """Releases the keys and buttons pressed with press_down that are still down."""
        for one in reversed(list(self._pressed)):
            self.release_one(**one)

    # Finding pictures

    def find(self, picture: Picture, *, timeout: Optional[float] = None, **options: Any) -> Optional[Match]:
        """Finds a picture on the screen; returns the best match, or None.

        timeout: Seconds to look for it before raising TimedOut; by default it looks once.
        options: tolerance, match, region, window, click, count (docs/find.md).
        """
        places = self.find_all(picture, timeout=timeout, **options)
        return places[0] if places else None

    def find_all(
        self,
        picture: Picture,
        *,
        timeout: Optional[float] = None,
        region: Optional[Region] = None,
        **options: Any,
    ) -> List[Match]:
        """Finds a picture in all places: at most `limit`, which defaults to one; best match first."""
        waited: Any = {} if timeout is None else {"timeout_ms": milliseconds(timeout)}
        answer = self.find_places(picture_bytes(picture), **options, **waited, **_region(region))
        return [match_of(place) for place in answer["matches"]]

    def click_picture(self, picture: Picture, *, button: str = "left", **options: Any) -> Match:
        """Clicks the middle of a picture. Raises NotFound if it is not on the screen."""
        found = self.find(picture, click=button, **options)
        assert found is not None  # deskhand answers 404 otherwise
        return found

    def wait_gone(self, picture: Picture, timeout: float = 10.0, **options: Any) -> None:
        """Waits until a picture disappears from the screen. Raises TimedOut."""
        self.find_all(picture, timeout=timeout, gone=True, **options)

    # Waits

    def wait_pixel(self, x: int, y: int, hex: str, *, tolerance: int = 0, timeout: float = 10.0) -> WaitAnswer:
        """Waits until a pixel has a colour, such as "ff8800". Raises TimedOut."""
        pixel: Any = {"x": x, "y": y, "hex": hex, "tolerance": tolerance}
        return self.wait(pixel=pixel, timeout_ms=milliseconds(timeout))

    def wait_still(
        self, seconds: float = 0.3, *, region: Optional[Region] = None, timeout: float = 10.0
    ) -> WaitAnswer:
        """Waits until the screen, or a region of it, has not changed for the given time. Raises TimedOut."""
        still: Any = {"ms": milliseconds(seconds), **_region(region)}
        return self.wait(still=still, timeout_ms=milliseconds(timeout))

    def wait_change(self, *, region: Optional[Region] = None, timeout: float = 10.0) -> WaitAnswer:
        """Waits until the screen, or a region of it, has changed since the call. Raises TimedOut."""
        change: Any = _region(region)
        return self.wait(change=change, timeout_ms=milliseconds(timeout))

    # Elements and windows

    def element(
        self,
        role: Optional[str] = None,
        name: Optional[str] = None,
        *,
        exact: Optional[bool] = None,
        nth: Optional[int] = None,
        ref: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        id: Optional[str] = None,
    ) -> ElementLocator:
        """An element by role and name, in the active window or that of title, class_, pid or id; or by its ref.

        A single text with quotes can contain everything: element('button "Save" 2 in "Ask"').
        """
        if role is not None and '"' in role:
            role, ref = None, role
        query = {"role": role, "name": name, "exact": exact, "nth": nth, "element": ref}
        return ElementLocator(self, {**query, "title": title, "class_": class_, "pid": pid, "id": id})

    def window(
        self,
        title: Optional[str] = None,
        *,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        id: Optional[str] = None,
        any: Optional[bool] = None,
    ) -> WindowLocator:
        """A window by part of its title, or by class, process or id. any: Whether to take the topmost of several."""
        return WindowLocator(self, {"title": title, "class_": class_, "pid": pid, "id": id, "any": any})

    # The effect of an action

    def observe(self, action: Callable[..., Mapping[str, Any]], *args: Any, **kwargs: Any) -> Seen:
        """Runs an action, and returns its observed effect: `desk.observe(desk.click, 300, 200, "left").hit`.

        With the field observe="elements", changes of the window's elements are reported too.
        """
        return seen_of(action(*args, **{"observe": True, **kwargs}))


def picture_bytes(picture: Picture) -> bytes:
    """Returns the bytes of a picture file."""
    if isinstance(picture, bytes):
        return picture
    with open(picture, "rb") as file:
        return file.read()


def _region(region: Optional[Region]) -> Any:
    return {} if region is None else dict(zip(("x", "y", "width", "height"), region))
