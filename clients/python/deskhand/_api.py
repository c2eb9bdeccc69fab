"""The operations of deskhand's control API.

Written by `deno task reference` from the tables that the program itself uses: do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union

from ._transport import Transport

VERSION = "0.1.0"


class Point(TypedDict):
    x: int
    y: int


class Region(TypedDict):
    x: int
    y: int
    width: int
    height: int


_Window = TypedDict(
    "_Window",
    {
        "id": str,
        "title": str,
        "class": str,
        "x": int,
        "y": int,
        "width": int,
        "height": int,
        "state": Literal["normal", "minimized", "maximized", "fullscreen"],
        "active": bool,
    },
)


class Window(_Window, total=False):
    pid: int


class _Windows(TypedDict):
    opened: List[Window]
    closed: List[Window]


class Windows(_Windows, total=False):
    active: Window


class _Element(TypedDict):
    ref: str
    role: str
    name: str
    states: List[Literal["focused", "disabled", "checked", "mixed", "pressed", "selected", "expanded", "collapsed", "required", "readonly", "hidden"]]
    depth: int


class Element(_Element, total=False):
    value: str
    x: int
    y: int
    width: int
    height: int


class _Elements(TypedDict):
    added: List[Element]
    changed: List[Element]
    removed: List[Element]


class Elements(_Elements, total=False):
    silent: str


class _Seen(TypedDict):
    verdict: Literal["hit", "miss", "unsure"]
    reason: str
    regions: List[Region]


class Seen(_Seen, total=False):
    settled_ms: float
    windows: Windows
    elements: Elements
    focus: Element


class _Done(TypedDict):
    ok: bool


class Done(_Done, total=False):
    seen: Seen


class FromWanted(TypedDict, total=False):
    x: int
    y: int
    element: str


class Monitor(TypedDict):
    name: str
    primary: bool
    x: int
    y: int
    width: int
    height: int


class ScreenAnswer(TypedDict):
    kind: str
    x: int
    y: int
    width: int
    height: int
    displays: List[Monitor]


class Action(TypedDict):
    type: Literal["move", "button", "scroll", "key", "text"]


class HistoryAnswer(TypedDict):
    actions: List[Action]


class PixelAnswer(TypedDict):
    r: int
    g: int
    b: int
    hex: str


class _Place(TypedDict):
    x: int
    y: int
    width: int
    height: int
    center: Point
    match: float


class Place(_Place, total=False):
    text: str
    source: Literal["element", "screen"]
    line: str
    ref: str
    role: str


class FindPlacesAnswerPlace(TypedDict):
    x: int
    y: int
    width: int
    height: int
    center: Point
    match: float


class _Nearest(TypedDict):
    x: int
    y: int
    width: int
    height: int
    center: Point
    match: float
    text: str
    source: Literal["element", "screen"]


class Nearest(_Nearest, total=False):
    line: str
    ref: str
    role: str


class _FindPlacesAnswer(TypedDict):
    matches: List[Place]


class FindPlacesAnswer(_FindPlacesAnswer, total=False):
    best: FindPlacesAnswerPlace
    nearest: List[Nearest]
    seen: Seen


class Word(TypedDict):
    x: int
    y: int
    width: int
    height: int
    text: str


class _Line(TypedDict):
    x: int
    y: int
    width: int
    height: int
    text: str
    source: Literal["element", "screen"]


class Line(_Line, total=False):
    words: List[Word]
    ref: str
    role: str


class TextAnswer(TypedDict):
    lines: List[Line]


class _PixelWanted(TypedDict):
    x: int
    y: int
    hex: str


class PixelWanted(_PixelWanted, total=False):
    tolerance: int


class _StillWanted(TypedDict):
    ms: int


class StillWanted(_StillWanted, total=False):
    x: int
    y: int
    width: int
    height: int


class ChangeWanted(TypedDict, total=False):
    x: int
    y: int
    width: int
    height: int


class _PictureWanted(TypedDict):
    png: str


class PictureWanted(_PictureWanted, total=False):
    tolerance: int
    match: float
    x: int
    y: int
    width: int
    height: int
    gone: bool


class _TextWanted(TypedDict):
    text: str


class TextWanted(_TextWanted, total=False):
    match: float
    case: bool
    nth: int
    language: str
    source: Literal["element", "screen"]
    x: int
    y: int
    width: int
    height: int
    gone: bool


ElementWantedWindow = TypedDict(
    "ElementWantedWindow",
    {
        "id": str,
        "title": str,
        "class": str,
        "pid": int,
    },
    total=False,
)


class ElementWanted(TypedDict, total=False):
    role: str
    name: str
    exact: bool
    nth: int
    window: ElementWantedWindow
    gone: bool


WindowWanted = TypedDict(
    "WindowWanted",
    {
        "title": str,
        "class": str,
        "pid": int,
        "active": bool,
        "gone": bool,
    },
    total=False,
)


class _WaitAnswer(TypedDict):
    ok: bool
    ms: float


class WaitAnswer(_WaitAnswer, total=False):
    match: Place
    window: Window
    element: Element


class _ChangesAnswer(TypedDict):
    serial: int
    cut: bool
    regions: List[Region]


class ChangesAnswer(_ChangesAnswer, total=False):
    windows: Windows


class StepsAnswer(TypedDict):
    ok: bool
    done: int


class WindowsAnswer(TypedDict):
    windows: List[Window]


_WindowDone = TypedDict(
    "_WindowDone",
    {
        "id": str,
        "title": str,
        "class": str,
        "x": int,
        "y": int,
        "width": int,
        "height": int,
        "state": Literal["normal", "minimized", "maximized", "fullscreen"],
        "active": bool,
    },
)


class WindowDone(_WindowDone, total=False):
    pid: int
    seen: Seen


class _ElementsAnswer(TypedDict):
    window: Window
    serial: int
    places: Literal["screen", "window", "none"]
    elements: List[Element]
    more: int
    whole: bool


class ElementsAnswer(_ElementsAnswer, total=False):
    since: int
    removed: List[str]
    silent: str


class _SwitchElementsAnswer(TypedDict):
    ok: bool
    changed: bool
    did: str


class SwitchElementsAnswer(_SwitchElementsAnswer, total=False):
    seen: Seen


class _ElementDone(TypedDict):
    ok: bool
    via: Literal["click", "action", "keys"]
    ref: str
    role: str
    name: str
    states: List[Literal["focused", "disabled", "checked", "mixed", "pressed", "selected", "expanded", "collapsed", "required", "readonly", "hidden"]]
    depth: int


class ElementDone(_ElementDone, total=False):
    value: str
    x: int
    y: int
    width: int
    height: int
    seen: Seen


class _FocusElementAnswer(TypedDict):
    ok: bool
    ref: str
    role: str
    name: str
    states: List[Literal["focused", "disabled", "checked", "mixed", "pressed", "selected", "expanded", "collapsed", "required", "readonly", "hidden"]]
    depth: int


class FocusElementAnswer(_FocusElementAnswer, total=False):
    value: str
    x: int
    y: int
    width: int
    height: int
    seen: Seen


class _ClipboardAnswer(TypedDict):
    types: List[Literal["text", "png"]]


class ClipboardAnswer(_ClipboardAnswer, total=False):
    text: str


class ResultElements(TypedDict):
    found: int
    moved: int


class _Result(TypedDict):
    performed: int
    meanLatenessMs: float
    medianLatenessMs: float
    p99LatenessMs: float
    maxLatenessMs: float
    stopped: bool


class Result(_Result, total=False):
    stoppedBy: Literal["stop", "escape", "pointer"]
    elements: ResultElements


class _RecordingStateAnswer(TypedDict):
    state: Literal["idle", "recording", "playing"]
    events: int
    ms: float


class RecordingStateAnswer(_RecordingStateAnswer, total=False):
    problem: str
    result: Result


class _StartTraceAnswer(TypedDict):
    state: Literal["off", "running", "paused"]
    ms: float
    actions: int
    pictures: int
    bytes: int


class StartTraceAnswer(_StartTraceAnswer, total=False):
    file: str
    name: str
    problem: str
    seen: Seen


class _TraceStateAnswer(TypedDict):
    state: Literal["off", "running", "paused"]
    ms: float
    actions: int
    pictures: int
    bytes: int


class TraceStateAnswer(_TraceStateAnswer, total=False):
    file: str
    name: str
    problem: str


class File(TypedDict):
    name: str
    bytes: int
    modified: str
    running: bool


class TracesAnswer(TypedDict):
    folder: str
    traces: List[File]


class _AgentsAnswer(TypedDict):
    allowed: bool
    at_work: bool


class AgentsAnswer(_AgentsAnswer, total=False):
    client: str
    tool: str


class ViewWanted(TypedDict):
    width: int
    height: int


class _ActAnswer(TypedDict):
    ok: bool


class ActAnswer(_ActAnswer, total=False):
    image: str
    text: str
    results: List[Dict[str, Any]]


class PutFileAnswer(TypedDict):
    path: str


class MakeLinkAnswer(TypedDict):
    id: str
    name: str
    rights: Literal["look", "act"]
    ends: str
    links: List[str]


class Link(TypedDict):
    id: str
    name: str
    rights: Literal["look", "act"]
    ends: str


class Viewer(TypedDict):
    name: str
    rights: Literal["look", "act", "all"]


class LinksAnswer(TypedDict):
    links: List[Link]
    viewers: List[Viewer]


class RevokeLinkAnswer(TypedDict):
    ok: bool


class _SoundAnswer(TypedDict):
    offered: bool


class SoundAnswer(_SoundAnswer, total=False):
    server: str
    reason: str


class Endpoint(TypedDict):
    method: str
    path: str
    summary: str


class ListEndpointsAnswer(TypedDict):
    endpoints: List[Endpoint]


class Info(TypedDict, total=False):
    title: str
    version: str


class _OpenApiAnswer(TypedDict):
    openapi: str
    info: Info
    paths: Dict[str, Any]


class OpenApiAnswer(_OpenApiAnswer, total=False):
    components: Dict[str, Any]


class Api(Transport):
    """The operations of the control API, by their names in its OpenAPI document.

    A parameter that is left out is not sent. Each call raises ApiError for an answer other than 200.
    """

    def position(
        self,
    ) -> Point:
        """The pointer's position."""
        return self._call(
            "GET",
            "/api/position",
        )

    def move(
        self,
        x: Optional[int] = None,
        y: Optional[int] = None,
        *,
        element: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Move the pointer.

        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/move",
            body={"x": x, "y": y, "element": element, "observe": observe},
        )

    def click(
        self,
        x: Optional[int] = None,
        y: Optional[int] = None,
        button: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        *,
        at: Optional[Literal["pointer"]] = None,
        element: Optional[str] = None,
        count: Optional[int] = None,
        hold: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Click at a place.

        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        button: Button.
        at: In place of x and y: the pointer's place, with the left button if no button is named.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        count: The number of clicks: 2 is a double click.
        hold: Keys that are held during the action, such as ctrl or shift+alt.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/click",
            body={"x": x, "y": y, "button": button, "at": at, "element": element, "count": count, "hold": hold, "observe": observe},
        )

    def scroll(
        self,
        direction: Literal["up", "down", "left", "right"],
        amount: int,
        *,
        x: Optional[int] = None,
        y: Optional[int] = None,
        element: Optional[str] = None,
        hold: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Turn the wheel.

        direction: The direction.
        amount: Notches of the wheel.
        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        hold: Keys that are held during the action, such as ctrl or shift+alt.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/scroll",
            body={"direction": direction, "amount": amount, "x": x, "y": y, "element": element, "hold": hold, "observe": observe},
        )

    def press(
        self,
        *,
        button: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        key: Optional[str] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        element: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Press a button or key and keep it down.

        button: Button.
        key: A key by name, such as shift, f5 or a.
        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/press",
            body={"button": button, "key": key, "x": x, "y": y, "element": element, "observe": observe},
        )

    def release(
        self,
        *,
        button: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        key: Optional[str] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        element: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Release a button or key, or everything held if none is named.

        button: Button.
        key: A key by name, such as shift, f5 or a.
        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/release",
            body={"button": button, "key": key, "x": x, "y": y, "element": element, "observe": observe},
        )

    def drag(
        self,
        from_: FromWanted,
        to: FromWanted,
        *,
        via: Optional[List[Point]] = None,
        button: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        hold: Optional[str] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Drag from one place to another.

        from_: The place where the button is pressed.
        via: Places on the way, in order.
        to: The place where the button is released.
        button: Button.
        hold: Keys that are held during the action, such as ctrl or shift+alt.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/drag",
            body={"from": from_, "via": via, "to": to, "button": button, "hold": hold, "observe": observe},
        )

    def screenshot(
        self,
        *,
        format: Optional[Literal["bmp", "png"]] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        cursor: Optional[bool] = None,
        window: Optional[str] = None,
        element: Optional[str] = None,
        max_edge: Optional[int] = None,
    ) -> bytes:
        """A picture of the screen.

        format: The format of the picture; bmp if left out.
        x: Left edge in pixels; the desktop's left edge if left out.
        y: Top edge in pixels; the desktop's top edge if left out.
        width: The size in pixels; up to the desktop's edge if left out.
        height: The size in pixels; up to the desktop's edge if left out.
        cursor: Draw the pointer into the picture.
        window: The window's id, as it is listed.
        element: The place of this element, such as e12 or button "Save" in "Ask".
        max_edge: The longest edge of the picture, which is shrunk to it; as large as the region if left out.
        """
        return self._call(
            "GET",
            "/api/screenshot",
            query={"format": format, "x": x, "y": y, "width": width, "height": height, "cursor": cursor, "window": window, "element": element, "max_edge": max_edge},
        )

    def screen(
        self,
    ) -> ScreenAnswer:
        """Size, displays and kind of the desktop."""
        return self._call(
            "GET",
            "/api/screen",
        )

    def history(
        self,
    ) -> HistoryAnswer:
        """The actions that a virtual desktop received, in order."""
        return self._call(
            "GET",
            "/api/history",
        )

    def pixel(
        self,
        x: Optional[int] = None,
        y: Optional[int] = None,
        *,
        element: Optional[str] = None,
    ) -> PixelAnswer:
        """The colour of a pixel.

        x: Pixels from the left of the desktop.
        y: Pixels from the top of the desktop.
        element: In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask".
        """
        return self._call(
            "GET",
            "/api/pixel",
            query={"x": x, "y": y, "element": element},
        )

    def find_places(
        self,
        content: bytes,
        *,
        tolerance: Optional[int] = None,
        match: Optional[float] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        limit: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        gone: Optional[bool] = None,
        best: Optional[bool] = None,
        click: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        count: Optional[int] = None,
        observe: Optional[Literal["false", "true", "elements"]] = None,
    ) -> FindPlacesAnswer:
        """Find a picture or a text on the screen.

        tolerance: How far each of red, green, blue of a pixel may be off; 0 if left out.
        match: The share of pixels that must agree, both of all pixels and of the picture's details; 1 if left out.
        x: Left edge in pixels; the desktop's left edge if left out.
        y: Top edge in pixels; the desktop's top edge if left out.
        width: The size in pixels; up to the desktop's edge if left out.
        height: The size in pixels; up to the desktop's edge if left out.
        limit: How many places are wanted; 1 if left out.
        timeout_ms: Milliseconds to look for the picture or text; one look if left out.
        gone: With timeout_ms: waits until the picture or text is not there.
        best: Return the nearest place if no place agrees.
        click: Clicks on the middle of the place with this button; not under --read-only.
        count: With click, the number of clicks: 2 is a double click.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/find",
            query={"tolerance": tolerance, "match": match, "x": x, "y": y, "width": width, "height": height, "limit": limit, "timeout_ms": timeout_ms, "gone": gone, "best": best, "click": click, "count": count, "observe": observe},
            content=content,
        )

    def find_text(
        self,
        text: str,
        *,
        match: Optional[float] = None,
        case: Optional[bool] = None,
        nth: Optional[int] = None,
        language: Optional[str] = None,
        source: Optional[Literal["element", "screen"]] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        limit: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        gone: Optional[bool] = None,
        click: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        count: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> FindPlacesAnswer:
        """Find a picture or a text on the screen.

        text: The text; case and spaces do not count.
        match: The least match of a found text; 0.9 if left out, which allows letters of similar shape such as l and 1.
        case: True if upper and lower case must fit.
        nth: The number of the match to take among those that fit, from 1.
        language: Languages such as eng+deu; those of --languages if left out.
        source: Looks only in this source.
        x: Left edge in pixels; the desktop's left edge if left out.
        y: Top edge in pixels; the desktop's top edge if left out.
        width: The size in pixels; up to the desktop's edge if left out.
        height: The size in pixels; up to the desktop's edge if left out.
        limit: How many places are wanted; 1 if left out.
        timeout_ms: Milliseconds to look for the picture or text; one look if left out.
        gone: With timeout_ms: waits until the picture or text is not there.
        click: Clicks on the middle of the place with this button; not under --read-only.
        count: With click, the number of clicks: 2 is a double click.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/find",
            body={"text": text, "match": match, "case": case, "nth": nth, "language": language, "source": source, "x": x, "y": y, "width": width, "height": height, "limit": limit, "timeout_ms": timeout_ms, "gone": gone, "click": click, "count": count, "observe": observe},
        )

    def text(
        self,
        *,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        language: Optional[str] = None,
        source: Optional[Literal["element", "screen"]] = None,
    ) -> TextAnswer:
        """The text on the screen.

        x: Left edge in pixels; the desktop's left edge if left out.
        y: Top edge in pixels; the desktop's top edge if left out.
        width: The size in pixels; up to the desktop's edge if left out.
        height: The size in pixels; up to the desktop's edge if left out.
        language: Languages such as eng+deu; those of --languages if left out.
        source: Looks only in this source.
        """
        return self._call(
            "GET",
            "/api/text",
            query={"x": x, "y": y, "width": width, "height": height, "language": language, "source": source},
        )

    def text_as_text(
        self,
        *,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        language: Optional[str] = None,
        source: Optional[Literal["element", "screen"]] = None,
    ) -> str:
        """The text on the screen.

        x: Left edge in pixels; the desktop's left edge if left out.
        y: Top edge in pixels; the desktop's top edge if left out.
        width: The size in pixels; up to the desktop's edge if left out.
        height: The size in pixels; up to the desktop's edge if left out.
        language: Languages such as eng+deu; those of --languages if left out.
        source: Looks only in this source.
        """
        return self._call(
            "GET",
            "/api/text",
            query={"format": "text", "x": x, "y": y, "width": width, "height": height, "language": language, "source": source},
        )

    def wait(
        self,
        *,
        pixel: Optional[PixelWanted] = None,
        still: Optional[StillWanted] = None,
        change: Optional[ChangeWanted] = None,
        picture: Optional[PictureWanted] = None,
        text: Optional[TextWanted] = None,
        element: Optional[ElementWanted] = None,
        window: Optional[WindowWanted] = None,
        timeout_ms: Optional[int] = None,
    ) -> WaitAnswer:
        """Wait for a pixel's colour, for a region to stay still or to change, for a picture, a text, an element or a window.

        pixel: Wait until a pixel has a colour.
        still: Wait until a region stops changing.
        change: Wait until a region differs from its look at the time of the call.
        picture: Wait until a picture is there.
        text: Wait until a text is there.
        element: Wait until a window has an element.
        window: Wait until a window is there.
        timeout_ms: Milliseconds after which the call gives up; 10000 if left out.
        """
        return self._call(
            "POST",
            "/api/wait",
            body={"pixel": pixel, "still": still, "change": change, "picture": picture, "text": text, "element": element, "window": window, "timeout_ms": timeout_ms},
        )

    def changes(
        self,
        *,
        since: Optional[int] = None,
        wait_ms: Optional[int] = None,
    ) -> ChangesAnswer:
        """Changes of the screen and of the windows.

        since: The serial of an earlier answer; from now on if left out.
        wait_ms: How long to wait for a change; 0 if left out.
        """
        return self._call(
            "GET",
            "/api/changes",
            query={"since": since, "wait_ms": wait_ms},
        )

    def change_stream(
        self,
    ) -> Iterator[Dict[str, Any]]:
        """Changes as they happen (server-sent events)."""
        return self._events(
            "GET",
            "/api/changes/stream",
        )

    def key(
        self,
        keys: str,
        *,
        repeat: Optional[int] = None,
        hold_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Press a combination of keys.

        keys: The combination, such as ctrl+shift+t, f5 or a; + itself is plus.
        repeat: The number of repetitions; once if left out.
        hold_ms: Milliseconds for which the button or key is held down each time; 0 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/key",
            body={"keys": keys, "repeat": repeat, "hold_ms": hold_ms, "observe": observe},
        )

    def type(
        self,
        text: str,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Type text, any Unicode.

        text: Text to type; a line feed is Enter, a tab is Tab.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/type",
            body={"text": text, "observe": observe},
        )

    def steps(
        self,
        steps: List[Dict[str, Any]],
    ) -> StepsAnswer:
        """Do several actions in order, until one fails.

        steps: Actions in their order, each with its fields, such as {"action":"move","x":1,"y":2}. Of moves that follow each other, the place of the last is checked.
        """
        return self._call(
            "POST",
            "/api/steps",
            body={"steps": steps},
        )

    def windows(
        self,
        *,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        active: Optional[bool] = None,
    ) -> WindowsAnswer:
        """The windows, the front one first.

        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        active: True if the window gets keys.
        """
        return self._call(
            "GET",
            "/api/windows",
            query={"title": title, "class": class_, "pid": pid, "active": active},
        )

    def activate_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Bring a window to the front.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/activate",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def minimize_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Minimize a window.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/minimize",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def maximize_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Maximize a window.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/maximize",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def restore_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Give a window its normal size back.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/restore",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def fullscreen_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Make a window fill the screen.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/fullscreen",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def place_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> WindowDone:
        """Move and resize a window.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        x: Left edge in pixels, with the frame.
        y: Top edge in pixels, with the frame.
        width: The size in pixels, with the frame.
        height: The size in pixels, with the frame.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/place",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "x": x, "y": y, "width": width, "height": height, "observe": observe},
        )

    def close_window(
        self,
        *,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        any: Optional[bool] = None,
        timeout_ms: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Ask a window to close.

        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        any: Takes the front one of the windows that fit; without other fields, the front window of all.
        timeout_ms: Milliseconds after which the call gives up; 2000 if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/window/close",
            body={"id": id, "title": title, "class": class_, "pid": pid, "any": any, "timeout_ms": timeout_ms, "observe": observe},
        )

    def elements(
        self,
        *,
        role: Optional[str] = None,
        name: Optional[str] = None,
        exact: Optional[bool] = None,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        visible: Optional[bool] = None,
        limit: Optional[int] = None,
        since: Optional[int] = None,
    ) -> ElementsAnswer:
        """The elements of a window: buttons, fields, list items.

        role: The role, such as button.
        name: A part of the name, in any case.
        exact: True if the whole name must fit.
        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        visible: false to include elements that the window does not show; true if left out.
        limit: The most elements; 200 if left out.
        since: The serial of an earlier list: only elements that are new or changed since then are listed.
        """
        return self._call(
            "GET",
            "/api/elements",
            query={"role": role, "name": name, "exact": exact, "id": id, "title": title, "class": class_, "pid": pid, "visible": visible, "limit": limit, "since": since},
        )

    def elements_as_text(
        self,
        *,
        role: Optional[str] = None,
        name: Optional[str] = None,
        exact: Optional[bool] = None,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        visible: Optional[bool] = None,
        limit: Optional[int] = None,
        since: Optional[int] = None,
    ) -> str:
        """The elements of a window: buttons, fields, list items.

        role: The role, such as button.
        name: A part of the name, in any case.
        exact: True if the whole name must fit.
        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        visible: false to include elements that the window does not show; true if left out.
        limit: The most elements; 200 if left out.
        since: The serial of an earlier list: only elements that are new or changed since then are listed.
        """
        return self._call(
            "GET",
            "/api/elements",
            query={"format": "text", "role": role, "name": name, "exact": exact, "id": id, "title": title, "class": class_, "pid": pid, "visible": visible, "limit": limit, "since": since},
        )

    def switch_elements(
        self,
        enabled: bool,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> SwitchElementsAnswer:
        """Switch the session's accessibility, which some programs need to show elements.

        enabled: Whether accessibility is on; the person's settings keep that.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/elements",
            body={"enabled": enabled, "observe": observe},
        )

    def click_on_element(
        self,
        *,
        element: Optional[str] = None,
        role: Optional[str] = None,
        name: Optional[str] = None,
        exact: Optional[bool] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        button: Optional[Literal["left", "middle", "right", "back", "forward"]] = None,
        count: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> ElementDone:
        """Click an element.

        element: The ref of an element.
        role: The role, such as button.
        name: A part of the name, in any case.
        exact: True if the whole name must fit.
        nth: The number of the element to take among those that fit, from 1.
        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        button: left if left out.
        count: The number of clicks: 2 is a double click.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/element/click",
            body={"element": element, "role": role, "name": name, "exact": exact, "nth": nth, "id": id, "title": title, "class": class_, "pid": pid, "button": button, "count": count, "observe": observe},
        )

    def set_element(
        self,
        text: str,
        *,
        element: Optional[str] = None,
        role: Optional[str] = None,
        name: Optional[str] = None,
        exact: Optional[bool] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> ElementDone:
        """Set the text of an element.

        element: The ref of an element.
        role: The role, such as button.
        name: A part of the name, in any case.
        exact: True if the whole name must fit.
        nth: The number of the element to take among those that fit, from 1.
        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        text: The new text of the field.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/element/set",
            body={"element": element, "role": role, "name": name, "exact": exact, "nth": nth, "id": id, "title": title, "class": class_, "pid": pid, "text": text, "observe": observe},
        )

    def focus_element(
        self,
        *,
        element: Optional[str] = None,
        role: Optional[str] = None,
        name: Optional[str] = None,
        exact: Optional[bool] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        title: Optional[str] = None,
        class_: Optional[str] = None,
        pid: Optional[int] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> FocusElementAnswer:
        """Give an element the keyboard.

        element: The ref of an element.
        role: The role, such as button.
        name: A part of the name, in any case.
        exact: True if the whole name must fit.
        nth: The number of the element to take among those that fit, from 1.
        id: The window's id, as it is listed.
        title: A part of the title, in any case.
        class_: The class, such as xterm, in any case.
        pid: The id of the window's process.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/element/focus",
            body={"element": element, "role": role, "name": name, "exact": exact, "nth": nth, "id": id, "title": title, "class": class_, "pid": pid, "observe": observe},
        )

    def clipboard(
        self,
        *,
        selection: Optional[Literal["clipboard", "primary"]] = None,
    ) -> ClipboardAnswer:
        """The text on the clipboard.

        selection: The selection: clipboard if left out; primary, on X11, is the text that was selected last.
        """
        return self._call(
            "GET",
            "/api/clipboard",
            query={"selection": selection},
        )

    def clipboard_as_png(
        self,
        *,
        selection: Optional[Literal["clipboard", "primary"]] = None,
    ) -> bytes:
        """The text on the clipboard.

        selection: The selection: clipboard if left out; primary, on X11, is the text that was selected last.
        """
        return self._call(
            "GET",
            "/api/clipboard",
            query={"format": "png", "selection": selection},
        )

    def set_clipboard(
        self,
        *,
        observe: Optional[Literal["false", "true", "elements"]] = None,
        text: Optional[str] = None,
        png: Optional[str] = None,
        selection: Optional[Literal["clipboard", "primary"]] = None,
    ) -> Done:
        """Put text or a picture on the clipboard.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        text: The text; may be empty.
        png: A picture, as a PNG file.
        selection: The selection: clipboard if left out; primary, on X11, is the text that was selected last.
        """
        return self._call(
            "PUT",
            "/api/clipboard",
            query={"observe": observe},
            body={"text": text, "png": png, "selection": selection},
        )

    def recording(
        self,
    ) -> Dict[str, Any]:
        """The recording, as it would be saved."""
        return self._call(
            "GET",
            "/api/recording",
        )

    def recording_as_sh(
        self,
    ) -> str:
        """The recording, as it would be saved."""
        return self._call(
            "GET",
            "/api/recording",
            query={"format": "sh"},
        )

    def load_recording(
        self,
        recording: Dict[str, Any],
        *,
        observe: Optional[Literal["false", "true", "elements"]] = None,
    ) -> Done:
        """Load a recording.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "PUT",
            "/api/recording",
            query={"observe": observe},
            body=recording,
        )

    def discard_recording(
        self,
        *,
        observe: Optional[Literal["false", "true", "elements"]] = None,
    ) -> Done:
        """Discard the recording and its journal.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "DELETE",
            "/api/recording",
            query={"observe": observe},
        )

    def recording_state(
        self,
    ) -> RecordingStateAnswer:
        """State of the recorder."""
        return self._call(
            "GET",
            "/api/recording/state",
        )

    def start_recording(
        self,
        *,
        keyboard: Optional[bool] = None,
        elements: Optional[bool] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Record what is done on the desktop.

        keyboard: Record keys, which may be passwords; true if left out.
        elements: Notes the elements under presses; true if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/recording/start",
            body={"keyboard": keyboard, "elements": elements, "observe": observe},
        )

    def stop_recording(
        self,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Stop recording or playing.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/recording/stop",
            body={"observe": observe},
        )

    def play_recording(
        self,
        *,
        speed: Optional[float] = None,
        times: Optional[int] = None,
        scale: Optional[bool] = None,
        elements: Optional[bool] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Replay the recording; answers when it has begun.

        speed: The speed: 2 is twice as fast.
        times: The number of rounds.
        scale: Scale places to a desktop of another size.
        elements: Sends each press to the present place of its element; the replay ends where an element is not found.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/recording/play",
            body={"speed": speed, "times": times, "scale": scale, "elements": elements, "observe": observe},
        )

    def trace(
        self,
        *,
        name: Optional[str] = None,
        follow: Optional[bool] = None,
        download: Optional[bool] = None,
    ) -> str:
        """A trace as a page: the trace that is being recorded, or else the newest.

        name: The file's name.
        follow: Keep sending the trace while it is being recorded; true if left out.
        download: True if a browser saves the file.
        """
        return self._call(
            "GET",
            "/api/trace",
            query={"name": name, "follow": follow, "download": download},
        )

    def start_trace(
        self,
        *,
        name: Optional[str] = None,
        texts: Optional[bool] = None,
        looks: Optional[bool] = None,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> StartTraceAnswer:
        """Start a trace: what is done, with pictures, in a file that any browser opens.

        name: A name for the trace, such as that of a test.
        texts: Record texts that callers type; only their length is recorded if left out.
        looks: Record actions that only read, such as screenshots; false if left out.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/trace/start",
            body={"name": name, "texts": texts, "looks": looks, "observe": observe},
        )

    def stop_trace(
        self,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> StartTraceAnswer:
        """Stop the trace; the answer has the path of its file.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/trace/stop",
            body={"observe": observe},
        )

    def mark_trace(
        self,
        text: str,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Put a mark into the trace, such as the name of a step.

        text: The text of the mark.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/trace/mark",
            body={"text": text, "observe": observe},
        )

    def pause_trace(
        self,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Keep nothing in the trace until it is resumed.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/trace/pause",
            body={"observe": observe},
        )

    def resume_trace(
        self,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Go on with a trace that is paused.

        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/trace/resume",
            body={"observe": observe},
        )

    def trace_state(
        self,
    ) -> TraceStateAnswer:
        """State of the trace."""
        return self._call(
            "GET",
            "/api/trace/state",
        )

    def traces(
        self,
    ) -> TracesAnswer:
        """The files of traces, the oldest first."""
        return self._call(
            "GET",
            "/api/traces",
        )

    def remove_trace(
        self,
        name: str,
        *,
        observe: Optional[Literal["false", "true", "elements"]] = None,
    ) -> Done:
        """Remove the file of a trace.

        name: The file's name.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "DELETE",
            "/api/traces",
            query={"name": name, "observe": observe},
        )

    def agents(
        self,
    ) -> AgentsAnswer:
        """Check whether AI agents may act."""
        return self._call(
            "GET",
            "/api/agents",
        )

    def allow_agents(
        self,
        allowed: bool,
        *,
        observe: Optional[Union[bool, Literal["elements"]]] = None,
    ) -> Done:
        """Allow AI agents to act, or stop them.

        allowed: True to let agents act; false also stops their present actions.
        observe: Waits until the screen settles and tells what changed; with elements it tells changed elements, too.
        """
        return self._call(
            "POST",
            "/api/agents",
            body={"allowed": allowed, "observe": observe},
        )

    def act(
        self,
        dialect: Literal["anthropic", "openai", "google", "gemini"],
        *,
        action: Optional[Dict[str, Any]] = None,
        actions: Optional[List[Dict[str, Any]]] = None,
        observe: Optional[bool] = None,
        view: Optional[ViewWanted] = None,
    ) -> ActAnswer:
        """Do actions in the form in which the models of Anthropic, OpenAI and Google write them.

        dialect: Whose model wrote the action.
        action: The action, as the model writes it.
        actions: Several actions, done in order until one fails.
        observe: Adds a line to the text of each action: the verdict on its effect, and the windows.
        view: The size of the pictures that the model gets; that of --view if left out.
        """
        return self._call(
            "POST",
            "/api/act",
            body={"dialect": dialect, "action": action, "actions": actions, "observe": observe, "view": view},
        )

    def put_file(
        self,
        content: bytes,
        name: str,
    ) -> PutFileAnswer:
        """Put a file into the served folder.

        name: The name of the file.
        """
        return self._call(
            "PUT",
            "/api/file",
            query={"name": name},
            content=content,
        )

    def make_link(
        self,
        *,
        rights: Optional[Literal["look", "act"]] = None,
        hours: Optional[float] = None,
        name: Optional[str] = None,
    ) -> MakeLinkAnswer:
        """Make a link for a guest, who may look or act until the link ends.

        rights: Rights of the guest: to look, which is the default, or to act as well.
        hours: Hours for which the link is open; 2 if left out.
        name: The name of the guest, which other viewers see.
        """
        return self._call(
            "POST",
            "/api/links",
            body={"rights": rights, "hours": hours, "name": name},
        )

    def links(
        self,
    ) -> LinksAnswer:
        """The open links, and who looks now."""
        return self._call(
            "GET",
            "/api/links",
        )

    def revoke_link(
        self,
        id: str,
    ) -> RevokeLinkAnswer:
        """End a link at once.

        id: The link.
        """
        return self._call(
            "DELETE",
            "/api/links",
            query={"id": id},
        )

    def events(
        self,
    ) -> Iterator[Dict[str, Any]]:
        """Input events as they happen (server-sent events)."""
        return self._events(
            "GET",
            "/api/events",
        )

    def sound(
        self,
    ) -> SoundAnswer:
        """Check whether the desktop can be heard; if not, the answer says why."""
        return self._call(
            "GET",
            "/api/sound",
        )

    def health(
        self,
    ) -> RevokeLinkAnswer:
        """Check whether deskhand answers."""
        return self._call(
            "GET",
            "/healthz",
        )

    def ready(
        self,
    ) -> RevokeLinkAnswer:
        """Check whether the desktop answers."""
        return self._call(
            "GET",
            "/readyz",
        )

    def metrics(
        self,
    ) -> str:
        """Figures in the text format of Prometheus."""
        return self._call(
            "GET",
            "/metrics",
        )

    def list_endpoints(
        self,
    ) -> ListEndpointsAnswer:
        """The list of all calls."""
        return self._call(
            "GET",
            "/api",
        )

    def open_api(
        self,
    ) -> OpenApiAnswer:
        """This API as an OpenAPI document."""
        return self._call(
            "GET",
            "/openapi.json",
        )
