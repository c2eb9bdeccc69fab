"""Things on the desktop that a script names once and then uses: matches, elements, windows, an action's effect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, TypeVar, Union

from . import _api
from ._errors import Conflict, DeskhandError, NotFound, TimedOut

if TYPE_CHECKING:
    from ._desk import Desk


T = TypeVar("T")


class Match(NamedTuple):
    """A place where a picture was found, in desktop pixels.

    match: The share of pixels that agree, 0 to 1.
    """

    x: int
    y: int
    width: int
    height: int
    match: float

    @property
    def center(self) -> "_api.Point":
        """The pixel in the middle of the region."""
        return {"x": self.x + self.width // 2, "y": self.y + self.height // 2}


def match_of(place: Mapping[str, Any]) -> Match:
    """Returns the match in a response."""
    return Match(place["x"], place["y"], place["width"], place["height"], place["match"])


class Seen(NamedTuple):
    """An observed action's effect (docs/observe.md).

    verdict: `hit`, `miss`, or `unsure`; reason explains it.
    settled_ms: Time from the action to the last change; None if the screen did not settle.
    regions: Where the screen changed.
    windows: The windows opened and closed, and the active one.
    elements: Changes of the window's elements, with observe="elements".
    focus: The focused element, if the desktop reports it.
    """

    verdict: str
    reason: str
    settled_ms: Optional[float]
    regions: List["_api.Region"]
    windows: Dict[str, Any]
    elements: Dict[str, Any]
    focus: Optional[Dict[str, Any]]

    @property
    def hit(self) -> bool:
        """Whether something changed where the action took place."""
        return self.verdict == "hit"

    @property
    def missed(self) -> bool:
        """Whether nothing changed."""
        return self.verdict == "miss"


def seen_of(answer: Mapping[str, Any]) -> Seen:
    """Returns the effect in the response to an observed action."""
    seen = answer.get("seen")
    if seen is None:
        raise DeskhandError("the response has no observed effect: pass observe a call that acts, such as click")
    return Seen(
        seen["verdict"],
        seen["reason"],
        seen.get("settled_ms"),
        seen.get("regions", []),
        dict(seen.get("windows", {})),
        dict(seen.get("elements", {})),
        seen.get("focus"),
    )


def _acted(
    desk: "Desk",
    act: Callable[[], T],
    wait: Callable[[float], Any],
    comes: bool,
    timeout: Optional[float] = None,
    heal: Optional[Callable[[], T]] = None,
) -> T:
    """Acts, and acts again after a wait if the first attempt was too early. Such an attempt has had no effect.

    The error of the last attempt is raised, because it reports the state by then.

    comes: Whether something missing may appear: a ref and an id identify one thing, which does not come back.
    heal: Acts on the replacement for a missing element.
    """
    try:
        return act()
    except (NotFound, Conflict) as error:
        missing = comes and isinstance(error, NotFound)
        seconds = desk.action_timeout if timeout is None else timeout
        if not missing and not (isinstance(error, Conflict) and error.message.endswith(" is disabled")):
            raise
        if not seconds:
            raise
        if not _came(wait, seconds) and missing and heal is not None and desk.on_healed is not None:
            answer: Any = heal()
            if "healed" in answer:
                desk.on_healed(answer["healed"])
            healed: T = answer
            return healed
    return act()


def _came(wait: Callable[[float], Any], seconds: float) -> bool:
    """Waits, and returns whether the condition was met in time."""
    try:
        wait(seconds)
    except TimedOut:
        return False
    return True


class ElementLocator:
    """An element by role and name, in the active window or the named one. Each call looks it up.

    An action waits until the element exists and is enabled (action_timeout). A call raises NotFound if no element
    matches and Conflict if several do.
    """

    def __init__(self, desk: "Desk", query: Mapping[str, Any]) -> None:
        self._desk = desk
        self._query = {name: value for name, value in query.items() if value is not None}

    def __repr__(self) -> str:
        return f"element({', '.join(f'{name}={value!r}' for name, value in self._query.items())})"

    def click(self, *, timeout: Optional[float] = None, **options: Any) -> "_api.ElementDone":
        """Clicks the element. timeout: Seconds, not action_timeout. options: button, count, background, observe."""
        return self._act(lambda **heal: self._desk.click_on_element(**self._query, **options, **heal), timeout)

    def set(self, text: str, *, timeout: Optional[float] = None, **options: Any) -> "_api.ElementDone":
        """Sets the element's text. options: background, observe."""
        return self._act(lambda **heal: self._desk.set_element(text, **self._query, **options, **heal), timeout)

    def set_to(
        self, to: Union[str, float, bool], *, timeout: Optional[float] = None, **options: Any
    ) -> "_api.ElementDone":
        """Sets the element to a value: a number, a state or the name of an option. options: background, observe."""
        return self._act(lambda **heal: self._desk.set_element(to=to, **self._query, **options, **heal), timeout)

    def focus(self, **options: Any) -> "_api.FocusElementAnswer":
        """Focuses the element. options: observe."""
        act = lambda: self._desk.focus_element(**self._query, **options)  # noqa: E731
        return _acted(self._desk, act, self._wait_enabled, self._comes)

    def wait(self, timeout: float = 10.0) -> "_api.Element":
        """Waits until the element exists, and returns it. Raises TimedOut."""
        return self.wait_until(timeout)["element"]

    def wait_gone(self, timeout: float = 10.0) -> None:
        """Waits until no such element exists. Raises TimedOut."""
        self.wait_until(timeout, gone=True)

    def wait_until(self, timeout: float = 10.0, **condition: Any) -> "_api.WaitAnswer":
        """Waits until the element matches the fields, such as states={"checked": True}. Raises TimedOut."""
        element: Any = {**self.wanted(), **condition}
        return self._desk.wait(element=element, timeout_ms=milliseconds(timeout))

    def wanted(self) -> Dict[str, Any]:
        """The element in the fields of a wait or a comparison."""
        window = {name.rstrip("_"): self._query[name] for name in _WINDOW_FIELDS if name in self._query}
        own = {name: value for name, value in self._query.items() if name not in _WINDOW_FIELDS}
        named = own.get("element")
        if isinstance(named, dict):
            own = {**{name: value for name, value in own.items() if name != "element"}, **named}
        return {**own, **({"window": window} if window else {})}

    @property
    def exists(self) -> bool:
        """Whether any elements match."""
        try:
            return bool(self._desk.elements(**self._listable())["elements"])
        except NotFound:
            return False

    def all(self) -> List["_api.Element"]:
        """Lists all matching elements."""
        return self._desk.elements(**self._listable())["elements"]

    def _act(self, act: Callable[..., T], timeout: Optional[float]) -> T:
        return _acted(self._desk, act, self._wait_enabled, self._comes, timeout, lambda: act(heal=True))

    def _wait_enabled(self, seconds: float) -> Any:
        return self.wait_until(seconds, states={"disabled": False})

    @property
    def _comes(self) -> bool:
        element = self._query.get("element")
        return not (isinstance(element, str) and re.fullmatch(r"e\d+", element))

    def _listable(self) -> Dict[str, Any]:
        return {name: value for name, value in self._query.items() if name != "nth"}


