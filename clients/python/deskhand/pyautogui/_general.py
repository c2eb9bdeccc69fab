"""Pauses, information about this machine, and run(), a language of one-letter commands."""

from __future__ import annotations

import datetime
import re
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _keyboard, _mouse, _pointer
from ._base import PyAutoGUIException, position, setting, size
from ._boxes import alert
from ._pointer import onScreen
from ._screen import pixel, screenshot


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def countdown(seconds: int) -> None:
    """Prints the remaining seconds, one per second."""
    for left in range(seconds, 0, -1):
        print(left, end=" ", flush=True)
        time.sleep(1)
    print()


def getInfo() -> Tuple[str, str, str, str, Any, datetime.datetime]:
    """Returns the platform, Python version, PyAutoGUI version, Python executable, screen size, and time."""
    return (sys.platform, sys.version, setting("__version__"), sys.executable, size(), datetime.datetime.now())


def printInfo(dontPrint: bool = False) -> str:
    """Prints the values of getInfo, one per line."""
    labels = ("Platform", "Python Version", "PyAutoGUI Version", "Executable", "Resolution", "Timestamp")
    lines = "".join(f"\n{label:>17}: {value}" for label, value in zip(labels, getInfo()))
    if not dontPrint:
        print(lines)
    return lines


def displayMousePosition(xOffset: int = 0, yOffset: int = 0) -> None:
    """Prints the pointer position and the colour there until Ctrl-C."""
    print("Press Ctrl-C to quit.")
    if xOffset or yOffset:
        print(f"xOffset: {xOffset} yOffset: {yOffset}")
    try:
        while True:
            x, y = position()
            color = pixel(x, y) if onScreen(x, y) else ("NaN",) * 3
            shades = ", ".join(f"{shade:>3}" for shade in color)
            text = f"X: {x - xOffset:>4} Y: {y - yOffset:>4} RGB: ({shades})"
            print(text, end="\b" * len(text), flush=True)
            time.sleep(0.02)
    except KeyboardInterrupt:
        print()


_NUMBER = r"\s*([+-]?\d+(?:\.\d+)?)"
_PAIR = rf"{_NUMBER}\s*,{_NUMBER}"
_QUOTED = r"\s*'(.*?)'"
#: The pattern of each command's arguments, and the message if they do not match.
_ARGUMENTS: Dict[str, Tuple[str, str]] = {
    **{name: (_PAIR, "two numbers were expected") for name in ("g", "d")},
    **{name: (_NUMBER, "a number was expected") for name in ("s", "p")},
    **{name: (_QUOTED, "a quoted string was expected") for name in ("k", "w", "h", "a")},
    "f": (_NUMBER + r"\s*(?=\()", "a number and a parenthesis were expected"),
}
_COMMAND = re.compile(r"\s*(su|sd|ss|[clmrgdkwhfsap])")


def _relative(pair: Tuple[str, ...]) -> bool:
    signed = [number[0] in "+-" for number in pair]
    if signed[0] != signed[1]:
        raise PyAutoGUIException(f"Invalid command: of {','.join(pair)} both have a +/- or neither has")
    return signed[0]


def _go(at: Callable[..., Any], by: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *pair: (by if _relative(pair) else at)(*(int(float(number)) for number in pair))


def _pause(seconds: str) -> None:
    sys.modules[__package__ or ""].PAUSE = float(seconds)  # type: ignore[attr-defined]


_CALLS: Dict[str, Callable[..., Any]] = {
    "c": lambda: _mouse.click(),
    "l": lambda: _mouse.click(button=_pointer.LEFT),
    "m": lambda: _mouse.click(button=_pointer.MIDDLE),
    "r": lambda: _mouse.click(button=_pointer.RIGHT),
    "su": lambda: _mouse.scroll(1),
    "sd": lambda: _mouse.scroll(-1),
    "g": _go(_pointer.moveTo, _pointer.move),
    "d": _go(_pointer.dragTo, _pointer.drag),
    "k": lambda key: _keyboard.press(key.lstrip()),
    "w": lambda text: _keyboard.write(text.lstrip()),
    "h": lambda keys: _keyboard.hotkey(*keys.replace(" ", "").split(",")),
    "a": lambda text: alert(text.lstrip()),
    "s": lambda seconds: sleep(float(seconds)),
    "p": _pause,
}

Step = Tuple[str, Tuple[Any, ...]]


def _steps(text: str, start: int = 0) -> List[Step]:
    """Parses a text into commands; the commands of a loop are a nested list."""
    steps: List[Step] = []
    at = 0
    while text[at:].strip():
        command = _COMMAND.match(text, at)
        if command is None:
            bad = at + len(text[at:]) - len(text[at:].lstrip())
            raise PyAutoGUIException(f"Invalid command at index {start + bad}: {text[bad]} is not a valid command")
        at = command.end()
        pattern, wrong = _ARGUMENTS.get(command[1], ("", ""))
        words = re.compile(pattern).match(text, at)
        if words is None:
            raise PyAutoGUIException(f"Invalid command at index {start + at}: {wrong}")
        at = words.end()
        args: Tuple[Any, ...] = words.groups()
        if command[1] in "gd":
            _relative(args)
        if command[1] == "f":
            end = _closing(text, at, start)
            args = (*args, _steps(text[at + 1 : end], start + at + 1))
            at = end + 1
        steps.append((command[1], args))
    return steps


def _closing(text: str, at: int, start: int) -> int:
    """Finds the end of the parenthesis that opens at a position."""
    depth = 0
    for index in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise PyAutoGUIException(f"Invalid command at index {start + at}: Not enough close parentheses.")


def _run(steps: List[Step], shots: List[int]) -> None:
    for name, args in steps:
        if name == "f":
            for _ in range(int(float(args[0]))):
                _run(args[1], shots)
        elif name == "ss":
            screenshot(f"screenshot{shots[0]}.png")
            shots[0] += 1
        else:
            _CALLS[name](*args)


def run(commandStr: str, _ssCount: Optional[List[int]] = None) -> None:
    """Runs commands such as "g100,200 c w'hello' f3(su)"; see docs/pyautogui.md.

    Restores PAUSE afterwards.
    """
    package: Any = sys.modules[__package__ or ""]
    before = package.PAUSE
    try:
        _run(_steps(commandStr), [0] if _ssCount is None else _ssCount)
    finally:
        package.PAUSE = before
