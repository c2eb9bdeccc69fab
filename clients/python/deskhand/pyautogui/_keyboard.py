"""The keyboard functions."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Sequence, Union

from .._errors import ApiError
from ._base import desk, failSafeCheck, log_screenshot, public
from ._keys import isShiftCharacter, known_keys, refused, warn

#: Maximum number of characters typed per call, so that the fail-safe is checked between calls.
TEXT_PART = 50

#: Keys held by keyDown, by deskhand's names.
_down: List[str] = []


@public
def keyDown(key: str, logScreenshot: Optional[bool] = None, _pause: bool = True) -> None:
    """Presses a key without releasing it."""
    log_screenshot(logScreenshot, "keyDown", key)
    for name in known_keys([key]):
        _press_down(name)


@public
def keyUp(key: str, logScreenshot: Optional[bool] = None, _pause: bool = True) -> None:
    """Releases a key."""
    log_screenshot(logScreenshot, "keyUp", key)
    for name in known_keys([key]):
        _release(name)


@public
def press(
    keys: Union[str, Sequence[str]],
    presses: int = 1,
    interval: float = 0.0,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
) -> None:
    """Presses and releases a key, or several in turn, `presses` times."""
    listed = _listed(keys)
    log_screenshot(logScreenshot, "press", ",".join(listed))
    names = known_keys(listed)
    for _ in range(presses):
        for name in names:
            failSafeCheck()
            _tap(name)
        time.sleep(float(interval))


@contextmanager
def hold(
    keys: Union[str, Sequence[str]], logScreenshot: Optional[bool] = None, _pause: bool = True
) -> Iterator[None]:
    """Holds keys during a `with` block."""
    listed = _listed(keys)
    _hold_down(listed, logScreenshot=logScreenshot, _pause=_pause)
    try:
        yield
    finally:
        for name in known_keys(listed):
            _release(name)
        failSafeCheck()


@public
def _hold_down(keys: Sequence[str], logScreenshot: Optional[bool] = None, _pause: bool = True) -> None:
    log_screenshot(logScreenshot, "hold", ",".join(keys))
    for name in known_keys(keys):
        _press_down(name)


@public
def typewrite(
    message: Union[str, Sequence[str]],
    interval: float = 0.0,
    logScreenshot: Optional[bool] = None,
    _pause: bool = True,
) -> None:
    """Types a text, or presses keys by name, with a pause of `interval` seconds after each."""
    log_screenshot(logScreenshot, "write", "".join(message))
    pause = float(interval)
    if isinstance(message, str) and not _down and pause <= 0:
        _type(message)
        return
    for key in message:
        failSafeCheck()
        # While a modifier is down, each character is a key in a shortcut.
        if len(key) == 1 and not _down:
            _type(key)
        else:
            for name in known_keys([key]):
                _tap(name)
        time.sleep(pause)


write = typewrite


@public
def hotkey(*args: Any, **kwargs: Any) -> None:
    """Presses keys in turn, and releases them in reverse order, `interval` seconds apart."""
    interval = float(kwargs.get("interval", 0.0))
    keys = _listed(args[0] if len(args) == 1 and not isinstance(args[0], str) else args)
    log_screenshot(kwargs.get("logScreenshot"), "hotkey", ",".join(keys))
    names = known_keys(keys)
    if not names:
        return
    is_plain = not any(len(key) == 1 and isShiftCharacter(key) for key in keys)
    if interval <= 0 and is_plain and len(set(names)) == len(names):
        _combine(names)
        return
    pressed: List[str] = []
    try:
        for name in names:
            _press_down(name)
            pressed.append(name)
            time.sleep(interval)
    finally:
        for name in reversed(pressed):
            _release(name)
            time.sleep(interval)


shortcut = hotkey


def _listed(keys: Union[str, Sequence[str]]) -> List[str]:
    return [keys] if isinstance(keys, str) else list(keys)


def _type(text: str) -> None:
    """Types characters, pressing those that are separate keys in PyAutoGUI."""
    rest = text.replace("\r", "\n")
    while rest:
        failSafeCheck()
        stop = rest.find("\b")
        if stop == 0:
            _tap("backspace")
            rest = rest[1:]
            continue
        end = min(TEXT_PART, stop if stop > 0 else len(rest))
        desk().type(rest[:end])
        rest = rest[end:]


def _tap(name: str) -> None:
    _guarded(name, lambda: desk().key("plus" if name == "+" else name))


def _combine(names: Sequence[str]) -> None:
    keys = "+".join("plus" if name == "+" else name for name in names)
    _guarded(keys, lambda: desk().key(keys))


def _press_down(name: str) -> None:
    if _guarded(name, lambda: desk().press_down(key=name)) and name not in _down:
        _down.append(name)


def _release(name: str) -> None:
    _guarded(name, lambda: desk().release_one(key=name))
    if name in _down:
        _down.remove(name)


def _guarded(name: str, call: Any) -> bool:
    """Converts the error for a missing key to a warning, because PyAutoGUI continues without such a key."""
    try:
        call()
        return True
    except ApiError as error:
        if not refused(error):
            raise
        warn(name, error.message)
        return False