_WINDOW_FIELDS = ("id", "title", "class_", "pid")


class WindowLocator:
    """A window by its title, class, process or id. Each call looks it up.

    A call raises NotFound if no window matches and Conflict if several do.
    """

    def __init__(self, desk: "Desk", query: Mapping[str, Any]) -> None:
        self._desk = desk
        self._query = {name: value for name, value in query.items() if value is not None}

    def __repr__(self) -> str:
        return f"window({', '.join(f'{name}={value!r}' for name, value in self._query.items())})"

    def element(
        self,
        role: Optional[str] = None,
        name: Optional[str] = None,
        *,
        exact: Optional[bool] = None,
        nth: Optional[int] = None,
    ) -> ElementLocator:
        """An element in the window: by role and name, or as text such as `button "Save"`."""
        return self._desk.element(role, name, exact=exact, nth=nth, **self.fields())

    def click_text(
        self, text: str, *, button: str = "left", timeout: Optional[float] = None, **options: Any
    ) -> None:
        """Clicks text on the screen in a window that exposes no elements: part of a line.

        Waits until the text appears (action_timeout), and brings the window to the front. options: count, nth (which
        of several, from 1), source.
        """
        desk, window = self._desk, self.wanted()
        seconds = desk.action_timeout if timeout is None else timeout
        given: Dict[str, Any] = {"click": button, **options, **({"window": window} if window else {})}
        if seconds:
            given["timeout_ms"] = milliseconds(seconds)
        if desk.on_healed is not None:
            given["heal"] = True
        answer: Any = desk.find_text(text, **given)
        if desk.on_healed is not None and "healed" in answer:
            desk.on_healed(answer["healed"])

    def activate(self, **options: Any) -> "_api.WindowDone":
        """Brings the window to the front. options: timeout_ms, observe."""
        return self._act(lambda: self._desk.activate_window(**self._query, **options))

    def minimize(self, **options: Any) -> "_api.WindowDone":
        """Minimizes the window."""
        return self._act(lambda: self._desk.minimize_window(**self._query, **options))

    def maximize(self, **options: Any) -> "_api.WindowDone":
        """Maximizes the window."""
        return self._act(lambda: self._desk.maximize_window(**self._query, **options))

    def restore(self, **options: Any) -> "_api.WindowDone":
        """Restores the window to its normal size."""
        return self._act(lambda: self._desk.restore_window(**self._query, **options))

    def fullscreen(self, **options: Any) -> "_api.WindowDone":
        """Makes the window fullscreen."""
        return self._act(lambda: self._desk.fullscreen_window(**self._query, **options))

    def place(self, **options: Any) -> "_api.WindowDone":
        """Moves and resizes the window. options: x, y, width, height, in pixels including the frame."""
        return self._act(lambda: self._desk.place_window(**self._query, **options))

    def close(self, **options: Any) -> "_api.Done":
        """Asks the window to close."""
        return self._act(lambda: self._desk.close_window(**self._query, **options))

    def wait(self, timeout: float = 10.0, active: Optional[bool] = None) -> "_api.Window":
        """Waits until the window exists, or is active, and returns it. Raises TimedOut."""
        return self.wait_until(timeout, **({} if active is None else {"active": active}))["window"]

    def wait_gone(self, timeout: float = 10.0) -> None:
        """Waits until no such window exists. Raises TimedOut."""
        self.wait_until(timeout, gone=True)

    @property
    def exists(self) -> bool:
        """Whether any windows match."""
        return bool(self.all())

    def all(self) -> List["_api.Window"]:
        """Lists all matching windows, topmost first."""
        wanted = self._query.get("id")
        query = {name: value for name, value in self._query.items() if name in ("title", "class_", "pid")}
        windows = self._desk.windows(**query)["windows"]
        return [window for window in windows if wanted in (None, window["id"])]

    def wait_until(self, timeout: float = 10.0, **more: Any) -> "_api.WaitAnswer":
        """Waits until the window exists, until it is active (active), or until it is gone. Raises TimedOut."""
        window: Any = {**self.wanted(), **more}
        return self._desk.wait(window=window, timeout_ms=milliseconds(timeout))

    def _act(self, act: Callable[[], T]) -> T:
        return _acted(self._desk, act, self.wait_until, "id" not in self._query)

    def wanted(self) -> Dict[str, Any]:
        """The window in the fields of a wait or a comparison."""
        return {name.rstrip("_"): value for name, value in self.fields().items()}

    def fields(self) -> Dict[str, Any]:
        """The window in the arguments of a call."""
        return {name: value for name, value in self._query.items() if name != "any"}


def milliseconds(seconds: Union[int, float]) -> int:
    """Converts seconds to the API's unit: whole milliseconds, at least 1."""
    return max(1, round(seconds * 1000))
